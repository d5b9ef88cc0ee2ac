#include "wrsgpu/gpu_choose.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <limits>
#include <string>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/core/shared_memory.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/sum_tile.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"
#include "wrsgpu/detail/without_replacement/clock.hpp"
#include "wrsgpu/detail/without_replacement/clock_cells.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ChoicePlan;
using detail::ClockCells;
using detail::ClockKey;
using detail::MayRingBefore;
using detail::OctaveOfClocks;
using detail::Ringing;
using detail::WeightOctaves;
using random::RandomSource;

constexpr unsigned choose_threads = 256;  // of a block
constexpr unsigned choose_warps = choose_threads / 32;
/// 2^17 weights for the estimate.
constexpr int gpu_sampled_bits = 17;
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
  unsigned long long invalid_complement;    ///< of the index of the first invalid weight, or 0

  [[nodiscard]] __device__ ClockKey threshold() const { return ~threshold_complement; }
};

/// Results of the kernels, for the following ones. All zero at first.
struct ChooseState {
  ChooseOutcome outcome;
  unsigned long long octaves[WeightOctaves::count];  ///< of the weights sampled (`WeightOctaves`)
  unsigned histogram[digit_levels][digits];
  unsigned octaves_of_clocks[ClockCells::octaves];   ///< number of the clocks found in each
  unsigned cells[ClockCells::max_count];             ///< and in each cell
  unsigned before_cells[ClockCells::max_count + 1];  ///< clocks before each, and all of them
};

/// Clocks in any order: keys[j] is that of items[j].
struct Clocks {
  ClockKey* keys;
  Index* items;

  [[nodiscard]] __device__ Ringing operator[](Index slot) const {
    return {keys[slot], items[slot]};
  }
};

/// Storage of a call.
struct ChooseStorage {
  ChooseStorage(DeviceArena& arena, Index capacity)
      : state(arena.take<ChooseState>(1)),
        found{arena.take<ClockKey>(capacity), arena.take<Index>(capacity)},
        by_cells{arena.take<ClockKey>(capacity), arena.take<Index>(capacity)},
        ranks(arena.take<unsigned>(capacity)),
        capacity(capacity) {}

  ChooseState* state;
  Clocks found;
  Clocks by_cells;
  unsigned* ranks;  ///< of the clocks found, among those of their cells
  Index capacity;
};

// ---------------------------------------------------------------------------------------------
// The threshold.

/// Finds the first threshold before which `wanted` clocks are expected to ring, by a search in
/// which eight lanes each try one.
__device__ void find_threshold(const ChoicePlan& plan, ChooseState* state) {
  constexpr unsigned lanes = 8;
  constexpr unsigned tries = choose_threads / lanes;
  constexpr unsigned rounds = (WeightOctaves::count + choose_threads - 1) / choose_threads;
  __shared__ OctaveOfClocks filled[WeightOctaves::count];
  __shared__ unsigned count;
  __shared__ unsigned first_enough;
  unsigned long long values[rounds];
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned octave = round * choose_threads + threadIdx.x;
    values[round] = octave < WeightOctaves::count ? __ldcg(state->octaves + octave) : 0;
  }
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round) {
    const auto octave = static_cast<int>(round * choose_threads + threadIdx.x);
    if (values[round] > 0) filled[atomicAdd(&count, 1U)] = OctaveOfClocks(octave, values[round]);
  }
  const unsigned own = threadIdx.x / lanes;
  ClockKey low = WeightOctaves::first_threshold;
  ClockKey high = WeightOctaves::last_threshold + 1;  // if none is enough
  while (low < high) {
    const ClockKey step = (high - low + tries - 1) / tries;
    const ClockKey mine = low + (own + 1) * step - 1;
    if (threadIdx.x == 0) first_enough = tries;
    __syncthreads();
    float ringing = 0;
    for (unsigned j = threadIdx.x % lanes; j < count; j += lanes) {
      ringing += filled[j].ringing(mine << WeightOctaves::threshold_shift);
    }
#pragma unroll
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
      ringing += __shfl_xor_sync(~0U, ringing, distance);
    }
    const bool is_enough = mine >= high || ringing * plan.stride >= plan.wanted;
    if (is_enough && threadIdx.x % lanes == 0) atomicMin(&first_enough, own);
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

