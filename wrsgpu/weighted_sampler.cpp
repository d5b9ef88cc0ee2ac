#include "wrsgpu/weighted_sampler.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/build/tiled_sweep.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/masses/zero_mass_items.hpp"
#include "wrsgpu/detail/sampling/batched_sampler.hpp"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/detail/table/table_file.hpp"
#include "wrsgpu/update_weights.hpp"

namespace wrsgpu {

WeightedSampler::WeightedSampler(const WeightedSamplerOptions& options) : options_(options) {}

WeightedSampler::WeightedSampler(const AnyWeights& weights, const WeightedSamplerOptions& options)
    : WeightedSampler(options) {
  rebuild(weights);
}

WeightedSampler WeightedSampler::load(const std::filesystem::path& file,
                                      const WeightedSamplerOptions& options) {
  WeightedSampler sampler(options);
  sampler.table_ = detail::load_compact_table(file);
  if (options.with_probabilities) {
    sampler.probabilities_ = HostBuffer<float>(sampler.size());
    write_probabilities(sampler.table(), sampler.probabilities_.span());
  }
  return sampler;
}

WeightedSampler::WeightedSampler(WeightedSampler&& other) noexcept
    : WeightedSampler(other.options_) {
  *this = std::move(other);
}

WeightedSampler& WeightedSampler::operator=(WeightedSampler&& other) noexcept {
  options_ = other.options_;
  builder_ = std::move(other.builder_);
  table_ = std::exchange(other.table_, {});  // a moved-from table keeps its size
  kept_ = std::exchange(other.kept_, {});
  probabilities_ = std::move(other.probabilities_);
  return *this;
}

WeightedSampler::~WeightedSampler() = default;

const HostTable& WeightedSampler::table() const {
  if (table_.size() == 0) detail::throw_no_table();
  return table_;
}

Index WeightedSampler::size() const { return table_.size(); }

void WeightedSampler::rebuild(const AnyWeights& any_weights) {
  const WeightsView weights = any_weights.view();
  check_size_and_memory(weights, Device::cpu);
  try {
    if (!builder_) {
      builder_ = std::make_unique<detail::TiledSweepBuilder>(
          TableOptions{Arithmetic::fixed_point, Layout::compact_rows, options_.threads});
    }
    const WeightSummary summary = builder_->check(weights);
    const bool grows = options_.with_probabilities && probabilities_.size() < weights.size();
    HostBuffer<float> larger(grows ? weights.size() : 0);
    // If building the table or its probabilities fails, the sampler has no table.
    HostTable table = std::exchange(table_, {});
    builder_->build(weights, summary, table);
    if (grows) probabilities_ = std::move(larger);
    if (options_.with_probabilities) {
      write_probabilities(weights, probabilities_.span().first(weights.size()), options_.threads);
    }
    if (options_.keep_weights) {
      kept_.assign(weights, [](auto from, auto to) { std::ranges::copy(from, to.begin()); });
    }
    table_ = std::move(table);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("rebuild: out of host memory for " + std::to_string(weights.size()) +
                      " items");
  }
}

WeightsView WeightedSampler::weights() const { return kept_.view(); }

template <class T>
void WeightedSampler::update_kept(std::span<const Index> indices, std::span<const T> values) {
  const std::span<T> weights = kept_.span<T>();
  std::vector<T> before;
  for (const Index index : indices) before.push_back(index < weights.size() ? weights[index] : T{});
  update_weights(weights, indices, values);
  try {
    rebuild(weights);
  } catch (const Error& error) {
    for (std::size_t j = indices.size(); j-- > 0;) weights[indices[j]] = before[j];
    detail::rethrow_of_update(error);
  }
}

void WeightedSampler::update(std::span<const Index> indices, std::span<const float> values) {
  update_kept(indices, values);
}
void WeightedSampler::update(std::span<const Index> indices, std::span<const double> values) {
  update_kept(indices, values);
}

void WeightedSampler::draw(std::span<Index> out, RandomState state) const {
  const int rounds = options_.generator == Generator::philox7 ? 7 : 10;
  BatchedSampler(options_.threads, rounds).sample(table(), out, state);
}

void WeightedSampler::draw(std::span<std::uint64_t> out, RandomState state) const {
  draw_from(0, out, state);
}

void WeightedSampler::draw_from(std::uint64_t first, std::span<std::uint64_t> out,
                                RandomState state) const {
  static_cast<void>(table());
  constexpr std::uint64_t block_samples = 1 << 16;  // one thread's, as in `BatchedSampler`
  parallel_for((out.size() + block_samples - 1) / block_samples, options_.threads,
               [&](std::uint64_t block) {
                 std::array<Index, 1 << 12> narrow;  // stays in the cache
                 const std::uint64_t end =
                     std::min<std::uint64_t>(out.size(), block * block_samples + block_samples);
                 for (std::uint64_t k = block * block_samples; k < end; k += narrow.size()) {
                   const auto count =
                       static_cast<std::size_t>(std::min<std::uint64_t>(narrow.size(), end - k));
                   draw(std::span(narrow).first(count), {state.seed, state.offset + k});
                   std::transform(narrow.begin(), narrow.begin() + count,
                                  out.begin() + static_cast<std::ptrdiff_t>(k),
                                  [first](Index item) { return first + item; });
                 }
               });
}

std::uint64_t WeightedSampler::draw_distinct(std::span<Index> out, RandomState state) const {
  const Index items = table().size();
  if (!out.empty()) detail::require_choice(items, out.size());
  const std::optional<std::uint64_t> used =
      detail::distinct_draws(out, state, detail::max_distinct_draws(out.size()),
                             [this](std::span<Index> drawn, RandomState at) { draw(drawn, at); });
  if (!used) detail::throw_too_few_distinct(out.size());
  return *used;
}

void WeightedSampler::histogram(std::span<std::uint64_t> counts, std::uint64_t samples,
                                RandomState state) const {
  detail::require_one_per_item("histogram", "counts", counts.size(), table().size());
  constexpr std::uint64_t at_a_time = 1 << 20;
  HostBuffer<Index> buffer(std::min(at_a_time, samples));
  std::fill(counts.begin(), counts.end(), 0);
  for (std::uint64_t done = 0; done < samples; done += at_a_time) {
    const std::span<Index> piece = buffer.span().first(std::min(at_a_time, samples - done));
    draw(piece, {state.seed, state.offset + done});
    for (const Index item : piece) ++counts[item];
  }
}

void WeightedSampler::probabilities(std::span<float> out) const {
  detail::require_one_per_item("probabilities", "out", out.size(), table().size());
  if (options_.with_probabilities) {
    std::copy_n(probabilities_.data(), out.size(), out.begin());
    return;
  }
  try {
    write_probabilities(table(), out);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("probabilities: out of host memory for " + std::to_string(out.size()) +
                      " items");
  }
}

void WeightedSampler::save(const std::filesystem::path& file) const {
  save_table(table(), Arithmetic::fixed_point, file);
}

SamplerView WeightedSampler::view() const { return SamplerView(table().compact_rows()); }

SamplerViewWithProbabilities WeightedSampler::view_with_probabilities() const {
  if (!options_.with_probabilities) detail::throw_no_probabilities();
  return {view(), probabilities_.data()};
}

Index count_zero_mass_items(const AnyWeights& weights, unsigned threads) {
  return static_cast<Index>(find_zero_mass_items(weights.view(), threads).count);
}

}  // namespace wrsgpu
