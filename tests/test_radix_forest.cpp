// The radix forest: its construction, which the GPU shares, and properties beyond those that the
// suites test for all methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cpu_reference/intervals.hpp"
#include "cpu_reference/radix_forest.hpp"
#include "cpu_reference/radix_forest_builder.hpp"
#include "cpu_reference/radix_forest_probabilities.hpp"
#include "error_message.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::verification {
namespace {

template <class Mass>
constexpr Arithmetic arithmetic_of =
    std::is_integral_v<Mass> ? Arithmetic::fixed_point : Arithmetic::floating;

/// A forest in vectors, built leaf by leaf in any order.
template <class Mass>
struct Forest {
  using Builder = RadixForestBuilder<Mass>;
  Intervals<Mass> intervals;
  std::vector<Index> items;
  RadixForestCells<Mass> cells;
  std::vector<RadixNode<Mass>> nodes;
  std::vector<Index> roots;
  std::vector<Index> met;

  explicit Forest(const std::vector<double>& weights, unsigned log2_items_per_cell = 0) {
    intervals.build(weights, summarise(weights, 1), 1);
    Mass begin = 0;
    for (Index i = 0; i < weights.size(); ++i) {
      if (intervals.ends()[i] > begin) items.push_back(i);
      begin = intervals.ends()[i];
    }
    cells = {intervals.total(), static_cast<Index>(weights.size()), log2_items_per_cell};
    nodes.resize(weights.size());
  }

  [[nodiscard]] Builder builder() {
    return {intervals.ends().data(),
            items.data(),
            static_cast<Index>(items.size()),
            cells,
            nodes.data(),
            roots.data(),
            met.data()};
  }
  void build(const std::vector<Index>& order) {
    std::fill(nodes.begin(), nodes.end(), RadixNode<Mass>{});
    roots.assign(count_cells(cells, intervals.total()), Builder::no_tree);
    met.assign(items.size(), Builder::nobody);
    const Builder build = builder();
    const auto exchange = [](Index* place, Index value) { return std::exchange(*place, value); };
    for (const Index leaf : order) build.climb(leaf, exchange);
    for (Index cell = 0; cell < roots.size(); ++cell) {
      build.fill(cell, [&](Mass position) { return intervals.bisect(position); });
    }
  }
  [[nodiscard]] RadixForestView<Mass> view() const {
    return {nodes.data(), roots.data(), cells, intervals.total()};
  }
  [[nodiscard]] bool verifies(const std::vector<double>& weights) const {
    return verify_probabilities(
               RadixForestWalk(view(), static_cast<Index>(weights.size())).probabilities(),
               arithmetic_of<Mass>, weights)
        .ok;
  }
};

std::vector<Index> ascending(std::size_t size) {
  std::vector<Index> order(size);
  for (Index i = 0; i < size; ++i) order[i] = i;
  return order;
}

std::vector<Index> shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<Index> order = ascending(size);
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1], order[random::philox_word(seed, i) % i]);
  }
  return order;
}

/// The definition, from the root downwards: the leaves first to last, which begin in one cell, are
/// divided where the highest bit in which their beginnings differ becomes one.
template <class Mass>
void expect_tree(const RadixForestBuilder<Mass>& forest, Index tree, Index first, Index last) {
  if (first == last) {
    ASSERT_EQ(tree, radix_leaf(forest.items[first]));
    return;
  }
  const auto key = [&](Index leaf) { return radix_key(forest.begin(leaf)); };
  const auto bit = static_cast<unsigned>(std::bit_width(key(first) ^ key(last))) - 1;
  Index middle = first;
  while ((key(middle) >> bit & 1) == 0) ++middle;
  ASSERT_EQ(tree, forest.items[middle]);
  const RadixNode<Mass>& node = forest.nodes[tree];
  ASSERT_EQ(node.split, forest.begin(middle));
  expect_tree(forest, node.child[0], first, middle - 1);
  expect_tree(forest, node.child[1], middle, last);
}