/// Adds the weights of the estimate to the octaves, one a thread; the last block finds the
/// threshold.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    sample_weights(const T* weights, Index items, const ChoicePlan plan, const RandomSource source,
                   ChooseState* state) {
  // Of a block's weights, 32 bits hold the numbers and the leading bits of the sums.
  constexpr int kept_bits = 12;
  constexpr unsigned one = 1U << 20;
  static_assert(choose_threads << kept_bits <= one);
  __shared__ unsigned octaves[WeightOctaves::count];
  __shared__ bool is_last;
  trigger_launch_completion();
  const Index j = blockIdx.x * choose_threads + threadIdx.x;
  T weight = 0;
  if (j < plan.sampled) {
    weight = weights[detail::sampled_item(plan, items, source.get().seed, j)];
  }
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    octaves[octave] = 0;
  }
  __syncthreads();
  if (weight > 0 && weight <= std::numeric_limits<T>::max()) {
    const WeightOctaves::Entry entry = WeightOctaves::entry(static_cast<double>(weight));
    const std::uint64_t fraction = entry.value % WeightOctaves::one;
    atomicAdd(octaves + entry.octave,
              one + static_cast<unsigned>(fraction >> (WeightOctaves::fraction_bits - kept_bits)));
  }
  __syncthreads();
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    const unsigned sum = octaves[octave];
    if (sum == 0) continue;
    const std::uint64_t fractions = sum % one << (WeightOctaves::fraction_bits - kept_bits);
    atomicAdd(state->octaves + octave,
              static_cast<unsigned long long>(sum / one * WeightOctaves::one + fractions));
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

/// Four weights that are aligned to their size.
template <class T>
struct WeightQuad {
  T weight[4];
};
[[nodiscard]] __device__ WeightQuad<float> read_quad(const float* weights) {
  const float4 read = __ldcs(reinterpret_cast<const float4*>(weights));
  return {{read.x, read.y, read.z, read.w}};
}
[[nodiscard]] __device__ WeightQuad<double> read_quad(const double* weights) {
  const double2 low = __ldcs(reinterpret_cast<const double2*>(weights));
  const double2 high = __ldcs(reinterpret_cast<const double2*>(weights + 2));
  return {{low.x, low.y, high.x, high.y}};
}
/// Four weights from `first` on, 0 for those that are not items.
template <class T>
[[nodiscard]] __device__ WeightQuad<T> read_partial_quad(const T* weights, Index items,
                                                         std::uint64_t first) {
  WeightQuad<T> quad;
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    const std::uint64_t item = first + j;  // of items before the first one, a huge number
    quad.weight[j] = item < items ? weights[item] : T{0};
  }
  return quad;
}

/// The quads of weights that the warps of a grid read in turn, each 32 at a time: quad q has the
/// items of words 4 q to 4 q + 3 of the call, counted from the quad of the first word.
template <class T>
class QuadReader {
 public:
  __device__ QuadReader(const T* weights, Index items, std::uint64_t offset)
      : weights_(weights),
        items_(items),
        skipped_(offset & 3),
        quads_((skipped_ + items + 3) / 4),
        stride_(std::uint64_t{gridDim.x} * choose_threads) {
    const unsigned warp = blockIdx.x * choose_warps + threadIdx.x / 32;
    begin_ = std::uint64_t{warp} * 32;
    const bool is_aligned = skipped_ == 0 && reinterpret_cast<std::uintptr_t>(weights) % 16 == 0;
    whole_ = is_aligned ? items / 4 : 0;
    if (reads_whole(0)) next_ = read_quad(weights_ + 4 * quad());
  }

