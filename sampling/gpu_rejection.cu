#include "sampling/gpu_rejection.cuh"

#include <cmath>
#include <cub/block/block_radix_sort.cuh>
#include <cuda/functional>
#include <utility>
#include <variant>
#include <vector>

#include "construction/device_masses.cuh"
#include "construction/split/partial_p_ary_search.cuh"
#include "cpu_reference/rejection_cells.hpp"
#include "sampling/gpu_intervals.cuh"
#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/scan_in_place.cuh"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/split_words.hpp"

namespace wrsgpu {
namespace {

constexpr unsigned threads = 256;

/// N w / W, computed as on the CPU.
template <class T>
struct ScaledWeight {
  const T* weights;
  double scale;
  double bucket;
  [[nodiscard]] __device__ double operator()(std::uint64_t i) const {
    return static_cast<double>(weights[i]) * scale / bucket;
  }
};
struct Mass {
  const std::uint64_t* masses;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint64_t i) const { return masses[i]; }
};

/// `counts` may be the array that `x` reads.
template <class X>
__global__ void count_cells(X x, Index size, std::uint64_t* counts, std::uint64_t* first_share) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const RejectionCells item = rejection_cells(x(i));
  counts[i] = item.count;
  first_share[i] = item.first_share;
}

/// Stores each item in its first cell; the other cells hold zero.
__global__ void mark_first_cells(const std::uint64_t* ends, Index size, Index* items) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i > 0 && i < size) items[ends[i - 1]] = static_cast<Index>(i);
}

/// The item of a cell, and whether the cell is its first one.
struct Found {
  Index item;
  bool is_first;
};

struct ArraySearch {
  const Index* items;
  [[nodiscard]] __device__ Found operator()(std::uint64_t cell) const {
    return {items[cell], cell == 0 || items[cell - 1] != items[cell]};
  }
};

/// Binary search over the cells as intervals of their items.
struct BinarySearch {
  IntervalsView cells;
  [[nodiscard]] __device__ bool is_before(Index item, std::uint64_t cell) const {
    return cells.ends[item] <= cell;
  }
  [[nodiscard]] __device__ Found found(Index item, std::uint64_t cell) const {
    return {item, cell == (item == 0 ? 0 : cells.ends[item - 1])};
  }
  [[nodiscard]] __device__ Found operator()(std::uint64_t cell) const {
    return found(cells.bisect(cell), cell);
  }
};

/// Data for sampling apart from the search.
struct Cells {
  std::uint64_t count;
  const std::uint64_t* first_share;
  std::uint32_t attempts;
  random::SplitWords<> words;
  std::uint64_t offset;

  [[nodiscard]] __device__ std::uint64_t word(std::uint64_t sample, std::uint32_t attempt) const {
    return words.word(offset + sample, attempt);
  }
  [[nodiscard]] __device__ std::uint64_t cell(std::uint64_t word) const {
    return __umul64hi(word, count);
  }
  /// True if attempt number `attempt` is the last: its cell accepts, or no attempts remain.
  [[nodiscard]] __device__ bool is_taken(const Found& found, std::uint64_t word,
                                         std::uint32_t attempt) const {
    const std::uint64_t fraction = word * count;
    return !found.is_first || fraction >> 1 < first_share[found.item] || attempt + 1 == attempts;
  }
};

/// Grid-stride loop over the samples; each is drawn until a cell accepts.
template <class Search, class Output>
__global__ void __launch_bounds__(threads)
    draw_cells(Search search, Cells cells, std::uint64_t samples, Output output) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < samples;
       k += stride) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const std::uint64_t word = cells.word(k, attempt);
      const Found found = search(cells.cell(word));
      if (cells.is_taken(found, word, attempt)) {
        output.put(k, found.item);
        break;
      }
    }
  }
  output.finish();
}

/// Each thread of a block draws one sample. The cells of unfinished samples are sorted, so that
/// neighbouring threads search neighbouring items.
template <class Output>
__global__ void __launch_bounds__(threads)
    draw_sorted_cells(BinarySearch search, Cells cells, int key_bits, std::uint64_t samples,
                      Output output) {
  using Sort = cub::BlockRadixSort<std::uint64_t, threads, 1, unsigned>;
  __shared__ typename Sort::TempStorage sort_storage;
  __shared__ std::uint64_t sorted[threads];
  __shared__ Index items[threads];
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * threads; first < samples;
       first += stride) {
    const std::uint64_t k = first + threadIdx.x;
    bool is_waiting = k < samples;
    for (std::uint32_t attempt = 0;; ++attempt) {
      const auto queries = static_cast<unsigned>(__syncthreads_count(is_waiting));
      if (queries == 0) break;
      const std::uint64_t word = cells.word(k, attempt);
      const std::uint64_t cell = cells.cell(word);
      std::uint64_t key[1] = {is_waiting ? cell : ~std::uint64_t{0}};
      unsigned owner[1] = {threadIdx.x};
      Sort(sort_storage).Sort(key, owner, 0, key_bits);
      sorted[threadIdx.x] = key[0];
      __syncthreads();
      const Index item = split::block_partial_p_ary_search<static_cast<int>(threads)>(
          search.cells.size, queries, [&](Index position, unsigned query) {
            return search.is_before(position, sorted[query]);
          });
      if (threadIdx.x < queries) items[owner[0]] = item;
      __syncthreads();
      if (!is_waiting) continue;
      const Found found = search.found(items[threadIdx.x], cell);
      if (cells.is_taken(found, word, attempt)) {
        output.put(k, found.item);
        is_waiting = false;
      }
    }
  }
  output.finish();
}

}  // namespace