template <class Mass>
void expect_cell(const RadixForestBuilder<Mass>& forest, Index cell, Index first, Index past) {
  Index tree = forest.roots[cell];
  if (first == past) {
    ASSERT_EQ(tree, radix_leaf(forest.items[first - 1]));
    return;
  }
  if (forest.begin(first) != forest.cells.begin(cell)) {
    ASSERT_EQ(tree, forest.items[first]);
    ASSERT_EQ(forest.nodes[tree].child[0], radix_leaf(forest.items[first - 1]));
    tree = forest.nodes[tree].child[1];
  }
  expect_tree(forest, tree, first, past - 1);
}

template <class Mass>
void expect_forest(Forest<Mass>& built) {
  const RadixForestBuilder<Mass> forest = built.builder();
  Index first = 0;
  for (Index cell = 0; cell < built.roots.size(); ++cell) {
    Index past = first;
    while (past < forest.leaves && forest.cells.of(forest.begin(past)) == cell) ++past;
    ASSERT_NO_FATAL_FAILURE(expect_cell(forest, cell, first, past)) << "cell " << cell;
    first = past;
  }
  EXPECT_EQ(first, forest.leaves);
}

template <class Mass>
class RadixForests : public testing::Test {};
using Masses = testing::Types<std::uint64_t, double>;
TYPED_TEST_SUITE(RadixForests, Masses);

TYPED_TEST(RadixForests, AreAsDefinedInWhicheverOrderLeavesClimb) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 3U, 64U, 257U, 1000U}) {
      const std::vector<double> weights = family.make(n);
      for (const unsigned log2_items : {0U, 3U, 31U}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, cells of 2^" +
                     std::to_string(log2_items));
        Forest<TypeParam> forest(weights, log2_items);
        const std::size_t leaves = forest.items.size();
        std::vector<Index> descending = ascending(leaves);
        std::reverse(descending.begin(), descending.end());
        for (const std::vector<Index>& order :
             {ascending(leaves), descending, shuffled(leaves, 1), shuffled(leaves, 2)}) {
          forest.build(order);
          ASSERT_NO_FATAL_FAILURE(expect_forest(forest));
        }
      }
    }
  }
}

TYPED_TEST(RadixForests, AreVerifiedByTheirTrees) {
  for (const WeightFamily& family : weight_families()) {
    const std::vector<double> weights = family.make(500);
    Forest<TypeParam> forest(weights);
    forest.build(ascending(forest.items.size()));
    EXPECT_TRUE(forest.verifies(weights)) << family.name;
  }
}

/// The nodes of all trees.
template <class Mass>
std::vector<Index> nodes_in_use(const Forest<Mass>& forest) {
  std::vector<Index> found;
  std::vector<Index> to_do = forest.roots;
  while (!to_do.empty()) {
    const Index tree = to_do.back();
    to_do.pop_back();
    if (is_radix_leaf(tree)) continue;
    found.push_back(tree);
    for (const Index child : forest.nodes[tree].child) to_do.push_back(child);
  }
  return found;
}

TYPED_TEST(RadixForests, VerificationFindsAWrongNodeOrRoot) {
  const std::vector<double> weights{1, 0, 2, 0.125, 0.0625, 0.25, 3, 0.5};
  Forest<TypeParam> forest(weights);
  const std::vector<Index> order = ascending(forest.items.size());
  forest.build(order);
  const std::vector<Index> nodes = nodes_in_use(forest);
  EXPECT_GE(nodes.size(), 4U);
  const auto is_right_after = [&](const auto& change) {
    forest.build(order);
    change();
    return forest.verifies(weights);
  };
  EXPECT_TRUE(is_right_after([] {}));
  for (Index& root : forest.roots) {
    EXPECT_FALSE(is_right_after([&] { root = radix_leaf(root == radix_leaf(2) ? 6 : 2); }));
  }
  for (const Index item : nodes) {
    RadixNode<TypeParam>& node = forest.nodes[item];
    EXPECT_FALSE(is_right_after([&] { std::swap(node.child[0], node.child[1]); })) << item;
    EXPECT_FALSE(is_right_after([&] { node.split -= node.split / 1024; })) << item;
  }
}

/// The next smaller position.
std::uint64_t before(std::uint64_t position) { return position - 1; }
double before(double position) { return std::nextafter(position, 0.0); }

