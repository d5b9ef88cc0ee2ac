#include "wrsgpu/detail/sharding/agreement.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "wrsgpu/error.hpp"
#include "wrsgpu/interrupt.hpp"

namespace wrsgpu::detail {
namespace {

using Message = std::array<char, Communicator::max_gathered_bytes>;

/// What the exception says, cut where it is longer.
[[nodiscard]] Message message_of(const std::exception_ptr& thrown) noexcept {
  Message message{};
  const auto write = [&](const char* text) {
    std::strncpy(message.data(), text, message.size() - 1);
  };
  if (!thrown) return message;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    write("out of host memory");
  } catch (const std::exception& error) {
    write(error.what());
  } catch (...) {
    write("an exception of an unknown type");
  }
  return message;
}

}  // namespace

Failure kind_of(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const OutOfMemory&) {
    return Failure::out_of_memory;
  } catch (const std::bad_alloc&) {
    return Failure::out_of_memory;
  } catch (const CudaError&) {
    return Failure::cuda_error;
  } catch (...) {
    return Failure::error;
  }
}

void throw_together(Communicator& communicator, const std::exception_ptr& thrown,
                    unsigned first_rank, Failure kind) {
  const Message mine = message_of(thrown);
  const std::span<const std::byte> all = communicator.all_gather(std::as_bytes(std::span(mine)));
  if (thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error&) {           // NOLINT(bugprone-empty-catch): thrown below, with its rank
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): likewise
    }
  }
  Message first;
  std::memcpy(first.data(), all.data() + first_rank * first.size(), first.size());
  const std::string message = "rank " + std::to_string(first_rank) + ": " + first.data();
  if (kind == Failure::out_of_memory) throw OutOfMemory(message);
  if (kind == Failure::cuda_error) throw CudaError(message);
  throw Error(message);
}

}  // namespace wrsgpu::detail
