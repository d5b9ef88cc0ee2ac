#include "experiments/common/context.hpp"

#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu_commit.hpp"

namespace wrsgpu::experiments {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

void add_context() {
  const auto add = [](const char* key, const std::string& value) {
    benchmark::AddCustomContext(key, value.empty() ? "none" : value);
  };
  const std::vector<CudaDevice> devices = cuda_devices();
  add("commit", source_commit);
  add("device", devices.empty() ? "" : devices.front().name);
  add("driver", cuda_driver_version());
  add("toolkit", cuda_runtime_version());
  add("cpu", processor_name());
  add("threads", std::to_string(hardware_threads()));
  add("compiler", compiler_name());
#if defined(WRSGPU_SLOW_KERNELS)
  add("build_type", "release, kernels not optimised");
#elif defined(NDEBUG)
  add("build_type", "release");
#else
  add("build_type", "debug");
#endif
}

}  // namespace wrsgpu::experiments
