// Tables of many segments on the GPU, compared with the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "error_message.hpp"
#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "segment_tables.hpp"
#include "verification/brief.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/gpu_segmented_sampler.cuh"

namespace wrsgpu::segments {
namespace {

using GpuSegmented = GpuTest;

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  copy_to_device(std::span(host), device.data());
  return device;
}
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& device) {
  std::vector<T> host(device.size());
  copy_to_host(device.data(), std::span(host));
  return host;
}
template <class T>
std::span<const T> constant(const DeviceBuffer<T>& buffer) {
  return buffer.span();
}

/// The first row of the GPU that is not that of the host; the number of rows if none is.
std::size_t first_difference(const SegmentedSampler& host, const GpuSegmentedSampler& device) {
  const HostBuffer<CompactRow> rows = device.rows_to_host();
  EXPECT_EQ(rows.size(), host.rows().size());
  std::size_t i = 0;
  while (i < rows.size() && rows[i].threshold == host.rows()[i].threshold &&
         rows[i].alias == host.rows()[i].alias) {
    ++i;
  }
  return i;
}

template <class T>
void expect_same_tables(const Segmented<T>& segments, const SegmentedSamplerOptions& options = {}) {
  const SegmentedSampler host(segments.offsets, segments.weights, options);
  const GpuSegmentedSampler device(segments.offsets, segments.weights, options);
  EXPECT_EQ(first_difference(host, device), segments.weights.size());
}

/// Segments of random lengths, of which every eighth has up to `longest` items and the others up to
/// 40; some without weight, some empty.
Segmented<float> random_segments(Index items, Index longest, unsigned seed) {
  std::mt19937 random(seed);
  Segmented<float> segments;
  while (segments.weights.size() < items) {
    std::vector<float> weights(random() % 8 == 0 ? random() % longest : random() % 40);
    const unsigned kind = random() % 4;
    for (float& weight : weights) {
      weight = kind == 0   ? 0
               : kind == 1 ? static_cast<float>(random() % 3)
               : kind == 2 ? static_cast<float>(random()) * 0x1p-32F
                           : std::ldexp(1.F, static_cast<int>(random() % 60) - 30);
    }
    segments.add(weights);
  }
  segments.add(std::vector<float>{});
  return segments;
}

TEST_F(GpuSegmented, TablesAreThoseOfTheHost) {
  std::vector<Index> lengths = verification::adversarial_sizes();
  lengths.insert(lengths.end(), {1791, 1792, 1793, 2047, 2048, 2049, 6000});
  expect_same_tables(adversarial_segments<float>(lengths));
  expect_same_tables(adversarial_segments<double>(lengths));
}

