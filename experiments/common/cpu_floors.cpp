#include "experiments/common/cpu_floors.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace wrsgpu::experiments {
namespace {

constexpr int floor_runs = 9;

void store_past_cache(WideRow* row, double weight, Index alias) {
#ifdef __SSE2__
  _mm_stream_si128(reinterpret_cast<__m128i*>(row),
                   _mm_set_epi64x(static_cast<long long>(alias), std::bit_cast<long long>(weight)));
#else
  *row = WideRow{weight, alias, 0};
#endif
}

/// A pseudorandom word for a number (three rounds of multiplication and shift: almost free, and
/// sufficient to distribute the reads).
std::uint64_t mixed(std::uint64_t number) {
  for (int round = 0; round < 3; ++round) {
    number *= 0x9E37'79B9'7F4A'7C15;
    number ^= number >> 32;
  }
  return number;
}

}  // namespace

void copy_floor(std::span<const double> weights, std::span<WideRow> rows, unsigned threads) {
  parallel_for(threads, threads, [&](std::uint64_t thread) {
    const Range range = slice(weights.size(), thread, threads);
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      store_past_cache(&rows[i], weights[i], static_cast<Index>(i));
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
  });
}

void gather_floor(std::span<const WideRow> rows, std::span<Index> out, unsigned threads) {
  constexpr std::uint64_t batch = 256;
  const auto size = static_cast<Index>(rows.size());
  parallel_for(threads, threads, [&](std::uint64_t thread) {
    const Range range = slice(out.size(), thread, threads);
    // While the rows of one batch are in flight, the next batch is requested.
    Index chosen[2][batch];
    const std::uint64_t batches = (range.end - range.begin + batch - 1) / batch;
    const auto first = [&](std::uint64_t b) {
      return std::min(range.begin + b * batch, range.end);
    };
    for (std::uint64_t b = 0; b <= batches; ++b) {
      Index* const next = chosen[b % 2];
      for (std::uint64_t k = first(b); k < first(b + 1); ++k) {
        next[k - first(b)] = choose_row(mixed(k), size).row;
        // Into the L2 cache, which allows more outstanding misses than the L1.
        __builtin_prefetch(&rows[next[k - first(b)]], 0, 2);
      }
      if (b == 0) continue;
      const Index* const arrived = chosen[(b - 1) % 2];
      for (std::uint64_t k = first(b - 1); k < first(b); ++k) {
        const Index i = arrived[k - first(b - 1)];
        out[k] = rows[i].weight < 0 ? rows[i].alias : i;
      }
    }
  });
}

double copy_floor_seconds(std::uint64_t items, unsigned threads) {
  static std::map<std::tuple<std::uint64_t, unsigned>, double> known;
  const auto [at, is_new] = known.try_emplace({items, threads});
  if (is_new) {
    HostBuffer<double> weights(items);
    HostBuffer<WideRow> rows(items);
    std::fill_n(weights.data(), items, 1.0);
    copy_floor(weights.span(), rows.span(), threads);
    at->second = median_seconds(floor_runs, [&] {
      const HostTimer timer;
      copy_floor(weights.span(), rows.span(), threads);
      return timer.seconds();
    });
  }
  return at->second;
}

double gather_floor_seconds(std::uint64_t items, std::uint64_t samples, unsigned threads) {
  static std::map<std::tuple<std::uint64_t, std::uint64_t, unsigned>, double> known;
  const auto [at, is_new] = known.try_emplace({items, samples, threads});
  if (is_new) {
    HostBuffer<WideRow> rows(items);
    HostBuffer<Index> out(samples);
    std::fill_n(rows.data(), items, WideRow{1.0, 0, 0});
    gather_floor(rows.span(), out.span(), threads);
    at->second = median_seconds(floor_runs, [&] {
      const HostTimer timer;
      gather_floor(rows.span(), out.span(), threads);
      return timer.seconds();
    });
  }
  return at->second;
}

}  // namespace wrsgpu::experiments
