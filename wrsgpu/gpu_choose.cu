#include "wrsgpu/gpu_choose.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ChoicePlan;
using detail::ClockKey;
using detail::MayRingBefore;
using detail::Ringing;
using detail::WeightOctaves;
using random::RandomSource;

constexpr unsigned choose_threads = 256;  // of a block
constexpr unsigned choose_warps = choose_threads / 32;
/// Weights for the estimate.
constexpr Index gpu_sampled_weights = 1 << 17;
/// The search for the k-th clock takes this many bits of a key at a time.
constexpr int digit_bits = 12;
constexpr unsigned digits = 1U << digit_bits;
constexpr int digit_levels = 5;

/// What a call found. All zero at first; for that, what is to be minimised is stored as its
/// complement.
struct ChooseOutcome {
  unsigned found;    ///< clocks before the threshold
  unsigned arrived;  ///< blocks that have added their weights to the estimate
  unsigned long long threshold_complement;  ///< 0: `never`
  unsigned long long least_complement;      ///< of the clocks found
  unsigned long long most;
  unsigned long long invalid_complement;  ///< of the index of the first invalid weight, or 0

  [[nodiscard]] __device__ ClockKey threshold() const { return ~threshold_complement; }
};

/// Results of the kernels, for the following ones. All zero at first.
struct ChooseState {
  ChooseOutcome outcome;
  unsigned long long octaves[WeightOctaves::count];  ///< of the weights sampled (`WeightOctaves`)
  unsigned histogram[digit_levels][digits];
};

/// The clocks found, in any order: keys[j] is that of items[j].
struct FoundClocks {
  ClockKey* keys;
  Index* items;
  Index capacity;

  [[nodiscard]] __device__ Ringing operator[](Index slot) const {
    return {keys[slot], items[slot]};
  }
};

/// Temporary storage of a call.
struct ChooseStorage {
  ChooseStorage(DeviceArena& arena, Index capacity)
      : state(arena.take<ChooseState>(1)),
        found{arena.take<ClockKey>(capacity), arena.take<Index>(capacity), capacity},
        keys(arena.take<std::uint32_t>(capacity)),
        slots(arena.take<Index>(capacity)),
        sorted_keys(arena.take<std::uint32_t>(capacity)),
        sorted_slots(arena.take<Index>(capacity)) {
    sort(nullptr, nullptr);
    sort_storage = arena.take<std::byte>(sort_bytes);
  }

  /// Bits of the keys that are sorted: enough that few clocks share one.
  [[nodiscard]] int key_bits() const {
    return std::clamp((bit_width(found.capacity) + 16) / 8 * 8, 16, 32);
  }
  /// Sorts the slots by their keys; with a null `storage` computes `sort_bytes`.
  void sort(void* storage, cudaStream_t stream) {
    WRSGPU_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, sort_bytes, keys, sorted_keys, slots,
                                                      sorted_slots, found.capacity, 0, key_bits(),
                                                      stream));
  }

  ChooseState* state;
  FoundClocks found;
  std::uint32_t* keys;
  Index* slots;
  std::uint32_t* sorted_keys;
  Index* sorted_slots;
  std::size_t sort_bytes = 0;
  std::byte* sort_storage = nullptr;
};

// ---------------------------------------------------------------------------------------------
// The threshold.

/// Finds the first threshold before which `wanted` clocks are expected to ring, by a search in
/// which each warp of the block tries one.
__device__ void find_threshold(const ChoicePlan& plan, ChooseState* state) {
  __shared__ unsigned short filled[WeightOctaves::count];
  __shared__ unsigned count;
  __shared__ unsigned first_enough;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const volatile unsigned long long* const octaves = state->octaves;
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    if (octaves[octave] > 0) filled[atomicAdd(&count, 1U)] = static_cast<unsigned short>(octave);
  }
  const unsigned warp = threadIdx.x / 32;
  ClockKey low = WeightOctaves::first_threshold;
  ClockKey high = WeightOctaves::last_threshold + 1;  // if none is enough
  while (low < high) {
    const ClockKey step = (high - low + choose_warps - 1) / choose_warps;
    const ClockKey mine = low + (warp + 1) * step - 1;
    if (threadIdx.x == 0) first_enough = choose_warps;
    __syncthreads();
    double ringing = 0;
    for (unsigned j = threadIdx.x % 32; j < count; j += 32) {
      ringing += WeightOctaves::ringing(filled[j], octaves[filled[j]],
                                        mine << WeightOctaves::threshold_shift);
    }
    const bool is_enough = mine >= high || warp_sum(ringing) * plan.stride >= plan.wanted;
    if (is_enough && threadIdx.x % 32 == 0) atomicMin(&first_enough, warp);
    __syncthreads();
    const ClockKey found = low + (first_enough + 1) * step - 1;
    low += first_enough * step;
    high = found < high ? found : high;
    __syncthreads();  // before the next round writes first_enough
  }
  if (threadIdx.x == 0) {
    state->outcome.threshold_complement =
        high > WeightOctaves::last_threshold ? 0 : ~(high << WeightOctaves::threshold_shift);
  }
}

