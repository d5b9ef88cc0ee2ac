// All prefix sums by name. A new one is a file and an entry in registry.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "prefixsum/device_run.hpp"
#include "prefixsum/host_execution.hpp"
#include "prefixsum/prefix_sum.hpp"

namespace wrsgpu::prefixsum {

/// Executes the steps of a method on the host in one thread: for tests, not for speed. `size` may
/// be 0; `out` may be `in` if the method is in place.
template <class T>
using HostRun = Traffic (*)(const T* in, T* out, std::uint64_t size, Kind kind, Order order);
using HostRuns =
    std::tuple<HostRun<std::uint32_t>, HostRun<std::uint64_t>, HostRun<float>, HostRun<double>>;

struct PrefixSumMethod {
  /// As on the command line and in benchmark names, for example "work_efficient".
  std::string name;
  /// Publication and section, for example "thesis 1.4.2".
  std::string source;
  std::string summary;
  /// True if the output may be the input array.
  bool in_place = false;
  /// Traffic in global memory, for at least one item.
  Traffic (*traffic)(std::uint64_t size, Kind kind) = nullptr;
  /// Null for methods whose steps are not implemented here (CUB).
  HostRuns host{};
  /// Null in builds without CUDA.
  DeviceRuns device{};

  template <class T>
  [[nodiscard]] HostRun<T> on_host() const {
    return std::get<HostRun<T>>(host);
  }
  template <class T>
  [[nodiscard]] DeviceRun<T> on_device() const {
    return std::get<DeviceRun<T>>(device);
  }
};

[[nodiscard]] const std::vector<PrefixSumMethod>& methods();

/// Throws `Error` that lists the known names.
[[nodiscard]] const PrefixSumMethod& find_method(std::string_view name);

}  // namespace wrsgpu::prefixsum
