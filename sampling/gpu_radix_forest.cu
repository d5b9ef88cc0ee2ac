#include "sampling/gpu_radix_forest.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "cpu_reference/radix_forest_builder.hpp"
#include "cpu_reference/radix_forest_probabilities.hpp"
#include "sampling/gpu_monotone_kernels.cuh"

namespace wrsgpu {
namespace {

using Forest = RadixForestView<std::uint64_t>;
using Builder = RadixForestBuilder<std::uint64_t>;

struct FromForest {
  Forest forest;
  [[nodiscard]] __device__ Index operator()(std::uint64_t word) const { return forest.find(word); }
};

struct HasMass {
  const std::uint64_t* ends;
  [[nodiscard]] __device__ bool operator()(Index item) const {
    return ends[item] > (item == 0 ? 0 : ends[item - 1]);
  }
};

struct AtomicExchange {
  [[nodiscard]] __device__ Index operator()(Index* place, Index value) const {
    return atomicExch(place, value);
  }
};

struct ByBisection {
  IntervalsView intervals;
  [[nodiscard]] __device__ Index operator()(std::uint64_t position) const {
    return intervals.bisect(position);
  }
};

/// One thread per leaf.
__global__ void climb_trees(Builder builder) {
  const std::uint64_t leaf = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (leaf < builder.leaves) builder.climb(static_cast<Index>(leaf), AtomicExchange{});
}

/// One thread per cell, of which there are as many as items.
__global__ void fill_cells(Builder builder, IntervalsView intervals) {
  const std::uint64_t cell = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (cell < intervals.size) builder.fill(static_cast<Index>(cell), ByBisection{intervals});
}

/// Writes the items that have mass, in ascending order, and returns their number. Synchronises.
Index list_items_with_mass(const IntervalsView& intervals, std::span<Index> items) {
  DeviceBuffer<Index> count(1);
  const auto select = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DeviceSelect::If(
        storage, bytes, thrust::counting_iterator<Index>(0), items.data(), count.data(),
        static_cast<std::int64_t>(intervals.size), HasMass{intervals.ends}));
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  DeviceBuffer<std::byte> storage(bytes);
  select(storage.data(), bytes);
  Index leaves = 0;
  copy_to_host(static_cast<const Index*>(count.data()), std::span(&leaves, 1));
  return leaves;
}

template <class T>
void resize(DeviceBuffer<T>& buffer, std::size_t size) {
  if (buffer.size() == size) return;
  buffer = {};
  buffer = DeviceBuffer<T>(size);
}

}  // namespace

Forest GpuRadixForest::view() const {
  const auto items = static_cast<Index>(nodes_.size());
  const std::uint64_t total = std::uint64_t{items} << 32;
  return {nodes_.data(), roots_.data(), RadixForestCells<std::uint64_t>(total, items, 0), total};
}

void GpuRadixForest::build_on_device(WeightsView weights, const WeightSummary& summary) {
  require_radix_forest_size(summary.size);
  GpuIntervals intervals;
  intervals.build(weights);
  resize(nodes_, summary.size);
  resize(roots_, summary.size);
  DeviceBuffer<Index> items(summary.size);
  const Index leaves = list_items_with_mass(intervals.view(), items.span());
  DeviceBuffer<Index> met(leaves);
  WRSGPU_CUDA_CHECK(cudaMemset(roots_.data(), 0, roots_.bytes()));  // Builder::no_tree
  WRSGPU_CUDA_CHECK(cudaMemset(met.data(), 0xFF, met.bytes()));     // Builder::nobody
  const Builder builder{intervals.view().ends, items.data(),  leaves,    view().cells,
                        nodes_.data(),         roots_.data(), met.data()};
  climb_trees<<<blocks_for(leaves, monotone_threads), monotone_threads>>>(builder);
  check_launch("climb_trees");
  fill_cells<<<blocks_for(summary.size, monotone_threads), monotone_threads>>>(builder,
                                                                               intervals.view());
  check_launch("fill_cells");
  // Before the buffers are freed.
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

std::vector<double> GpuRadixForest::do_probabilities() const {
  std::vector<RadixNode<std::uint64_t>> nodes(nodes_.size());
  std::vector<Index> roots(roots_.size());
  copy_to_host(nodes_.data(), std::span(nodes));
  copy_to_host(roots_.data(), std::span(roots));
  Forest forest = view();
  forest.nodes = nodes.data();
  forest.roots = roots.data();
  return RadixForestWalk(forest, size()).probabilities();
}

void GpuRadixForest::launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                            cudaStream_t stream) const {
  launch_draw_by_words(FromForest{view()}, output, samples, state, stream);
}

void GpuRadixForest::launch_find(std::span<const std::uint64_t> words, Index* out,
                                 cudaStream_t stream) const {
  launch_find_words(FromForest{view()}, words, out, stream);
}

}  // namespace wrsgpu