/// Adds the weights of the estimate to the octaves; the last block finds the threshold.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    sample_weights(const T* weights, Index items, const ChoicePlan plan, const RandomSource source,
                   ChooseState* state) {
  __shared__ unsigned long long octaves[WeightOctaves::count];
  __shared__ bool is_last;
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    octaves[octave] = 0;
  }
  __syncthreads();
  const std::uint64_t seed = source.get().seed;
  for (Index j = blockIdx.x * choose_threads + threadIdx.x; j < plan.sampled;
       j += gridDim.x * choose_threads) {
    const T weight = weights[detail::sampled_item(plan, items, seed, j)];
    if (!(weight > 0 && weight <= std::numeric_limits<T>::max())) continue;
    const WeightOctaves::Entry entry = WeightOctaves::entry(static_cast<double>(weight));
    atomicAdd(octaves + entry.octave, static_cast<unsigned long long>(entry.value));
  }
  __syncthreads();
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    if (octaves[octave] > 0) atomicAdd(state->octaves + octave, octaves[octave]);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&state->outcome.arrived, 1U) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  find_threshold(plan, state);
}

// ---------------------------------------------------------------------------------------------
// The pass over the weights.

/// An item that may ring, and the high half of its word.
template <class T>
struct Candidate {
  T weight;
  Index item;
  std::uint32_t high_half;
};

/// Candidates of a warp: up to 31 that are left, and those of the next 128 items.
template <class T>
struct CandidateQueue {
  static constexpr unsigned capacity = 31 + 128;
  Candidate<T> candidates[capacity];
};

/// Reads four weights from `first` on, 0 for those that are not items.
template <class T>
__device__ void load_quad(const T* weights, Index items, std::uint64_t first, bool is_aligned,
                          T (&weight)[4]) {
  if (is_aligned && first + 4 <= items) {
    if constexpr (std::is_same_v<T, float>) {
      const float4 read = __ldcs(reinterpret_cast<const float4*>(weights + first));
      weight[0] = read.x, weight[1] = read.y, weight[2] = read.z, weight[3] = read.w;
    } else {
      const double2 low = __ldcs(reinterpret_cast<const double2*>(weights + first));
      const double2 high = __ldcs(reinterpret_cast<const double2*>(weights + first + 2));
      weight[0] = low.x, weight[1] = low.y, weight[2] = high.x, weight[3] = high.y;
    }
    return;
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    const std::uint64_t item = first + j;  // of items before the first one, a huge number
    weight[j] = item < items ? weights[item] : T{0};
  }
}

