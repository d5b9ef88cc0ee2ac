#include "wrsgpu/choose.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/masses/valid_weight.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ClockKey;
using detail::MayRingBefore;
using detail::Ringing;

/// Items whose words are in the cache at a time, and items of a task.
constexpr std::size_t batch_size = 2048;
constexpr std::size_t task_size = 32 * batch_size;
/// 2^15 weights for the estimate: they are read at random, which takes longer than a larger margin.
constexpr int sampled_bits = 15;

/// Flags the items that may ring, and returns whether all weights are valid. Vectorised.
template <class T>
[[gnu::always_inline]] inline bool flag_weights(const T* weights, const std::uint32_t* halves,
                                                std::size_t count, MayRingBefore<T> may_ring,
                                                std::uint8_t* flags) {
  int valid = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const int is_valid = static_cast<int>(weights[i] >= 0) &
                         static_cast<int>(weights[i] <= std::numeric_limits<T>::max());
    valid &= is_valid;
    flags[i] = static_cast<std::uint8_t>(may_ring(halves[i], weights[i]));
  }
  return valid == 1;
}
WRSGPU_TARGET_CLONES bool flag_items(const float* weights, const std::uint32_t* halves,
                                     std::size_t count, MayRingBefore<float> may_ring,
                                     std::uint8_t* flags) {
  return flag_weights(weights, halves, count, may_ring, flags);
}
WRSGPU_TARGET_CLONES bool flag_items(const double* weights, const std::uint32_t* halves,
                                     std::size_t count, MayRingBefore<double> may_ring,
                                     std::uint8_t* flags) {
  return flag_weights(weights, halves, count, may_ring, flags);
}

/// The clocks of items. Vectorised for small words, which those of most items that may ring are.
WRSGPU_TARGET_CLONES void clocks_of_small(const std::uint64_t* words, const double* weights,
                                          std::size_t count, ClockKey* keys) {
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = detail::clock_key_of(detail::exponential_of_small(words[i]), weights[i]);
  }
}
void clocks(const std::uint64_t* words, const double* weights, std::size_t count, ClockKey* keys) {
  clocks_of_small(words, weights, count, keys);
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] >> 63 != 0) keys[i] = detail::clock_key(words[i], weights[i]);
  }
}

/// The items of `range` that ring before `threshold`. Throws if a weight is invalid.
template <class T>
void find_ringing(std::span<const T> weights, Range range, RandomState state, ClockKey threshold,
                  std::vector<Ringing>& found) {
  const random::SplitWords<> words(state.seed);
  const MayRingBefore<T> may_ring(threshold);
  alignas(64) std::uint32_t halves[batch_size];
  alignas(64) std::uint8_t flags[batch_size + 8];
  // Of the items flagged.
  std::uint16_t places[batch_size];
  std::uint64_t word[batch_size];
  double weight[batch_size];
  ClockKey keys[batch_size];
  for (std::uint64_t begin = range.begin; begin < range.end; begin += batch_size) {
    const std::size_t count = std::min<std::uint64_t>(batch_size, range.end - begin);
    split_high_halves(state.seed, state.offset + begin, std::span(halves).first(count));
    if (!flag_items(weights.data() + begin, halves, count, may_ring, flags)) {
      static_cast<void>(summarise(weights, 1));  // throws
    }
    std::memset(flags + count, 0, 8);  // they are read by eight
    // First the places, then their clocks, of several at a time.
    std::size_t flagged = 0;
    for (std::size_t eight = 0; eight < count; eight += 8) {
      // Meanwhile the weights of the next batch are on their way.
      __builtin_prefetch(weights.data() + begin + batch_size + eight);
      std::uint64_t any = 0;
      std::memcpy(&any, flags + eight, 8);
      for (; any != 0; any &= any - 1) {
        const auto of_eight = static_cast<unsigned>(std::countr_zero(any)) / 8;
        places[flagged++] = static_cast<std::uint16_t>(eight + of_eight);
      }
    }
    for (std::size_t j = 0; j < flagged; ++j) {
      const std::uint64_t number = state.offset + begin + places[j];
      const std::uint32_t low_half = words.low_halves(number >> 2).word[number & 3];
      word[j] = words.joined(halves[places[j]], low_half);
      weight[j] = static_cast<double>(weights[begin + places[j]]);
    }
    clocks(word, weight, flagged, keys);
    for (std::size_t j = 0; j < flagged; ++j) {
      if (keys[j] < threshold && weight[j] != 0) {
        found.push_back({keys[j], static_cast<Index>(begin + places[j])});
      }
    }
  }
}

