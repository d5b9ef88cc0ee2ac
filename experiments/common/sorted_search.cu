#include <thrust/binary_search.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>

#include <algorithm>

#include "construction/split/partial_p_ary_search.cuh"
#include "experiments/common/sorted_search.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::experiments {
namespace {

using Position = std::uint32_t;

template <int p, unsigned reduction>
__global__ void __launch_bounds__(p) p_ary(const double* list, Position size, const double* queries,
                                           Position count, Position* found) {
  const Position first = blockIdx.x * p;
  const Position left = count - first;
  const Position here = left < p ? left : p;
  const Position result = split::block_partial_p_ary_search<p, reduction>(
      size, here,
      [&](Position position, unsigned query) { return list[position] < queries[first + query]; });
  if (threadIdx.x < here) found[first + threadIdx.x] = result;
}

__global__ void binary(const double* list, Position size, const double* queries, Position count,
                       Position* found) {
  const Position at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count) return;
  const double query = queries[at];
  Position low = 0;
  Position high = size;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (list[middle] < query) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  found[at] = low;
}

template <int p, unsigned reduction = p / 8>
void launch_p_ary(SearchProblem& problem, cudaStream_t stream) {
  const auto count = static_cast<Position>(problem.queries.size());
  p_ary<p, reduction><<<blocks_for(count, p), p, 0, stream>>>(
      problem.list->on_device.data(), static_cast<Position>(problem.list->on_device.size()),
      problem.queries.data(), count, problem.found.data());
  check_launch("p_ary");
}

void launch_binary(SearchProblem& problem, cudaStream_t stream) {
  const auto count = static_cast<Position>(problem.queries.size());
  binary<<<blocks_for(count, 256), 256, 0, stream>>>(
      problem.list->on_device.data(), static_cast<Position>(problem.list->on_device.size()),
      problem.queries.data(), count, problem.found.data());
  check_launch("binary");
}

void launch_thrust(SearchProblem& problem, cudaStream_t stream) {
  const thrust::device_ptr<const double> list(problem.list->on_device.data());
  const thrust::device_ptr<const double> queries(problem.queries.data());
  thrust::lower_bound(
      thrust::cuda::par_nosync.on(stream), list, list + problem.list->on_device.size(), queries,
      queries + problem.queries.size(), thrust::device_ptr<Position>(problem.found.data()));
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& device) {
  std::vector<T> host(device.size());
  copy_to_host(device.data(), std::span(host));
  return host;
}

}  // namespace

SortedList make_sorted_list(std::uint64_t n) {
  SortedList list{std::vector<double>(n), DeviceBuffer<double>(n)};
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    sum += random::positive_unit_double(random::philox_word(1, i));
    list.on_host[i] = sum;
  }
  copy_to_device(std::span<const double>(list.on_host), list.on_device.data());
  return list;
}

SearchProblem make_search_problem(const SortedList& list, std::uint64_t queries, bool clustered) {
  const double sum = list.on_host.back();
  std::vector<double> values(queries);
  const double range = clustered ? sum / 100 : sum;
  for (std::uint64_t q = 0; q < queries; ++q) {
    values[q] = sum / 3 * (clustered ? 1 : 0) +
                range * (static_cast<double>(q) + 0.5) / static_cast<double>(queries);
  }
  SearchProblem problem{&list, DeviceBuffer<double>(queries), DeviceBuffer<std::uint32_t>(queries)};
  copy_to_device(std::span<const double>(values), problem.queries.data());
  return problem;
}

std::string check_search(const SearchProblem& problem) {
  const std::vector<double>& list = problem.list->on_host;
  const std::vector<double> queries = on_host(problem.queries);
  const std::vector<Position> found = on_host(problem.found);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const auto expected = std::lower_bound(list.begin(), list.end(), queries[q]) - list.begin();
    if (found[q] != static_cast<Position>(expected)) {
      return "query " + std::to_string(q) + " gave " + std::to_string(found[q]) + " instead of " +
             std::to_string(expected);
    }
  }
  return {};
}

const std::vector<SearchMethod>& search_methods() {
  static const std::vector<SearchMethod> all{
      {"binary", launch_binary},
      {"thrust", launch_thrust},
      {"partial_p_ary_64", launch_p_ary<64>},
      {"partial_p_ary_256", launch_p_ary<256>},
      {"partial_p_ary_1024", launch_p_ary<1024>},
      // Other thresholds than p / 8 (thesis 4.4.2).
      {"partial_p_ary_256_p_over_2", launch_p_ary<256, 256 / 2>},
      {"partial_p_ary_256_p_over_4", launch_p_ary<256, 256 / 4>},
      {"partial_p_ary_256_p_over_16", launch_p_ary<256, 256 / 16>},
      {"partial_p_ary_256_p_over_32", launch_p_ary<256, 256 / 32>},
  };
  return all;
}

}  // namespace wrsgpu::experiments