/// Calls `use(is_active, key, item)` by whole warps for all items that ring before `threshold`, and
/// for some others, with their clocks. Notes invalid weights. Warps read 32 quads of words at a
/// time, and queue the candidates in shared memory so that all lanes compute clocks.
template <class T, class Use>
__device__ void for_each_candidate(const T* weights, Index items, RandomState random,
                                   ClockKey threshold, CandidateQueue<T>& queue,
                                   ChooseOutcome* outcome, const Use& use) {
  const random::SplitWords<> words(random.seed);
  const MayRingBefore<T> may_ring(threshold);
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  unsigned size = 0;  // of the queue
  const auto take = [&](unsigned count) {
    size -= count;
    __syncwarp();
    const bool is_active = lane < count;
    ClockKey key = detail::never;
    Candidate<T> candidate{};
    if (is_active) {
      candidate = queue.candidates[size + lane];
      const std::uint64_t number = random.offset + candidate.item;
      const std::uint32_t low_half = random::select_word(words.low_halves(number >> 2), number & 3);
      key = detail::clock_key(words.joined(candidate.high_half, low_half),
                              static_cast<double>(candidate.weight));
    }
    __syncwarp();
    use(is_active, key, candidate.item);
  };
  const std::uint64_t skipped = random.offset & 3;  // words of the first quad
  const std::uint64_t quads = (skipped + items + 3) / 4;
  const bool is_aligned = skipped == 0 && reinterpret_cast<std::uintptr_t>(weights) % 16 == 0;
  const unsigned warp = blockIdx.x * choose_warps + threadIdx.x / 32;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * choose_threads;  // in quads
  bool all_valid = true;
  T next[4];  // loaded while the words of the quad before are computed
  load_quad(weights, items, 4 * (std::uint64_t{warp} * 32 + lane) - skipped, is_aligned, next);
  for (std::uint64_t begin = std::uint64_t{warp} * 32; begin < quads; begin += stride) {
    const std::uint64_t quad = begin + lane;
    const std::uint64_t first = 4 * quad - skipped;
    T weight[4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) weight[j] = next[j];
    load_quad(weights, items, first + 4 * stride, is_aligned, next);
    // Word numbers wrap around, and quads with them.
    const std::uint64_t number = ((random.offset >> 2) + quad) & (~std::uint64_t{0} >> 2);
    const random::PhiloxBlock high_halves = words.high_halves(number);
    unsigned passing = 0;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      passing |= may_ring(high_halves.word[j], weight[j]) ? 1U << j : 0U;
      all_valid = all_valid && weight[j] >= 0 && weight[j] <= std::numeric_limits<T>::max();
    }
    if (__any_sync(~0U, passing != 0) == 0) continue;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const bool passes =
          (passing >> j & 1) != 0 && weight[j] > 0 && weight[j] <= std::numeric_limits<T>::max();
      const unsigned all = __ballot_sync(~0U, passes);
      if (passes) {
        queue.candidates[size + __popc(all & lanes_before)] = {
            weight[j], static_cast<Index>(first + j), high_halves.word[j]};
      }
      size += __popc(all);
    }
    while (size >= 32) take(32);
  }
  if (size > 0) take(size);
  if (all_valid) return;
  // Once more through the weights of this thread.
  for (std::uint64_t begin = std::uint64_t{warp} * 32; begin < quads; begin += stride) {
    for (unsigned j = 0; j < 4; ++j) {
      const std::uint64_t item = 4 * (begin + lane) - skipped + j;
      if (item >= items) continue;
      const bool is_valid = weights[item] >= 0 && weights[item] <= std::numeric_limits<T>::max();
      if (is_valid) continue;
      atomicMax(&outcome->invalid_complement, ~static_cast<unsigned long long>(item));
    }
  }
}

/// Stores the clocks before `threshold`.
template <class T>
__device__ void store_ringing(const T* weights, Index items, RandomState random, ClockKey threshold,
                              CandidateQueue<T>& queue, const FoundClocks& found,
                              ChooseOutcome* outcome) {
  const unsigned lane = threadIdx.x % 32;
  ClockKey least = detail::never;
  ClockKey most = 0;
  for_each_candidate(weights, items, random, threshold, queue, outcome,
                     [&](bool /*is_active*/, ClockKey key, Index item) {
                       const bool is_found = key < threshold;
                       const unsigned all = __ballot_sync(~0U, is_found);
                       if (all == 0) return;
                       unsigned place = 0;
                       if (lane == 0)
                         place = atomicAdd(&outcome->found, static_cast<unsigned>(__popc(all)));
                       place = __shfl_sync(~0U, place, 0) +
                               static_cast<unsigned>(__popc(all & ((1U << lane) - 1)));
                       if (!is_found) return;
                       least = key < least ? key : least;
                       most = key > most ? key : most;
                       if (place >= found.capacity) return;  // the count decides
                       found.keys[place] = key;
                       found.items[place] = item;
                     });
  least = ~warp_max(~least);
  most = warp_max(most);
  if (lane > 0 || least > most) return;
  atomicMax(&outcome->least_complement, ~static_cast<unsigned long long>(least));
  atomicMax(&outcome->most, static_cast<unsigned long long>(most));
}

