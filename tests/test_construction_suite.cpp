// Every registered method x variant x adversarial weights x N. New methods join by registering.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "gpu_methods_note.hpp"
#include "registry/variants.hpp"
#include "registry/verify.hpp"
#include "table_rows.hpp"
#include "try_build.hpp"
#include "variant_printing.hpp"
#include "verification/brief.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"

namespace wrsgpu::verification {
namespace {

using Sizes = std::vector<Index>;
using Names = std::vector<const char*>;

/// The N for which `method` is built here: an O(N^2) method stays below a tenth of a second.
bool is_sensible(const BuildMethod& method, Index items) {
  return items <= method.practical_items && (method.practical_items >= 1'000'000 || items <= 5000);
}

void expect_verified(const SamplingAlgorithm& built, WeightsView weights) {
  const TableReport report = verify(built, weights, {.threads = 1});
  EXPECT_TRUE(report.ok) << report.message << "\n(" << report.wrong_items << " wrong items, "
                         << report.drawn_zero_items << " zero-weight items drawn, "
                         << report.broken_rows << " broken rows)";
}

/// One method on one family of weights.
class ConstructionSuite
    : public testing::TestWithParam<std::tuple<const BuildMethod*, const WeightFamily*>> {
 protected:
  static const BuildMethod& method() { return *std::get<0>(GetParam()); }
  static const WeightFamily& family() { return *std::get<1>(GetParam()); }
};

TEST_P(ConstructionSuite, TablesHoldTheWeights) {
  for (const Index n : adversarial_sizes()) {
    if (!is_sensible(method(), n)) continue;
    const std::vector<double> weights = family().make(n);
    // Variants that differ only in layout must give equal rows.
    std::map<Arithmetic, std::vector<PlainRow>> rows;
    for (const Variant& variant : all_variants(method(), 1)) {
      SCOPED_TRACE(variant.name + ", " + family().name + ", " + std::to_string(n) + " items");
      const auto built = variant.make();
      if (!builds(*built, weights, method())) continue;
      ASSERT_EQ(built->size(), n);
      expect_verified(*built, weights);
      if (method().is_alias_table() && method().is_reproducible(variant.options.arithmetic)) {
        const auto [first, inserted] =
            rows.try_emplace(variant.options.arithmetic, plain_rows(*built));
        EXPECT_TRUE(inserted || plain_rows(*built) == first->second) << "layouts differ";
      }
      if (HasFailure()) return;
    }
  }
}

template <class T>
std::vector<const T*> pointers(const std::vector<T>& all) {
  std::vector<const T*> to_each;
  to_each.reserve(all.size());
  for (const T& one : all) to_each.push_back(&one);
  return to_each;
}

INSTANTIATE_TEST_SUITE_P(, ConstructionSuite,
                         testing::Combine(testing::ValuesIn(available_methods()),
                                          testing::ValuesIn(pointers(weight_families()))),
                         [](const auto& instance) {
                           return test_name(std::get<0>(instance.param)->name + "_" +
                                            std::get<1>(instance.param)->name);
                         });

/// One variant; any weights reveal the property.
class VariantSuite : public testing::TestWithParam<Variant> {
 protected:
  /// Bit for bit, if the method guarantees that.
  static void expect_same_structure(const SamplingAlgorithm& a, const SamplingAlgorithm& b) {
    if (!GetParam().method->is_reproducible(GetParam().options.arithmetic)) return;
    EXPECT_EQ(a.probabilities(), b.probabilities());
    if (GetParam().method->is_alias_table()) {
      EXPECT_TRUE(plain_rows(a) == plain_rows(b));
    }
  }
};

TEST_P(VariantSuite, FloatsBuildWhatTheSameDoublesBuild) {
  const auto from_floats = GetParam().make();
  const auto from_doubles = GetParam().make();
  for (const WeightFamily* family :
       all_or_few(pointers(weight_families()),
                  {&find_weight_family("one_light"), &find_weight_family("powerlaw_1_shuffled")})) {
    if (!family->fits_float) continue;
    for (const Index n : all_or_few<Sizes>({1, 2, 33, 1000, 4097}, {1000})) {
      SCOPED_TRACE(family->name + ", " + std::to_string(n) + " items");
      const std::vector<double> exact = family->make(n);
      const std::vector<float> floats(exact.begin(), exact.end());
      const std::vector<double> doubles(floats.begin(), floats.end());
      if (!builds(*from_floats, floats, *GetParam().method)) continue;
      ASSERT_NO_THROW(from_doubles->build(doubles));
      expect_verified(*from_floats, floats);
      expect_same_structure(*from_floats, *from_doubles);
      if (HasFailure()) return;
    }
  }
}

TEST_P(VariantSuite, ThreadsDoNotChangeTheStructure) {
  if (GetParam().method->device != Device::cpu) GTEST_SKIP() << "has no host threads";
  const bool may_differ = GetParam().method->depends_on_threads;
  bool differs = false;
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 3U, 4097U, 100'003U}) {
      if (!is_sensible(*GetParam().method, n)) continue;
      const std::vector<double> weights = family.make(n);
      Variant variant = GetParam();
      variant.options.threads = 1;
      const auto one_thread = variant.make();
      if (!builds(*one_thread, weights, *variant.method)) continue;
      for (const unsigned threads : {2U, 3U, 8U}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, " + std::to_string(threads) +
                     " threads");
        variant.options.threads = threads;
        const auto built = variant.make();
        ASSERT_NO_THROW(built->build(weights));
        if (may_differ) {
          expect_verified(*built, weights);
          differs |= plain_rows(*built) != plain_rows(*one_thread);
          if (HasFailure()) return;
          continue;
        }
        ASSERT_EQ(built->probabilities(), one_thread->probabilities());
        if (variant.method->is_alias_table()) {
          ASSERT_TRUE(plain_rows(*built) == plain_rows(*one_thread));
        }
      }
    }
  }
  EXPECT_EQ(differs, may_differ);
}

