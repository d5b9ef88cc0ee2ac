#include "wrsgpu/detail/core/look_back.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

__global__ void clear(LookBackSums sums, int tiles) { sums.InitializeStatus(tiles); }

}  // namespace

LookBackSums take_look_back_sums(int tiles, DeviceArena& arena, cudaStream_t stream) {
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(LookBackSums::AllocationSize(tiles, bytes));
  auto* const storage = arena.take<std::byte>(bytes);
  LookBackSums sums;
  if (!arena.has_block()) return sums;
  WRSGPU_CUDA_CHECK(sums.Init(tiles, storage, bytes));
  constexpr unsigned threads = 256;
  // One block more than the tiles need: the states before the first tile are cleared, too.
  const unsigned blocks = blocks_for(static_cast<std::uint64_t>(tiles), threads) + 1;
  clear<<<blocks, threads, 0, stream>>>(sums, tiles);
  check_launch("take_look_back_sums clear");
  return sums;
}

}  // namespace wrsgpu
