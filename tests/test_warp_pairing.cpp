// The warp-parallel table on the host: the weights for which it exists, its exactness, and its
// agreement with the definition in docs/merge_construction.md, which is evaluated here step by
// step.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cpu_reference/tiled_sweep.hpp"
#include "overflow_tile_weights.hpp"
#include "registry/verify.hpp"
#include "table_rows.hpp"
#include "tied_tiles.hpp"
#include "tile_layouts.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/avx2.hpp"
#include "wrsgpu/detail/core/avx512.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/detail/warp_pairing/host_warp_pairing.hpp"
#include "wrsgpu/detail/warp_pairing/lane_vectors.hpp"

namespace wrsgpu::verification {
namespace {

constexpr std::int64_t bucket = static_cast<std::int64_t>(fixed_bucket);

/// An item in a tile, and its excess over a bucket there.
struct Part {
  Index item;
  std::int64_t excess;
};

/// Evaluates the definition.
class Definition {
 public:
  explicit Definition(const std::vector<double>& weights)
      : weights_(weights),
        masses_(quantise(weights, 1)),
        tiles_(find_mass_tiles(weights, 1).tiles),
        rows_(weights.size()) {
    supported_ = export_items() && take();
  }

  [[nodiscard]] bool is_supported() const { return supported_; }
  [[nodiscard]] const std::vector<PlainRow>& rows() const { return rows_; }

 private:
  /// An exported item, and the range of its excess in the prefix sums of all exported excesses.
  struct ExportedItem {
    Index item;
    std::int64_t begin;
    std::int64_t end;
  };

  [[nodiscard]] Index items() const { return static_cast<Index>(weights_.size()); }
  [[nodiscard]] Index end_of(Index tile) const {
    return std::min(items(), (tile + 1) * mass_tile_items);
  }
  [[nodiscard]] std::int64_t balance_of(Index tile) const {
    std::int64_t balance = 0;
    for (Index i = tile * mass_tile_items; i < end_of(tile); ++i) balance += excess_of(i);
    return balance;
  }
  [[nodiscard]] std::int64_t excess_of(Index i) const {
    return static_cast<std::int64_t>(masses_[i]) - bucket;
  }

  /// The heaviest item of each group of eight. Weights that differ only in their last three bits
  /// count as equal, and the last of equal ones is selected.
  [[nodiscard]] std::vector<Index> candidates(Index tile) const {
    std::vector<Index> found;
    for (Index begin = tile * mass_tile_items; begin < end_of(tile); begin += 8) {
      Index heaviest = begin;
      for (Index i = begin; i < std::min(begin + 8, end_of(tile)); ++i) {
        const auto rounded = [&](Index k) {
          return weights_[k] > 0 ? std::bit_cast<std::uint64_t>(weights_[k]) >> 3 : 0;
        };
        if (rounded(i) >= rounded(heaviest)) heaviest = i;
      }
      found.push_back(heaviest);
    }
    return found;
  }

  /// The items of `of` whose excess is at least excess / places, rounded up.
  [[nodiscard]] std::vector<Index> large_enough(const std::vector<Index>& of, std::int64_t excess,
                                                std::int64_t places) const {
    const std::int64_t minimum = (excess + places - 1) / places;
    std::vector<Index> found;
    std::copy_if(of.begin(), of.end(), std::back_inserter(found),
                 [&](Index i) { return excess_of(i) >= minimum; });
    return found;
  }
  /// The items that may be exported, in order: the candidates and, while they do not have the
  /// excess, other items.
  [[nodiscard]] std::vector<Index> chosen(Index tile, std::int64_t excess) const {
    std::vector<Index> found = large_enough(candidates(tile), excess, 256);
    std::vector<Index> all(end_of(tile) - tile * mass_tile_items);
    std::iota(all.begin(), all.end(), tile * mass_tile_items);
    for (int round = 0; round < 3; ++round) {
      const std::vector<Index> before = found;
      std::int64_t left = excess;
      for (const Index i : before) left -= excess_of(i);
      if (left <= 0 || before.empty()) break;
      for (const Index i :
           large_enough(all, left, 256 - static_cast<std::int64_t>(before.size()))) {
        if (std::find(before.begin(), before.end(), i) == before.end()) found.push_back(i);
      }
    }
    return found;
  }