TEST_P(VariantSuite, RebuildingGivesWhatAFreshBuildGives) {
  const auto reused = GetParam().make();
  // Different weights of the same number, fewer, more, and the first ones again. Two tables of more
  // than a tile follow each other.
  for (const char* name :
       all_or_few<Names>({"ramp", "one_heavy_last", "zeros_and_ones", "equal_tenth", "ramp"},
                         {"one_heavy_last"})) {
    for (const Index n : all_or_few<Sizes>({1000, 1000, 7, 4097, 5000}, {1000, 7})) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = find_weight_family(name).make(n);
      const auto fresh = GetParam().make();
      if (!builds(*reused, weights, *GetParam().method)) {
        EXPECT_FALSE(builds(*fresh, weights, *GetParam().method));
        continue;
      }
      ASSERT_NO_THROW(fresh->build(weights));
      expect_verified(*reused, weights);
      expect_same_structure(*reused, *fresh);
      EXPECT_EQ(reused->size(), n);
      EXPECT_EQ(reused->bytes(), fresh->bytes());
      if (HasFailure()) return;
    }
  }
}

TEST_P(VariantSuite, IsEmptyBeforeTheFirstBuild) {
  const auto unbuilt = GetParam().make();
  std::vector<Index> out(3, 77);
  EXPECT_EQ(unbuilt->size(), 0U);
  EXPECT_THROW(unbuilt->sample(out, {1, 0}), Error);
  EXPECT_EQ(out, std::vector<Index>(3, 77));
}

INSTANTIATE_TEST_SUITE_P(, VariantSuite, testing::ValuesIn(available_variants(2)),
                         [](const auto& instance) { return test_name(instance.param.name); });

TEST(ConstructionRegistry, GpuMethodsAreTested) { skip_where_gpu_methods_are_left_out(); }

TEST(ConstructionRegistry, NamesAreUnique) {
  std::map<std::string, int> seen;
  for (const Variant& variant : all_variants()) EXPECT_EQ(++seen[variant.name], 1) << variant.name;
  EXPECT_FALSE(seen.empty());
}

// A method without layouts is not tested as a table.
TEST(ConstructionRegistry, AliasTablesHaveLayouts) {
  for (const BuildMethod* method : available_methods()) {
    const auto made = all_variants(*method).front().make();
    EXPECT_EQ(dynamic_cast<const AliasTable*>(made.get()) != nullptr, method->is_alias_table())
        << method->name;
  }
}

}  // namespace
}  // namespace wrsgpu::verification