  [[nodiscard]] __device__ bool has_quads() const { return begin_ < quads_; }
  /// The quad of this lane.
  [[nodiscard]] __device__ std::uint64_t quad() const { return begin_ + threadIdx.x % 32; }
  /// The first item of it; if that is before the first one, modulo 2^64.
  [[nodiscard]] __device__ std::uint64_t first_item() const { return 4 * quad() - skipped_; }
  /// Calls `use` with the weights of all quads, by whole warps. Those that a warp reads next are
  /// on their way meanwhile.
  template <class Use>
  __device__ void for_each(const Use& use) {
    for (; reads_whole(0); begin_ += stride_) {
      const WeightQuad<T> now = next_;
      if (reads_whole(1)) next_ = read_quad(weights_ + 4 * (quad() + stride_));
      use(now.weight);
    }
    for (; has_quads(); begin_ += stride_) {
      use(read_partial_quad(weights_, items_, first_item()).weight);
    }
  }

 private:
  /// Whether this warp reads the quads of this number of turns later at once.
  [[nodiscard]] __device__ bool reads_whole(std::uint64_t turns) const {
    return begin_ + turns * stride_ + 32 <= whole_;
  }

  const T* weights_;
  Index items_;
  std::uint64_t skipped_;  // words of the first quad
  std::uint64_t quads_;
  std::uint64_t whole_;  // quads that are read at once
  std::uint64_t stride_;
  std::uint64_t begin_;
  WeightQuad<T> next_;
};

template <class T>
[[nodiscard]] __device__ bool is_valid_weight(T weight) {
  return weight >= 0 && weight <= std::numeric_limits<T>::max();
}

/// Notes the first invalid weight that this thread reads.
template <class T>
__device__ void note_invalid(QuadReader<T> reader, ChooseOutcome* outcome) {
  reader.for_each([&](const T(&weight)[4]) {
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      if (is_valid_weight(weight[j])) continue;
      atomicMax(&outcome->invalid_complement,
                ~static_cast<unsigned long long>(reader.first_item() + j));
    }
  });
}

/// Calls `use(is_active, key, item)` by whole warps for all items that ring before `threshold`, and
/// for some others, with their clocks. Notes invalid weights. The candidates are queued in shared
/// memory so that all lanes compute clocks.
template <class T, class Use>
__device__ void for_each_candidate(QuadReader<T> reader, RandomState random, ClockKey threshold,
                                   CandidateQueue<T>& queue, ChooseOutcome* outcome,
                                   const Use& use) {
  const auto words = random::SplitWords<>(random.seed).kept(in_register);
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
  using Bits = decltype(bits_of(T{}));
  const QuadReader<T> all = reader;
  Bits greatest = 0;  // bit pattern; those of invalid weights, and that of -0, are greater
  reader.for_each([&](const T(&weight)[4]) {
    // Word numbers wrap around, and quads with them.
    const std::uint64_t number = ((random.offset >> 2) + reader.quad()) & (~std::uint64_t{0} >> 2);
    const random::PhiloxBlock high_halves = words.high_halves(number);
    bool passes_any = false;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      passes_any = may_ring(high_halves.word[j], weight[j]) || passes_any;
      greatest = greater_of(greatest, bits_of(weight[j]));
    }
    if (__any_sync(~0U, passes_any ? 1 : 0) == 0) return;
    const auto first = static_cast<Index>(reader.first_item());
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const bool passes = may_ring(high_halves.word[j], weight[j]) && weight[j] > 0 &&
                          weight[j] <= std::numeric_limits<T>::max();
      const unsigned passing = __ballot_sync(~0U, passes ? 1 : 0);
      if (passes) {
        queue.candidates[size + __popc(passing & lanes_before)] = {weight[j], first + j,
                                                                   high_halves.word[j]};
      }
      size += __popc(passing);
    }
    while (size >= 32) take(32);
  });
  if (size > 0) take(size);
  if (greatest > bits_of(std::numeric_limits<T>::max())) note_invalid(all, outcome);
}