  [[nodiscard]] bool export_items() {
    std::int64_t before = 0;
    for (Index tile = 0; tile < tiles_.size(); ++tile) {
      const std::int64_t balance = balance_of(tile);
      if (balance <= 0) continue;
      std::int64_t sum = 0;
      for (const Index item : chosen(tile, balance)) {
        if (sum >= balance) break;
        const std::int64_t end = std::min(balance, sum + excess_of(item));
        exported_.push_back({item, before + sum, before + end});
        if (sum + excess_of(item) >= balance)
          residuals_[tile] = {item, sum + excess_of(item) - balance};
        sum += excess_of(item);
      }
      if (sum < balance) return false;
      before += balance;
    }
    return true;
  }

  [[nodiscard]] bool take() {
    std::int64_t lack_before = 0;
    std::size_t overflow_count = 0;
    for (Index tile = 0; tile < tiles_.size(); ++tile) {
      if (!units_are_of_light_items(tile)) return false;
      std::vector<Part> received;
      const std::int64_t balance = balance_of(tile);
      if (balance <= 0) {
        const std::int64_t end = lack_before - balance;
        for (const ExportedItem& exported : exported_) {
          const std::int64_t from = std::max(exported.begin, lack_before);
          if (from >= std::min(exported.end, end)) continue;
          if (exported.end > end) {
            residuals_[tile] = {exported.item, end - from};
          } else {
            received.push_back({exported.item, exported.end - from});
          }
        }
        lack_before = end;
      }
      if (received.size() > 512) return false;
      if (received.size() > 160) ++overflow_count;
      make_rows(tile, received);
    }
    return overflow_count <= (tiles_.size() + 15) / 16;
  }

  /// Returns whether the units left by rounding belong to light items and, if they are at most 256,
  /// to light items among the first 1,024.
  [[nodiscard]] bool units_are_of_light_items(Index tile) const {
    const IntegerWeight<double, std::uint64_t> integer(tiles_[tile].shift, tiles_[tile].slope);
    const Index begin = tile * mass_tile_items;
    int units = 0;
    bool are_in_first_half = true;
    for (Index i = begin; i < end_of(tile); ++i) {
      const std::uint64_t rounded = integer.nearest(weights_[i]);
      if (rounded == masses_[i]) continue;
      const bool is_one = rounded + 1 == masses_[i] || rounded == masses_[i] + 1;
      if (!is_one || rounded >= fixed_bucket - 1) return false;
      ++units;
      if (i >= begin + 1024) are_in_first_half = false;
    }
    return are_in_first_half || units > 256;
  }

  using Parts = std::deque<Part>;
  static Part pop(Parts& parts) {
    const Part first = parts.front();
    parts.pop_front();
    return first;
  }

  void make_rows(Index tile, const std::vector<Part>& received) {
    const Index begin = tile * mass_tile_items;
    Parts lights[2];
    Parts heavies[2];
    const auto is_exported = [&](Index i) {
      return std::any_of(exported_.begin(), exported_.end(),
                         [i](const ExportedItem& exported) { return exported.item == i; });
    };
    for (Index i = begin; i < end_of(tile); ++i) {
      if (is_exported(i)) continue;
      Parts* const lists = excess_of(i) < 0 ? lights : heavies;
      lists[i < begin + 1024 ? 0 : 1].push_back({i, excess_of(i)});
    }
    heavies[1].insert(heavies[1].end(), received.begin(), received.end());
    const Part residual = residuals_.contains(tile) ? residuals_[tile] : Part{0, 0};
    std::int64_t residuals[2] = {residual.excess / 2, residual.excess - residual.excess / 2};
    for (int half : {0, 1}) {
      if (heavies[half].size() >= 32)
        sweep_half(lights[half], heavies[half], residuals[half], residual.item);
    }
    lights[0].insert(lights[0].end(), lights[1].begin(), lights[1].end());
    heavies[0].insert(heavies[0].end(), heavies[1].begin(), heavies[1].end());
    sweep_rest(lights[0], heavies[0], {residual.item, residuals[0] + residuals[1]});
  }

