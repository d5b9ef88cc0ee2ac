// wrsgpu info: describes the build and the devices or, if given, weights.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "weights_choice.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/zero_mass_items.hpp"
#include "wrsgpu/detail/weights/weight_function.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu::cli {
namespace {

void print_build() {
  fmt::print("wrsgpu    {}\n", version);
  fmt::print("build     {}, {}\n", build_type, compiler);
  fmt::print("CUDA      {}\n", cuda);
  if (const std::string driver = cuda_driver_version(); !driver.empty()) {
    fmt::print("driver    for CUDA {}\n", driver);
  }
}

void print_devices() {
  fmt::print("CPU       {} hardware threads\n", hardware_threads());
  const std::vector<CudaDevice> devices = cuda_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const CudaDevice& device = devices[i];
    fmt::print("GPU {}     {}, sm_{}{}, {} multiprocessors, {:.1f} GiB\n", i, device.name,
               device.compute_capability_major, device.compute_capability_minor,
               device.multiprocessors, static_cast<double>(device.memory_bytes) / 0x1p30);
  }
  if (devices.empty()) fmt::print("GPU       none: {}\n", why_no_cuda_device());
}

void print_distributions() {
  fmt::print("\nDistributions of weights:\n");
  std::size_t width = 0;
  for (const weights::DistributionInfo& each : weights::distributions()) {
    width = std::max(width, each.pattern.size());
  }
  for (const weights::DistributionInfo& each : weights::distributions()) {
    fmt::print("  {:<{}}  {}\n", each.pattern, width, each.summary);
  }
}

void print_weights(const WeightsChoice& choice) {
  const WeightFile file = choice.load(0);
  const OwnedWeights& weights = file.weights;
  // Throws for invalid weights.
  with_argument_name(choice.argument(),
                     [&] { static_cast<void>(WeightedSampler(weights.view())); });
  weights.view().visit([&](auto all) {
    const auto [minimum, largest] = std::minmax_element(all.begin(), all.end());
    fmt::print("weights   {}\nitems     {}, {} of weight 0\nleast     {}\nlargest   {}\n",
               choice.describe(), all.size(), std::count(all.begin(), all.end(), 0), *minimum,
               *largest);
  });
  fmt::print("table     weights are rounded to units of 2^-32 of their mean\n");
  const std::string light = describe(find_zero_mass_items(weights.view()));
  if (!light.empty()) fmt::print(stderr, "wrsgpu: {}\n", light);
  choice.report(file, Reporting());
}

int run_info(const WeightsChoice& choice) {
  if (!choice.file.empty() || !choice.distribution.empty()) {
    print_weights(choice);
    return exit_ok;
  }
  print_build();
  print_devices();
  print_distributions();
  return exit_ok;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "info", "Print the build, the devices and the distributions; or what given weights are");
  const auto choice = std::make_shared<WeightsChoice>();
  choice->add_to(command);
  command.footer("Examples:\n  wrsgpu info\n  wrsgpu info --weights cities.csv --column weight");
  command.callback([choice, &action] { action = [choice] { return run_info(*choice); }; });
}

}  // namespace wrsgpu::cli