/// Stores the clocks before `threshold`, and counts them by their octaves.
template <class T>
__device__ void store_ringing(const QuadReader<T>& reader, RandomState random, ClockKey threshold,
                              CandidateQueue<T>& queue, const Clocks& found, Index capacity,
                              ChooseState* state) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  for_each_candidate(
      reader, random, threshold, queue, &state->outcome,
      [&](bool /*is_active*/, ClockKey key, Index item) {
        const bool is_found = key < threshold;
        const unsigned all = __ballot_sync(~0U, is_found ? 1 : 0);
        if (all == 0) return;
        unsigned place = 0;
        if (lane == 0) {
          place = atomicAdd(&state->outcome.found, static_cast<unsigned>(__popc(all)));
        }
        place = __shfl_sync(~0U, place, 0) + static_cast<unsigned>(__popc(all & lanes_before));
        if (!is_found) return;
        const unsigned octave = ClockCells::octave_of(key);
        const unsigned same = __match_any_sync(all, octave);
        if ((same & lanes_before) == 0) {
          atomicAdd(state->octaves_of_clocks + octave, static_cast<unsigned>(__popc(same)));
        }
        if (place >= capacity) return;  // the count decides
        found.keys[place] = key;
        found.items[place] = item;
      });
}

template <class T>
__global__ void __launch_bounds__(choose_threads, at_most_resident(5, choose_threads))
    find_ringing(const T* weights, Index items, const RandomSource source, const Clocks found,
                 Index capacity, ChooseState* state) {
  __shared__ CandidateQueue<T> queues[choose_warps];
  const RandomState random = source.get();
  const QuadReader<T> reader(weights, items, random.offset);
  grid_dependency_sync();
  store_ringing(reader, random, state->outcome.threshold(), queues[threadIdx.x / 32], found,
                capacity, state);
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

/// Shared memory of `select_ringing`.
template <class T>
struct SelectStorage {
  CandidateQueue<T> queues[choose_warps];
  unsigned histogram[digits];
};

/// Finds a threshold before which at least `chosen` and at most `capacity` clocks ring, by
/// histograms of their digits, and stores those. By all blocks of a cooperative grid.
template <class T>
__device__ void select_ringing(SelectStorage<T>& storage, const QuadReader<T>& reader, Index chosen,
                               RandomState random, const Clocks& found, Index capacity,
                               ChooseState* state) {
  namespace cg = cooperative_groups;
  ChooseOutcome& outcome = state->outcome;
  CandidateQueue<T>& queue = storage.queues[threadIdx.x / 32];
  ClockKey prefix = 0;  // digits of the k-th clock so far
  unsigned before = 0;  // clocks of smaller ones
  ClockKey threshold = detail::never;
  for (int level = 0; level < digit_levels; ++level) {
    const int shift = 64 - (level + 1) * digit_bits;
    for (unsigned d = threadIdx.x; d < digits; d += choose_threads) storage.histogram[d] = 0;
    __syncthreads();
    for_each_candidate(reader, random, detail::never, queue, &outcome,
                       [&](bool is_active, ClockKey key, Index /*item*/) {
                         if (!is_active) return;
                         if (level > 0 && (key ^ prefix) >> (shift + digit_bits) != 0) return;
                         atomicAdd(storage.histogram + (key >> shift) % digits, 1U);
                       });
    __syncthreads();
    for (unsigned d = threadIdx.x; d < digits; d += choose_threads) {
      if (storage.histogram[d] > 0) atomicAdd(&state->histogram[level][d], storage.histogram[d]);
    }
    cg::this_grid().sync();
    const DigitOfClock digit = find_digit(state->histogram[level], chosen - before);
    if (digit.digit == digits) break;  // fewer than `chosen` are positive
    before += digit.before;
    prefix |= ClockKey{digit.digit} << shift;
    threshold = prefix + (ClockKey{1} << shift);
    if (before + digit.own <= capacity) break;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    outcome.found = 0;
    outcome.threshold_complement = ~threshold;
  }
  for (unsigned octave = blockIdx.x * choose_threads + threadIdx.x; octave < ClockCells::octaves;
       octave += gridDim.x * choose_threads) {
    state->octaves_of_clocks[octave] = 0;
  }
  cg::this_grid().sync();
  store_ringing(reader, random, threshold, queue, found, capacity, state);
  cg::this_grid().sync();
}

// ---------------------------------------------------------------------------------------------
// The order.

using CellScan = cub::BlockScan<unsigned, choose_threads, cub::BLOCK_SCAN_WARP_SCANS>;

/// Clocks of a cell that are ordered in shared memory.
constexpr unsigned shared_clocks = 3072;

/// Shared memory of `order_cell`.
struct CellStorage {
  unsigned parts[ClockCells::parts];
  ClockKey keys[shared_clocks];
  Index items[shared_clocks];
  CellScan::TempStorage scan;
};

/// Shared memory of `order_clocks`: first the number of clocks before each cell.
struct OrderStorage {
  std::uint32_t first_cells[ClockCells::octaves];
  union {
    struct {
      unsigned before[ClockCells::max_count + 1];
      CellScan::TempStorage scan;
    } all;
    CellStorage cell;
  };
};

/// Replaces the numbers by the sums of all before them, by the threads of a block. Returns the sum.
template <unsigned thread_numbers>
__device__ unsigned scan_numbers(CellScan::TempStorage& storage, unsigned* numbers,
                                 unsigned count) {
  const unsigned first = threadIdx.x * thread_numbers;
  unsigned own = 0;
#pragma unroll 4
  for (unsigned k = first; k < first + thread_numbers && k < count; ++k) own += numbers[k];
  unsigned before = 0;
  unsigned all = 0;
  CellScan(storage).ExclusiveSum(own, before, all);
#pragma unroll 4
  for (unsigned k = first; k < first + thread_numbers && k < count; ++k) {
    const unsigned number = numbers[k];
    numbers[k] = before;
    before += number;
  }
  __syncthreads();
  return all;
}

/// Writes the items of a cell whose clocks are by_cells[begin], ..., by_cells[end - 1], in order,
/// by a block: distributes the clocks over the parts of the cell, a few each, and counts for each
/// clock the earlier ones of its part. `spare` is as long as `by_cells`.
__device__ void order_cell(CellStorage& storage, const ClockCells& cells, const Clocks& by_cells,
                           const Clocks& spare, Index begin, Index end, Index wanted, Index* out) {
  for (unsigned part = threadIdx.x; part < ClockCells::parts; part += choose_threads) {
    storage.parts[part] = 0;
  }
  __syncthreads();
  for (Index slot = begin + threadIdx.x; slot < end; slot += choose_threads) {
    atomicAdd(storage.parts + cells.part_of(by_cells.keys[slot]), 1U);
  }
  __syncthreads();
  static_cast<void>(scan_numbers<ClockCells::parts / choose_threads>(storage.scan, storage.parts,
                                                                     ClockCells::parts));
  const Clocks by_parts = end - begin <= shared_clocks
                              ? Clocks{storage.keys, storage.items}
                              : Clocks{spare.keys + begin, spare.items + begin};
  for (Index slot = begin + threadIdx.x; slot < end; slot += choose_threads) {
    const ClockKey key = by_cells.keys[slot];
    const unsigned place = atomicAdd(storage.parts + cells.part_of(key), 1U);
    by_parts.keys[place] = key;
    by_parts.items[place] = by_cells.items[slot];
  }
  __syncthreads();  // each part is now the number of clocks up to its end
  for (Index slot = threadIdx.x; slot < end - begin; slot += choose_threads) {
    const Ringing own = by_parts[slot];
    const unsigned part = cells.part_of(own.key);
    const unsigned first = part == 0 ? 0 : storage.parts[part - 1];
    Index place = begin + first;
    for (unsigned other = first; other < storage.parts[part]; ++other) {
      place += by_parts[other] < own ? 1 : 0;
    }
    if (place < wanted) out[place] = own.item;
  }
  __syncthreads();  // before the storage is used again
}

/// Sets the cells of all octaves, by a block; returns their number.
[[nodiscard]] __device__ unsigned find_cells(OrderStorage& storage, const ClockCells& cells,
                                             const ChooseState* state) {
  constexpr unsigned thread_octaves = (ClockCells::octaves + choose_threads - 1) / choose_threads;
  unsigned clocks[thread_octaves];
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    clocks[k] = octave < ClockCells::octaves ? __ldcg(state->octaves_of_clocks + octave) : 0;
  }
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    if (octave < ClockCells::octaves) storage.first_cells[octave] = cells.count_for(clocks[k]);
  }
  __syncthreads();
  const unsigned all =
      scan_numbers<thread_octaves>(storage.all.scan, storage.first_cells, ClockCells::octaves);
