// The CPU shuffles of Mitchell, Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for
// GPUs" (2021), section 6 (Table 3, Figure 14), and ours.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wrsgpu::shuffle {

using Keys = std::span<const std::uint64_t>;
using ShuffledKeys = std::span<std::uint64_t>;

/// One method. `run` writes the keys of `in` to `out` in an order that depends on the seed, on up
/// to `threads` threads (0: all hardware threads); where the method is not parallel it uses one.
/// Throws `Error` before anything is written when `in` is empty or has more than `max_keys` keys,
/// when `out` has another length, and when the two overlap.
struct CpuShuffleMethod {
  std::string name;
  /// Publication and section, for example "section 4, Algorithm 1".
  std::string source;
  std::string summary;
  /// False for the random gather, whose places repeat.
  bool permutes = true;
  bool parallel = false;
  /// True if the result is a function of keys and seed alone, independent of thread scheduling.
  bool reproducible = true;
  std::function<void(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads)> run;
};

/// One entry per method, the bound first.
[[nodiscard]] const std::vector<CpuShuffleMethod>& cpu_shuffle_methods();

/// How the two methods that divide the keys do it. The defaults fit second-level caches.
struct Division {
  /// Pieces of about this many keys or fewer are shuffled as a whole (Fisher-Yates).
  std::uint64_t piece_keys = std::uint64_t{1} << 16;
  /// A division of Rao and Sandelius makes up to 2^digit_bits pieces at once; in [1, 8].
  unsigned digit_bits = 8;
};

/// Reads the keys at hashed places, each at random, and writes them in order: what memory allows,
/// and no permutation, as some keys come several times and others never.
void gather_bound(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// out[i] = in[p(i)] with p the `lazy_permutation` of as many numbers.
void cycle_walk_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// The paper's algorithm (its section 4, Algorithm 1) with `VariablePhilox` (section 3.2): images
/// of 0, 1, ..., 2^k - 1 that are no places of keys are left out, and the others are compacted.
void bijective_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// `std::shuffle` with the 64-bit Mersenne Twister: sequential Fisher-Yates.
void standard_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed);

/// Rao (1961) and Sandelius (1962): every key goes to a random bucket, recursively within the
/// buckets (the paper's section 2.1). Uses digits of several bits, as an MSD radix sort does, down
/// to buckets that fit a cache. Needs memory for another copy of the keys where one division is not
/// enough.
void rao_sandelius(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division = {});

/// MergeShuffle of Bacher, Bodini, Hollender and Lumbroso (2015): blocks are shuffled, then merged
/// in pairs by random bits, in place; pairs in parallel (the paper's section 2.1).
void merge_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division = {});

/// Sorts (random 64-bit word, place) pairs; equal words stay in order (the paper's SortShuffle,
/// sections 2.1 and 6). Needs 16 bytes for each key.
void sort_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// Keys are thrown at 2n slots by atomic exchange; a displaced key is thrown again; finally the
/// slots are compacted (the paper's sections 2.1 and 6). Needs 16 bytes for each key. Threads race
/// for a slot, so that several threads give other orders in every run, all of them equally likely.
void dart_throwing(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

}  // namespace wrsgpu::shuffle
