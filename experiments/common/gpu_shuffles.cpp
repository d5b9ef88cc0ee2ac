#include "experiments/common/gpu_shuffles.hpp"

#include <map>
#include <optional>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/kept.hpp"
#include "shuffle/gpu_shuffle.cuh"
#include "verification/gpu_permutation_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr unsigned key_bytes = 8;

/// Keys of the largest size so far; smaller sizes use their beginning.
struct Keys {
  DeviceBuffer<std::uint64_t> keys;
  DeviceBuffer<std::uint64_t> out;
};

Keys& keys_of(std::uint64_t n) {
  static std::optional<Keys> kept;
  if (!kept || kept->keys.size() < n) {
    kept.reset();
    kept.emplace(Keys{DeviceBuffer<std::uint64_t>(n), DeviceBuffer<std::uint64_t>(n)});
    verification::number_keys(kept->keys.data(), key_bytes, n);
  }
  return *kept;
}

shuffle::GpuShuffleTask task_of(std::uint64_t n, std::uint64_t seed) {
  Keys& keys = keys_of(n);
  return {keys.keys.data(), keys.out.data(), n, key_bytes, seed};
}

/// What is wrong with what a method makes of the keys, or an empty string.
std::string fault_of(const shuffle::GpuShuffleMethod& method, std::uint64_t n,
                     std::span<std::byte> storage) {
  const shuffle::GpuShuffleTask task = task_of(n, 1);
  WRSGPU_CUDA_CHECK(cudaMemset(task.out, 0xFF, n * key_bytes));
  launch_shuffle(method, task, storage, nullptr);
  const std::uint64_t missing = verification::missing_numbers(task.out, key_bytes, n);
  if (method.permutes && missing > 0) return std::to_string(missing) + " keys are missing";
  return {};
}

/// Median of the times of the random gather of so many keys.
double gather_seconds(std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  const auto found = known.find(n);
  if (found != known.end()) return found->second;
  const shuffle::GpuShuffleMethod& gather = shuffle::find_gpu_shuffle_method("gather");
  CudaTimer timer(nullptr);
  std::uint64_t seed = 0;
  return known[n] = median_seconds(11, [&] {
           timer.start();
           launch_shuffle(gather, task_of(n, ++seed), {}, nullptr);
           return timer.seconds();
         });
}

void measure(benchmark::State& run, const shuffle::GpuShuffleMethod& method, std::uint64_t n) {
  static Kept<DeviceBuffer<std::byte>> kept;
  static std::map<std::string, std::string> faults;
  const std::string name = join_name({method.name, std::to_string(n)});
  DeviceBuffer<std::byte>& storage =
      kept.get(name, [&] { return DeviceBuffer<std::byte>(storage_bytes(method, task_of(n, 1))); });
  const auto [fault, is_new] = faults.try_emplace(name);
  if (is_new) fault->second = fault_of(method, n, storage.span());
  if (!fault->second.empty()) return fail(run, fault->second);
  const double gather = gather_seconds(n);
  std::uint64_t seed = 0;
  const double seconds = time_on_device(
      run, [&] { launch_shuffle(method, task_of(n, ++seed), storage.span(), nullptr); });
  run.SetItemsProcessed(static_cast<std::int64_t>(n) * run.iterations());
  run.SetBytesProcessed(static_cast<std::int64_t>(2 * n * key_bytes) * run.iterations());
  run.counters["percent_of_gather"] = 100 * gather / seconds;
  run.counters["working_bytes_per_key"] =
      static_cast<double>(storage.bytes()) / static_cast<double>(n);
}

}  // namespace

Series gpu_shuffle_series(const std::string& method) {
  return {method, method, [method](const Axes& axes) {
            for (const std::uint64_t n : axes.sizes) {
              add_benchmark(join_name({"shuffle", method, std::to_string(n)}),
                            [=](benchmark::State& run) {
                              measure(run, shuffle::find_gpu_shuffle_method(method), n);
                            });
            }
          }};
}

std::vector<std::uint64_t> shuffle_sizes() {
  std::vector<std::uint64_t> sizes;
  for (unsigned bits = 8; bits <= 29; ++bits) {
    sizes.push_back(std::uint64_t{1} << bits);
    sizes.push_back((std::uint64_t{1} << bits) + 1);
  }
  return sizes;
}

}  // namespace wrsgpu::experiments
