// Work that may fail on one rank, where all must know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>

#include "wrsgpu/communicator.hpp"

namespace wrsgpu::detail {

/// What a rank's work threw, as far as others need to know.
enum class Failure : std::uint32_t { none, error, out_of_memory, cuda_error };

[[nodiscard]] Failure kind_of(const std::exception_ptr& thrown) noexcept;

/// Throws on every rank what the first rank that failed has thrown, with its number before the
/// message. An exception that is no `Error`, or is `Interrupted`, is thrown again on its own rank.
/// Collective.
///
/// @param thrown what this rank's work threw, or null
/// @param first_rank the first rank that failed
/// @param kind how that one failed
[[noreturn]] void throw_together(Communicator& communicator, const std::exception_ptr& thrown,
                                 unsigned first_rank, Failure kind);

/// The reports of all ranks, in memory of the communicator.
template <class Report>
class Reports {
 public:
  explicit Reports(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] unsigned size() const {
    return static_cast<unsigned>(bytes_.size() / sizeof(Entry));
  }
  [[nodiscard]] Report operator[](unsigned rank) const { return entry(rank).report; }
  [[nodiscard]] Failure failure(unsigned rank) const { return entry(rank).failure; }

  struct Entry {
    Report report;
    Failure failure;
  };

 private:
  [[nodiscard]] Entry entry(unsigned rank) const {
    Entry entry;
    std::memcpy(&entry, bytes_.data() + rank * sizeof entry, sizeof entry);
    return entry;
  }

  std::span<const std::byte> bytes_;
};

/// Calls work() and gathers the results of all ranks. If it throws on any rank, all throw
/// (`throw_together`). Collective; allocates nothing.
///
/// @returns reports that are valid until the communicator's next `all_gather`
template <class Work>
[[nodiscard]] auto gather_results(Communicator& communicator, const Work& work) {
  using Report = std::invoke_result_t<const Work&>;
  static_assert(std::is_trivially_copyable_v<Report>);
  using Entry = typename Reports<Report>::Entry;
  static_assert(sizeof(Entry) <= Communicator::max_gathered_bytes);
  std::exception_ptr thrown;
  Entry mine;
  std::memset(static_cast<void*>(&mine), 0, sizeof mine);  // padding is sent, too
  try {
    mine.report = work();
  } catch (...) {
    thrown = std::current_exception();
    mine.failure = kind_of(thrown);
  }
  const Reports<Report> all(communicator.all_gather(std::as_bytes(std::span(&mine, 1))));
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    if (all.failure(rank) != Failure::none) {
      throw_together(communicator, thrown, rank, all.failure(rank));
    }
  }
  return all;
}

}  // namespace wrsgpu::detail
