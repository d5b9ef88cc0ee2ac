// Generation of weights on the host, on all threads. Names: generate/<distribution>_<threads>t/<N>.
#include "wrsgpu/generate_weights.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::experiments {
namespace {

Series series(const std::string& distribution) {
  return {distribution, distribution, [distribution](const Axes& axes) {
            for (const unsigned threads : axes.threads) {
              for (const std::uint64_t n : axes.sizes) {
                const std::string name = join_name(
                    {"generate", distribution + threads_suffix(threads), std::to_string(n)});
                add_benchmark(name, [=](benchmark::State& state) {
                  static Kept<HostBuffer<double>> kept;
                  HostBuffer<double>& weights = kept.get(std::to_string(n), [n] {
                    return weights::generate<double>("uniform", n, 1);  // memory that is there
                  });
                  time_on_host(state, [&] {
                    weights::generate<double>(distribution, n, 1, weights.span(), threads);
                  });
                  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
                  state.SetBytesProcessed(state.iterations() *
                                          static_cast<std::int64_t>(weights.bytes()));
                });
              }
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "generate_weights",
      .summary = "generating named distributions on the host",
      .defaults = {
          .sizes = {1'000'000, 100'000'000}, .distributions = {}, .threads = thread_counts()}};
  for (const char* distribution :
       {"uniform", "powerlaw_1", "powerlaw_1_shuffled", "powerlaw_0.5_shuffled", "normal",
        "binomial", "ramp", "sine", "words"}) {
    what.series.push_back(series(distribution));
  }
  return what;
}

}  // namespace wrsgpu::experiments