TYPED_TEST(RadixForests, CellsDivideThePositionsExactly) {
  for (const double mean : {1.0, 0.75, 3.0, 1e-200, 1e300}) {
    for (const Index n : {1U, 3U, 1000U}) {
      Intervals<TypeParam> intervals;
      const std::vector<double> weights(n, mean);
      intervals.build(weights, summarise(weights, 1), 1);
      for (const unsigned log2_items : {0U, 1U, 31U}) {
        const RadixForestCells<TypeParam> cells(intervals.total(), n, log2_items);
        const Index count = count_cells(cells, intervals.total());
        EXPECT_GE(std::ldexp(count, static_cast<int>(log2_items)), n);
        EXPECT_LE(count, std::ldexp(2.0 * n, -static_cast<int>(log2_items)) + 1);
        for (Index cell = 0; cell < count; ++cell) {
          const TypeParam begin = cells.begin(cell);
          EXPECT_LT(begin, intervals.total());
          EXPECT_EQ(cells.of(begin), cell);
          if (cell > 0) {
            EXPECT_EQ(cells.of(before(begin)), cell - 1);
          }
        }
      }
    }
  }
}

/// Nodes visited for a word.
template <class Mass>
unsigned steps_of(const RadixForestView<Mass>& forest, std::uint64_t word) {
  const Mass position = interval_position(word, forest.total);
  unsigned steps = 0;
  for (Index at = forest.roots[forest.cells.of(position)]; !is_radix_leaf(at); ++steps) {
    at = forest.nodes[at].child[position < forest.nodes[at].split ? 0 : 1];
  }
  return steps;
}

TEST(RadixForest, EqualWeightsTakeNoStep) {
  Forest<std::uint64_t> forest(std::vector<double>(100, 0.3));
  forest.build(ascending(100));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(steps_of(forest.view(), random::philox_word(1, i)), 0U);
  }
}

TEST(RadixForest, TakesFewStepsOnAverageAndOneForEachBitAtWorst) {
  constexpr Index n = 100'000;
  constexpr std::uint64_t words = 20'000;
  std::vector<double> light_in_one_cell(n, 1.0 / n);
  light_in_one_cell[0] = n;
  std::vector<std::vector<double>> inputs{std::move(light_in_one_cell)};
  for (const WeightFamily& family : weight_families()) inputs.push_back(family.make(n));
  for (const std::vector<double>& weights : inputs) {
    Forest<std::uint64_t> forest(weights);
    forest.build(ascending(forest.items.size()));
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < words; ++i) {
      sum += steps_of(forest.view(), random::philox_word(2, i));
    }
    EXPECT_LT(sum, 3 * words);
    // The light items are in the last cells.
    for (std::uint64_t i = 0; i < words; ++i) {
      ASSERT_LE(steps_of(forest.view(), ~(random::philox_word(3, i) >> 17)), 33U);
    }
  }
}

TEST(RadixForest, DoesNotDependOnThreads) {
  const std::vector<double> weights = find_weight_family("sixty_orders").make(200'003);
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    RadixForest one({arithmetic, Layout::wide_rows, 1});
    one.build(weights);
    for (const unsigned threads : {2U, 7U}) {
      RadixForest more({arithmetic, Layout::wide_rows, threads});
      more.build(weights);
      EXPECT_EQ(more.probabilities(), one.probabilities()) << threads << " threads";
      for (std::uint64_t i = 0; i < 10'000; ++i) {
        const std::uint64_t word = random::philox_word(4, i);
        ASSERT_EQ(more.find(word), one.find(word));
      }
    }
  }
}

TEST(RadixForest, BytesGrowWithTheCells) {
  for (const unsigned log2_items : {0U, 2U, 31U}) {
    RadixForest forest({Arithmetic::fixed_point, Layout::wide_rows, 1}, log2_items);
    forest.build(std::vector<double>(100, 1.0));
    EXPECT_EQ(forest.bytes(), 1600 + 4 * std::max<std::uint64_t>(100 >> log2_items, 1));
  }
}

TEST(RadixForest, RefusesWhatItCannotHold) {
  EXPECT_EQ(error_of([] { RadixForest forest({}, 32); }),
            "argument 'log2_items_per_cell' is 32, more than 31");
  EXPECT_NO_THROW(require_radix_forest_size(max_radix_forest_items));
  EXPECT_EQ(error_of([] { require_radix_forest_size(max_radix_forest_items + 1); }),
            "a radix forest has at most 2^31 items, not 2147483649");
}

}  // namespace
}  // namespace wrsgpu::verification