  /// Lanes that can step, in the order of lanes.
  [[nodiscard]] static std::vector<bool> going(const std::vector<Part>& lanes, const Parts& lights,
                                               const Parts& heavies) {
    std::vector<bool> goes;
    goes.reserve(lanes.size());
    std::size_t light = 0;
    std::size_t heavy = 0;
    for (const Part& lane : lanes) {
      goes.push_back(lane.excess >= 0 ? light++ < lights.size() : heavy++ < heavies.size());
    }
    return goes;
  }
  void step(std::vector<Part>& lanes, const std::vector<bool>& goes, Parts& lights,
            Parts& heavies) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (!goes[lane]) continue;
      Part& current = lanes[lane];
      const bool is_heavy = current.excess >= 0;
      const Part taken = pop(is_heavy ? lights : heavies);
      const Part light = is_heavy ? taken : current;
      const Part heavy = is_heavy ? current : taken;
      store(light.item, bucket + light.excess, heavy.item);
      current = {heavy.item, heavy.excess + light.excess};
    }
  }

  void sweep_half(Parts& lights, Parts& heavies, std::int64_t& residual, Index residual_item) {
    std::vector<Part> lanes(32);
    for (Part& lane : lanes) lane = pop(heavies);
    for (;;) {
      const std::vector<bool> goes = going(lanes, lights, heavies);
      if (std::count(goes.begin(), goes.end(), true) < 20) break;
      step(lanes, goes, lights, heavies);
    }
    for (;;) {
      const auto is_large = [](const Part& lane) { return lane.excess >= 6 * bucket; };
      if (lights.size() < 32) break;
      if (std::none_of(lanes.begin(), lanes.end(), is_large) && residual < 6 * bucket) break;
      std::int64_t run = 0;
      for (std::size_t k = 0; k < 32; ++k) run -= lights[k].excess;
      const auto can = std::find_if(lanes.begin(), lanes.end(),
                                    [run](const Part& lane) { return lane.excess >= run; });
      if (can == lanes.end() && residual < run) break;
      for (int k = 0; k < 32; ++k) {
        const Part light = pop(lights);
        store(light.item, bucket + light.excess, can == lanes.end() ? residual_item : can->item);
      }
      (can == lanes.end() ? residual : can->excess) -= run;
    }
    std::reverse(lanes.begin(), lanes.end());
    for (const Part& lane : lanes) (lane.excess >= 0 ? heavies : lights).push_front(lane);
  }

  void sweep_rest(Parts& lights, Parts& heavies, const Part& residual) {
    std::vector<Part> lanes;
    while (lanes.size() < 32 && !heavies.empty()) lanes.push_back(pop(heavies));
    while (lanes.size() < 32 && !lights.empty()) lanes.push_back(pop(lights));
    for (;;) {
      const std::vector<bool> goes = going(lanes, lights, heavies);
      const auto count = std::count(goes.begin(), goes.end(), true);
      if (count == 0 || (heavies.empty() && count < 8)) break;
      step(lanes, goes, lights, heavies);
    }
    for (const Part& heavy : heavies) store(heavy.item, bucket, heavy.item);
    // Merge of the current items and the remaining light items.
    std::vector<Part> light;
    std::vector<Part> heavy;
    for (const Part& lane : lanes) (lane.excess < 0 ? light : heavy).push_back(lane);
    light.insert(light.end(), lights.begin(), lights.end());
    const std::size_t with_rows = heavy.size();
    if (residual.excess > 0) heavy.push_back(residual);
    std::vector<std::int64_t> deficits{0};
    for (const Part& part : light) deficits.push_back(deficits.back() - part.excess);
    std::vector<std::int64_t> excesses(heavy.size());
    std::int64_t all_excesses = 0;
    for (std::size_t h = 0; h < heavy.size(); ++h) {
      all_excesses += heavy[h].excess;
      excesses[h] = all_excesses;
    }
    ASSERT_EQ(deficits.back(), all_excesses);
    for (std::size_t l = 0; l < light.size(); ++l) {
      const auto donor = std::lower_bound(excesses.begin(), excesses.end(), deficits[l]);
      store(light[l].item, bucket + light[l].excess,
            heavy.at(static_cast<std::size_t>(donor - excesses.begin())).item);
    }
    for (std::size_t h = 0; h < with_rows; ++h) {
      const auto end = std::upper_bound(deficits.begin(), deficits.end(), excesses[h]);
      if (end == deficits.end()) {
        store(heavy[h].item, bucket, heavy[h].item);
      } else {
        store(heavy[h].item, bucket + excesses[h] - *end, heavy.at(h + 1).item);
      }
    }
  }

