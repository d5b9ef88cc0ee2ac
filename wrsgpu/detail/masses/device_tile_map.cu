#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu {
namespace {

constexpr Index sample_threads = tile_sample::warps * tile_sample::lanes;

/// `look_at_sample` of the host, by one block.
template <class T>
__global__ void __launch_bounds__(sample_threads)
    look_at_sample_kernel(const T* weights, Index items, tile_sample::Findings* found) {
  using namespace tile_sample;
  grid_dependency_sync();
  trigger_launch_completion();
  __shared__ double sum_of_warp[warps];
  __shared__ Counts counts_of_warp[warps];
  constexpr Index rows = chunk_items / lanes;
  const Index lane = threadIdx.x % lanes;
  const Index warp = threadIdx.x / lanes;
  T weight[warp_chunks][rows];
#pragma unroll
  for (Index c = 0; c < warp_chunks; ++c) {
    const Index begin = first_item(warp * warp_chunks + c, items);
#pragma unroll
    for (Index r = 0; r < rows; ++r) weight[c][r] = weights[begin + r * lanes + lane];
  }
  double sum = 0;
#pragma unroll
  for (Index c = 0; c < warp_chunks; ++c) {
#pragma unroll
    for (Index r = 0; r < rows; ++r) sum += counted(weight[c][r]);
  }
  sum = warp_sum(sum);
  if (lane == 0) sum_of_warp[warp] = sum;
  __syncthreads();
  sum = sum_of_warp[lane % warps];
#pragma unroll
  for (Index distance = warps / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(~0U, sum, distance);
  }
  Counts counts;
  const auto count = [&](Index c, const auto& is_one) {
    Index ones = 0;
#pragma unroll
    for (Index r = 0; r < rows; ++r) {
      ones += __popc(__ballot_sync(~0U, is_one(counted(weight[c][r]), sum) ? 1 : 0));
    }
    return ones;
  };
  const auto above = [](double w, double all) { return is_above_mean(w, all); };
  const auto below = [](double w, double all) { return is_below_mean(w, all); };
#pragma unroll
  for (Index c = 0; c < warp_chunks; c += 2) {
    counts.add_pair(count(c, above), count(c + 1, above), count(c, below) + count(c + 1, below));
  }
  if (lane == 0) counts_of_warp[warp] = counts;
  __syncthreads();
  if (warp > 0) return;
  const Counts own = lane < warps ? counts_of_warp[lane] : Counts{};
  counts = {warp_sum(own.above), warp_sum(own.squares), warp_sum(own.below)};
  if (lane == 0) *found = findings(counts);
}

}  // namespace

template <class T>
DeviceTileMap find_tile_map_on_device(std::span<const T> weights, DeviceArena& arena,
                                      cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  if (items < tile_sample::threshold_items) return {items, nullptr};
  auto* const found = arena.take<tile_sample::Findings>(1);
  if (arena.has_block()) {
    launch_programmatic(look_at_sample_kernel<T>, {1, sample_threads}, stream, weights.data(),
                        items, found);
    check_launch("look_at_sample_kernel");
  }
  return {items, found};
}

template DeviceTileMap find_tile_map_on_device(std::span<const float>, DeviceArena&, cudaStream_t);
template DeviceTileMap find_tile_map_on_device(std::span<const double>, DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
