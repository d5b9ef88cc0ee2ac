#include "wrsgpu/sharded_sampler.hpp"

#include <algorithm>

#include "wrsgpu/detail/build/tiled_sweep.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/shuffle.hpp"

namespace wrsgpu {

ShardedSampler::ShardedSampler(WeightsView shard, HostCommunicator& communicator,
                               const WeightedSamplerOptions& options)
    : communicator_(&communicator), sampler_(options) {
  rebuild(shard);
}

void ShardedSampler::rebuild(WeightsView shard) {
  shards_.assign(detail::gather_results(*communicator_, [&] {
    shards_.reset(communicator_->ranks());
    return detail::report_of_shard(shard, [&] {
      sampler_.rebuild(shard);
      return sampler_.builder_->whole();
    });
  }));
}

void ShardedSampler::fail_rebuild(const std::exception_ptr& reason) {
  shards_.reset(communicator_->ranks());
  fail_on_all_ranks(*communicator_, reason);
}

void ShardedSampler::shard_histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                                     RandomState state) const {
  detail::require_one_per_item("shard_histogram", "counts", counts.size(), shards_.ranks());
  shards_.count(samples, state, counts);
}

std::uint64_t ShardedSampler::count_local(std::uint64_t samples, RandomState state) const {
  return shards_.count_of(rank(), samples, state);
}

std::uint64_t ShardedSampler::draw_local(std::span<std::uint64_t> out, std::uint64_t samples,
                                         RandomState state) const {
  const std::uint64_t count = count_local(samples, state);
  detail::require_room(out.size(), count);
  if (count > 0) {
    sampler_.draw_from(first_item(), out.first(count), detail::state_of_rank(rank(), state));
  }
  return count;
}

void ShardedSampler::histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                               RandomState state) const {
  detail::require_one_per_item("histogram", "counts", counts.size(), shard_size());
  const std::uint64_t count = count_local(samples, state);
  if (count == 0) {  // there may be no table
    std::ranges::fill(counts, 0);
    return;
  }
  sampler_.histogram(counts, count, detail::state_of_rank(rank(), state));
}

void ShardedSampler::draw_scattered(std::span<std::uint64_t> out, RandomState state) const {
  detail::ScatterCounts counts;
  HostBuffer<std::uint64_t> send;
  HostBuffer<std::uint64_t> receive;
  detail::require_equal(detail::gather_results(*communicator_, [&] {
    counts = detail::ScatterCounts(shards_, rank(), out.size(), state);
    send = HostBuffer<std::uint64_t>(counts.all_sent);
    receive = HostBuffer<std::uint64_t>(out.size());
    const RandomState own = detail::state_of_rank(rank(), state);
    counts.draw_all(
        send.span(), receive.span(),
        [&](std::span<std::uint64_t> samples, std::uint64_t first) {
          sampler_.draw_from(first_item(), samples, {own.seed, own.offset + first});
        },
        [] {});
    return detail::ScatterReport{out.size(), state.seed, state.offset};
  }));
  if (out.empty()) return;
  communicator_->all_to_all(send.span(), counts.sent, receive.span().first(out.size() - counts.own),
                            counts.received);
  shuffle::shuffle_copy(receive.begin(), receive.end(), out.begin(),
                        detail::order_seed(detail::Shards::destination(rank(), out.size(), state)));
}

}  // namespace wrsgpu
