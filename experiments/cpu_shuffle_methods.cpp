// Shuffles of 64-bit keys on the CPU: the paper's Table 3 and Figure 14, and those of this library.
// Names: shuffle/<method>_<threads>t/<n>. The sizes are the paper's 2^k + 1, for which a bijection
// of a power of two has nearly twice as many numbers as needed, and 2^k, for which it has exactly
// as many.
#include <numeric>

#include "cpu_reference/shuffles.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::experiments {
namespace {

using shuffle::CpuShuffleMethod;
using KeyBuffer = HostBuffer<std::uint64_t>;
constexpr std::uint64_t seed = 1;

/// Key i is i, so that what became of them is easy to see.
struct Buffers {
  KeyBuffer in;
  KeyBuffer out;
  explicit Buffers(std::uint64_t n) : in(n), out(n) {
    std::iota(in.data(), in.data() + n, std::uint64_t{0});
  }
};

/// Why these are not the keys 0, 1, ... in another order, or empty. Of a method that does not
/// permute only that they are keys.
std::string fault_of(const CpuShuffleMethod& method, std::span<const std::uint64_t> keys) {
  std::vector<bool> seen(keys.size());
  std::uint64_t in_place = 0;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    if (key >= keys.size()) return "place " + std::to_string(i) + " holds no key";
    if (method.permutes && seen[key]) return "key " + std::to_string(key) + " comes twice";
    seen[key] = true;
    in_place += key == i ? 1U : 0U;
  }
  // One on average, with a Poisson distribution.
  return in_place > 20 ? "many keys are where they were" : std::string();
}

void add_shuffles(const Axes& axes, const CpuShuffleMethod& method) {
  static Kept<Buffers> buffers;
  static Kept<std::string> faults;
  for (const std::uint64_t n : axes.sizes) {
    for (const unsigned threads : axes.threads) {
      if (threads > 1 && !method.parallel) continue;
      const std::string name =
          join_name({"shuffle", method.name + threads_suffix(threads), std::to_string(n)});
      add_benchmark(name, [=](benchmark::State& state) {
        Buffers& keys = buffers.get(std::to_string(n), [&] { return Buffers(n); });
        const auto shuffled = [&] { method.run(keys.in.span(), keys.out.span(), seed, threads); };
        const std::string& fault = faults.get(name, [&] {
          shuffled();
          return fault_of(method, keys.out.span());
        });
        if (!fault.empty()) return fail(state, fault);
        time_on_host(state, shuffled);
        const std::int64_t items = state.iterations() * static_cast<std::int64_t>(n);
        state.SetLabel(method.permutes ? "" : "no permutation");
        state.SetItemsProcessed(items);
        state.SetBytesProcessed(items * static_cast<std::int64_t>(2 * sizeof(std::uint64_t)));
      });
    }
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "cpu_shuffle_methods",
                  .summary = "shuffling 64-bit keys on the CPU",
                  .defaults = {.threads = thread_counts()}};
  for (unsigned bits = 8; bits <= 26; bits += 3) {
    what.defaults.sizes.push_back(std::uint64_t{1} << bits);
    what.defaults.sizes.push_back((std::uint64_t{1} << bits) + 1);
  }
  for (const CpuShuffleMethod& method : shuffle::cpu_shuffle_methods()) {
    what.series.push_back(
        {method.name, method.name, [=](const Axes& axes) { add_shuffles(axes, method); }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
