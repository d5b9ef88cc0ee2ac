#include "cpu_reference/shuffle_support.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <utility>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {

void require_keys(Keys in, ShuffledKeys out) {
  require_size(in.size(), "the number of keys to shuffle");
  if (out.size() != in.size()) {
    throw Error(fmt::format("{} keys are to be shuffled into a buffer of {}; the two must be equal",
                            in.size(), out.size()));
  }
  const std::less<> before;  // also orders pointers to different arrays
  if (before(in.data(), out.data() + out.size()) && before(out.data(), in.data() + in.size())) {
    throw Error("the keys to shuffle and the buffer of the result overlap");
  }
}

void in_task_arena(unsigned threads, const std::function<void()>& work) {
  threads = std::min(threads == 0 ? hardware_threads() : threads, max_threads);
  // An arena alone does not get more threads than the hardware has.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  std::max(threads, hardware_threads()));
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(work);
}

void for_blocks(std::uint64_t blocks, const std::function<void(std::uint64_t)>& body) {
  if (blocks == 1) return body(0);
  tbb::parallel_for(std::uint64_t{0}, blocks, body);
}

void shuffle_in_place(ShuffledKeys keys, std::uint64_t stream, std::uint64_t first) {
  constexpr std::size_t batch = 256;
  std::uint64_t words[batch];
  std::size_t left = keys.size();  // unfilled places, filled from the end
  for (std::uint64_t done = 0; left > 1; done += batch) {
    const std::size_t count = std::min(batch, left / 2);
    philox_words(stream, first + done, {words, count});
    for (std::size_t k = 0; k < count; ++k, left -= 2) {
      std::uint64_t word = words[k];
      // Both are drawn before either is used, so that the next words need not wait for the keys.
      const std::uint64_t one = take_below(left, word);
      const std::uint64_t other = take_below(left - 1, word);
      std::swap(keys[left - 1], keys[one]);
      std::swap(keys[left - 2], keys[other]);
    }
  }
}

}  // namespace wrsgpu::shuffle
