#include "experiments/common/energy_counter.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu::experiments {
namespace {

/// The management library comes with the driver; a program that needed it to start would not start
/// where there is no GPU.
class GpuCounter final : public EnergyCounter {
 public:
  /// Empty, or why it cannot count.
  [[nodiscard]] std::string open() {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library_ == nullptr) return "libnvidia-ml.so.1 cannot be loaded";
    const auto init = find<int (*)()>("nvmlInit_v2");
    const auto by_bus = find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    read_ = find<int (*)(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    if (init == nullptr || by_bus == nullptr || read_ == nullptr) {
      return "libnvidia-ml.so.1 has no energy counter";
    }
    // The library numbers the devices in another order, and knows nothing of CUDA_VISIBLE_DEVICES.
    char bus[32] = {};
    int device = 0;
    WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
    WRSGPU_CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    unsigned long long millijoules = 0;
    if (init() != 0 || by_bus(bus, &device_) != 0 || read_(device_, &millijoules) != 0) {
      return "the GPU has no energy counter that may be read";
    }
    return {};
  }

  [[nodiscard]] double joules() override {
    unsigned long long millijoules = 0;
    if (read_(device_, &millijoules) != 0) throw Error("the GPU's energy counter cannot be read");
    return static_cast<double>(millijoules) * 1e-3;
  }

 private:
  template <class Function>
  [[nodiscard]] Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }

  void* library_ = nullptr;  // never closed: the process ends with it
  void* device_ = nullptr;
  int (*read_)(void*, unsigned long long*) = nullptr;
};

/// Microjoules in files, one for each package, that begin again at a limit.
class PackageCounter final : public EnergyCounter {
 public:
  explicit PackageCounter(const std::filesystem::path& folder)
      : file_(folder / "energy_uj"),
        limit_(read(folder / "max_energy_range_uj")),
        last_(read(file_)) {}

  [[nodiscard]] double joules() override {
    const double now = read(file_);
    counted_ += now >= last_ ? now - last_ : now + limit_ - last_;
    last_ = now;
    return counted_ * 1e-6;
  }

 private:
  [[nodiscard]] static double read(const std::filesystem::path& path) {
    double value = 0;
    if (!(std::ifstream(path) >> value)) throw Error("cannot read '" + path.string() + "'");
    return value;
  }

  std::filesystem::path file_;
  double limit_;
  double last_;
  double counted_ = 0;
};

class CpuCounter final : public EnergyCounter {
 public:
  explicit CpuCounter(std::vector<std::unique_ptr<PackageCounter>> packages)
      : packages_(std::move(packages)) {}
  [[nodiscard]] double joules() override {
    double sum = 0;
    for (const auto& package : packages_) sum += package->joules();
    return sum;
  }

 private:
  std::vector<std::unique_ptr<PackageCounter>> packages_;
};

}  // namespace

std::unique_ptr<EnergyCounter> gpu_energy_counter(std::string& why_none) {
  auto counter = std::make_unique<GpuCounter>();
  why_none = counter->open();
  if (!why_none.empty()) return nullptr;
  return counter;
}

std::unique_ptr<EnergyCounter> cpu_energy_counter(std::string& why_none) {
  std::vector<std::unique_ptr<PackageCounter>> packages;
  try {
    for (int package = 0;; ++package) {
      const std::filesystem::path folder =
          "/sys/class/powercap/intel-rapl:" + std::to_string(package);
      if (!std::filesystem::exists(folder)) break;
      packages.push_back(std::make_unique<PackageCounter>(folder));
    }
  } catch (const Error& error) {
    why_none = error.what();
    return nullptr;
  }
  if (packages.empty()) {
    why_none = "no processor shows its energy in /sys/class/powercap";
    return nullptr;
  }
  return std::make_unique<CpuCounter>(std::move(packages));
}

}  // namespace wrsgpu::experiments