  void store(Index item, std::int64_t own, Index alias) {
    rows_[item] = {static_cast<double>(own), alias};
  }

  const std::vector<double>& weights_;
  HostBuffer<std::uint64_t> masses_;
  std::vector<MassTile> tiles_;
  std::vector<PlainRow> rows_;
  std::vector<ExportedItem> exported_;
  std::map<Index, Part> residuals_;  // of items that have no row in the tile
  bool supported_ = false;
};

constexpr HostCode codes[] = {HostCode::best, HostCode::avx2, HostCode::portable};

[[nodiscard]] std::string name_of(HostCode code) {
  switch (code) {
    case HostCode::best: return "best";
    case HostCode::avx2: return "avx2";
    case HostCode::portable: return "portable";
  }
  return "no";
}

/// Returns nullopt if the weights are not supported.
template <class T>
[[nodiscard]] std::optional<std::vector<PlainRow>> warp_parallel_rows(
    const std::vector<T>& weights, unsigned threads = 1, HostCode code = HostCode::best,
    Layout layout = Layout::wide_rows) {
  HostTable table(layout, static_cast<Index>(weights.size()), static_cast<double>(fixed_bucket));
  const bool is_supported = table.visit([&](const auto& rows) {
    return detail::warp_pairing(std::span<const T>(weights), find_mass_tiles(weights, 1), rows,
                                threads, code);
  });
  if (!is_supported) return std::nullopt;
  return plain_rows(table);
}

void expect_the_definition(const std::vector<double>& weights) {
  const Definition definition(weights);
  for (const HostCode code : codes) {
    // 8-byte rows are stored by different code.
    for (const Layout layout : {Layout::wide_rows, Layout::compact_rows}) {
      SCOPED_TRACE(name_of(code) + " code, " + std::string(to_string(layout)));
      const auto rows = warp_parallel_rows(weights, 1, code, layout);
      ASSERT_EQ(rows.has_value(), definition.is_supported());
      if (!rows) continue;
      for (std::size_t i = 0; i < rows->size(); ++i) {
        ASSERT_EQ(rows->at(i), definition.rows().at(i)) << "row " << i;
      }
    }
  }
}

void expect_supported(const std::vector<double>& weights, bool supported) {
  expect_the_definition(weights);
  EXPECT_EQ(warp_parallel_rows(weights).has_value(), supported);
}

constexpr Index around_tiles[] = {1, 2, 3, 33, 1023, 1024, 1025, 2047, 2048, 2049, 4097, 20'011};

// The device stores two candidates per byte.
TEST(WarpPairing, CandidatesAreFoundWhereTheyWerePut) {
  std::uint8_t candidates[warp_pairing::candidate_bytes];
  const auto place = [](Index group) {
    return (group * 5 + group / 7) % warp_pairing::group_items;
  };
  for (Index byte = 0; byte < warp_pairing::candidate_bytes; ++byte) {
    candidates[byte] = warp_pairing::candidates_of(place(warp_pairing::candidate_group(byte, 0)),
                                                   place(warp_pairing::candidate_group(byte, 1)));
  }
  for (Index group = 0; group < warp_pairing::tile_groups; ++group) {
    EXPECT_EQ(warp_pairing::place_in_candidates(candidates, group), place(group)) << group;
  }
}

TEST(WarpPairing, IsWhatItsDefinitionSays) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : around_tiles) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      expect_the_definition(family.make(n));
      if (HasFailure()) return;
    }
  }
}

// Small integers cause ties everywhere, and many items have exactly a bucket.
TEST(WarpPairing, IsWhatItsDefinitionSaysOfTies) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> weights = small_integers(seed, 8'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(weights.size()) + " items");
    expect_the_definition(weights);
    if (HasFailure()) return;
  }
}