template <class T>
__global__ void __launch_bounds__(choose_threads)
    find_ringing(const T* weights, Index items, const RandomSource source, const FoundClocks found,
                 ChooseOutcome* outcome) {
  __shared__ CandidateQueue<T> queues[choose_warps];
  store_ringing(weights, items, source.get(), outcome->threshold(), queues[threadIdx.x / 32], found,
                outcome);
}

// ---------------------------------------------------------------------------------------------
// If the estimate misled: the k-th clock by its digits.

/// Where the k-th clock is, given how many have each digit.
struct DigitOfClock {
  unsigned digit;
  unsigned before;  ///< clocks of smaller digits
  unsigned own;     ///< clocks of this digit
};

/// Finds the digit of the `rank`-th clock, counted from 1; the number of digits if there are fewer.
__device__ DigitOfClock find_digit(const unsigned* histogram, unsigned rank) {
  using Scan = cub::BlockScan<unsigned, choose_threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ DigitOfClock result;
  constexpr unsigned thread_digits = digits / choose_threads;
  const unsigned first = threadIdx.x * thread_digits;
  unsigned own = 0;
  for (unsigned d = 0; d < thread_digits; ++d) own += __ldcg(histogram + first + d);
  unsigned before = 0;
  if (threadIdx.x == 0) result = {digits, 0, 0};
  Scan(storage).ExclusiveSum(own, before);  // has a barrier
  __syncthreads();
  if (before < rank && rank - before <= own) {
    unsigned digit = first;
    while (rank - before > __ldcg(histogram + digit)) before += __ldcg(histogram + digit++);
    result = {digit, before, __ldcg(histogram + digit)};
  }
  __syncthreads();
  return result;
}

/// Whether the pass found too few clocks or more than fit.
[[nodiscard]] __device__ bool must_select(const ChooseOutcome& outcome, Index chosen,
                                          Index capacity) {
  if (outcome.invalid_complement != 0) return false;
  const bool are_all = outcome.threshold() == detail::never;
  return outcome.found > capacity || (outcome.found < chosen && !are_all);
}

/// If the pass found too few clocks or more than fit, finds a threshold before which at least
/// `chosen` and at most `found.capacity` ring, by histograms of their digits, and stores those.
/// Then prepares the sort: keys of the clocks, and the greatest key where there are none.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    settle_ringing(const T* weights, Index items, Index chosen, const RandomSource source,
                   const FoundClocks found, int key_bits, std::uint32_t* keys, Index* slots,
                   ChooseState* state) {
  namespace cg = cooperative_groups;
  grid_dependency_sync();
  ChooseOutcome& outcome = state->outcome;
  __shared__ CandidateQueue<T> queues[choose_warps];
  __shared__ unsigned histogram[digits];
  CandidateQueue<T>& queue = queues[threadIdx.x / 32];
  if (must_select(outcome, chosen, found.capacity)) {
    const RandomState random = source.get();
    ClockKey prefix = 0;  // digits of the k-th clock so far
    unsigned before = 0;  // clocks of smaller ones
    ClockKey threshold = detail::never;
    for (int level = 0; level < digit_levels; ++level) {
      const int shift = 64 - (level + 1) * digit_bits;
      for (unsigned d = threadIdx.x; d < digits; d += choose_threads) histogram[d] = 0;
      __syncthreads();
      for_each_candidate(weights, items, random, detail::never, queue, &outcome,
                         [&](bool is_active, ClockKey key, Index /*item*/) {
                           if (!is_active) return;
                           if (level > 0 && (key ^ prefix) >> (shift + digit_bits) != 0) return;
                           atomicAdd(histogram + (key >> shift) % digits, 1U);
                         });
      __syncthreads();
      for (unsigned d = threadIdx.x; d < digits; d += choose_threads) {
        if (histogram[d] > 0) atomicAdd(&state->histogram[level][d], histogram[d]);
      }
      cg::this_grid().sync();
      const DigitOfClock digit = find_digit(state->histogram[level], chosen - before);
      if (digit.digit == digits) break;  // fewer than `chosen` are positive
      before += digit.before;
      prefix |= ClockKey{digit.digit} << shift;
      threshold = prefix + (ClockKey{1} << shift);
      if (before + digit.own <= found.capacity) break;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      outcome.found = 0;
      outcome.least_complement = 0;
      outcome.most = 0;
      outcome.threshold_complement = ~threshold;
    }
    cg::this_grid().sync();
    store_ringing(weights, items, random, threshold, queue, found, &outcome);
    cg::this_grid().sync();
  }
  const unsigned count = __ldcg(&outcome.found);
  const ClockKey least = ~__ldcg(&outcome.least_complement);
  const int range_bits = bit_width(__ldcg(&outcome.most) - least);
  // One bit less than the sort takes: the greatest key is left for no clock.
  const int shift = range_bits < key_bits ? 0 : range_bits - key_bits + 1;
  for (std::uint64_t slot = std::uint64_t{blockIdx.x} * choose_threads + threadIdx.x;
       slot < found.capacity; slot += std::uint64_t{gridDim.x} * choose_threads) {
    keys[slot] =
        slot < count ? static_cast<std::uint32_t>((found.keys[slot] - least) >> shift) : ~0U;
    slots[slot] = static_cast<Index>(slot);
  }
}

