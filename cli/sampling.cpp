#include "sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "numbers.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/multinomial_counts.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu::cli {
namespace {

class HostSampling final : public Sampling {
 public:
  HostSampling(OwnedWeights weights, const WeightedSamplerOptions& options, Reporting& reporting)
      : weights_(std::move(weights)),
        sampler_(weights_.view(), options),
        threads_(options.threads),
        reporting_(&reporting) {}

  [[nodiscard]] Device device() const override { return Device::cpu; }
  [[nodiscard]] Index size() const override { return sampler_.size(); }

  void draw(std::span<Index> out, RandomState state) const override { sampler_.draw(out, state); }

  void draw(std::uint64_t samples, RandomState state, const UseItems& use,
            Progress& progress) const override {
    constexpr std::uint64_t chunk_items = std::uint64_t{1} << 22;  // large enough to use all cores
    HostBuffer<Index> buffer(std::min(chunk_items, samples));
    for_each_chunk(samples, chunk_items, progress, [&](std::uint64_t begin, std::uint64_t size) {
      const std::span<Index> chunk = buffer.span().first(size);
      reporting_->time("draw", [&] { sampler_.draw(chunk, {state.seed, state.offset + begin}); });
      reporting_->time("write", [&] { use(chunk); });
    });
  }

  void count(std::uint64_t samples, RandomState state, const UseCounts& use,
             Progress& progress) const override {
    // Large enough to amortise adding the counts of a chunk to the total.
    const std::uint64_t chunk_items =
        std::max<std::uint64_t>(std::uint64_t{1} << 26, 8ULL * size());
    std::vector<std::uint64_t> counts(size());
    std::vector<std::uint64_t> total(samples > chunk_items ? size() : 0);
    for_each_chunk(samples, chunk_items, progress, [&](std::uint64_t begin, std::uint64_t chunk) {
      reporting_->time("count", [&] {
        sampler_.histogram(counts, chunk, {state.seed, state.offset + begin});
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += counts[i];
      });
    });
    reporting_->time("write", [&] { use(total.empty() ? counts : total); });
  }

  void rebuild() override { sampler_.rebuild(weights_.view()); }
  void visit_table(const std::function<void(const HostTable&)>& use) const override {
    use(sampler_.table());
  }
  void visit_weights(const std::function<void(WeightsView)>& use) const override {
    use(weights_.view());
  }
  [[nodiscard]] ZeroMassItems zero_mass_items() const override {
    return find_zero_mass_items(weights_.view(), threads_);
  }

 private:
  OwnedWeights weights_;
  WeightedSampler sampler_;
  unsigned threads_;
  Reporting* reporting_;
};

}  // namespace

Device choose_device(const std::string& name) {
  if (name == "cpu") return Device::cpu;
  if (name == "auto") return cuda_devices().empty() ? Device::cpu : Device::cuda;
  if (name == "cuda") {
    with_argument_name("--device", require_cuda_device);
    return Device::cuda;
  }
  throw Error(fmt::format("argument --device: unknown device '{}' (known: auto, cpu, cuda)", name));
}

void SamplerArguments::add_to(CLI::App& command) {
  command.add_option("--device", device, "cpu, cuda, or auto: a GPU where there is one")
      ->capture_default_str();
  command
      .add_option("--order", order,
                  "random, or any: on a GPU, many samples of a large table are drawn faster and "
                  "come grouped by item numbers")
      ->capture_default_str();
  command
      .add_option("--generator", generator,
                  "philox, of 10 rounds, or philox7, of 7 rounds: other samples, faster")
      ->capture_default_str();
  add_number(command, "--threads", threads, "Host threads, 0 for all; never changes the result")
      ->capture_default_str();
}

WeightedSamplerOptions SamplerArguments::options() const {
  if (order != "random" && order != "any") {
    throw Error(fmt::format("argument --order: unknown order '{}' (known: random, any)", order));
  }
  if (generator != "philox" && generator != "philox7") {
    throw Error(fmt::format("argument --generator: unknown generator '{}' (known: philox, philox7)",
                            generator));
  }
  return {.order = order == "any" ? SampleOrder::any : SampleOrder::random,
          .generator = generator == "philox7" ? Generator::philox7 : Generator::philox,
          .threads = threads};
}

NamedSampling make_sampling(const WeightsChoice& weights, const SamplerArguments& choice,
                            Reporting& reporting) {
  const WeightedSamplerOptions options = choice.options();
  if (weights.is_distribution()) static_cast<void>(weights.distribution_items());
  const Device device = reporting.time("device", [&] { return choose_device(choice.device); });
#ifdef WRSGPU_WITH_CUDA
  if (device == Device::cuda) return make_gpu_sampling(weights, choice, reporting);
#endif
  static_cast<void>(device);
  WeightFile file = reporting.time("weights", [&] { return weights.load(choice.threads); });
  std::unique_ptr<Sampling> sampling = with_argument_name(weights.argument(), [&] {
    return reporting.time("table", [&] {
      return std::make_unique<HostSampling>(std::move(file.weights), options, reporting);
    });
  });
  weights.report(file, reporting);
  return {std::move(sampling), ItemNames(std::move(file))};
}

Index choose_items(WeightsView weights, std::span<Index> out, RandomState state, Device device,
                   const ChooseOptions& options) {
#ifdef WRSGPU_WITH_CUDA
  if (device == Device::cuda) return gpu_choose_items(weights, out, state, options);
#endif
  static_cast<void>(device);
  return choose(weights, out, state, options);
}

void count_without_samples(WeightsView weights, std::span<std::uint64_t> counts,
                           std::uint64_t samples, RandomState state, Device device,
                           unsigned threads) {
#ifdef WRSGPU_WITH_CUDA
  if (device == Device::cuda) return gpu_count_without_samples(weights, counts, samples, state);
#endif
  static_cast<void>(device);
  multinomial_counts(weights, counts, samples, state, threads);
}

void add_random_state(CLI::App& command, RandomState& state) {
  add_number(command, "--seed", state.seed, "Seed of the samples")->capture_default_str();
  add_number(command, "--offset", state.offset,
             "Position in the seed's stream to start at, to continue a previous draw")
      ->capture_default_str();
}

void warn_of_zero_mass_items(const Sampling& sampling) {
  const std::string text = describe(sampling.zero_mass_items());
  if (!text.empty()) fmt::print(stderr, "wrsgpu: {}\n", text);
}

}  // namespace wrsgpu::cli
