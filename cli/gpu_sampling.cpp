// Weights, table and samples in device memory.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "sampling.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/pinned_buffer.cuh"
#include "wrsgpu/detail/masses/gpu_zero_mass_items.cuh"
#include "wrsgpu/generate_weights.cuh"
#include "wrsgpu/gpu_choose.cuh"
#include "wrsgpu/gpu_multinomial_counts.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace wrsgpu::cli {
namespace {

using DeviceWeights = std::variant<DeviceBuffer<float>, DeviceBuffer<double>>;

WeightsView view_of(const DeviceWeights& weights) {
  return std::visit([](const auto& buffer) { return WeightsView::on_device(buffer.span()); },
                    weights);
}

DeviceWeights generate(const WeightsChoice& choice) {
  const std::uint64_t items = choice.distribution_items();
  return with_argument_name("--items", [&]() -> DeviceWeights {
    if (choice.is_float()) {
      return weights::generate_on_device<float>(choice.distribution, items, choice.seed);
    }
    return weights::generate_on_device<double>(choice.distribution, items, choice.seed);
  });
}

DeviceWeights copy_of(WeightsView weights) {
  return weights.visit([]<class T>(std::span<const T> all) -> DeviceWeights {
    DeviceBuffer<T> copy(all.size());
    copy_to_device(all, copy.data());
    return copy;
  });
}

/// Double buffer in page-locked memory: one half is read while the other is filled.
template <class T>
class PinnedChunks {
 public:
  explicit PinnedChunks(std::size_t size) : chunks_{PinnedBuffer<T>(size), PinnedBuffer<T>(size)} {
    for (cudaEvent_t& event : filled_) {
      WRSGPU_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
  }
  PinnedChunks(const PinnedChunks&) = delete;
  PinnedChunks& operator=(const PinnedChunks&) = delete;
  ~PinnedChunks() {
    wrsgpu::detail::ignore_failure(cudaDeviceSynchronize());  // a copy may still be in flight
    for (cudaEvent_t event : filled_) {
      if (event != nullptr) wrsgpu::detail::ignore_failure(cudaEventDestroy(event));
    }
  }

  [[nodiscard]] std::size_t size() { return chunks_[0].size(); }

  /// Enqueues the copy of `from` to buffer `k` % 2 on the default stream.
  void fill(std::uint64_t k, std::span<const T> from) {
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(chunks_[k % 2].data(), from.data(), from.size_bytes(),
                                      cudaMemcpyDeviceToHost, nullptr));
    WRSGPU_CUDA_CHECK(cudaEventRecord(filled_[k % 2], nullptr));
  }
  /// Waits for copy `k` and returns its buffer.
  [[nodiscard]] std::span<const T> wait(std::uint64_t k, std::size_t size) {
    WRSGPU_CUDA_CHECK(cudaEventSynchronize(filled_[k % 2]));
    return chunks_[k % 2].span().first(size);
  }

 private:
  std::array<PinnedBuffer<T>, 2> chunks_;
  std::array<cudaEvent_t, 2> filled_{};
};

/// Splits [0, all) into chunks. `fill(k, begin, size)` enqueues the work that fills chunk k;
/// `use(k, begin, size)` waits for it. Chunk k + 1 is enqueued before chunk k is used.
template <class Fill, class Use>
void overlapped(std::uint64_t all, std::uint64_t chunk_items, Fill&& fill, Use&& use) {
  const std::uint64_t chunks = (all + chunk_items - 1) / chunk_items;
  const auto size_of = [&](std::uint64_t k) {
    return std::min(chunk_items, all - k * chunk_items);
  };
  fill(0, 0, size_of(0));
  for (std::uint64_t k = 0; k < chunks; ++k) {
    if (k + 1 < chunks) fill(k + 1, (k + 1) * chunk_items, size_of(k + 1));
    use(k, k * chunk_items, size_of(k));
  }
}

class GpuSampling final : public Sampling {
 public:
  GpuSampling(DeviceWeights weights, const WeightedSamplerOptions& options, Reporting& reporting)
      : weights_(std::move(weights)),
        sampler_(view_of(weights_), options),
        threads_(options.threads),
        reporting_(&reporting) {}

  [[nodiscard]] Device device() const override { return Device::cuda; }
  [[nodiscard]] Index size() const override { return sampler_.size(); }

  void draw(std::span<Index> out, RandomState state) const override {
    if (drawn_.size() < out.size()) drawn_ = DeviceBuffer<Index>(out.size());
    sampler_.draw(drawn_.span().first(out.size()), state);
    copy_to_host(std::as_const(drawn_).data(), out);
  }

  void draw(std::uint64_t samples, RandomState state, const UseItems& use,
            Progress& progress) const override {
    constexpr std::uint64_t maximum = std::uint64_t{1} << 24;  // 64 MiB
    const std::uint64_t chunk_items = std::min(maximum, samples);
    DeviceBuffer<Index> drawn(chunk_items);
    PinnedChunks<Index> pinned(chunk_items);
    // Stream order lets all draws share one buffer: each runs after the previous copy.
    overlapped(
        samples, chunk_items,
        [&](std::uint64_t k, std::uint64_t begin, std::uint64_t size) {
          const std::span<Index> out = drawn.span().first(size);
          sampler_.draw(out, {state.seed, state.offset + begin});
          pinned.fill(k, out);
        },
        [&](std::uint64_t k, std::uint64_t begin, std::uint64_t size) {
          const std::span<const Index> items =
              reporting_->time("draw and copy", [&] { return pinned.wait(k, size); });
          reporting_->time("write", [&] { use(items); });
          progress.update(begin + size);
        });
  }

