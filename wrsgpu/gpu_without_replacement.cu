#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/shuffle/gpu_gather.cuh"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/gpu_without_replacement.cuh"
#include "wrsgpu/without_replacement.hpp"

namespace wrsgpu::shuffle {
namespace {

template <class Number>
void sample(std::uint64_t items, std::span<Number> out, std::uint64_t seed, std::uint64_t first,
            cudaStream_t stream) {
  detail::require_draws(items, first, out.size(), sizeof(Number));
  require_on_device(out.data(), "out");
  launch_gather(lazy_permutation(items, seed), first, Numbers<Number>{}, out.data(), out.size(),
                stream);
}

}  // namespace

void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint32_t> out,
                                    std::uint64_t seed, std::uint64_t first, cudaStream_t stream) {
  sample(items, out, seed, first, stream);
}

void gpu_sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                    std::uint64_t seed, std::uint64_t first, cudaStream_t stream) {
  sample(items, out, seed, first, stream);
}

}  // namespace wrsgpu::shuffle
