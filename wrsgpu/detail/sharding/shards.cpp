#include "wrsgpu/detail/sharding/shards.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::detail {

void Shards::reset(unsigned ranks) {
  first_item_.assign(std::size_t{ranks} + 1, 0);
  mass_before_.assign(std::size_t{ranks} + 1, 0);
}

void Shards::assign(const Reports<ShardReport>& reports) {
  const CommonSum all = common_sum(reports.size(), [&](std::size_t rank) {
    return reports[static_cast<unsigned>(rank)].weight;
  });
  if (all.total == 0) throw Error("argument 'weights': no rank has a positive weight");
  const int excess = excess_digits(all.total);
  WideSum sum = 0;
  for (unsigned rank = 0; rank < reports.size(); ++rank) {
    const ShardReport shard = reports[rank];
    first_item_[rank + 1] = first_item_[rank] + shard.items;
    sum += common_tile_sum(shard.weight, all.shift);
    mass_before_[rank + 1] = static_cast<std::uint64_t>(sum >> excess);
  }
}

std::uint64_t Shards::count_of(unsigned rank, std::uint64_t samples, RandomState state) const {
  if (mass_before_.back() == 0) throw Error(no_tables);
  const std::uint64_t seed =
      random::philox_word(state.seed, state.offset, random::counts_subsequence);
  unsigned begin = 0;
  unsigned end = ranks();
  std::uint64_t node = 1;  // the children of node k are 2 k and 2 k + 1
  while (end - begin > 1) {
    const unsigned middle = begin + (end - begin) / 2;
    const std::uint64_t left = mass_before_[middle] - mass_before_[begin];
    const std::uint64_t right = mass_before_[end] - mass_before_[middle];
    // The lighter half's probability is at most 1/2: the difference of a quotient and 1 would be
    // rounded.
    std::uint64_t lighter = 0;
    if (std::min(left, right) > 0) {
      random::PhiloxEngine<> words(RandomState{seed, 0}, node);
      lighter = random::binomial<random::PortableMath>(
          words, samples,
          static_cast<double>(std::min(left, right)) / static_cast<double>(left + right));
    }
    const bool is_left = rank < middle;
    samples = is_left == (left <= right) ? lighter : samples - lighter;
    (is_left ? end : begin) = middle;
    node = 2 * node + (is_left ? 0 : 1);
  }
  return samples;
}

void Shards::count(std::uint64_t samples, RandomState state,
                   std::span<std::uint64_t> counts) const {
  for (unsigned rank = 0; rank < ranks(); ++rank) counts[rank] = count_of(rank, samples, state);
}

void Shards::count_row(unsigned rank, std::uint64_t samples, RandomState state,
                       std::span<std::uint64_t> counts) const {
  for (unsigned to = 0; to < ranks(); ++to) {
    counts[to] = count_of(rank, samples, destination(to, samples, state));
  }
}

RandomState state_of_rank(unsigned rank, RandomState state) {
  return {random::philox_word(state.seed, rank, random::shards_subsequence), state.offset};
}

std::uint64_t order_seed(RandomState destination) {
  return random::philox_word(destination.seed, destination.offset, random::shards_subsequence + 1);
}

ScatterCounts::ScatterCounts(const Shards& shards, unsigned rank, std::uint64_t samples,
                             RandomState state)
    : sent(shards.ranks()), received(shards.ranks()) {
  if (samples > 0) shuffle::require_size(samples, "the number of samples of a rank");
  shards.count_row(rank, samples, state, sent);
  shards.count(samples, Shards::destination(rank, samples, state), received);
  own = sent[rank];
  sent[rank] = received[rank] = 0;
  all_sent = std::reduce(sent.begin(), sent.end());
  before_own = std::reduce(sent.begin(), sent.begin() + rank);
}

void require_equal(const Reports<ScatterReport>& reports) {
  const ScatterReport first = reports[0];
  for (unsigned rank = 1; rank < reports.size(); ++rank) {
    const ScatterReport other = reports[rank];
    if (other.samples == first.samples && other.seed == first.seed &&
        other.offset == first.offset) {
      continue;
    }
    const auto in_words = [](unsigned number, const ScatterReport& report) {
      return "rank " + std::to_string(number) + " draws " + std::to_string(report.samples) +
             " samples of seed " + std::to_string(report.seed) + ", offset " +
             std::to_string(report.offset);
    };
    throw Error("draw_scattered: " + in_words(0, first) + ", but " + in_words(rank, other) +
                "; all ranks must draw the same");
  }
}

void require_room(std::uint64_t room, std::uint64_t samples) {
  if (room >= samples) return;
  throw Error("draw_local: argument 'out' has " + std::to_string(room) + " elements, but " +
              std::to_string(samples) + " samples are of this rank's shard");
}

}  // namespace wrsgpu::detail
