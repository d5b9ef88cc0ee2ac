// Prefix sums on the GPU (thesis 4.2). Names: prefixsum/<method>/<type>/<N>.
#include <numeric>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/gpu_builds.hpp"
#include "experiments/common/kept.hpp"
#include "prefixsum/registry.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::experiments {
namespace {

using prefixsum::Kind;

/// Input, output and temporary memory of one benchmark, and whether the output is right.
template <class T>
struct Prepared {
  DeviceBuffer<T> in;
  DeviceBuffer<T> out;
  DeviceBuffer<unsigned char> temporary;
  std::string fault;
};

/// Small integers, whose sums every type but float holds exactly up to 2^28 items.
template <class T>
std::vector<T> input_items(std::uint64_t n) {
  std::vector<T> items(n);
  for (std::uint64_t i = 0; i < n; ++i) items[i] = static_cast<T>((i * 2'654'435'761U >> 28) % 8);
  return items;
}

template <class T>
Prepared<T> prepare(const prefixsum::PrefixSumMethod& method, std::uint64_t n) {
  const prefixsum::DeviceRun<T> run = method.on_device<T>();
  std::size_t bytes = 0;
  run(nullptr, bytes, nullptr, nullptr, n, Kind::inclusive, nullptr);
  Prepared<T> made{DeviceBuffer<T>(n), DeviceBuffer<T>(n), DeviceBuffer<unsigned char>(bytes), {}};
  std::vector<T> sums = input_items<T>(n);
  copy_to_device(std::span<const T>(sums), made.in.data());
  run(made.temporary.data(), bytes, made.in.data(), made.out.data(), n, Kind::inclusive, nullptr);
  std::vector<T> actual(n);
  copy_to_host(made.out.data(), std::span<T>(actual));
  std::inclusive_scan(sums.begin(), sums.end(), sums.begin());
  for (std::uint64_t i = 0; i < n; ++i) {
    if (actual[i] != sums[i]) {
      made.fault = "item " + std::to_string(i) + " is " + std::to_string(actual[i]) +
                   " instead of " + std::to_string(sums[i]);
      break;
    }
  }
  return made;
}

template <class T>
void measure(benchmark::State& state, const prefixsum::PrefixSumMethod& method,
             Prepared<T>& prepared, std::uint64_t n) {
  if (!prepared.fault.empty()) return fail(state, prepared.fault);
  const cudaStream_t stream = nullptr;
  std::size_t bytes = prepared.temporary.bytes();
  const double floor = copy_seconds(prepared.in.data(), prepared.out.data(), prepared.in.bytes());
  const double seconds = time_on_device(state, [&] {
    method.on_device<T>()(prepared.temporary.data(), bytes, prepared.in.data(), prepared.out.data(),
                          n, Kind::inclusive, stream);
  });
  const auto iterations = state.iterations();
  const std::uint64_t moved = method.traffic(n, Kind::inclusive).items() * sizeof(T);
  state.SetItemsProcessed(iterations * static_cast<std::int64_t>(n));
  state.SetBytesProcessed(iterations * static_cast<std::int64_t>(moved));
  state.counters["percent_of_floor"] = 100 * floor / seconds;
  state.counters["bytes_per_item"] = static_cast<double>(moved) / static_cast<double>(n);
  state.counters["temporary_bytes_per_item"] = static_cast<double>(bytes) / static_cast<double>(n);
}

template <class T>
void add(const prefixsum::PrefixSumMethod& method, const std::string& type, const Axes& axes) {
  static Kept<Prepared<T>> kept;
  for (const std::uint64_t n : axes.sizes) {
    const std::string name = join_name({"prefixsum", method.name, type, std::to_string(n)});
    add_benchmark(name, [=, &method](benchmark::State& state) {
      measure(state, method, kept.get(name, [&] { return prepare<T>(method, n); }), n);
    });
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "prefixsum", .summary = "prefix sums on the GPU", .needs_gpu = true, .defaults = {}};
  for (unsigned exponent = 10; exponent <= 28; exponent += 2) {
    what.defaults.sizes.push_back(std::uint64_t{1} << exponent);
  }
  for (const prefixsum::PrefixSumMethod& method : prefixsum::methods()) {
    what.series.push_back({method.name, method.name, [&method](const Axes& axes) {
                             add<std::uint32_t>(method, "uint32", axes);
                             add<double>(method, "double", axes);
                           }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