// ---------------------------------------------------------------------------------------------
// The items.

/// Writes the items of the first clocks, if there are enough and all weights are valid. Clocks of
/// equal keys, of which there are few, are counted to find their order.
__global__ void __launch_bounds__(choose_threads)
    write_chosen(const std::uint32_t* keys, const Index* slots, const FoundClocks found,
                 const ChooseOutcome* outcome, Index chosen, bool allow_fewer, Index* out) {
  const Index count = outcome->found;
  if (outcome->invalid_complement != 0 || count > found.capacity) return;
  if (count == 0 || (count < chosen && !allow_fewer)) return;
  const Index wanted = count < chosen ? count : chosen;
  const std::uint64_t i = std::uint64_t{blockIdx.x} * choose_threads + threadIdx.x;
  if (i >= count) return;
  const std::uint32_t key = keys[i];
  if (i >= wanted && key != keys[wanted - 1]) return;
  auto begin = static_cast<Index>(i);
  while (begin > 0 && keys[begin - 1] == key) --begin;
  auto end = static_cast<Index>(i + 1);
  while (end < count && keys[end] == key) ++end;
  const Ringing own = found[slots[i]];
  Index place = begin;
  if (end - begin > 1) {
    for (Index j = begin; j < end; ++j) place += found[slots[j]] < own ? 1 : 0;
  }
  if (place < wanted) out[place] = own.item;
}

[[nodiscard]] ChoicePlan gpu_plan(Index items, Index chosen) {
  return {items, chosen, gpu_sampled_weights};
}

template <class T>
void launch_choose(std::span<const T> weights, std::span<Index> out, const RandomSource& source,
                   const ChoicePlan& plan, ChooseStorage& storage, cudaStream_t stream,
                   bool allow_fewer) {
  const auto items = static_cast<Index>(weights.size());
  const auto chosen = static_cast<Index>(out.size());
  ChooseState* const state = storage.state;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state, stream));
  if (plan.capacity < items) {  // otherwise all clocks are before the threshold
    const unsigned blocks =
        capped_blocks_for(plan.sampled, choose_threads, blocks_that_fill(choose_threads));
    sample_weights<<<blocks, choose_threads, 0, stream>>>(weights.data(), items, plan, source,
                                                          state);
    check_launch("choose sample_weights");
  }
  const unsigned blocks_of_items = blocks_for(items, 4 * choose_threads) + 1;
  const unsigned blocks =
      std::min(blocks_of_items, blocks_that_fill(find_ringing<T>, choose_threads));
  find_ringing<<<blocks, choose_threads, 0, stream>>>(weights.data(), items, source, storage.found,
                                                      &state->outcome);
  check_launch("choose find_ringing");
  const unsigned settling =
      std::min(blocks_of_items, blocks_that_fill(settle_ringing<T>, choose_threads));
  launch_programmatic<SyncScope::grid>(settle_ringing<T>, {settling, choose_threads}, stream,
                                       weights.data(), items, chosen, source, storage.found,
                                       storage.key_bits(), storage.keys, storage.slots, state);
  check_launch("choose settle_ringing");
  storage.sort(storage.sort_storage, stream);
  write_chosen<<<blocks_for(storage.found.capacity, choose_threads), choose_threads, 0, stream>>>(
      storage.sorted_keys, storage.sorted_slots, storage.found, &state->outcome, chosen,
      allow_fewer, out.data());
  check_launch("choose write_chosen");
}

}  // namespace

