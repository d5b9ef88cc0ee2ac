#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

void require_table(const GpuSampler& sampler, const DeviceTable& table) {
  if (table.size() == 0) throw Error("sample: argument 'table' is empty; build it first");
  if (const std::string reason = sampler.refusal(table); !reason.empty()) {
    throw Error("sample: argument 'table': " + reason);
  }
}

}  // namespace

void GpuSampler::sample(const DeviceTable& table, std::span<Index> out, RandomState state,
                        cudaStream_t stream) const {
  draw(table, ToSamples{out.data()}, out.size(), state, stream);
}

void GpuSampler::count(const DeviceTable& table, std::uint64_t samples,
                       std::span<std::uint64_t> counts, RandomState state,
                       cudaStream_t stream) const {
  if (counts.size() != table.size()) {
    throw Error("count: argument 'counts' has " + std::to_string(counts.size()) +
                " elements, the table has " + std::to_string(table.size()) + " items");
  }
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  draw(table, ToHistogram{reinterpret_cast<unsigned long long*>(counts.data())}, samples, state,
       stream);
}

void GpuSampler::draw_without_output(const DeviceTable& table, std::uint64_t samples,
                                     Index* any_odd, RandomState state, cudaStream_t stream) const {
  require_table(*this, table);  // throws before anything is written
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(any_odd, 0, sizeof *any_odd, stream));
  draw(table, DiscardSamples{any_odd}, samples, state, stream);
}

void GpuSampler::draw(const DeviceTable& table, const AnyOutput& output, std::uint64_t samples,
                      RandomState state, cudaStream_t stream) const {
  require_table(*this, table);
  if (samples == 0) return;
  launch(table, output, samples, state, stream);
}

}  // namespace wrsgpu