/// The items of all tasks that ring before `threshold`, in any order; hardly more than `expected`.
template <class T>
std::vector<Ringing> find_all_ringing(std::span<const T> weights, RandomState state,
                                      ClockKey threshold, Index expected, unsigned threads) {
  std::vector<Ringing> all;
  if (threshold != detail::never) all.reserve(expected);
  std::mutex mutex;
  parallel_for((weights.size() + task_size - 1) / task_size, threads, [&](std::uint64_t task) {
    std::vector<Ringing> found;
    const std::uint64_t begin = task * task_size;
    const std::uint64_t end = std::min<std::uint64_t>(weights.size(), begin + task_size);
    find_ringing(weights, {begin, end}, state, threshold, found);
    const std::lock_guard lock(mutex);
    all.insert(all.end(), found.begin(), found.end());
  });
  return all;
}

/// The time before which about `wanted` clocks ring, from the weights that `plan` samples.
template <class T>
ClockKey estimate_threshold(std::span<const T> weights, const detail::ChoicePlan& plan,
                            double wanted, std::uint64_t seed, unsigned threads) {
  using detail::WeightOctaves;
  std::vector<std::uint64_t> octaves(WeightOctaves::count);
  std::mutex mutex;
  // From random places, of which many are read at a time.
  constexpr Index batch = 64;
  constexpr std::uint64_t task = std::uint64_t{64} * batch;
  parallel_for((plan.sampled + task - 1) / task, threads, [&](std::uint64_t number) {
    std::vector<std::uint64_t> own(octaves.size());
    const auto end = static_cast<Index>(std::min<std::uint64_t>(plan.sampled, (number + 1) * task));
    for (auto begin = static_cast<Index>(number * task); begin < end; begin += batch) {
      std::array<Index, batch> items;
      const Index count = std::min(batch, end - begin);
      for (Index j = 0; j < count; ++j) {
        items[j] = detail::sampled_item(plan, static_cast<Index>(weights.size()), seed, begin + j);
        __builtin_prefetch(weights.data() + items[j]);
      }
      for (Index j = 0; j < count; ++j) {
        const T weight = weights[items[j]];
        if (!is_valid_weight(weight) || weight == 0) continue;
        const WeightOctaves::Entry entry = WeightOctaves::entry(static_cast<double>(weight));
        own[static_cast<std::size_t>(entry.octave)] += entry.value;
      }
    }
    const std::lock_guard lock(mutex);
    std::transform(own.begin(), own.end(), octaves.begin(), octaves.begin(), std::plus());
  });
  std::vector<detail::OctaveOfClocks> clocks;
  for (int octave = 0; octave < WeightOctaves::count; ++octave) {
    const std::uint64_t value = octaves[static_cast<std::size_t>(octave)];
    if (value > 0) clocks.emplace_back(octave, value);
  }
  const auto rings_enough = [&](ClockKey time) {
    double ringing = 0;
    for (const detail::OctaveOfClocks& octave : clocks) {
      ringing += static_cast<double>(octave.ringing(time));
    }
    return ringing * plan.stride >= wanted;
  };
  ClockKey low = WeightOctaves::first_threshold;
  ClockKey high = WeightOctaves::last_threshold;
  if (!rings_enough(high << WeightOctaves::threshold_shift)) return detail::never;
  while (low < high) {
    const ClockKey middle = low + (high - low) / 2;
    if (rings_enough(middle << WeightOctaves::threshold_shift)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high << WeightOctaves::threshold_shift;
}

/// Writes the items of the first clocks in ascending order. The clocks are distributed over buckets
/// by their leading bits; those that hold the first ones are sorted.
void write_first(std::span<const Ringing> ringing, std::span<Index> out, unsigned threads) {
  ClockKey least = detail::never;
  ClockKey most = 0;
  for (const Ringing& ring : ringing) {
    least = std::min(least, ring.key);
    most = std::max(most, ring.key);
  }
  // As many buckets as clocks, half of which are within the last octave of about log2(k).
  const int shift = std::max(0, bit_width(most - least) - bit_width(ringing.size()));
  const auto bucket_of = [&](ClockKey key) {
    return static_cast<std::size_t>((key - least) >> shift);
  };
  std::vector<Index> ends(bucket_of(most) + 2, 0);
  for (const Ringing& ring : ringing) ++ends[bucket_of(ring.key) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());  // where each begins, until it is full
  HostBuffer<Ringing> sorted(ringing.size());
  for (const Ringing& ring : ringing) sorted[ends[bucket_of(ring.key)]++] = ring;
  constexpr std::size_t task_buckets = 1 << 14;
  parallel_for((ends.size() + task_buckets - 1) / task_buckets, threads, [&](std::uint64_t task) {
    const std::size_t last = std::min(ends.size() - 1, (task + 1) * task_buckets);
    for (std::size_t b = task * task_buckets; b < last; ++b) {
      const std::size_t begin = b == 0 ? 0 : ends[b - 1];
      if (begin >= out.size()) return;
      std::sort(sorted.data() + begin, sorted.data() + ends[b]);
      for (std::size_t i = begin; i < std::min<std::size_t>(ends[b], out.size()); ++i)
        out[i] = sorted[i].item;
    }
  });
}

template <class T>
Index choose_items(std::span<const T> weights, std::span<Index> out, RandomState state,
                   const ChooseOptions& options) {
  const detail::ChoicePlan plan(static_cast<Index>(weights.size()), static_cast<Index>(out.size()),
                                sampled_bits);
  // All clocks before the threshold are found: if there are k, they include the first k.
  std::vector<Ringing> ringing;
  for (const double factor : {1.0, 16.0, std::numeric_limits<double>::infinity()}) {
    const ClockKey threshold =
        plan.capacity == weights.size()
            ? detail::never
            : estimate_threshold(weights, plan, plan.wanted * factor, state.seed, options.threads);
    ringing = find_all_ringing(weights, state, threshold, plan.capacity, options.threads);
    if (ringing.size() >= out.size() || threshold == detail::never) break;
  }
  if (ringing.empty()) throw_all_zero(weights.size());
  if (ringing.size() < out.size()) {
    if (!options.allow_fewer) detail::throw_too_few_positive(ringing.size(), out.size());
    out = out.first(ringing.size());
  }
  write_first(ringing, out, options.threads);
  return static_cast<Index>(out.size());
}

}  // namespace

namespace detail {

void require_choice(std::uint64_t items, std::uint64_t chosen) {
  if (chosen == 0) throw Error("argument 'out' is empty; at least one item must be chosen");
  if (chosen > items) {
    throw Error("argument 'out' has " + std::to_string(chosen) + " elements, more than the " +
                std::to_string(items) + " items to choose from");
  }
}

void throw_too_few_positive(std::uint64_t positive, std::uint64_t chosen) {
  throw Error("argument 'weights': " + std::to_string(chosen) +
              " items are to be chosen without replacement, but only " + std::to_string(positive) +
              (positive == 1 ? " weight is positive" : " weights are positive"));
}

}  // namespace detail

Index choose(const AnyWeights& any_weights, std::span<Index> out, RandomState state,
             const ChooseOptions& options) {
  const WeightsView weights = any_weights.view();
  check_size_and_memory(weights, Device::cpu);
  if (options.allow_fewer) out = out.first(std::min<std::size_t>(out.size(), weights.size()));
  detail::require_choice(weights.size(), out.size());
  try {
    return weights.visit([&](auto w) { return choose_items(w, out, state, options); });
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("choose: out of host memory for " + std::to_string(out.size()) +
                      " items of " + std::to_string(weights.size()));
  }
}

}  // namespace wrsgpu