// These weights are so small that only the position in the group decides, and there are none beyond
// the last item.
[[nodiscard]] std::vector<double> denormals() {
  constexpr double minimum = 0x1p-1074;
  std::vector<double> weights(2048, minimum);
  weights.insert(weights.end(), {0.0, -0.0, 7 * minimum});
  return weights;
}

TEST(WarpPairing, IsWhatItsDefinitionSaysOfDenormalNumbers) { expect_supported(denormals(), true); }

TEST(WarpPairing, IsExact) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 33U, 1025U, 2049U, 100'003U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      for (const Layout layout :
           {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
        TiledSweep table({Arithmetic::fixed_point, layout, 1}, TableForm::warp_parallel);
        table.build(weights);
        const TableReport report = verify(table, std::span<const double>(weights));
        EXPECT_TRUE(report.ok) << report.message;
      }
      if (HasFailure()) return;
    }
  }
}

// Otherwise the other tests would compare merge-path tables.
TEST(WarpPairing, SuitsShuffledWeights) {
  for (const char* name :
       {"equal_third", "uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled"}) {
    for (const Index n : {2047U, 2048U, 20'011U, 100'003U}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(n) + " items");
      EXPECT_TRUE(warp_parallel_rows(find_weight_family(name).make(n)).has_value());
    }
  }
  const std::vector<double> ramp = find_weight_family("ramp").make(100'003);
  EXPECT_FALSE(warp_parallel_rows(ramp).has_value());
}

[[nodiscard]] std::vector<float> random_weights(Index n) {
  std::vector<float> weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = static_cast<float>(random::philox_word(3, i) >> 40);
  return weights;
}

