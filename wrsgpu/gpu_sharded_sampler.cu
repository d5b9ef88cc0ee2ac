#include "wrsgpu/gpu_sharded_sampler.cuh"

#include "wrsgpu/detail/build/merge_builder.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/gpu_shuffle.cuh"

namespace wrsgpu {
namespace {

/// The first `size` elements of a buffer, which grows where that is too small: by more than needed,
/// because the numbers of samples of a shard vary.
[[nodiscard]] std::span<std::uint64_t> grown(DeviceBuffer<std::uint64_t>& buffer,
                                             std::uint64_t size) {
  if (buffer.size() < size) {
    buffer = {};  // free first: the larger one may need the memory
    buffer = DeviceBuffer<std::uint64_t>(size + size / 16);
  }
  return buffer.span().first(size);
}

[[nodiscard]] WeightedSamplerOptions in_random_order(WeightedSamplerOptions options) {
  options.order = SampleOrder::random;
  options.sampler = SamplerChoice::direct;
  return options;
}

}  // namespace

GpuShardedSampler::GpuShardedSampler(WeightsView shard, GpuCommunicator& communicator,
                                     const WeightedSamplerOptions& options)
    : communicator_(&communicator), sampler_(in_random_order(options)) {
  rebuild(shard);
  if (sampler_.capacity() > 0) sampler_.release_temporary_memory();
}

void GpuShardedSampler::rebuild(WeightsView shard) {
  shards_.assign(detail::gather_results(*communicator_, [&] {
    shards_.reset(communicator_->ranks());
    return detail::report_of_shard(shard, [&] {
      sampler_.rebuild(shard);
      return sampler_.table_->whole();
    });
  }));
}

void GpuShardedSampler::fail_rebuild(const std::exception_ptr& reason) {
  shards_.reset(communicator_->ranks());
  fail_on_all_ranks(*communicator_, reason);
}

void GpuShardedSampler::shard_histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                                        RandomState state) const {
  detail::require_one_per_item("shard_histogram", "counts", counts.size(), shards_.ranks());
  shards_.count(samples, state, counts);
}

std::uint64_t GpuShardedSampler::count_local(std::uint64_t samples, RandomState state) const {
  return shards_.count_of(rank(), samples, state);
}

std::uint64_t GpuShardedSampler::draw_local(std::span<std::uint64_t> out, std::uint64_t samples,
                                            RandomState state, cudaStream_t stream) const {
  const std::uint64_t count = count_local(samples, state);
  detail::require_room(out.size(), count);
  if (count > 0) {
    sampler_.draw_from(first_item(), out.first(count), detail::state_of_rank(rank(), state),
                       stream);
  }
  return count;
}

void GpuShardedSampler::histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                                  RandomState state, cudaStream_t stream) const {
  detail::require_one_per_item("histogram", "counts", counts.size(), shard_size());
  const std::uint64_t count = count_local(samples, state);
  if (counts.empty()) return;
  if (count > 0) {
    sampler_.histogram(counts, count, detail::state_of_rank(rank(), state), stream);
    return;
  }
  // There may be no table.
  require_on_device(counts.data(), "counts");
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), stream));
}

void GpuShardedSampler::draw_scattered(std::span<std::uint64_t> out, RandomState state,
                                       cudaStream_t stream) {
  detail::ScatterCounts counts;
  std::span<std::uint64_t> send;
  std::span<std::uint64_t> receive;
  detail::require_equal(detail::gather_results(*communicator_, [&] {
    counts = detail::ScatterCounts(shards_, rank(), out.size(), state);
    if (!out.empty()) require_on_device(out.data(), "out");
    send = grown(sent_, counts.all_sent);
    receive = grown(received_, out.size());
    if (!exchange_) exchange_ = std::make_unique<SideStream>(SideStream::urgent);
    const RandomState own = detail::state_of_rank(rank(), state);
    counts.draw_all(
        send, receive,
        [&](std::span<std::uint64_t> samples, std::uint64_t first) {
          sampler_.draw_from(first_item(), samples, {own.seed, own.offset + first}, stream);
        },
        [&] { exchange_->follow(stream); });
    return detail::ScatterReport{out.size(), state.seed, state.offset};
  }));
  if (out.empty()) return;
  communicator_->all_to_all(send, counts.sent, receive.first(out.size() - counts.own),
                            counts.received, exchange_->get());
  exchange_->join(stream);
  shuffle::gpu_shuffle<std::uint64_t>(
      receive, out, detail::order_seed(detail::Shards::destination(rank(), out.size(), state)),
      stream);
}

}  // namespace wrsgpu
