// Shuffles of other libraries and papers that neither compute places nor divide keys.
#include <tbb/parallel_sort.h>

#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "cpu_reference/shuffle_support.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"

namespace wrsgpu::shuffle {
namespace {

// Number of keys or slots per task, and of words drawn at once.
constexpr std::uint64_t block_items = std::uint64_t{1} << 14;
constexpr std::uint64_t batch = 256;

/// Calls `use(block, begin, end)` for the blocks of [0, items), in parallel within a task arena.
template <class Use>
void for_ranges(std::uint64_t items, const Use& use) {
  for_blocks((items + block_items - 1) / block_items, [&](std::uint64_t block) {
    const std::uint64_t begin = block * block_items;
    use(block, begin, std::min(begin + block_items, items));
  });
}

/// Calls `use(i, word)` with word i of the stream for all i in [begin, end).
template <class Use>
void for_words(std::uint64_t stream, std::uint64_t begin, std::uint64_t end, const Use& use) {
  std::uint64_t words[batch];
  for (std::uint64_t first = begin; first < end; first += batch) {
    const std::uint64_t count = std::min(batch, end - first);
    philox_words(stream, first, {words, count});
    for (std::uint64_t k = 0; k < count; ++k) use(first + k, words[k]);
  }
}

struct WordOfPlace {
  std::uint64_t word;
  std::uint64_t place;
};

}  // namespace

void standard_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed) {
  require_keys(in, out);
  std::copy_n(in.data(), in.size(), out.data());
  std::shuffle(out.begin(), out.end(), std::mt19937_64(stream_of(seed, WordUse::standard)));
}

void sort_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
  require_keys(in, out);
  const std::uint64_t stream = stream_of(seed, WordUse::sort_words);
  HostBuffer<WordOfPlace> pairs(in.size());
  in_task_arena(threads, [&] {
    for_ranges(in.size(), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for_words(stream, begin, end, [&](std::uint64_t i, std::uint64_t word) {
        pairs[i] = {word, i};
      });
    });
    tbb::parallel_sort(pairs.data(), pairs.data() + pairs.size(),
                       [](const WordOfPlace& a, const WordOfPlace& b) {
                         return a.word != b.word ? a.word < b.word : a.place < b.place;
                       });
    for_ranges(in.size(), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      gather_range(in, out, begin, end, [&](std::uint64_t first, std::span<std::uint64_t> places) {
        for (std::size_t k = 0; k < places.size(); ++k) places[k] = pairs[first + k].place;
      });
    });
  });
}

void dart_throwing(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads) {
  require_keys(in, out);
  const std::uint64_t stream = stream_of(seed, WordUse::darts);
  const std::uint64_t slot_count = 2 * in.size();
  // A slot holds the place of its key plus one, or 0 if it is empty.
  HostBuffer<std::uint64_t> slots(slot_count);
  std::vector<std::uint64_t> starts((slot_count + block_items - 1) / block_items);
  in_task_arena(threads, [&] {
    for_ranges(slot_count, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      std::fill(slots.data() + begin, slots.data() + end, 0);
    });
    for_ranges(in.size(), [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for_words(stream, begin, end, [&](std::uint64_t i, std::uint64_t word) {
        std::uint64_t held = i + 1;
        for (std::uint64_t throws = 1;; ++throws) {
          std::atomic_ref<std::uint64_t> slot(slots[take_below(slot_count, word)]);
          held = slot.exchange(held, std::memory_order_relaxed);
          if (held == 0) return;
          // Words of later throws, for the displaced key.
          word = random::philox_word(stream, (throws << 40) + i);
        }
      });
    });
    for_ranges(slot_count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
      std::uint64_t count = 0;
      for (std::uint64_t slot = begin; slot < end; ++slot) count += slots[slot] != 0 ? 1U : 0U;
      starts[block] = count;
    });
    std::uint64_t place = 0;
    for (std::uint64_t& start : starts) place += std::exchange(start, place);
    for_ranges(slot_count, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
      // Compacted in place: no slot of the block is written before it has been read.
      std::uint64_t count = 0;
      for (std::uint64_t slot = begin; slot < end; ++slot) {
        const std::uint64_t held = slots[slot];
        slots[begin + count] = held - 1;
        count += held != 0 ? 1U : 0U;
      }
      gather_range(in, out.subspan(starts[block], count), 0, count,
                   [&](std::uint64_t first, std::span<std::uint64_t> places) {
                     std::copy_n(slots.data() + begin + first, places.size(), places.data());
                   });
    });
  });
}

}  // namespace wrsgpu::shuffle