TEST_F(GpuSegmented, TablesOfRandomSegmentsAreThoseOfTheHost) {
  for (unsigned seed = 0; seed < (verification::is_brief() ? 2U : 20U); ++seed) {
    expect_same_tables(random_segments(100'000, seed % 2 == 0 ? 300 : 9000, seed),
                       {.empty_ok = true});
  }
  // Hundreds of parts, of several long segments.
  expect_same_tables(random_segments(3'000'000, 1'000'000, 77), {.empty_ok = true});
}

TEST_F(GpuSegmented, TablesOfLongSegmentsAreThoseOfTheHost) {
  // Of one_heavy_last, the last part has more mass than fits in keys.
  for (const char* family : {"uniform", "powerlaw_1", "one_heavy_last", "ramp_from_zero",
                             "alternating_blocks", "equal_tenth"}) {
    Segmented<float> segments;
    for (const Index items : {3U, 70'001U, 5000U, 2048U * 64, 2048U * 64 + 1}) {
      segments.add(verification::find_weight_family(family).make(items));
    }
    expect_same_tables(segments);
  }
}

TEST_F(GpuSegmented, SegmentsOfFewAndOfMorePartsAmongMillionsOfItems) {
  // Of so many items, segments of more than 64 parts are another kernel's, of more than 1,024 by
  // several blocks.
  Segmented<float> segments;
  for (const char* family : {"powerlaw_1", "one_heavy_last"}) {
    for (const Index items : {2048U * 64, 2048U * 64 + 1, 2048U * 1024 + 1}) {
      segments.add(verification::find_weight_family(family).make(items));
    }
    segments.add(std::vector<float>(2048U * 1024 + 1));
  }
  expect_same_tables(segments, {.empty_ok = true});
}

TEST_F(GpuSegmented, ThousandsOfEmptySegmentsFollowEachOther) {
  Segmented<float> segments;
  for (const std::size_t empty : {0U, 1U, 127U, 128U, 40'000U, 5U, 3000U}) {
    for (const std::size_t items : {1U, 700U, 1347U, 1348U, 2048U, 2049U, 31U}) {
      segments.add(std::vector<float>(items, 0.5F));
      segments.weights[segments.weights.size() - 1] = 3;
      segments.offsets.insert(segments.offsets.end(), empty, segments.weights.size());
    }
  }
  expect_same_tables(segments, {.empty_ok = true});
}

TEST_F(GpuSegmented, SegmentsCrossBlocksAtEveryOffset) {
  // A prime, so that the borders of chunks and tasks are everywhere in such a pair.
  constexpr Index pair = 2099;
  std::mt19937 random(4);
  std::vector<float> weights(pair);
  for (float& weight : weights) weight = static_cast<float>(random()) * 0x1p-32F;
  Segmented<float> segments;
  for (Index length = 1; length < pair; length += verification::is_brief() ? 40 : 1) {
    segments.add(std::span(weights).first(length));
    segments.add(std::span(weights).subspan(length));
  }
  expect_same_tables(segments);
}

TEST_F(GpuSegmented, WeightsOfAnyAlignment) {
  const Segmented<float> segments = random_segments(20'000, 5000, 9);
  const SegmentedSamplerOptions options{.empty_ok = true};
  const SegmentedSampler host(segments.offsets, segments.weights, options);
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::vector<float> shifted(shift);
    shifted.insert(shifted.end(), segments.weights.begin(), segments.weights.end());
    const DeviceBuffer<float> weights = on_device(shifted);
    const GpuSegmentedSampler device(
        segments.offsets, WeightsView::on_device(weights.span().subspan(shift)), options);
    EXPECT_EQ(first_difference(host, device), segments.weights.size()) << shift;
  }
}

TEST_F(GpuSegmented, DrawsAndWalksAreThoseOfTheHost) {
  const Segmented<float> segments = random_segments(100'000, 9000, 5);
  std::vector<Index> from(10'001);
  for (std::size_t t = 0; t < from.size(); ++t) {
    from[t] = static_cast<Index>(t * 7919 % segments.count());
  }
  std::vector<Index> payload(segments.weights.size());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<Index>(i * 48'271 % segments.count());
  }
  const DeviceBuffer<Index> device_from = on_device(from);
  const DeviceBuffer<Index> device_payload = on_device(payload);
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const SegmentedSamplerOptions options{.empty_ok = true, .generator = generator};
    const SegmentedSampler host(segments.offsets, segments.weights, options);
    const GpuSegmentedSampler device(segments.offsets, segments.weights, options);
    for (const std::uint64_t k : {1, 2, 3, 4, 7}) {
      std::vector<Index> out(from.size() * k);
      std::vector<Index> counts(from.size());
      DeviceBuffer<Index> memory(out.size() + 1);
      const std::span<Index> device_out = memory.span().subspan(k % 2, out.size());
      const auto drawn = [&] {
        std::vector<Index> samples(out.size());
        copy_to_host(device_out.data(), std::span(samples));
        return samples;
      };
      DeviceBuffer<Index> device_counts(counts.size());
      // Every place in a quad of words, and the wrap-around of the stream.
      for (const std::uint64_t offset : {0ULL, 1ULL, 2ULL, 3ULL, ~0ULL - 1}) {
        host.draw(from, k, out, {3, offset}, {.local_numbers = true, .counts = counts});
        device.draw(constant(device_from), k, device_out, {3, offset},
                    {.local_numbers = true, .counts = device_counts.span()});
        ASSERT_EQ(drawn(), out);
        ASSERT_EQ(on_host(device_counts), counts);
        host.draw(from, k, out, {3, offset}, {.payload = payload});
        device.draw(constant(device_from), k, device_out, {3, offset},
                    {.payload = constant(device_payload)});
        ASSERT_EQ(drawn(), out);
      }
    }
    std::vector<Index> all(segments.count() * 3);
    DeviceBuffer<Index> device_all(all.size());
    host.draw_from_all(3, all, {8, 1});
    device.draw_from_all(3, device_all.span(), {8, 1});
    EXPECT_EQ(on_host(device_all), all);
    for (const std::uint64_t length : {0, 1, 7, 8, 13, 80}) {
      std::vector<Index> walks(from.size() * (length + 1));
      DeviceBuffer<Index> device_walks(walks.size());
      host.walk(from, length, payload, walks, {9, 5});
      device.walk(constant(device_from), length, constant(device_payload), device_walks.span(),
                  {9, 5});
      ASSERT_EQ(on_host(device_walks), walks) << "length " << length;
    }
  }
}

TEST_F(GpuSegmented, MultinomialIsThatOfTheHost) {
  std::mt19937 random(1);
  for (const std::size_t columns : {1U, 3U, 16U, 100U, 1025U, 2048U, 2049U}) {
    const std::size_t rows = 20'000 / columns + 2;
    std::vector<float> weights(rows * columns);
    for (float& weight : weights) weight = static_cast<float>(random() % 3);
    std::fill_n(weights.begin(), columns, 0.F);
    const DeviceBuffer<float> device_weights = on_device(weights);
    std::vector<Index> out(rows * 5);
    DeviceBuffer<Index> device_out(out.size());
    multinomial(weights, rows, columns, 5, out, {1, 3}, {.empty_ok = true});
    gpu_multinomial(WeightsView::on_device(device_weights.span()), rows, columns, 5,
                    device_out.span(), {1, 3});
    EXPECT_EQ(on_host(device_out), out) << columns << " columns";
  }
}

TEST_F(GpuSegmented, FewSamplesOfLongRowsAreThoseOfTheHost) {
  struct Sizes {
    std::size_t rows;
    std::size_t columns;
    std::size_t k;
  };
  for (const auto& [rows, columns, k] : {
           Sizes{1, 2049, max_searched_samples},  // several of a block
           Sizes{1, 2049, max_searched_samples + 1},
           Sizes{3, 4096, 700},
           Sizes{50, 5000, 1},
           Sizes{2, verification::is_brief() ? 9001U : 700'001U, 100},
       }) {
    for (const std::string family : {"uniform", "mostly_zeros", "one_heavy_last", "sixty_orders"}) {
      std::vector<double> weights =
          verification::find_weight_family(family).make(static_cast<Index>(rows * columns));
      if (rows > 1) std::fill_n(weights.begin(), columns, 0.0);
      const DeviceBuffer<double> device_weights = on_device(weights);
      std::vector<Index> out(rows * k);
      DeviceBuffer<Index> device_out(out.size());
      multinomial(weights, rows, columns, k, out, {5, 6}, {.empty_ok = true});
      gpu_multinomial(WeightsView::on_device(device_weights.span()), rows, columns, k,
                      device_out.span(), {5, 6});
      EXPECT_EQ(on_host(device_out), out)
          << k << " of each of " << rows << " rows of " << columns << ", " << family;
    }
  }
}

/// What the functions of rows write to 64-bit numbers, and whether they report an invalid row.
std::pair<std::vector<std::uint64_t>, bool> drawn_wide(bool replace,
                                                       const std::vector<double>& matrix,
                                                       std::size_t rows, std::size_t k) {
  const DeviceBuffer<double> weights = on_device(matrix);
  DeviceBuffer<std::uint64_t> out(rows * k);
  DeviceBuffer<Index> invalid = on_device(std::vector<Index>{0});
  const auto view = WeightsView::on_device(weights.span());
  const std::size_t columns = matrix.size() / rows;
  if (replace) {
    gpu_multinomial(view, rows, columns, k, out.span(), {6, 2}, Generator::philox7, nullptr,
                    invalid.data());
  } else {
    gpu_choose_from_rows(view, rows, columns, k, out.span(), {6, 2}, Generator::philox7, nullptr,
                         invalid.data());
  }
  return {on_host(out), on_host(invalid)[0] != 0};
}

TEST_F(GpuSegmented, RowsAreDrawnAs64BitNumbersAndChecked) {
  for (const bool replace : {true, false}) {
    const auto draw = replace ? &multinomial : &choose_from_rows;
    // With replacement, blocks share the many samples of few rows.
    const std::size_t k = replace ? 100'003 : 60;
    for (const std::size_t columns : {70U, 256U, 257U, 2048U, 2049U}) {
      for (const std::size_t rows : {1U, 3U}) {
        std::vector<double> matrix(rows * columns);
        for (std::size_t i = 0; i < matrix.size(); ++i) {
          matrix[i] = i % 7 == 0 ? 0 : std::ldexp(1, static_cast<int>(i % 60));
        }
        std::vector<Index> expected(rows * k);
        draw(matrix, rows, columns, k, expected, {6, 2}, {.generator = Generator::philox7});
        const auto [out, invalid] = drawn_wide(replace, matrix, rows, k);
        EXPECT_TRUE(std::ranges::equal(out, expected)) << rows << " rows of " << columns;
        EXPECT_FALSE(invalid);
        for (const double weight : {-1.0, -0x1p-1074, std::nan(""), HUGE_VAL}) {
          std::vector<double> bad = matrix;
          bad[matrix.size() - 2] = weight;
          EXPECT_TRUE(drawn_wide(replace, bad, rows, 2).second) << weight << ", " << columns;
        }
        std::fill_n(matrix.end() - static_cast<std::ptrdiff_t>(columns), columns - 1, 0.0);
        matrix.back() = replace ? 0 : 1;  // no weight, or one
        const auto [lacking, found] = drawn_wide(replace, matrix, rows, 2);
        EXPECT_TRUE(found);
        EXPECT_EQ(lacking.back(), ~std::uint64_t{0});
        EXPECT_FALSE(drawn_wide(false, std::vector<double>{0, 1}, 1, 1).second);
      }
    }
  }
  EXPECT_TRUE(drawn_wide(true, {}, 1, 2).second);
}

TEST_F(GpuSegmented, ChoicesAreThoseOfTheHost) {
  const Segmented<float> segments = random_segments(100'000, 9000, 3);
  const SegmentedSamplerOptions options{.empty_ok = true};
  const SegmentedSampler host(segments.offsets, segments.weights, options);
  const GpuSegmentedSampler device(segments.offsets, segments.weights, options);
  const DeviceBuffer<float> weights = on_device(segments.weights);
  std::vector<Index> from(301);
  for (std::size_t t = 0; t < from.size(); ++t) {
    from[t] = static_cast<Index>(t * 7919 % segments.count());
  }
  const DeviceBuffer<Index> device_from = on_device(from);
  for (const std::uint64_t k : {1, 10, 255, 1024, 3000}) {
    std::vector<Index> out(from.size() * k);
    std::vector<Index> counts(from.size());
    DeviceBuffer<Index> device_out(out.size());
    DeviceBuffer<Index> device_counts(counts.size());
    constexpr RandomState state{4, (std::uint64_t{1} << 32) - 100};
    host.choose(segments.weights, from, k, out, state, {.counts = counts});
    device.choose(WeightsView::on_device(weights.span()), constant(device_from), k,
                  device_out.span(), state, {.counts = device_counts.span()});
    EXPECT_EQ(on_host(device_out), out) << "k = " << k;
    EXPECT_EQ(on_host(device_counts), counts) << "k = " << k;
  }
  // Rows of a matrix, of double weights.
  const std::vector<double> matrix = verification::find_weight_family("sixty_orders").make(3000);
  const DeviceBuffer<double> device_matrix = on_device(matrix);
  std::vector<Index> out(3 * 1200);
  DeviceBuffer<Index> device_out(out.size());
  choose_from_rows(matrix, 3, 1000, 1200, out, {1, 2});
  gpu_choose_from_rows(WeightsView::on_device(device_matrix.span()), 3, 1000, 1200,
                       device_out.span(), {1, 2});
  EXPECT_EQ(on_host(device_out), out);
}

TEST_F(GpuSegmented, RebuildsInPlaceInAGraph) {
  const Segmented<float> first = random_segments(50'000, 9000, 1);
  Segmented<float> second = first;  // the same offsets
  for (float& weight : second.weights) weight += 1;
  const DeviceBuffer<std::uint64_t> offsets = on_device(first.offsets);
  DeviceBuffer<float> weights = on_device(first.weights);
  const auto device_segments = SegmentsView::on_device(offsets.span());
  const auto device_weights = WeightsView::on_device(weights.span());
  GpuSegmentedSampler sampler(device_segments, device_weights, {.empty_ok = true});
  sampler.release_temporary_memory();  // the capture allocates it again
  DeviceBuffer<Index> out(first.count() * 2);
  const Graph graph([&](cudaStream_t stream) {
    sampler.rebuild(device_segments, device_weights, stream);
    sampler.draw_from_all(2, out.span(), {1, 2}, {}, stream);
  });
  for (const Segmented<float>* segments :
       std::initializer_list<const Segmented<float>*>{&second, &first}) {
    copy_to_device(std::span<const float>(segments->weights), weights.data());
    sampler.finish(graph.launch());
    const SegmentedSampler host(segments->offsets, segments->weights, {.empty_ok = true});
    EXPECT_EQ(first_difference(host, sampler), segments->weights.size());
    std::vector<Index> expected(out.size());
    host.draw_from_all(2, expected, {1, 2});
    EXPECT_EQ(on_host(out), expected);
  }
}

TEST_F(GpuSegmented, InvalidArgumentsAreNamedAsOnTheHost) {
  using Offsets = std::vector<std::int64_t>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> zeros(5000);
  std::vector<double> negative = zeros;
  negative[4000] = -3;
  const std::pair<Offsets, std::vector<double>> cases[] = {
      {{0, 2, 4}, {1, 2, 3, -1}},
      {{0, 2, 4}, {1, std::nan(""), infinity, 1}},
      {{0, 1, 3}, {1, 0, 0}},
      {{0, 1, 1}, {1}},
      {{0, 2, 2, 4, 5}, {1, 0, 3, 0, 0}},
      {{0, 2, 4, 5}, {0, 0, 3, -1, 1}},
      {{1, 2}, {1, 2}},
      {{0, 2, 1}, {1, 2}},
      {{0, 1}, {1, 2}},
      {{0, -1, 2}, {1, 2}},
      {{0}, {}},
      {{0, 5000}, zeros},
      {{0, 5000}, negative},
  };
  for (const auto& [offsets, weights] : cases) {
    const std::string expected = error_of([&] { SegmentedSampler(offsets, weights); });
    EXPECT_NE(expected, "no error");
    EXPECT_EQ(error_of([&] { GpuSegmentedSampler(offsets, weights); }), expected);
  }
}

TEST_F(GpuSegmented, InvalidOffsetsOnAStreamGiveNoItem) {
  const DeviceBuffer<int> good = on_device(std::vector<int>{0, 2, 4});
  const DeviceBuffer<int> bad = on_device(std::vector<int>{0, 1'000'000'000, 4});
  const DeviceBuffer<float> weights = on_device(std::vector<float>{1, 2, 3, 4});
  const auto view = WeightsView::on_device(weights.span());
  GpuSegmentedSampler sampler(SegmentsView::on_device(good.span()), view);
  EXPECT_NE(error_of([&] { sampler.finish(nullptr); }), "no error");
  sampler.rebuild(SegmentsView::on_device(bad.span()), view, nullptr);
  DeviceBuffer<Index> out(4);
  sampler.draw_from_all(2, out.span(), {});
  EXPECT_EQ(on_host(out), std::vector<Index>(4, no_item));
  EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
            "argument 'segments': segment 0 begins at 0 and ends at 1000000000, but there are 4 "
            "weights");
  EXPECT_EQ(sampler.segments(), 0U);
  sampler.rebuild(SegmentsView::on_device(good.span()), view, nullptr);
  sampler.finish(nullptr);
  EXPECT_EQ(sampler.segments(), 2U);
  EXPECT_NE(error_of([&] {
              sampler.rebuild(SegmentsView::equal(4, 1), view, nullptr);
            }).find("more than the capacity"),
            std::string::npos);
}

TEST_F(GpuSegmented, TablesOf10To8ItemsAreExact) {
  if (verification::is_brief()) GTEST_SKIP() << "needs 10^8 items";
  constexpr std::uint64_t items = 100'000'000;
  std::vector<float> weights(items);
  for (std::uint64_t i = 0; i < items; ++i) {
    // Positive, as a segment of one item must be.
    weights[i] = static_cast<float>((i * 2'654'435'761U) & 0xFFFF'FFFFU) * 0x1p-32F + 0x1p-33F;
  }
  // The last ones but one, by turns, need as many tasks as there can be.
  const std::vector<std::vector<std::uint64_t>> lengths = {{16}, {100}, {1, 2048}, {items}};
  for (const std::vector<std::uint64_t>& by_turns : lengths) {
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t i = 0; offsets.back() < items; ++i) {
      offsets.push_back(std::min(items, offsets.back() + by_turns[i % by_turns.size()]));
    }
    const GpuSegmentedSampler sampler(offsets, weights);
    const HostBuffer<CompactRow> rows = sampler.rows_to_host();
    EXPECT_EQ(verification::fault_of_segments(offsets, weights, rows.span()), "");
  }
}

}  // namespace
}  // namespace wrsgpu::segments
