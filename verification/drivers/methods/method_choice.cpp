#include "method_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/numbers.hpp"
#include "construction/alias_table.hpp"
#include "registry/samplers.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "construction/gpu_alias_table.cuh"
#include "registry/gpu_samplers.cuh"
#include "sampling/random_order_gpu_sampler.cuh"
#endif

namespace wrsgpu::method_driver {
namespace {

using cli::add_number;
using cli::with_argument_name;

using Draw = BuiltMethod::Draw;

// The requested device, whether present or not; none for `auto`.
std::optional<Device> named_device(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "cpu") return Device::cpu;
  if (name == "cuda") return Device::cuda;
  throw Error(fmt::format("argument --device: unknown device '{}' (known: auto, cpu, cuda)", name));
}

// Queries the driver, which is slow.
Device best_device() { return cuda_devices().empty() ? Device::cpu : Device::cuda; }

std::optional<Arithmetic> wanted_arithmetic(const MethodChoice& choice) {
  if (choice.arithmetic.empty()) return std::nullopt;
  return with_argument_name("--arithmetic", [&] { return parse_arithmetic(choice.arithmetic); });
}

const BuildMethod& choose_method(const MethodChoice& choice) {
  const std::optional<Device> named = named_device(choice.device);
  if (choice.method.empty()) {
    const Device device = named ? *named : best_device();
#ifndef WRSGPU_WITH_CUDA
    if (device == Device::cuda) with_argument_name("--device", require_cuda_device);
#endif
    return default_method(device, wanted_arithmetic(choice).value_or(Arithmetic::fixed_point));
  }
  const BuildMethod& method = with_argument_name(
      "--method", [&]() -> const BuildMethod& { return find_method(choice.method); });
  if (named && *named != method.device) {
    throw Error(fmt::format("argument --method: '{}' runs on {}, but --device is {}", method.name,
                            to_string(method.device), choice.device));
  }
  return method;
}

// Defaults for omitted options, by descending preference: exact and compact before fast to write.
constexpr std::array preferences{
    std::pair{Arithmetic::fixed_point, Layout::compact_rows},
    std::pair{Arithmetic::fixed_point, Layout::wide_rows},
    std::pair{Arithmetic::fixed_point, Layout::struct_of_arrays},
    std::pair{Arithmetic::floating, Layout::wide_rows},
    std::pair{Arithmetic::floating, Layout::struct_of_arrays},
};

TableOptions choose_options(const MethodChoice& choice, const BuildMethod& method) {
  const std::optional<Arithmetic> arithmetic = wanted_arithmetic(choice);
  std::optional<Layout> layout;
  if (!choice.layout.empty()) {
    layout = with_argument_name("--layout", [&] { return parse_layout(choice.layout); });
    if (!method.is_alias_table()) {
      throw Error(fmt::format("argument --layout: method {} is no alias table and has no rows",
                              method.name));
    }
  }
  for (const auto& [preferred_arithmetic, preferred_layout] : preferences) {
    const TableOptions options{preferred_arithmetic, preferred_layout, choice.threads};
    if (arithmetic.value_or(preferred_arithmetic) == preferred_arithmetic &&
        layout.value_or(preferred_layout) == preferred_layout && refusal(method, options).empty()) {
      return options;
    }
  }
  const TableOptions wanted{arithmetic.value_or(method.arithmetics.front()),
                            layout.value_or(Layout::wide_rows), choice.threads};
  throw Error(fmt::format("argument {}: {}", layout ? "--layout" : "--arithmetic",
                          refusal(method, wanted)));
}

#ifdef WRSGPU_WITH_CUDA
GpuSamplerOptions gpu_options(const MethodChoice& choice) {
  GpuSamplerOptions options{.section_rows = choice.section_rows};
  if (!choice.generator.empty()) {
    options.generator =
        with_argument_name("--generator", [&] { return parse_gpu_generator(choice.generator); });
  }
  if (!choice.seeding.empty()) {
    options.seeding =
        with_argument_name("--seeding", [&] { return parse_seeding(choice.seeding); });
  }
  return options;
}

// Draws on the GPU and copies to host memory.
Draw gpu_draw(const GpuSamplerInfo& info, const GpuSamplerOptions& options, bool shuffled) {
  std::unique_ptr<GpuSampler> made = info.make(options);
  if (shuffled) made = std::make_unique<RandomOrderGpuSampler>(std::move(made));
  return [sampler = std::shared_ptr<const GpuSampler>(std::move(made)),
          samples = std::make_shared<DeviceBuffer<Index>>()](
             const SamplingAlgorithm& built, std::span<Index> out, RandomState state) {
    if (samples->size() < out.size()) *samples = DeviceBuffer<Index>(out.size());
    sampler->sample(dynamic_cast<const GpuAliasTable&>(built).table(),
                    samples->span().first(out.size()), state, nullptr);
    copy_to_host(samples->data(), out);
  };
}
#endif

Draw cpu_draw(const SamplerInfo& info, unsigned threads) {
  return [sampler = std::shared_ptr<const Sampler>(info.make(threads))](
             const SamplingAlgorithm& built, std::span<Index> out, RandomState state) {
    sampler->sample(dynamic_cast<const HostAliasTable&>(built).table(), out, state);
  };
}

}  // namespace

