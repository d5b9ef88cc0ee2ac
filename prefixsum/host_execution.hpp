// Executes the launches of a prefix sum on the host, one thread after another, and counts memory
// operations.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "prefixsum/prefix_sum.hpp"
#include "prefixsum/tree.hpp"

namespace wrsgpu::prefixsum {

/// The order in which the threads of a launch are executed. A launch whose threads do not interfere
/// gives the same result in both.
enum class Order { ascending, descending };

/// Calls `f(i)` for i in [0, count) in that order.
template <class F>
void for_each(Order order, std::uint64_t count, F f) {
  for (std::uint64_t i = 0; i < count; ++i) f(order == Order::ascending ? i : count - 1 - i);
}

/// An execution (see prefix_sum.hpp) on the host.
class HostExecution {
 public:
  explicit HostExecution(Order order) : order_(order) {}
  HostExecution(const HostExecution&) = delete;
  HostExecution& operator=(const HostExecution&) = delete;

  /// Global memory that counts every access.
  template <class T>
  class Array {
   public:
    using Value = std::remove_const_t<T>;
    Array(T* data, Traffic& traffic) : data_(data), traffic_(&traffic) {}
    [[nodiscard]] Value load(std::uint64_t i) const {
      ++traffic_->reads;
      return data_[i];
    }
    void store(std::uint64_t i, Value value) const {
      ++traffic_->writes;
      data_[i] = value;
    }

   private:
    T* data_;
    Traffic* traffic_;
  };
  template <class T>
  [[nodiscard]] Array<T> array(T* data) {
    return {data, traffic_};
  }

  /// One launch: `step(i)` for each thread i.
  template <class Step>
  void threads(std::uint64_t count, Step step) {
    ++traffic_.launches;
    for_each(order_, count, step);
  }

  /// One launch of blocks that each have shared memory.
  template <class Program>
  void blocks(std::uint64_t count, Program program) {
    ++traffic_.launches;
    std::vector<typename Program::Value> shared(padded_size(Program::items));
    for_each(order_, count, [&](std::uint64_t block) {
      program(Team{order_}, PaddedArray<typename Program::Value>{shared.data()}, block);
    });
  }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  /// The threads of a block.
  struct Team {
    Order order;
    /// Thread i runs `f(i)`; then a barrier.
    template <class F>
    void each(unsigned count, F f) const {
      for_each(order, count, [&](std::uint64_t i) { f(static_cast<unsigned>(i)); });
    }
  };

  Order order_;
  Traffic traffic_;
};

/// Runs the steps of `Method` on the host. `out` may be `in` if `Method::in_place`.
template <class Method, class T>
Traffic run_on_host(const T* in, T* out, std::uint64_t size, Kind kind, Order order) {
  if (size == 0) return {};
  std::vector<T> temporary(Method::temporary_items(size));
  HostExecution execution(order);
  Method::run(execution, in, out, temporary.data(), size, kind);
  return execution.traffic();
}

}  // namespace wrsgpu::prefixsum
