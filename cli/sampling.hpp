// Sampling on the selected device.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "item_names.hpp"
#include "progress.hpp"
#include "weights_choice.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/masses/zero_mass_items.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::cli {

/// The device that `--device` names; `auto` is a GPU if there is one. Throws `Error` for an unknown
/// name, and for `cuda` without a GPU.
[[nodiscard]] Device choose_device(const std::string& name);

/// Device and sampler options, as given on the command line.
struct SamplerArguments {
  std::string device = "auto";
  std::string order = "random";
  std::string generator = "philox";
  unsigned threads = 0;

  void add_to(CLI::App& command);
  /// Throws `Error` for unknown names.
  [[nodiscard]] WeightedSamplerOptions options() const;
};

/// Weights and the sampler that was built from them, in the memory of one device.
class Sampling {
 public:
  using UseItems = std::function<void(std::span<const Index>)>;
  using UseCounts = std::function<void(std::span<const std::uint64_t>)>;

  virtual ~Sampling() = default;

  [[nodiscard]] virtual Device device() const = 0;
  /// Number of items.
  [[nodiscard]] virtual Index size() const = 0;

  /// Draws out.size() samples to host memory.
  virtual void draw(std::span<Index> out, RandomState state) const = 0;
  /// Draws in chunks and passes them to `use` in host memory, in order. A GPU draws and copies the
  /// next chunk meanwhile.
  virtual void draw(std::uint64_t samples, RandomState state, const UseItems& use,
                    Progress& progress) const = 0;
  /// Counts the samples on the device. Passes the counts of all items to `use`, in order and in
  /// chunks.
  virtual void count(std::uint64_t samples, RandomState state, const UseCounts& use,
                     Progress& progress) const = 0;

  /// Builds the table again.
  virtual void rebuild() = 0;
  /// Call `use` with the table or the weights in host memory, for verification.
  virtual void visit_table(const std::function<void(const HostTable&)>& use) const = 0;
  virtual void visit_weights(const std::function<void(WeightsView)>& use) const = 0;
  [[nodiscard]] virtual ZeroMassItems zero_mass_items() const = 0;
};

/// A sampling with the item names from the weight file, if lines or labels were requested.
struct NamedSampling {
  std::unique_ptr<Sampling> sampling;
  ItemNames names;
};

/// Loads the weights, or generates them on the selected device, and builds the table. Reports how a
/// file was read. Throws `Error`.
[[nodiscard]] NamedSampling make_sampling(const WeightsChoice& weights,
                                          const SamplerArguments& choice, Reporting& reporting);

/// `make_sampling` on a GPU, in CUDA builds only.
[[nodiscard]] NamedSampling make_gpu_sampling(const WeightsChoice& weights,
                                              const SamplerArguments& choice, Reporting& reporting);

/// Chooses out.size() different items, or fewer (`choose`), and returns their number, or computes
/// the counts of samples that are not drawn (`multinomial_counts`), on a device, which does not
/// change them. Weights and results are in host memory. Throw `Error`.
Index choose_items(WeightsView weights, std::span<Index> out, RandomState state, Device device,
                   const ChooseOptions& options);
void count_without_samples(WeightsView weights, std::span<std::uint64_t> counts,
                           std::uint64_t samples, RandomState state, Device device,
                           unsigned threads);

/// The same on a GPU, in CUDA builds only.
Index gpu_choose_items(WeightsView weights, std::span<Index> out, RandomState state,
                       const ChooseOptions& options);
void gpu_count_without_samples(WeightsView weights, std::span<std::uint64_t> counts,
                               std::uint64_t samples, RandomState state);

/// Calls `use(begin, size)` for [0, samples) in chunks of at most `chunk_items`.
template <class Use>
void for_each_chunk(std::uint64_t samples, std::uint64_t chunk_items, Progress& progress,
                    Use&& use) {
  for (std::uint64_t done = 0; done < samples;) {
    const std::uint64_t size = samples - done < chunk_items ? samples - done : chunk_items;
    use(done, size);
    done += size;
    progress.update(done);
  }
}

/// The most samples that a command counts. A CPU draws them within a day, so that a mistyped number
/// does not start a run that never ends.
inline constexpr std::uint64_t max_counted_samples = 10'000'000'000'000;

/// Options --seed and --offset.
void add_random_state(CLI::App& command, RandomState& state);

/// Warns on stderr about items of positive weight that are too light to be drawn.
void warn_of_zero_mass_items(const Sampling& sampling);

}  // namespace wrsgpu::cli