void MethodChoice::add_to(CLI::App& command) {
  command.add_option("--device", device, "cpu, cuda, or auto: a GPU where there is one")
      ->capture_default_str();
  command.add_option("--method", method,
                     "Construction (see wrsgpu_methods list); default: the device's");
  command.add_option("--arithmetic", arithmetic,
                     "fixed_point (exact) or floating; default: exact where the method can");
  command.add_option("--layout", layout, "wide_rows, struct_of_arrays or compact_rows");
  command.add_option("--sampler", sampler,
                     "Sampler (see wrsgpu_methods list); default: the method's own. GPU samplers "
                     "other than baseline "
                     "may group samples by section");
  command.add_option(
      "--generator", generator,
      "Generator of a GPU sampler: philox (default), philox7, xorwow, mrg32k3a, mtgp32");
  command.add_option("--seeding", seeding,
                     "How it is started: subsequence (default), pkpt_md5, pkpt_sha1");
  add_number(command, "--section-rows", section_rows,
             "Rows of a section of a sectioned GPU sampler; 0: what suits the device");
  command.add_option("--order", order,
                     "Order of the samples: drawn (default), or random, which shuffles what a GPU "
                     "sampler draws by sections; all others draw in random order");
  add_number(command, "--threads", threads, "Host threads, 0 for all; never changes the result")
      ->capture_default_str();
}

BuiltMethod::BuiltMethod(const MethodChoice& choice)
    : method_(&choose_method(choice)), options_(choose_options(choice, *method_)) {
  if (!choice.order.empty() && choice.order != "drawn" && choice.order != "random") {
    throw Error(
        fmt::format("argument --order: unknown order '{}' (known: drawn, random)", choice.order));
  }
  const bool has_gpu_options =
      !choice.generator.empty() || !choice.seeding.empty() || choice.section_rows > 0;
  if (has_gpu_options && (method_->device != Device::cuda || choice.sampler.empty())) {
    throw Error(fmt::format(
        "arguments --generator, --seeding, --section-rows: they are for a "
        "--sampler on the GPU, and {}",
        choice.sampler.empty() ? "none is given"
                               : fmt::format("method {} runs on the CPU", method_->name)));
  }
  if (!choice.sampler.empty()) choose_sampler(choice);
  // Checked last, so that an invalid choice is reported as such without a GPU, too.
  if (method_->device == Device::cuda) {
    with_argument_name(choice.device == "cuda" ? "--device" : "--method", require_cuda_device);
  }
  algorithm_ = make_method(method_->name, options_);
}

void BuiltMethod::choose_sampler(const MethodChoice& choice) {
  if (!method_->is_alias_table()) {
    throw Error(fmt::format("argument --sampler: method {} is no alias table and draws by itself",
                            method_->name));
  }
#ifdef WRSGPU_WITH_CUDA
  const GpuSamplerOptions options = gpu_options(choice);
#endif
  with_argument_name("--sampler", [&] {
#ifdef WRSGPU_WITH_CUDA
    if (method_->device == Device::cuda) {
      const GpuSamplerInfo& info = find_gpu_sampler(choice.sampler);
      const bool is_in_order = info.sectioned || info.chooses || !info.random;
      draw_ = gpu_draw(info, options, is_in_order && choice.order == "random");
      random_ = info.random;
      return;
    }
    const auto has_it = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const auto& info) { return info.name == choice.sampler; });
    };
    if (has_it(gpu_samplers()) && !has_it(samplers())) {
      throw Error(fmt::format("'{}' draws on a GPU, and method {} runs on the CPU", choice.sampler,
                              method_->name));
    }
#endif
    const SamplerInfo& info = find_sampler(choice.sampler);
    if (!info.random && choice.order == "random") {
      throw Error(
          fmt::format("'{}' gives items in order; --order random is not for it", info.name));
    }
    draw_ = cpu_draw(info, choice.threads);
    random_ = info.random;
  });
}

void BuiltMethod::build(const OwnedWeights& weights, const WeightsChoice& source) {
  if (weights.size() > method_->practical_items) {
    throw Error(fmt::format("argument --method: '{}' is not for {} items (at most {} are sensible)",
                            method_->name, weights.size(), method_->practical_items));
  }
  const auto start = std::chrono::steady_clock::now();
  with_argument_name(source.argument(), [&] { algorithm_->build(weights.view()); });
  build_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string BuiltMethod::describe() const {
  std::string text = fmt::format("{} ({}), {}", method_->name, to_string(method_->device),
                                 to_string(options_.arithmetic));
  if (method_->is_alias_table()) text += fmt::format(", {}", to_string(options_.layout));
  return text;
}

void BuiltMethod::sample(std::span<Index> out, RandomState state) const {
  if (draw_) {
    draw_(*algorithm_, out, state);
  } else {
    algorithm_->sample(out, state);
  }
}

}  // namespace wrsgpu::method_driver
