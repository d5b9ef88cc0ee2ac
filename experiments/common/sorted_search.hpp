// Sorted queries in a sorted list on the GPU, for the experiment `partial_p_ary_search`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::experiments {

/// Prefix sums of random numbers, on the host and on the device.
struct SortedList {
  std::vector<double> on_host;
  DeviceBuffer<double> on_device;
};

[[nodiscard]] SortedList make_sorted_list(std::uint64_t n);

/// For each query, the first position in a list, which has to outlive this, whose value is not
/// less.
struct SearchProblem {
  const SortedList* list;
  DeviceBuffer<double> queries;
  DeviceBuffer<std::uint32_t> found;
};

/// Queries that rise evenly over all of the list or, if `clustered`, over a hundredth.
[[nodiscard]] SearchProblem make_search_problem(const SortedList& list, std::uint64_t queries,
                                                bool clustered);

/// What is wrong with the positions found, or an empty string.
[[nodiscard]] std::string check_search(const SearchProblem& problem);

struct SearchMethod {
  std::string name;
  void (*launch)(SearchProblem& problem, cudaStream_t stream);
};

/// Partial p-ary search for several p, one binary search per thread, and Thrust's.
[[nodiscard]] const std::vector<SearchMethod>& search_methods();

}  // namespace wrsgpu::experiments
