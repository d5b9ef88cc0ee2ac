#include "construction/gpu_alias_table.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/split_words.hpp"

namespace wrsgpu {
namespace {

constexpr unsigned sample_threads = 256;

/// Sample k takes word `state.offset + k`, as on the host and in the sampler `direct`: the
/// reference definition, with one thread per sample.
template <class Rows>
__global__ void __launch_bounds__(sample_threads)
    draw_samples(Rows rows, const __grid_constant__ random::SplitWords<> words,
                 std::uint64_t offset, Index* out, std::uint64_t samples) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * sample_threads + threadIdx.x;
  if (k >= samples) return;
  const RowChoice choice = choose_row(words.word(offset + k), rows.size());
  out[k] = rows.pick(choice.row, choice.fraction);
}

}  // namespace

template <class Step>
void GpuAliasTable::follow(const Step& step) {
  try {
    step();
  } catch (...) {
    set_size(builder_.size());
    throw;
  }
  set_size(builder_.size());
}

void GpuAliasTable::assign(const HostTable& table) {
  follow([&] { builder_.assign(table); });
}
void GpuAliasTable::reserve(Index size, WeightsView::Type type) {
  follow([&] { builder_.reserve(size, type); });
}
void GpuAliasTable::construct(WeightsView weights, cudaStream_t stream) {
  follow([&] { builder_.construct(weights, stream); });
}
void GpuAliasTable::finish(WeightsView weights, cudaStream_t stream) {
  follow([&] { builder_.finish(weights, stream); });
}

WeightSummary GpuAliasTable::check(WeightsView weights) const {
  check_size_and_memory(weights, weights.device());
  return {.size = static_cast<Index>(weights.size())};
}

void GpuAliasTable::do_build(WeightsView weights, const WeightSummary& /*of the size alone*/) {
  follow([&] { builder_.build(weights); });
}

void GpuAliasTable::do_sample(std::span<Index> out, RandomState state) const {
  DeviceBuffer<Index> samples(out.size());
  const random::SplitWords<> words(state.seed);
  table().visit([&](const auto& rows) {
    draw_samples<<<blocks_for(out.size(), sample_threads), sample_threads>>>(
        rows, words, state.offset, samples.data(), out.size());
    check_launch("draw_samples");
  });
  copy_to_host(samples.data(), out);
}

}  // namespace wrsgpu
