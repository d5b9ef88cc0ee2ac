// What the tests of samplers on the GPU share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/direct_sectioned_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/section_tree.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu {

/// What a sampler writes from element `start` of an array on, aligned to 256 bytes.
inline std::vector<Index> drawn(const GpuSampler& sampler, const DeviceTable& table,
                                std::size_t count, RandomState state, std::size_t start = 0) {
  // Guards before and behind the output must survive.
  constexpr Index guard = 0xDEAD'BEEF;
  std::vector<Index> out(start + count + 3, guard);
  DeviceBuffer<Index> device(out.size());
  copy_to_device(std::span<const Index>(out), device.data());
  sampler.sample(table, device.span().subspan(start, count), state, nullptr);
  copy_to_host(device.data(), std::span(out));
  for (std::size_t i = 0; i < start; ++i) EXPECT_EQ(out[i], guard);
  for (std::size_t i = start + count; i < out.size(); ++i) EXPECT_EQ(out[i], guard);
  return {out.begin() + static_cast<std::ptrdiff_t>(start), out.end() - 3};
}

inline verification::Counts counted(const GpuSampler& sampler, const DeviceTable& table,
                                    std::uint64_t count, RandomState state) {
  verification::Counts counts(table.size(), 0);
  DeviceBuffer<std::uint64_t> device(counts.size());
  copy_to_device(std::span<const std::uint64_t>(counts), device.data());
  sampler.count(table, count, device.span(), state, nullptr);
  copy_to_host(device.data(), std::span(counts));
  return counts;
}

/// The words of samples, of 7 or 10 rounds, by their numbers.
[[nodiscard]] inline auto split_words_of(std::uint64_t seed, int rounds) {
  return [rounds, seven = random::SplitWords<7>(seed), ten = random::SplitWords<10>(seed)](
             std::uint64_t index) { return rounds == 7 ? seven.word(index) : ten.word(index); };
}

/// What a sectioned sampler must draw: sample k with word `offset + k`.
inline std::vector<Index> sectioned_on_host(const HostTable& table, Index section_rows,
                                            std::size_t count, RandomState state, int rounds,
                                            SectionCounts counts = SectionCounts::exact) {
  const split::Sections sections{table.size(), section_rows};
  const SectionTree tree(sections, count, state, counts);
  const auto word_of = split_words_of(state.seed, rounds);
  std::vector<Index> samples(count);
  table.visit([&](auto rows) {
    for (Index section = 0; section < sections.count(); ++section) {
      const SectionShare share = tree.share(section);
      const Index first = sections.start(section);
      for (std::uint64_t k = share.first_sample; k < share.first_sample + share.samples; ++k) {
        const RowChoice choice =
            choose_row(word_of(state.offset + k), sections.start(section + 1) - first);
        samples[k] = rows.pick(first + choice.row, choice.fraction);
      }
    }
  });
  return samples;
}

/// Place `place` of a permutation of `rounds` rounds.
template <unsigned rounds>
std::uint64_t place_in_order(std::uint64_t size, std::uint64_t seed, std::uint64_t place) {
  using Bijection = shuffle::ProductFeistel<rounds>;
  return shuffle::CycleWalk<Bijection>(size, Bijection(size, seed))(place);
}

/// What `DirectSectionedGpuSampler` must draw, with words of 7 or 10 rounds: as its class says.
inline std::vector<Index> drawn_in_blocks_on_host(const HostTable& table, const SampleBlocks& cut,
                                                  std::size_t count, RandomState state,
                                                  int rounds) {
  const auto word = split_words_of(state.seed, rounds);
  const auto count_word = split_words_of(
      random::philox_word(state.seed, state.offset, random::sections_subsequence), rounds);
  const split::Sections sections{table.size(), std::min(cut.section_rows, table.size())};
  std::vector<Index> samples(count);
  for (std::uint64_t first = 0; first < count; first += cut.samples) {
    const std::uint64_t size = std::min<std::uint64_t>(cut.samples, count - first);
    std::vector<Index> counts(sections.count(), 0);
    for (std::uint64_t k = first; k < first + size; ++k) {
      ++counts[choose_row(count_word(k), table.size()).row / sections.start(1)];
    }
    std::vector<Index> grouped;
    table.visit([&](auto rows) {
      for (Index section = 0; section < sections.count(); ++section) {
        const Index first_row = sections.start(section);
        for (Index i = 0; i < counts[section]; ++i) {
          const RowChoice choice = choose_row(word(state.offset + first + grouped.size()),
                                              sections.start(section + 1) - first_row);
          grouped.push_back(rows.pick(first_row + choice.row, choice.fraction));
        }
      }
    });
    const std::uint64_t seed =
        random::philox_word(state.seed, state.offset + first, random::orders_subsequence);
    for (std::uint64_t place = 0; place < size; ++place) {
      samples[first + place] =
          grouped[size == cut.samples && size >= 1U << 18 ? place_in_order<10>(size, seed, place)
                                                          : place_in_order<24>(size, seed, place)];
    }
  }
  return samples;
}

}  // namespace wrsgpu
