// Weights and samples of two GPUs of one host, through NCCL, against one GPU: a process, a thread
// for each GPU. Names: construct_shards/<gpus>/uniform/<items of all>,
// draw_local/<gpus>/uniform/<items of all>/<samples of all> (64-bit numbers),
// draw_scattered/2/uniform/<items of all>/<samples of each GPU> and, of as many bytes between
// buffers that exist, exchange/2/uniform/<items of all>/<samples of each GPU>. Times are the
// host's, from when all GPUs are idle until all have finished. `percent_of_link` compares the time
// of the exchange with that of the draw; `GB_per_s` is what a GPU sends to the other.
#include <nccl.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/generate_weights.cuh"
#include "wrsgpu/gpu_sharded_sampler.cuh"
#include "wrsgpu/nccl_communicator.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr unsigned gpus = 2;

/// Calls work(gpu) on a thread for each GPU, whose device is current, and waits. Throws what the
/// first of them has thrown.
template <class Work>
void on_each_gpu(unsigned count, const Work& work) {
  std::vector<std::exception_ptr> thrown(count);
  std::vector<std::thread> threads;
  for (unsigned gpu = 0; gpu < count; ++gpu) {
    threads.emplace_back([&, gpu] {
      try {
        WRSGPU_CUDA_CHECK(cudaSetDevice(static_cast<int>(gpu)));
        work(gpu);
        WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
      } catch (...) {
        thrown[gpu] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

[[nodiscard]] DeviceBuffer<float> weights_of(std::uint64_t items, std::uint64_t seed) {
  return weights::generate_on_device<float>("uniform", items, seed);
}

[[nodiscard]] WeightsView view_of(const DeviceBuffer<float>& weights) {
  return WeightsView::on_device(weights.span());
}

/// The communicators of both GPUs, while the program runs.
class Link {
 public:
  Link() : communicators_(gpus) {
    const std::vector<int> devices = {0, 1};
    detail::require_nccl(ncclCommInitAll(communicators_.data(), gpus, devices.data()),
                         "ncclCommInitAll");
    ranks_.resize(gpus);
    on_each_gpu(gpus, [&](unsigned gpu) {
      ranks_[gpu] = std::make_unique<NcclCommunicator>(communicators_[gpu]);
    });
  }
  [[nodiscard]] NcclCommunicator& operator[](unsigned gpu) const { return *ranks_[gpu]; }

 private:
  std::vector<ncclComm_t> communicators_;
  std::vector<std::unique_ptr<NcclCommunicator>> ranks_;
};

[[nodiscard]] const Link& nccl_link() {
  static const Link* const link = new Link;  // never destroyed: the drivers may be gone by then
  return *link;
}

/// The weights of both GPUs, half of them each, and the sampler.
struct Shards {
  std::vector<DeviceBuffer<float>> weights{gpus};
  std::vector<std::unique_ptr<GpuShardedSampler>> samplers{gpus};
};

Shards& shards_of(std::uint64_t items) {
  static Kept<Shards> kept;
  return kept.get(std::to_string(items), [&] {
    Shards shards;
    on_each_gpu(gpus, [&](unsigned gpu) {
      shards.weights[gpu] = weights_of(items / gpus, gpu + 1);
      shards.samplers[gpu] =
          std::make_unique<GpuShardedSampler>(view_of(shards.weights[gpu]), nccl_link()[gpu]);
    });
    return shards;
  });
}

/// Whether the counts of the items of both GPUs that samples have are those of their histograms.
[[nodiscard]] bool are_right(Shards& shards, std::uint64_t items) {
  constexpr std::uint64_t samples = 1'000'000;
  std::vector<std::vector<std::uint64_t>> drawn(gpus);
  std::vector<std::uint64_t> of_shards(gpus);
  on_each_gpu(gpus, [&](unsigned gpu) {
    DeviceBuffer<std::uint64_t> out(samples);
    shards.samplers[gpu]->draw_scattered(out.span(), {3, 0});
    drawn[gpu].resize(samples);
    copy_to_host(out.data(), std::span(drawn[gpu]));
    std::vector<std::uint64_t> counts(gpus);
    shards.samplers[gpu]->shard_histogram(counts, samples, {3, gpu * samples});
    of_shards[gpu] = counts[0];
  });
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const auto in_first = std::count_if(drawn[gpu].begin(), drawn[gpu].end(),
                                        [&](std::uint64_t k) { return k < items / gpus; });
    const auto all = std::all_of(drawn[gpu].begin(), drawn[gpu].end(),
                                 [&](std::uint64_t k) { return k < items; });
    if (!all || static_cast<std::uint64_t>(in_first) != of_shards[gpu]) return false;
    if (of_shards[gpu] < samples / 2 - 10'000 || of_shards[gpu] > samples / 2 + 10'000)
      return false;
  }
  return drawn[0] != drawn[1];
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  add_benchmark(name, [=](benchmark::State& state) {
    int devices = 0;
    WRSGPU_CUDA_CHECK(cudaGetDeviceCount(&devices));
    if (devices < static_cast<int>(gpus)) return skip(state, "needs two GPUs");
    body(state);
  });
}

void count_items(benchmark::State& state, std::uint64_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

/// Times work(sampler, gpu) on both GPUs; what `prepare` does first is untimed.
template <class Prepare, class Work>
double time_on_both(benchmark::State& state, Shards& shards, const Prepare& prepare,
                    const Work& work) {
  std::vector<std::unique_ptr<DeviceBuffer<std::uint64_t>>> outs(gpus);
  on_each_gpu(gpus, [&](unsigned gpu) { outs[gpu] = prepare(*shards.samplers[gpu]); });
  return time_on_host(state, [&] {
    on_each_gpu(gpus, [&](unsigned gpu) { work(*shards.samplers[gpu], outs[gpu]->span(), gpu); });
  });
}

std::unique_ptr<DeviceBuffer<std::uint64_t>> buffer_of(std::uint64_t size) {
  return std::make_unique<DeviceBuffer<std::uint64_t>>(size);
}

/// GB/s that a GPU sends in the last exchange measured, by which draws are judged.
double link_gb_per_s = 0;

void measure_exchange(benchmark::State& state, std::uint64_t items, std::uint64_t samples) {
  std::vector<std::unique_ptr<DeviceBuffer<std::uint64_t>>> from(gpus);
  const std::uint64_t half = samples / 2;
  const double seconds = time_on_both(
      state, shards_of(items),
      [&](const GpuShardedSampler& sampler) {
        from[sampler.first_item() == 0 ? 0 : 1] = buffer_of(samples);
        return buffer_of(samples);
      },
      [&](const GpuShardedSampler& /*sampler*/, std::span<std::uint64_t> out, unsigned gpu) {
        const std::vector<std::uint64_t> same(gpus, half);
        nccl_link()[gpu].all_to_all(std::as_const(*from[gpu]).span().first(2 * half), same,
                                    out.first(2 * half), same, nullptr);
      });
  link_gb_per_s = static_cast<double>(half * 8) / seconds * 1e-9;
  state.counters["GB_per_s"] = link_gb_per_s;
  count_items(state, samples);
}

void add_draws(std::uint64_t items, std::uint64_t samples) {
  const std::string size = std::to_string(items);
  const std::string draws = std::to_string(samples);
  constexpr RandomState random{5, 0};
  add(join_name({"draw_local", "1", "uniform", size, draws}), [=](benchmark::State& state) {
    const DeviceBuffer<float> all = weights_of(items, 1);
    const GpuWeightedSampler sampler(view_of(all));
    DeviceBuffer<std::uint64_t> out(samples);
    time_on_host(state, [&] {
      on_each_gpu(1, [&](unsigned /*gpu*/) { sampler.draw(out.span(), random); });
    });
    count_items(state, samples);
  });
  add(join_name({"draw_local", "2", "uniform", size, draws}), [=](benchmark::State& state) {
    Shards& shards = shards_of(items);
    if (!are_right(shards, items)) return fail(state, "samples of the shards are wrong");
    time_on_both(
        state, shards,
        [&](const GpuShardedSampler& sampler) {
          return buffer_of(sampler.count_local(samples, random));
        },
        [&](const GpuShardedSampler& sampler, std::span<std::uint64_t> out, unsigned /*gpu*/) {
          sampler.draw_local(out, samples, random);
        });
    count_items(state, samples);
  });
  // Half of the samples each, so that both have as many as one GPU has above.
  const std::uint64_t each = samples / gpus;
  add(join_name({"exchange", "2", "uniform", size, std::to_string(each)}),
      [=](benchmark::State& state) { measure_exchange(state, items, each); });
  add(join_name({"draw_scattered", "2", "uniform", size, std::to_string(each)}),
      [=](benchmark::State& state) {
        Shards& shards = shards_of(items);
        if (!are_right(shards, items)) return fail(state, "samples of the shards are wrong");
        const auto prepare = [&](GpuShardedSampler& sampler) {
          auto out = buffer_of(each);
          sampler.draw_scattered(out->span(), random);  // allocates
          return out;
        };
        const double seconds =
            time_on_both(state, shards, prepare,
                         [&](GpuShardedSampler& sampler, std::span<std::uint64_t> out,
                             unsigned /*gpu*/) { sampler.draw_scattered(out, random); });
        const double gb_per_s = static_cast<double>(each / 2 * 8) / seconds * 1e-9;
        state.counters["GB_per_s"] = gb_per_s;
        if (link_gb_per_s > 0) state.counters["percent_of_link"] = 100 * gb_per_s / link_gb_per_s;
        count_items(state, samples);
      });
}

void add_construction(std::uint64_t items) {
  const std::string size = std::to_string(items);
  add(join_name({"construct_shards", "1", "uniform", size}), [=](benchmark::State& state) {
    const DeviceBuffer<float> all = weights_of(items, 1);
    GpuWeightedSampler sampler(view_of(all));
    time_on_host(state,
                 [&] { on_each_gpu(1, [&](unsigned /*gpu*/) { sampler.rebuild(view_of(all)); }); });
    count_items(state, items);
  });
  add(join_name({"construct_shards", "2", "uniform", size}), [=](benchmark::State& state) {
    Shards& shards = shards_of(items);
    time_on_host(state, [&] {
      on_each_gpu(
          gpus, [&](unsigned gpu) { shards.samplers[gpu]->rebuild(view_of(shards.weights[gpu])); });
    });
    count_items(state, items);
  });
}

Series series() {
  return {"uniform", "uniform", [](const Axes& axes) {
            for (const std::uint64_t items : axes.sizes) {
              add_construction(items);
              for (const std::uint64_t samples : axes.samples) add_draws(items, samples);
            }
          }};
}

}  // namespace

Experiment experiment() {
  return {.name = "sharded",
          .summary = "weights and samples of two GPUs, through NCCL, against one",
          .needs_gpu = true,
          .defaults = {.sizes = {1'000'000'000}, .samples = {1'000'000'000}},
          .series = {series()}};
}

}  // namespace wrsgpu::experiments
