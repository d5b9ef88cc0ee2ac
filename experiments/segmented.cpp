// Tables of many segments on the GPU. Names: construct_segments/<degrees>/<items>,
// draw_segments/<degrees>/<items>/<segments drawn>/<k>, walk/<degrees>/<items>/<walks>/<length>,
// multinomial/<rows>/<columns>/<k> (build included).
#include <algorithm>
#include <memory>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/degrees.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "verification/segment_tables.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/gpu_segmented_sampler.cuh"

namespace wrsgpu::experiments {
namespace {

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  copy_to_device(std::span(host), device.data());
  return device;
}

DeviceBuffer<Index> random_numbers(std::uint64_t count, std::uint64_t below) {
  std::vector<Index> numbers(count);
  constexpr std::uint64_t blocks = 1000;
  parallel_for(blocks, 0, [&](std::uint64_t block) {
    const Range own = slice(count, block, blocks);
    for (std::uint64_t i = own.begin; i < own.end; ++i) {
      numbers[i] = static_cast<Index>(random::philox_word(2, i) % below);
    }
  });
  return on_device(numbers);
}

struct Tables {
  DeviceWorkload weights;
  DeviceBuffer<Index> offsets;  // 32 bits
  std::unique_ptr<GpuSegmentedSampler> sampler;
  DeviceBuffer<Index> neighbours;
  std::string fault;

  [[nodiscard]] SegmentsView segments() const { return SegmentsView::on_device(offsets.span()); }
};

const Tables& tables_of(const std::string& degrees, std::uint64_t items) {
  static Kept<Tables> kept;
  return kept.get(join_name({degrees, std::to_string(items)}), [&] {
    const std::vector<std::uint64_t> offsets = segment_offsets(degrees, items);
    Tables tables{device_workload(WeightsView::Type::float32, "uniform", items),
                  on_device(std::vector<Index>(offsets.begin(), offsets.end())),
                  nullptr,
                  {},
                  ""};
    tables.sampler = std::make_unique<GpuSegmentedSampler>(
        tables.segments(), tables.weights.view, SegmentedSamplerOptions{.empty_ok = true});
    std::vector<float> weights(items);
    tables.weights.view.visit([&]<class T>(std::span<const T> w) {
      if constexpr (sizeof(T) == sizeof(float)) copy_to_host(w.data(), std::span(weights));
    });
    tables.fault =
        verification::fault_of_segments(offsets, weights, tables.sampler->rows_to_host().span());
    tables.neighbours = random_numbers(items, tables.sampler->segments());
    return tables;
  });
}

void count_items(benchmark::State& state, std::uint64_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

/// Adds a benchmark of these tables; `work` returns what it times, and its number of items.
template <class Work>
void add(const std::string& name, const std::string& degrees, std::uint64_t items,
         const Work& work) {
  add_benchmark(name, [=](benchmark::State& state) {
    const Tables& tables = tables_of(degrees, items);
    if (!tables.fault.empty()) return fail(state, tables.fault);
    work(state, tables);
  });
}

Series series(const std::string& degrees) {
  return {
      degrees, degrees, [degrees](const Axes& axes) {
        for (const std::uint64_t items : axes.sizes) {
          const std::string size = std::to_string(items);
          add(join_name({"construct_segments", degrees, size}), degrees, items,
              [=](benchmark::State& state, const Tables& tables) {
                time_on_device(state, [&] {
                  tables.sampler->rebuild(tables.segments(), tables.weights.view, nullptr);
                });
                tables.sampler->finish(nullptr);
                count_items(state, items);
              });
          for (const std::uint64_t queries : axes.samples) {
            for (const std::uint64_t k : {1U, 10U}) {
              add(join_name(
                      {"draw_segments", degrees, size, std::to_string(queries), std::to_string(k)}),
                  degrees, items, [=](benchmark::State& state, const Tables& tables) {
                    const DeviceBuffer<Index> from =
                        random_numbers(queries, tables.sampler->segments());
                    DeviceBuffer<Index> out(queries * k);
                    time_on_device(state,
                                   [&] { tables.sampler->draw(from.span(), k, out.span(), {}); });
                    count_items(state, out.size());
                  });
            }
            constexpr std::uint64_t length = 80;
            add(join_name({"walk", degrees, size, std::to_string(queries), std::to_string(length)}),
                degrees, items, [=](benchmark::State& state, const Tables& tables) {
                  const DeviceBuffer<Index> starts =
                      random_numbers(queries, tables.sampler->segments());
                  DeviceBuffer<Index> out(queries * (length + 1));
                  time_on_device(state, [&] {
                    tables.sampler->walk(starts.span(), length, tables.neighbours.span(),
                                         out.span(), {});
                  });
                  count_items(state, queries * length);
                });
          }
        }
      }};
}

Series matrices() {
  return {"multinomial", "multinomial", [](const Axes& axes) {
            struct Shape {
              std::uint64_t rows;
              std::uint64_t columns;
              std::uint64_t k;
            };
            const std::uint64_t largest = *std::ranges::max_element(axes.sizes);
            for (const Shape& shape :
                 {Shape{1'000'000, 16, 16}, Shape{100'000, 100, 16}, Shape{1024, 1024, 1}}) {
              if (shape.rows * shape.columns > largest && largest < 16'000'000) continue;
              add_benchmark(join_name({"multinomial", std::to_string(shape.rows),
                                       std::to_string(shape.columns), std::to_string(shape.k)}),
                            [=](benchmark::State& state) {
                              const DeviceWorkload weights =
                                  device_workload(WeightsView::Type::float32, "uniform",
                                                  shape.rows * shape.columns);
                              DeviceBuffer<Index> out(shape.rows * shape.k);
                              time_on_device(state, [&] {
                                gpu_multinomial(weights.view, shape.rows, shape.columns, shape.k,
                                                out.span(), {});
                              });
                              count_items(state, out.size());
                            });
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "segmented",
      .summary = "tables of many segments on the GPU, draws from them and walks",
      .needs_gpu = true,
      .hides_launches = true,
      .defaults = {.sizes = {1'000'000, 16'000'000, 100'000'000, 800'000'000, 1'000'000'000},
                   .samples = {1'000'000}},
      .series = {matrices()}};
  for (const std::string& degrees : degree_families()) what.series.push_back(series(degrees));
  return what;
}

}  // namespace wrsgpu::experiments