#pragma unroll
  for (unsigned k = 0; k < thread_octaves; ++k) {
    const unsigned octave = k * choose_threads + threadIdx.x;
    if (octave < ClockCells::octaves) cells.set(octave, clocks[k], storage.first_cells[octave]);
  }
  __syncthreads();
  return all;
}

/// Writes the items of the first `wanted` of `count` clocks in order. By all blocks of a
/// cooperative grid.
__device__ void order_clocks(OrderStorage& storage, const Clocks& found, const Clocks& by_cells,
                             unsigned* ranks, Index count, Index wanted, ChooseState* state,
                             Index* out) {
  namespace cg = cooperative_groups;
  const ClockCells cells(count, storage.first_cells);
  const unsigned cell_count = find_cells(storage, cells, state);
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * choose_threads + threadIdx.x;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * choose_threads;
  // Several clocks of a thread are on their way at a time.
  constexpr unsigned ahead = 4;
  const auto for_each_clock = [&](const auto& use) {
    for (std::uint64_t slot = thread; slot < count; slot += ahead * threads) {
      ClockKey keys[ahead];
#pragma unroll
      for (unsigned j = 0; j < ahead; ++j) {
        if (slot + j * threads < count) keys[j] = found.keys[slot + j * threads];
      }
      use(slot, keys);
    }
  };
  for_each_clock([&](std::uint64_t slot, const ClockKey(&keys)[ahead]) {
    unsigned own[ahead];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads < count) own[j] = atomicAdd(state->cells + cells.of(keys[j]), 1U);
    }
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads < count) ranks[slot + j * threads] = own[j];
    }
  });
  cg::this_grid().sync();
  unsigned* const before = storage.all.before;
