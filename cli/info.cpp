// wrsgpu info: what this build is and what it can use here.

#include <fmt/format.h>

#include "build_info.hpp"
#include "commands.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/parallel.hpp"

namespace wrsgpu::cli {
namespace {

int run_info() {
  fmt::print("wrsgpu    {}\n", version);
  fmt::print("build     {}, {}\n", build_type, compiler);
  fmt::print("CUDA      {}\n", cuda);
  if (const std::string driver = cuda_driver_version(); !driver.empty()) {
    fmt::print("driver    for CUDA {}\n", driver);
  }
  fmt::print("CPU       {} hardware threads\n", hardware_threads());
  const std::vector<CudaDevice> devices = cuda_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const CudaDevice& device = devices[i];
    fmt::print("GPU {}     {}, sm_{}{}, {} multiprocessors, {:.1f} GiB\n", i, device.name,
               device.compute_capability_major, device.compute_capability_minor,
               device.multiprocessors, static_cast<double>(device.memory_bytes) / 0x1p30);
  }
  if (devices.empty()) fmt::print("GPU       none: {}\n", why_no_cuda_device());
  return exit_ok;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  program.add_subcommand("info", "Print the version, the build and the devices")
      ->callback([&action] { action = run_info; });
}

}  // namespace wrsgpu::cli
