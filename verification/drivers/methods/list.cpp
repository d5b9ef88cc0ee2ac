// wrsgpu_methods list: the available names.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "list.hpp"
#include "registry/methods.hpp"
#include "registry/samplers.hpp"
#include "wrsgpu/detail/weights/weight_function.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "registry/gpu_samplers.cuh"
#endif

namespace wrsgpu::method_driver {
namespace {

using Line = std::vector<std::string>;

// Prints lines as columns as wide as they need; the last column may be of any width.
void print_table(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  }
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      fmt::print("{}{:<{}}", i ? "  " : "", line[i], widths[i]);
    fmt::print("\n");
  }
}

template <class Values>
std::string names(const Values& values) {
  std::string text;
  for (const auto value : values)
    text += fmt::format("{}{}", text.empty() ? "" : ",", to_string(value));
  return text.empty() ? "-" : text;
}

void print_methods() {
  std::vector<Line> lines{{"METHOD", "DEVICE", "SOURCE", "ARITHMETIC", "LAYOUT", "SUMMARY"}};
  for (const BuildMethod& method : methods()) {
    const bool is_default = &method == &default_method(method.device);
    std::string arithmetics = names(method.arithmetics);
    if (!method.floating_is_reproducible && arithmetics.starts_with("floating")) {
      arithmetics.insert(std::string_view("floating").size(), "*");
    }
    lines.push_back({method.name, std::string(to_string(method.device)), method.source, arithmetics,
                     names(method.layouts), method.summary + (is_default ? " (default)" : "")});
  }
  print_table(lines);
#ifdef WRSGPU_WITH_CUDA
  fmt::print("* tables differ in their last bits from run to run\n");
#endif
}

void print_samplers() {
  std::vector<Line> lines{{"SAMPLER", "DEVICE", "SOURCE", "SUMMARY"}};
  for (const SamplerInfo& sampler : samplers()) {
    lines.push_back({sampler.name, "cpu", sampler.source, sampler.summary});
  }
#ifdef WRSGPU_WITH_CUDA
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    lines.push_back({sampler.name, "cuda", sampler.source, sampler.summary});
  }
#endif
  print_table(lines);
}

void print_distributions() {
  std::vector<Line> lines{{"DISTRIBUTION", "SOURCE", "SUMMARY"}};
  for (const weights::DistributionInfo& distribution : weights::distributions()) {
    lines.push_back({distribution.pattern, distribution.source, distribution.summary});
  }
  print_table(lines);
}

void print_refusals() {
  fmt::print("REFUSED\n");
  for (const std::string& reason : refusals()) fmt::print("{}\n", reason);
}

}  // namespace

void print_all() {
  print_methods();
  fmt::print("\n");
  print_samplers();
  fmt::print("\n");
  print_distributions();
  fmt::print("\n");
  print_refusals();
}

}  // namespace wrsgpu::method_driver
