// Construction with and without the transfers between host and device (thesis Figure 5.6, 4.8.1).
// Names: transfer/<what>/<distribution>/<N>. Host memory is page-locked; times are the host's, from
// the call until everything is there.
#include <algorithm>
#include <atomic>

#include "construction/alias_table_split_gpu.cuh"
#include "experiments/common/experiment.hpp"
#include "experiments/common/flush_l2.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/pinned_buffer.cuh"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu::experiments {
namespace {

struct Prepared {
  PinnedBuffer<double> host_weights;
  PinnedBuffer<WideRow> host_rows;
  DeviceBuffer<double> weights;
  std::unique_ptr<AliasTableSplitGpu> table;
  std::string fault;

  [[nodiscard]] WeightsView view() const {
    return WeightsView::on_device(std::span<const double>(weights.data(), weights.size()));
  }
  void upload() {
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(weights.data(), host_weights.data(), weights.bytes(),
                                      cudaMemcpyHostToDevice, nullptr));
  }
  void construct() { table->construct(view(), nullptr); }
  void download() {
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(host_rows.data(), rows(), host_rows.bytes(),
                                      cudaMemcpyDeviceToHost, nullptr));
  }
  [[nodiscard]] const WideRow* rows() const {
    return table->table().visit([](auto view) -> const WideRow* {
      if constexpr (std::is_same_v<decltype(view), WideRows>) return view.data();
      return nullptr;
    });
  }
};

Prepared prepare(const std::string& distribution, std::uint64_t n, bool managed) {
  std::optional<ManagedAllocations> scope;
  if (managed) scope.emplace();
  Prepared made{PinnedBuffer<double>(n),
                PinnedBuffer<WideRow>(n),
                DeviceBuffer<double>(n),
                std::make_unique<AliasTableSplitGpu>(TableOptions{}, SplitGpuOptions{}),
                {}};
  weights::generate<double>(distribution, n, 1, made.host_weights.span());
  made.upload();
  made.table->build(made.view());
  made.fault =
      verification::verify(*made.table, std::span<const double>(made.host_weights.span())).message;
  return made;
}

void without_transfers(Prepared& p) { p.construct(); }
void weights_from_host(Prepared& p) {
  p.upload();
  p.construct();
}
void table_to_host(Prepared& p) {
  p.construct();
  p.download();
}
void both(Prepared& p) {
  p.upload();
  p.construct();
  p.download();
}
/// What a transfer of a finished table would take instead.
void only_table(Prepared& p) {
  WRSGPU_CUDA_CHECK(cudaMemcpyAsync(const_cast<WideRow*>(p.rows()), p.host_rows.data(),
                                    p.host_rows.bytes(), cudaMemcpyHostToDevice, nullptr));
}
/// The host writes the weights and reads the rows where they are.
void managed(Prepared& p) {
  const std::span<double> from = p.host_weights.span();
  std::copy(from.begin(), from.end(), p.weights.data());
  p.construct();
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  // Reads on all threads: one alone would wait for its page faults one by one.
  constexpr std::uint64_t block_rows = std::uint64_t{1} << 16;
  const std::uint64_t blocks = (from.size() + block_rows - 1) / block_rows;
  std::atomic<Index> all_aliases = 0;
  parallel_for(blocks, 0, [&](std::uint64_t block) {
    const std::uint64_t end = std::min<std::uint64_t>(from.size(), (block + 1) * block_rows);
    Index aliases = 0;
    for (std::uint64_t i = block * block_rows; i < end; ++i) aliases |= p.rows()[i].alias;
    all_aliases |= aliases;
  });
  benchmark::DoNotOptimize(all_aliases.load());
}

Series series(const std::string& what, void (*run)(Prepared&), bool is_managed) {
  return {
      what, what, [=](const Axes& axes) {
        static Kept<Prepared> kept;
        for (const std::string& distribution : axes.distributions) {
          for (const std::uint64_t n : axes.sizes) {
            const std::string name = join_name({"transfer", what, distribution, std::to_string(n)});
            add_benchmark(name, [=](benchmark::State& state) {
              const std::string key =
                  distribution + std::to_string(n) + (is_managed ? " managed" : "");
              Prepared& prepared =
                  kept.get(key, [&] { return prepare(distribution, n, is_managed); });
              if (!prepared.fault.empty()) return fail(state, prepared.fault);
              for (auto _ : state) {
                WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
                flush_l2_if_cold(nullptr);
                const HostTimer timer;
                run(prepared);
                WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
                state.SetIterationTime(timer.seconds());
              }
              state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
            });
          }
        }
      }};
}

}  // namespace

Experiment experiment() {
  return {.name = "transfers",
          .summary = "construction with and without transfers to and from the host",
          .needs_gpu = true,
          .by_table = true,
          .defaults = {.sizes = {100'000,    200'000,    300'000,    500'000,    700'000,
                                 1'000'000,  1'500'000,  2'000'000,  3'000'000,  5'000'000,
                                 7'000'000,  10'000'000, 15'000'000, 20'000'000, 30'000'000,
                                 40'000'000, 50'000'000, 60'000'000, 80'000'000, 100'000'000},
                       .distributions = {"uniform"}},
          .series = {series("construction", without_transfers, false),
                     series("weights_from_host", weights_from_host, false),
                     series("table_to_host", table_to_host, false), series("both", both, false),
                     series("only_table_to_device", only_table, false),
                     series("both_managed", managed, true)}};
}

}  // namespace wrsgpu::experiments
