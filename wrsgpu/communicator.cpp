#include "wrsgpu/communicator.hpp"

#include <new>
#include <string>

#include "wrsgpu/detail/sharding/shards.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

Communicator::Communicator(unsigned rank, unsigned ranks) : rank_(rank), ranks_(ranks) {
  if (rank >= ranks) {
    throw Error("rank " + std::to_string(rank) + " is not one of " + std::to_string(ranks) +
                " ranks");
  }
  try {
    gathered_.resize(max_gathered_bytes * ranks);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("out of host memory for a communicator of " + std::to_string(ranks) +
                      " ranks");
  }
}

std::span<const std::byte> Communicator::all_gather(std::span<const std::byte> mine) {
  if (mine.empty() || mine.size() > max_gathered_bytes) {
    throw Error("all_gather: " + std::to_string(mine.size()) + " bytes of a rank; 1 to " +
                std::to_string(max_gathered_bytes) + " are supported");
  }
  const std::span<std::byte> all = std::span(gathered_).first(mine.size() * ranks_);
  gather(mine, all);
  return all;
}

void fail_on_all_ranks(Communicator& communicator, const std::exception_ptr& reason) {
  using Built = detail::Reports<detail::ShardReport>::Entry;
  using Drawn = detail::Reports<detail::ScatterReport>::Entry;
  static_assert(sizeof(Built) == sizeof(Drawn) &&
                offsetof(Built, failure) == offsetof(Drawn, failure));
  static_cast<void>(detail::gather_results(
      communicator, [&]() -> detail::ShardReport { std::rethrow_exception(reason); }));
  throw Error("fail_on_all_ranks: no rank has failed");  // not reached
}

}  // namespace wrsgpu