#pragma unroll 8
  for (unsigned cell = threadIdx.x; cell < cell_count; cell += choose_threads) {
    before[cell] = __ldcg(state->cells + cell);
  }
  if (threadIdx.x == 0) before[cell_count] = 0;
  __syncthreads();
  constexpr unsigned thread_cells = (ClockCells::max_count + choose_threads) / choose_threads;
  static_cast<void>(scan_numbers<thread_cells>(storage.all.scan, before, cell_count + 1));
  if (blockIdx.x == 0) {
    for (unsigned cell = threadIdx.x; cell <= cell_count; cell += choose_threads) {
      state->before_cells[cell] = before[cell];
    }
  }
  for_each_clock([&](std::uint64_t slot, const ClockKey(&keys)[ahead]) {
    unsigned own[ahead];
    Index items[ahead];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads >= count) continue;
      own[j] = ranks[slot + j * threads];
      items[j] = found.items[slot + j * threads];
    }
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (slot + j * threads >= count) continue;
      const Index place = before[cells.of(keys[j])] + own[j];
      by_cells.keys[place] = keys[j];
      by_cells.items[place] = items[j];
    }
  });
  cg::this_grid().sync();
  // The cells of the block, of which each lane reads one.
  for (unsigned first = blockIdx.x; first < cell_count; first += 32 * gridDim.x) {
    const unsigned own = first + threadIdx.x % 32 * gridDim.x;
    const Index own_begin = own < cell_count ? __ldcg(state->before_cells + own) : 0;
    const Index own_end = own < cell_count ? __ldcg(state->before_cells + own + 1) : 0;
    unsigned filled = __ballot_sync(~0U, own_begin < own_end && own_begin < wanted ? 1 : 0);
    for (; filled != 0; filled &= filled - 1) {
      const int lane = __ffs(static_cast<int>(filled)) - 1;
      order_cell(storage.cell, cells, by_cells, found, __shfl_sync(~0U, own_begin, lane),
                 __shfl_sync(~0U, own_end, lane), wanted, out);
    }
  }
}