GpuChooser::GpuChooser(Index max_items, Index max_chosen)
    : max_items_(max_items), max_chosen_(max_chosen) {
  if (max_items == 0 || max_items > wrsgpu::max_items) {
    throw Error("argument 'max_items' is " + std::to_string(max_items) +
                "; it must be at least 1 and at most 2^32 - 2");
  }
  if (max_chosen == 0 || max_chosen > max_items) {
    throw Error("argument 'max_chosen' is " + std::to_string(max_chosen) +
                "; it must be at least 1 and at most max_items, " + std::to_string(max_items));
  }
  require_cuda_device();
  DeviceArena sizes;
  ChooseStorage(sizes, gpu_plan(max_items, max_chosen).capacity);
  storage_ = DeviceBuffer<std::byte>(sizes.used());
}

void GpuChooser::choose(WeightsView weights, std::span<Index> out, RandomState state,
                        cudaStream_t stream, const ChooseOptions& options) {
  launch(weights, out, state, nullptr, stream, options);
}

void GpuChooser::choose(WeightsView weights, std::span<Index> out, const RandomState* state,
                        cudaStream_t stream, const ChooseOptions& options) {
  require_on_device(state, "state");
  launch(weights, out, {}, state, stream, options);
}

void GpuChooser::launch(WeightsView weights, std::span<Index> out, RandomState state,
                        const RandomState* state_on_device, cudaStream_t stream,
                        const ChooseOptions& options) {
  check_size_and_memory(weights, Device::cuda);
  if (options.allow_fewer) out = out.first(std::min<std::size_t>(out.size(), weights.size()));
  detail::require_choice(weights.size(), out.size());
  if (weights.size() > max_items_ || out.size() > max_chosen_) {
    throw Error("choose: " + std::to_string(out.size()) + " of " + std::to_string(weights.size()) +
                " items are more than the " + std::to_string(max_chosen_) + " of " +
                std::to_string(max_items_) + " for which memory is reserved");
  }
  require_on_device(out.data(), "out");
  const ChoicePlan plan =
      gpu_plan(static_cast<Index>(weights.size()), static_cast<Index>(out.size()));
  DeviceArena arena(storage_.span());
  ChooseStorage storage(arena, plan.capacity);
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights");
    launch_choose(w, out, {state, state_on_device}, plan, storage, stream, options.allow_fewer);
  });
  weights_ = weights;
  chosen_ = static_cast<Index>(out.size());
  capacity_ = plan.capacity;
  allow_fewer_ = options.allow_fewer;
}

Index GpuChooser::finish(cudaStream_t stream) {
  if (!weights_) throw Error("finish: nothing was chosen; call choose() first");
  ChooseOutcome outcome;
  WRSGPU_CUDA_CHECK(
      cudaMemcpyAsync(&outcome, storage_.data(), sizeof outcome, cudaMemcpyDeviceToHost, stream));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  const std::uint64_t items = weights_->size();
  if (outcome.invalid_complement != 0) {
    const std::uint64_t index = ~outcome.invalid_complement;
    weights_->visit([&]<class T>(std::span<const T> w) {
      T weight{};
      WRSGPU_CUDA_CHECK(
          cudaMemcpy(&weight, w.data() + index, sizeof weight, cudaMemcpyDeviceToHost));
      throw_bad_weight(index, items, static_cast<double>(weight),
                       std::numeric_limits<T>::max_digits10);
    });
  }
  if (outcome.found > capacity_) throw Error("choose: too many clocks are equal");
  if (outcome.found == 0) throw_all_zero(items);
  if (outcome.found < chosen_ && !allow_fewer_) {
    detail::throw_too_few_positive(outcome.found, chosen_);
  }
  return std::min<Index>(outcome.found, chosen_);
}

}  // namespace wrsgpu