  void count(std::uint64_t samples, RandomState state, const UseCounts& use,
             Progress& progress) const override {
    DeviceBuffer<std::uint64_t> counts(size());
    // A few seconds per chunk. With a single chunk, the usual case, the host adds no counts.
    constexpr std::uint64_t chunk_items = std::uint64_t{1} << 37;
    HostBuffer<std::uint64_t> total(samples > chunk_items ? size() : 0);
    std::fill(total.span().begin(), total.span().end(), 0);
    for_each_chunk(samples, chunk_items, progress, [&](std::uint64_t begin, std::uint64_t chunk) {
      reporting_->time("count", [&] {
        sampler_.histogram(counts.span(), chunk, {state.seed, state.offset + begin});
        WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
      });
      if (total.size() == 0) return;
      std::uint64_t* to = total.data();
      copy_in_chunks(std::as_const(counts).span(), [&](std::span<const std::uint64_t> part) {
        for (const std::uint64_t count : part) *to++ += count;
      });
    });
    if (total.size() > 0) {
      reporting_->time("write", [&] { use(std::as_const(total).span()); });
    } else {
      copy_in_chunks(std::as_const(counts).span(), use);
    }
  }

  void rebuild() override { sampler_.rebuild(view_of(weights_)); }
  void visit_table(const std::function<void(const HostTable&)>& use) const override {
    use(sampler_.to_host());
  }
  void visit_weights(const std::function<void(WeightsView)>& use) const override {
    view_of(weights_).visit([&]<class T>(std::span<const T> all) {
      HostBuffer<T> copy(all.size());
      copy_to_host(all.data(), copy.span());
      use(copy);
    });
  }
  [[nodiscard]] ZeroMassItems zero_mass_items() const override {
    return find_zero_mass_items_on_device(view_of(weights_), threads_);
  }

 private:
  void copy_in_chunks(std::span<const std::uint64_t> counts, const UseCounts& use) const {
    constexpr std::uint64_t maximum = std::uint64_t{1} << 21;  // 16 MiB
    const std::uint64_t chunk_items = std::min<std::uint64_t>(maximum, counts.size());
    std::optional<PinnedChunks<std::uint64_t>> pinned;
    reporting_->time("page-locked memory", [&] { pinned.emplace(chunk_items); });
    overlapped(
        counts.size(), chunk_items,
        [&](std::uint64_t k, std::uint64_t begin, std::uint64_t size) {
          pinned->fill(k, counts.subspan(begin, size));
        },
        [&](std::uint64_t k, std::uint64_t, std::uint64_t size) {
          const std::span<const std::uint64_t> part =
              reporting_->time("copy", [&] { return pinned->wait(k, size); });
          reporting_->time("write", [&] { use(part); });
        });
  }

  DeviceWeights weights_;
  GpuWeightedSampler sampler_;
  mutable DeviceBuffer<Index> drawn_;  // reused by later draws
  unsigned threads_;
  Reporting* reporting_;
};

}  // namespace

NamedSampling make_gpu_sampling(const WeightsChoice& choice, const SamplerArguments& sampler,
                                Reporting& reporting) {
  reporting.time("context", [] { WRSGPU_CUDA_CHECK(cudaFree(nullptr)); });
  WeightFile file;
  DeviceWeights weights = reporting.time("weights", [&]() -> DeviceWeights {
    if (choice.is_distribution()) return generate(choice);
    file = choice.load(sampler.threads);
    return copy_of(std::exchange(file.weights, {}).view());
  });
  std::unique_ptr<Sampling> sampling = with_argument_name(choice.argument(), [&] {
    return reporting.time("table", [&] {
      return std::make_unique<GpuSampling>(std::move(weights), sampler.options(), reporting);
    });
  });
  choice.report(file, reporting);
  return {std::move(sampling), ItemNames(std::move(file))};
}

Index gpu_choose_items(WeightsView weights, std::span<Index> out, RandomState state,
                       const ChooseOptions& options) {
  if (out.empty()) return 0;
  const DeviceWeights on_device = copy_of(weights);
  DeviceBuffer<Index> chosen(out.size());
  GpuChooser chooser(static_cast<Index>(weights.size()), static_cast<Index>(out.size()));
  chooser.choose(view_of(on_device), chosen.span(), state, nullptr, options);
  const Index found = chooser.finish();
  copy_to_host(chosen.data(), out.first(found));
  return found;
}

void gpu_count_without_samples(WeightsView weights, std::span<std::uint64_t> counts,
                               std::uint64_t samples, RandomState state) {
  const DeviceWeights on_device = copy_of(weights);
  DeviceBuffer<std::uint64_t> counted(counts.size());
  GpuMultinomialCounter counter(static_cast<Index>(weights.size()));
  counter.count(view_of(on_device), counted.span(), samples, state);
  counter.finish();
  copy_to_host(counted.data(), counts);
}

}  // namespace wrsgpu::cli