TEST(WarpPairing, DoesNotDependOnThreads) {
  const std::vector<float> weights = random_weights(300'007);
  const auto one = warp_parallel_rows(weights, 1);
  ASSERT_TRUE(one.has_value());
  const auto many = warp_parallel_rows(weights, 7);
  ASSERT_TRUE(many.has_value());
  EXPECT_TRUE(*one == *many);
}

// Otherwise other tests would compare the same code with itself.
TEST(WarpPairing, TakesTheVectorsThatTheProcessorHas) {
  EXPECT_EQ(warp_pairing::avx2_loops() != nullptr, has_avx2());
  EXPECT_EQ(warp_pairing::avx512_loops() != nullptr, has_avx512());
  EXPECT_EQ(warp_pairing::vector_loops(HostCode::best),
            has_avx512() ? warp_pairing::avx512_loops() : warp_pairing::avx2_loops());
  EXPECT_EQ(warp_pairing::vector_loops(HostCode::avx2), warp_pairing::avx2_loops());
  EXPECT_EQ(warp_pairing::vector_loops(HostCode::portable), nullptr);
}

// For these weights the last light items of some tiles are neighbours only in part.
TEST(WarpPairing, FillsWhatIsLeftWhetherNeighboursOrNot) {
  expect_the_definition(find_weight_family("powerlaw_1_shuffled").make(19'526));
}

// Unaligned rows are not written with non-temporal stores.
TEST(WarpPairing, WritesRowsAnywhere) {
  const std::vector<float> weights = random_weights(1'100'007);
  const auto items = static_cast<Index>(weights.size());
  const MassTiles tiles = find_mass_tiles(weights, 1);
  std::vector<CompactRow> aligned(items + 16);
  std::vector<CompactRow> moved(items + 16);
  const auto make = [&](CompactRow* rows) {
    return detail::warp_pairing(std::span<const float>(weights), tiles, CompactRows(rows, items),
                                1);
  };
  const auto first = [](std::vector<CompactRow>& rows) {  // aligned to a cache line
    return rows.data() + (64 - reinterpret_cast<std::uintptr_t>(rows.data()) % 64) / 8 % 8;
  };
  ASSERT_TRUE(make(first(aligned)));
  for (const Index places : {1U, 4U}) {
    CompactRow* const to = first(moved) + places;
    ASSERT_TRUE(make(to));
    EXPECT_TRUE(std::equal(to, to + items, first(aligned), [](CompactRow a, CompactRow b) {
      return a.threshold == b.threshold && a.alias == b.alias;
    }));
  }
}

TEST(WarpPairing, ExportsItemsThatEndWhereWhatATileLacksDoes) {
  for (const bool donor_is_last : {false, true}) {
    for (const Index excess : {16U, 300U})
      expect_supported(tied_tiles(donor_is_last, excess), true);
  }
}

// With non-temporal stores, too.
TEST(WarpPairing, AllCodeMakesTheSameRows) {
  const std::vector<float> weights = random_weights(1'100'007);
  const auto portable = warp_parallel_rows(weights, 2, HostCode::portable, Layout::compact_rows);
  ASSERT_TRUE(portable.has_value());
  for (const HostCode code : {HostCode::best, HostCode::avx2}) {
    const auto rows = warp_parallel_rows(weights, 2, code, Layout::compact_rows);
    ASSERT_TRUE(rows.has_value());
    EXPECT_TRUE(*rows == *portable) << name_of(code);
  }
}

// Weights whose bits differ by 7 or less count as equal here, by 8 or more not.
TEST(WarpPairing, ExportsTheHeaviestOfGroupsButForThreeBits) {
  for (const std::uint64_t more : {7U, 8U, 15U, 16U}) {
    std::vector<double> weights(mass_tile_items, 0.25);
    for (Index i = 0; i < mass_tile_items; i += warp_pairing::group_items) {
      weights[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(2.0) + more);
      weights[i + 1] = 2;
    }
    weights.resize(std::size_t{2} * mass_tile_items, 0.5);
    expect_supported(weights, true);
  }
}

// If the heaviest items of the groups have less than the excess of a tile, it exports other items.
TEST(WarpPairing, ExportsOtherItemsBesideTheHeaviestOfGroups) {
  std::vector<double> weights(std::size_t{10} * mass_tile_items, 1);
  weights[100] = 5000;
  weights[101] = 4000;
  expect_supported(weights, true);
  weights[102] = 4000;
  expect_supported(weights, true);
  // The other items are small compared with the heavy one, but not compared with the remaining
  // excess.
  std::vector<double> one_large(std::size_t{10} * mass_tile_items, 1);
  one_large[100] = 5000;
  std::fill_n(one_large.begin() + 1000, 200, 25.0);
  expect_supported(one_large, true);
}

// Weights that add up to one bucket per item are their own masses.
constexpr auto unit_bucket = static_cast<double>(fixed_bucket);

/// Gives each of these items a deficit of its share of `deficit`, exact to the unit.
void take_from(std::vector<double>& weights, const std::vector<Index>& items, double deficit) {
  const double each = std::floor(deficit / static_cast<double>(items.size()));
  double more = deficit - each * static_cast<double>(items.size());
  for (const Index i : items) {
    weights[i] = unit_bucket - each - (more > 0 ? 1 : 0);
    more -= 1;
  }
}

/// Tiles of which only the first has an excess, `excess`: its first item has the excess `first`,
/// 300 others have `other`, and the rest are light. The other tiles have light items only.
[[nodiscard]] std::vector<double> one_tile_with_excess(double first, double other, double excess) {
  constexpr Index others = 300;
  constexpr Index items = 60 * mass_tile_items;
  std::vector<double> weights(items, unit_bucket);
  weights[0] += first;
  for (Index i = 1; i <= others; ++i) weights[i] += other;
  std::vector<Index> in_tile(mass_tile_items - others - 1);
  std::iota(in_tile.begin(), in_tile.end(), others + 1);
  take_from(weights, in_tile, first + others * other - excess);
  std::vector<Index> in_others(items - mass_tile_items);
  std::iota(in_others.begin(), in_others.end(), mass_tile_items);
  take_from(weights, in_others, excess);
  return weights;
}

TEST(WarpPairing, GoesThroughTheOtherItemsThreeTimes) {
  expect_supported(items_of_sizes(4), true);
  expect_supported(items_of_sizes(5), false);
}

TEST(WarpPairing, ExportsOthersThatAreLargeEnough) {
  const double first = 400 * unit_bucket;
  const double minimum = unit_bucket / 2;
  for (const double more : {-1.0, 0.0, 1.0}) {
    expect_supported(one_tile_with_excess(first, minimum + more, first + 255 * minimum), more >= 0);
  }
}

// If the minimum of each item were rounded down, 255 others would leave 128 units, and a 257th item
// would be exported.
TEST(WarpPairing, ExportsNoMoreItemsThanThereArePlacesFor) {
  const double first = 1000 * unit_bucket;
  const double other = unit_bucket / 2;
  expect_supported(one_tile_with_excess(first, other, first + 255 * other + 128), false);
}

TEST(WarpPairing, ExportsOthersThatAreBeforeTheHeaviestOfTheirGroups) {
  std::vector<double> weights(std::size_t{10} * mass_tile_items, 1);
  weights[100] = 4000;
  weights[101] = 5000;
  expect_supported(weights, true);
}

TEST(WarpPairing, ReceivesAsManyItemsAsThereIsRoomFor) {
  for (const Index count : {159U, 160U, 161U, 511U, 512U, 513U}) {
    SCOPED_TRACE(std::to_string(count) + " items");
    expect_supported(overflow_tile_weights(1, 4, count), count <= 512);
    expect_supported(overflow_tile_weights(1, 5, count, Residual::of_an_item), count <= 512);
  }
}

TEST(WarpPairing, HasOneOverflowTileOfSixteen) {
  expect_supported(overflow_tile_weights(2, 16, 160), true);
  expect_supported(overflow_tile_weights(2, 16, 161), false);
  expect_supported(overflow_tile_weights(2, 17, 161), true);
  expect_supported(overflow_tile_weights(3, 32, 161), false);
  expect_supported(overflow_tile_weights(3, 33, 161), true);
  // Overflow tiles at other positions: a partial last tile, and tiles that are far apart.
  expect_supported(overflow_tiles_after_one(2, 16, 161), false);
  expect_supported(overflow_tiles_after_one(2, 17, 161), true);
  expect_supported(with_overflow_end(overflow_tile_weights(1, 13, 161), 161, 1000), false);
  expect_supported(with_overflow_end(overflow_tile_weights(1, 15, 161), 161, 1000), true);
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_TRUE(warp_parallel_rows(overflow_tile_weights(40, 640, 161), threads).has_value());
    EXPECT_FALSE(warp_parallel_rows(overflow_tile_weights(41, 640, 161), threads).has_value());
  }
  // A residual does not count as a received item, but a tile with one counts as an overflow tile
  // like any other.
  expect_supported(overflow_tile_weights(2, 16, 160, Residual::of_an_item), true);
  expect_supported(overflow_tile_weights(2, 16, 161, Residual::of_an_item), false);
  expect_supported(overflow_tile_weights(2, 17, 161, Residual::of_an_item), true);
}

// Most of the received items fill only a part of a bucket.
TEST(WarpPairing, IsWhatItsDefinitionSaysOfOverflowTiles) {
  for (const double less : {0.80, 0.85, 0.9}) {
    for (const Index items : {mass_tile_items, 777U}) {
      SCOPED_TRACE(std::to_string(less) + ", last tile of " + std::to_string(items));
      const Index n = 16 * mass_tile_items + items;
      std::vector<double> weights = verification::find_weight_family("uniform").make(n);
      for (const Index tile : {3U, 16U}) {
        const auto begin = weights.begin() + std::ptrdiff_t{tile} * mass_tile_items;
        const Index count = tile == 16 ? items : mass_tile_items;
        std::transform(begin, begin + count, begin, [less](double w) { return less * w; });
      }
      expect_supported(weights, true);
    }
  }
}

/// A single tile. In its first half 31 heavy items and many light ones have a deficit of `each`,
/// and one more heavy item has `excess` after it and the 31 have each taken a light item. The
/// second half has the rest.
[[nodiscard]] std::vector<double> half_with_one_heavy_item(double each, double excess) {
  std::vector<double> weights(1024, 1 - each);
  std::fill_n(weights.begin(), 31, 1 + each / 2);
  weights[31] = 1 + each + excess;
  const double rest = 2048 - std::accumulate(weights.begin(), weights.end(), 0.0);
  weights.resize(2048, rest / 1024);
  return weights;
}

// The last of these runs exhausts the item; then there are no more.
TEST(WarpPairing, FillsRunsWithAllThatAnItemHas) {
  for (const int runs : {1, 2, 5, 29, 30}) {
    expect_supported(half_with_one_heavy_item(0.5, 16.0 * runs), true);
  }
}

TEST(WarpPairing, FillsRunsWhileAnItemHasSixBuckets) {
  for (const double more : {-0x1p-20, 0.0, 0x1p-20}) {
    expect_supported(half_with_one_heavy_item(0.0625, warp_pairing::run_buckets + more), true);
  }
}

/// A tile whose halves each receive `given` of an item that has its row elsewhere. In the first
/// half 32 heavy items take one light item each, and the other items have a deficit of `each`. If
/// the received item does not take part, heavy items of the second half fill them.
[[nodiscard]] std::vector<double> tile_with_residual(double each, double given, double less) {
  std::vector<double> tile(1024, 1 - each);
  std::fill_n(tile.begin(), 32, 1 + each / 2);
  const double lacks = 1024 - std::accumulate(tile.begin(), tile.end(), 0.0);
  tile.resize(2048, 1 + (lacks - 2 * given) / 1024);
  tile.back() += 2 * less;
  std::vector<double> weights(mass_tile_items, 1);
  weights[5] += 2 * (given - less) + 0.5;
  weights.insert(weights.end(), tile.begin(), tile.end());
  weights.push_back(0.5);  // the tile with the row of the item
  return weights;
}

TEST(WarpPairing, FillsRunsWithAnItemThatHasNoRow) {
  // Half units leave an odd unit, which the second half receives.
  for (const double less : {-0x1p-32, -0x1p-33, 0.0, 0x1p-33, 0x1p-32}) {
    expect_supported(tile_with_residual(0.5, 112, less), true);  // seven runs
    expect_supported(tile_with_residual(0.0625, warp_pairing::run_buckets, less), true);
    expect_supported(tile_with_residual(0.0625, warp_pairing::run_buckets + 4, less), true);
  }
}

/// A tile in which these light items have a quarter of a unit that rounding removes.
[[nodiscard]] std::vector<double> tile_that_lacks_units(const std::vector<Index>& lights) {
  constexpr double deficit = 1e9;
  std::vector<double> weights(mass_tile_items, unit_bucket);
  for (const Index i : lights) weights[i] -= deficit - 0.25;
  double excess = (deficit - 0.25) * static_cast<double>(lights.size());
  const double each = std::floor(excess / static_cast<double>(weights.size() - lights.size()));
  for (double& weight : weights) {
    if (weight < unit_bucket) continue;
    weight += each;
    excess -= each;
  }
  weights[0] += excess;
  return weights;
}

TEST(WarpPairing, TakesUnitsOfTheFirstHalfUnlessTheyAreMany) {
  std::vector<Index> lights(1024);
  std::iota(lights.begin(), lights.end(), 1024U);
  expect_supported(tile_that_lacks_units(lights), false);  // 256 units
  lights.insert(lights.begin(), {1020, 1021, 1022, 1023});
  expect_supported(tile_that_lacks_units(lights), true);  // 257
  expect_supported(tile_that_lacks_units({1023, 1500, 1501, 1502}), true);
  expect_supported(tile_that_lacks_units({1024, 1500, 1501, 1502}), false);
}

[[nodiscard]] std::vector<Index> aliases(const std::vector<float>& weights, TableForm form) {
  TiledSweep table({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
  table.build(weights);
  std::vector<Index> found(weights.size());
  table.table().visit([&](const auto& rows) {
    for (Index i = 0; i < found.size(); ++i) found[i] = rows.alias(rows.load(i));
  });
  return found;
}

TEST(WarpPairing, IsTheDefaultForSoManyItems) {
  std::vector<float> weights = random_weights(warp_pairing::threshold_items);
  EXPECT_TRUE(aliases(weights, TableForm::by_size) == aliases(weights, TableForm::warp_parallel));
  EXPECT_FALSE(aliases(weights, TableForm::by_size) == aliases(weights, TableForm::merge_path));
  weights.pop_back();
  EXPECT_TRUE(aliases(weights, TableForm::by_size) == aliases(weights, TableForm::merge_path));
  EXPECT_FALSE(aliases(weights, TableForm::by_size) == aliases(weights, TableForm::warp_parallel));
}

}  // namespace
}  // namespace wrsgpu::verification
