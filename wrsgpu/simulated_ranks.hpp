// Ranks on threads of one process.
#pragma once

#include <functional>

#include "wrsgpu/communicator.hpp"

namespace wrsgpu {

/// Calls work(communicator) on a thread for each of `ranks` ranks and waits for all: for tests, and
/// for several shards in one process. If a rank returns or throws while others wait for it in a
/// collective member, these throw `Error` instead of waiting forever.
///
/// @param ranks at least 1
/// @param work is called concurrently; the communicator is valid until it returns
/// @throws what the first rank, in order of ranks, has thrown
/// @throws std::system_error if a thread cannot be started
void run_ranks(unsigned ranks, const std::function<void(HostCommunicator& communicator)>& work);

}  // namespace wrsgpu
