#include "wrsgpu/simulated_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

/// What a rank gives to the others between two barriers.
struct Offer {
  std::span<const std::byte> bytes;
  std::span<const std::uint64_t> numbers;
  std::span<const std::uint64_t> counts;
};

/// What the ranks share.
class MeetingPoint {
 public:
  explicit MeetingPoint(unsigned ranks) : offers(ranks), missing_(ranks), ranks_(ranks) {}

  std::vector<Offer> offers;

  /// Waits until all ranks are here. Throws `Error` if one has left.
  void wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (--missing_ == 0) {
      missing_ = ranks_;
      ++round_;
      all_are_here_.notify_all();
      return;
    }
    all_are_here_.wait(lock, [&] { return round_ != round || has_left_; });
    if (round_ != round) return;
    ++missing_;  // of those that come again
    throw Error("another rank ended before it came to this exchange");
  }
  /// Called by a rank that will not come again.
  void leave() {
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    all_are_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_are_here_;
  unsigned missing_;
  unsigned ranks_;
  std::uint64_t round_ = 0;
  bool has_left_ = false;
};

class ThreadRank final : public HostCommunicator {
 public:
  ThreadRank(unsigned rank, unsigned ranks, MeetingPoint& point)
      : HostCommunicator(rank, ranks), point_(point) {}

  void all_to_all(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                  std::span<std::uint64_t> receive,
                  std::span<const std::uint64_t> receive_counts) override {
    point_.offers[rank()] = {{}, send, send_counts};
    point_.wait();
    std::uint64_t at = 0;
    bool are_equal = true;
    for (unsigned from = 0; from < ranks(); ++from) {
      const Offer& offer = point_.offers[from];
      const auto counts = offer.counts.begin();
      const std::uint64_t skipped = std::reduce(counts, counts + rank());
      are_equal = are_equal && receive_counts[from] == offer.counts[rank()];
      if (!are_equal) break;
      std::ranges::copy(offer.numbers.subspan(skipped, receive_counts[from]),
                        receive.begin() + static_cast<std::ptrdiff_t>(at));
      at += receive_counts[from];
    }
    point_.wait();
    if (!are_equal) throw Error("all_to_all: a rank sends another number than is received");
  }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    point_.offers[rank()] = {mine, {}, {}};
    point_.wait();
    bool are_equal = true;
    for (unsigned from = 0; from < ranks(); ++from) {
      const std::span<const std::byte> bytes = point_.offers[from].bytes;
      are_equal = are_equal && bytes.size() == mine.size();
      if (are_equal) {
        std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(from * mine.size()));
      }
    }
    point_.wait();
    if (!are_equal) throw Error("all_gather: the ranks give different numbers of bytes");
  }

  MeetingPoint& point_;
};

}  // namespace

void run_ranks(unsigned ranks, const std::function<void(HostCommunicator&)>& work) {
  if (ranks == 0) throw Error("argument 'ranks' is 0; at least one is needed");
  MeetingPoint point(ranks);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  const auto run = [&](unsigned rank) {
    try {
      ThreadRank communicator(rank, ranks, point);
      work(communicator);
    } catch (...) {
      thrown[rank] = std::current_exception();
    }
    point.leave();
  };
  std::exception_ptr not_started;
  try {
    for (unsigned rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  } catch (...) {
    not_started = std::current_exception();
    point.leave();
  }
  for (std::thread& thread : threads) thread.join();
  if (not_started) std::rethrow_exception(not_started);
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace wrsgpu