void GpuRejection::build_on_device(WeightsView weights, const WeightSummary& summary) {
  const Index size = summary.size;
  const auto replace_memory = [&] {
    first_share_ = {};
    ends_ = {};
    items_ = {};
    first_share_ = DeviceBuffer<std::uint64_t>(size);
    ends_ = DeviceBuffer<std::uint64_t>(size);
    return ends_.data();
  };
  const auto count = [&](const auto& x) {
    count_cells<<<blocks_for(size, threads), threads>>>(x, size, ends_.data(), first_share_.data());
    check_launch("count_cells");
  };
  if (arithmetic() == Arithmetic::fixed_point) {
    masses_on_device(weights, replace_memory);
    count(Mass{ends_.data()});
  } else {
    replace_memory();
    weights.visit([&]<class T>(std::span<const T> w) {
      count(ScaledWeight<T>{w.data(), summary.scale, summary.bucket()});
    });
  }
  scan_in_place(ends_.span());
  copy_to_host(std::as_const(ends_).data() + size - 1, std::span(&cells_, 1));
  if (how_.search != CellSearch::array) return;
  items_ = DeviceBuffer<Index>(cells_);
  WRSGPU_CUDA_CHECK(cudaMemset(items_.data(), 0, items_.bytes()));
  mark_first_cells<<<blocks_for(size, threads), threads>>>(ends_.data(), size, items_.data());
  check_launch("mark_first_cells");
  scan_in_place(items_.span(), cuda::maximum<>{});
  ends_ = {};
}

void GpuRejection::launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                          cudaStream_t stream) const {
  constexpr std::uint64_t thread_samples = 8;
  const unsigned blocks = capped_blocks_for(samples, threads * thread_samples);
  const Cells cells{cells_, first_share_.data(), how_.attempts, random::SplitWords<>(state.seed),
                    state.offset};
  const BinarySearch by_ends{{ends_.data(), size()}};
  // Enough for every cell, and for a sentinel above all of them.
  const int key_bits = bit_width(cells_);
  std::visit(
      [&](const auto& out) {
        switch (how_.search) {
          case CellSearch::array:
            draw_cells<<<blocks, threads, 0, stream>>>(ArraySearch{items_.data()}, cells, samples,
                                                       out);
            break;
          case CellSearch::binary:
            draw_cells<<<blocks, threads, 0, stream>>>(by_ends, cells, samples, out);
            break;
          case CellSearch::partial_p_ary:
            draw_sorted_cells<<<blocks, threads, 0, stream>>>(by_ends, cells, key_bits, samples,
                                                              out);
            break;
        }
      },
      output);
  check_launch("GpuRejection draw");
}

std::vector<double> GpuRejection::do_probabilities() const {
  std::vector<std::uint64_t> cells(size());  // of each item
  if (how_.search == CellSearch::array) {
    std::vector<Index> items(cells_);
    copy_to_host(items_.data(), std::span(items));
    for (const Index item : items) ++cells[item];
  } else {
    copy_to_host(ends_.data(), std::span(cells));
    for (Index i = size() - 1; i > 0; --i) cells[i] -= cells[i - 1];
  }
  std::vector<std::uint64_t> first_share(size());
  copy_to_host(first_share_.data(), std::span(first_share));

  // As on the CPU: the exact sum of the acceptance probabilities of all cells.
  WideInteger accepted = 0;
  for (Index i = 0; i < size(); ++i) {
    accepted += static_cast<WideInteger>(cells[i] - 1) * whole_cell + first_share[i];
  }
  const double total = static_cast<double>(accepted) * 0x1p-63;
  std::vector<double> p(size());
  for (Index i = 0; i < size(); ++i) {
    p[i] =
        (static_cast<double>(cells[i] - 1) + static_cast<double>(first_share[i]) * 0x1p-63) / total;
  }
  if (how_.attempts == 0) return p;
  // All attempts except the last accept or continue; the last one takes any cell.
  const auto all_cells = static_cast<double>(cells_);
  const double reaches_last = std::pow(1 - total / all_cells, how_.attempts - 1);
  for (Index i = 0; i < size(); ++i) {
    p[i] = p[i] * (1 - reaches_last) + reaches_last * static_cast<double>(cells[i]) / all_cells;
  }
  return p;
}

}  // namespace wrsgpu
