// The CPU shuffles of Mitchell, Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for
// GPUs" (2021), section 6 (Table 3, Figure 14), and those of this library.
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
/// to `threads` threads (0: all hardware threads); sequential methods use one. Throws `Error`
/// before anything is written if `in` is empty or has more than `max_keys` keys, if `out` has
/// another length, and if the two overlap.
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

/// Parameters of the two divide-and-conquer methods. The defaults fit L2 caches.
struct Division {
  /// Pieces of about this many keys or fewer are shuffled as a whole (Fisher-Yates).
  std::uint64_t piece_keys = std::uint64_t{1} << 16;
  /// A division of Rao and Sandelius makes up to 2^digit_bits pieces at once; in [1, 8].
  unsigned digit_bits = 8;
};

/// Reads keys at hashed places, which is random access, and writes them in order: an upper bound of
/// what memory allows. Not a permutation, because some keys occur several times and others never.
void gather_bound(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// out[i] = in[p(i)], where p is the `lazy_permutation` of that size.
void cycle_walk_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// The paper's algorithm (its section 4, Algorithm 1) with `VariablePhilox` (section 3.2): images
/// of 0, 1, ..., 2^k - 1 that are not places of keys are dropped, and the others are compacted.
void bijective_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// `std::shuffle` with the 64-bit Mersenne Twister: sequential Fisher-Yates.
void standard_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed);

/// Rao (1961) and Sandelius (1962): every key goes to a random bucket, recursively within the
/// buckets (the paper's section 2.1). Uses digits of several bits, like an MSD radix sort, down to
/// buckets that fit in a cache. Needs memory for another copy of the keys if one division does not
/// suffice.
void rao_sandelius(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division = {});

/// MergeShuffle of Bacher, Bodini, Hollender and Lumbroso (2015): blocks are shuffled, then merged
/// in pairs by random bits, in place; pairs in parallel (the paper's section 2.1).
void merge_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division = {});

/// Sorts (random 64-bit word, place) pairs; the sort is stable (the paper's SortShuffle, sections
/// 2.1 and 6). Needs 16 bytes per key.
void sort_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

/// Keys are thrown at 2n slots by atomic exchange; a displaced key is thrown again; finally the
/// slots are compacted (the paper's sections 2.1 and 6). Needs 16 bytes per key. Threads race for
/// slots, so that with several threads the order differs from run to run; all orders are equally
/// likely.
void dart_throwing(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads);

}  // namespace wrsgpu::shuffle
