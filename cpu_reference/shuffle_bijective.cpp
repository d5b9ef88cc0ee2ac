// The shuffles that compute the source of each key.
#include <tbb/parallel_pipeline.h>

#include <array>
#include <memory>

#include "cpu_reference/shuffle_support.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/shuffle/blocks.hpp"

namespace wrsgpu::shuffle {
namespace {

// Keys that one task gathers.
constexpr std::uint64_t block_keys = std::uint64_t{1} << 14;

/// out[i] = in[place of i] for all i, in parallel.
template <class PlacesOf>
void gather_all(Keys in, ShuffledKeys out, unsigned threads, const PlacesOf& places_of) {
  const std::uint64_t blocks = (out.size() + block_keys - 1) / block_keys;
  const auto gather = [&](std::uint64_t block) {
    const std::uint64_t begin = block * block_keys;
    gather_range(in, out, begin, std::min<std::uint64_t>(begin + block_keys, out.size()),
                 places_of);
  };
  if (blocks == 1) return gather(0);  // too small to start an arena
  in_task_arena(threads, [&] { for_blocks(blocks, gather); });
}

/// Two rounds of multiplication and shift, of whose result 32 bits are used: almost free, and
/// sufficient to distribute the reads. Larger arrays would be read only in part.
WRSGPU_TARGET_CLONES void hashed_places(std::uint64_t seed, std::uint64_t size, std::uint64_t first,
                                        std::uint64_t* places, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t x = (seed ^ (first + k)) * 0x9E37'79B9'7F4A'7C15U;
    x ^= x >> 32;
    x *= 0xD6E8'FEB8'6659'FD93U;
    places[k] = ((x >> 32) * (size >> 32)) + (((x >> 32) * (size & 0xFFFF'FFFFU)) >> 32);
  }
}

// Number of images that one step of the pipeline computes.
constexpr std::uint64_t block_images = 4096;

/// The images of a block that are places of keys, and their offset in the output.
struct Kept {
  std::uint64_t block = 0;
  std::uint64_t first = 0;
  std::size_t count = 0;
  std::array<std::uint64_t, block_images> place;
};

/// Computes the images of the block and compacts those below `size`.
void keep_places(const VariablePhilox<>& bijection, std::uint64_t size, Kept& kept) {
  const std::uint64_t begin = kept.block * block_images;
  const std::size_t images_here = std::min(block_images, bijection.size() - begin);
  images(bijection, begin, {kept.place.data(), images_here});
  std::size_t count = 0;
  for (std::size_t k = 0; k < images_here; ++k) {
    const std::uint64_t place = kept.place[k];
    kept.place[count] = place;
    count += place < size ? 1U : 0U;
  }
  kept.count = count;
}

void gather_kept(Keys in, ShuffledKeys out, const Kept& kept) {
  gather_range(in, out.subspan(kept.first, kept.count), 0, kept.count,
               [&](std::uint64_t first, std::span<std::uint64_t> places) {
                 std::copy_n(kept.place.data() + first, places.size(), places.data());
               });
}

}  // namespace

void gather_bound(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
  require_keys(in, out);
  gather_all(in, out, threads,
             [size = in.size(), start = stream_of(seed, WordUse::gather)](
                 std::uint64_t first, std::span<std::uint64_t> to) {
               hashed_places(start, size, first, to.data(), to.size());
             });
}

void cycle_walk_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
  require_keys(in, out);
  gather_all(
      in, out, threads,
      [permutation = lazy_permutation(in.size(), seed)](
          std::uint64_t first, std::span<std::uint64_t> to) { places(permutation, first, to); });
}

// Three steps per block: compute its images, determine its offset in the output from the preceding
// blocks, gather. The scan is the only step in which blocks run one after another; no image is
// computed twice, or stored after its block is finished.
void bijective_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
  require_keys(in, out);
  const auto bijection = VariablePhilox<>::of_at_least(in.size(), seed);
  const std::uint64_t blocks = (bijection.size() + block_images - 1) / block_images;
  if (blocks == 1) {
    Kept kept;
    keep_places(bijection, in.size(), kept);
    return gather_kept(in, out, kept);
  }
  using Token = std::shared_ptr<Kept>;
  std::uint64_t next_block = 0;
  std::uint64_t next_place = 0;
  const auto start = [&](tbb::flow_control& control) -> Token {
    if (next_block == blocks) {
      control.stop();
      return {};
    }
    auto kept = std::make_shared_for_overwrite<Kept>();
    kept->block = next_block++;
    return kept;
  };
  const auto compute = [&](Token kept) {
    keep_places(bijection, in.size(), *kept);
    return kept;
  };
  const auto place = [&](Token kept) {
    kept->first = next_place;
    next_place += kept->count;
    return kept;
  };
  const auto gather = [&](const Token& kept) { gather_kept(in, out, *kept); };
  const unsigned team = threads == 0 ? hardware_threads() : threads;
  in_task_arena(threads, [&] {
    tbb::parallel_pipeline(
        4 * std::size_t{team},
        tbb::make_filter<void, Token>(tbb::filter_mode::serial_in_order, start) &
            tbb::make_filter<Token, Token>(tbb::filter_mode::parallel, compute) &
            tbb::make_filter<Token, Token>(tbb::filter_mode::serial_in_order, place) &
            tbb::make_filter<Token, void>(tbb::filter_mode::parallel, gather));
  });
}

}  // namespace wrsgpu::shuffle