/// Selects the clocks anew if the estimate misled, and writes the items of the first ones, if there
/// are enough and all weights are valid. Then advances the state `advanced`, unless that is null.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    order_ringing(const T* weights, Index items, Index chosen, bool allow_fewer,
                  const RandomSource source, RandomState* advanced, ChooseStorage storage,
                  Index* out) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& select_storage = *reinterpret_cast<SelectStorage<T>*>(shared_bytes);
  auto& order_storage = *reinterpret_cast<OrderStorage*>(shared_bytes);
  grid_dependency_sync();
  ChooseState* const state = storage.state;
  const ChooseOutcome& outcome = state->outcome;
  if (must_select(outcome, chosen, storage.capacity)) {
    const RandomState random = source.get();
    select_ringing(select_storage, QuadReader<T>(weights, items, random.offset), chosen, random,
                   storage.found, storage.capacity, state);
  }
  const Index count = __ldcg(&outcome.found);
  const bool are_enough = count >= chosen || (allow_fewer && count > 0);
  if (__ldcg(&outcome.invalid_complement) == 0 && are_enough && count <= storage.capacity) {
    order_clocks(order_storage, storage.found, storage.by_cells, storage.ranks, count,
                 count < chosen ? count : chosen, state, out);
  }
  if (advanced != nullptr && blockIdx.x == 0 && threadIdx.x == 0) advanced->offset += items;
}

[[nodiscard]] ChoicePlan gpu_plan(Index items, Index chosen) {
  return {items, chosen, gpu_sampled_bits};
}

template <class T>
void launch_choose(std::span<const T> weights, std::span<Index> out, const RandomSource& source,
                   RandomState* advanced, const ChoicePlan& plan, const ChooseStorage& storage,
                   cudaStream_t stream, bool allow_fewer) {
  const auto items = static_cast<Index>(weights.size());
  const auto chosen = static_cast<Index>(out.size());
  ChooseState* const state = storage.state;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state, stream));
  if (plan.capacity < items) {  // otherwise all clocks are before the threshold
    sample_weights<<<blocks_for(plan.sampled, choose_threads), choose_threads, 0, stream>>>(
        weights.data(), items, plan, source, state);
    check_launch("choose sample_weights");
  }
  const unsigned blocks_of_items = blocks_for(items, 4 * choose_threads) + 1;
  const unsigned blocks =
      std::min(blocks_of_items, blocks_that_fill(find_ringing<T>, choose_threads));
  launch_programmatic(find_ringing<T>, {blocks, choose_threads}, stream, weights.data(), items,
                      source, storage.found, storage.capacity, state);
  check_launch("choose find_ringing");
  // Few blocks synchronise faster.
  const std::size_t bytes = std::max(sizeof(SelectStorage<T>), sizeof(OrderStorage));
  allow_all_shared_memory(order_ringing<T>);
  const auto processors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const unsigned ordering =
      std::min({blocks_of_items, std::max(processors, blocks_for(storage.capacity, choose_threads)),
                blocks_that_fill(order_ringing<T>, choose_threads, bytes)});
  launch_programmatic<SyncScope::grid>(order_ringing<T>, {ordering, choose_threads, bytes}, stream,
                                       weights.data(), items, chosen, allow_fewer, source, advanced,
                                       storage, out.data());
  check_launch("choose order_ringing");
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
  launch(weights, out, state, nullptr, nullptr, stream, options);
}

void GpuChooser::choose(WeightsView weights, std::span<Index> out, const RandomState* state,
                        cudaStream_t stream, const ChooseOptions& options) {
  require_on_device(state, "state");
  launch(weights, out, {}, state, nullptr, stream, options);
}

void GpuChooser::choose_and_advance(WeightsView weights, std::span<Index> out, RandomState* state,
                                    cudaStream_t stream, const ChooseOptions& options) {
  require_on_device(state, "state");
  launch(weights, out, {}, state, state, stream, options);
}

void GpuChooser::launch(WeightsView weights, std::span<Index> out, RandomState state,
                        const RandomState* state_on_device, RandomState* advanced,
                        cudaStream_t stream, const ChooseOptions& options) {
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
  const ChooseStorage storage(arena, plan.capacity);
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights");
    launch_choose(w, out, {state, state_on_device}, advanced, plan, storage, stream,
                  options.allow_fewer);
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
