#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

namespace wrsgpu {
namespace {

constexpr Index sample_threads = tile_sample::warps * tile_sample::lanes;

/// `are_neighbours_alike` of the host, by one block.
template <class T>
__global__ void __launch_bounds__(sample_threads)
    find_tile_map_kernel(const T* weights, Index items, bool* is_interleaved) {
  using namespace tile_sample;
  __shared__ double sum_of_warp[warps];
  __shared__ Index weights_of_warp[warps];
  __shared__ Index squares_of_warp[warps];
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
  Above above;
  const auto count_above = [&](Index c) {
    Index found = 0;
#pragma unroll
    for (Index r = 0; r < rows; ++r) {
      const bool is_one = is_above_mean(counted(weight[c][r]), sum);
      found += __popc(__ballot_sync(~0U, is_one ? 1 : 0));
    }
    return found;
  };
#pragma unroll
  for (Index c = 0; c < warp_chunks; c += 2) above.add_pair(count_above(c), count_above(c + 1));
  if (lane == 0) {
    weights_of_warp[warp] = above.weights;
    squares_of_warp[warp] = above.squares;
  }
  __syncthreads();
  if (warp > 0) return;
  above = {warp_sum(lane < warps ? weights_of_warp[lane] : 0),
           warp_sum(lane < warps ? squares_of_warp[lane] : 0)};
  if (lane == 0) *is_interleaved = are_alike(above);
}

}  // namespace

template <class T>
DeviceTileMap find_tile_map_on_device(std::span<const T> weights, DeviceArena& arena,
                                      cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  if (items < tile_sample::threshold_items) return {items, nullptr};
  auto* const is_interleaved = arena.take<bool>(1);
  if (arena.has_block()) {
    find_tile_map_kernel<<<1, sample_threads, 0, stream>>>(weights.data(), items, is_interleaved);
    check_launch("find_tile_map_kernel");
  }
  return {items, is_interleaved};
}

template DeviceTileMap find_tile_map_on_device(std::span<const float>, DeviceArena&, cudaStream_t);
template DeviceTileMap find_tile_map_on_device(std::span<const double>, DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
