// Thrust's shuffle, itself a bijective shuffle with compaction.
#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/random.h>
#include <thrust/shuffle.h>
#include <thrust/system/cuda/execution_policy.h>

#include <map>
#include <memory>

#include "shuffle/gpu_methods.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"

namespace wrsgpu::shuffle {
namespace {

/// Provides temporary memory to Thrust in stream order, from the memory pool.
class PoolAllocator {
 public:
  using value_type = char;
  explicit PoolAllocator(cudaStream_t stream) : stream_(stream) {}

  char* allocate(std::ptrdiff_t bytes) {
    auto buffer = std::make_unique<PoolBuffer<char>>(static_cast<std::size_t>(bytes), stream_);
    char* const data = buffer->data();
    buffers_[data] = std::move(buffer);
    return data;
  }
  void deallocate(char* data, std::size_t /*bytes*/) { buffers_.erase(data); }

 private:
  cudaStream_t stream_;
  std::map<char*, std::unique_ptr<PoolBuffer<char>>> buffers_;
};

void thrust_shuffle(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  if (!arena.has_block()) return;
  visit_keys(task, [&](const auto& keys, auto* out) {
    PoolAllocator allocator(stream);
    const auto first =
        thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}), keys);
    thrust::default_random_engine engine(static_cast<std::uint32_t>(task.seed));
    thrust::shuffle_copy(thrust::cuda::par_nosync(allocator).on(stream), first, first + task.size,
                         thrust::device_pointer_cast(out), engine);
  });
}

}  // namespace

GpuShuffleMethod thrust_method() {
  return {.name = "thrust_shuffle_copy",
          .source = "CCCL",
          .summary =
              "thrust::shuffle_copy with its own storage and generator, which takes the seed "
              "modulo 2^31 - 1",
          .launch = thrust_shuffle};
}

}  // namespace wrsgpu::shuffle
