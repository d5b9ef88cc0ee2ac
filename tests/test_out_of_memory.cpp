// The state after the host runs out of memory during a build: each allocation in turn fails, alone
// or with all later ones.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "construction/alias_table.hpp"
#include "host_sampler_results.hpp"
#include "refused_allocations.hpp"
#include "registry/methods.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/segmented_sampler.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {
namespace {

enum class Outcome { done, out_of_memory, bad_alloc };

/// Calls `work`; the allocation after the first `before` ones fails.
template <class Work>
Outcome with_refusal(long before, bool all, const Work& work) {
  all_that_follow = all;
  was_refused = false;
  const struct Until {
    ~Until() { allocations_left = -1; }
  } ends;
  allocations_left = before;
  auto outcome = Outcome::done;
  try {
    work();
  } catch (const OutOfMemory&) {
    outcome = Outcome::out_of_memory;
  } catch (const std::bad_alloc&) {
    outcome = Outcome::bad_alloc;
  }
  return outcome;
}

/// Calls `try_with(before, all)` with increasing `before` until no allocation fails.
template <class TryWith>
void refuse_each(const TryWith& try_with) {
  for (const bool all : {false, true}) {
    long before = 0;
    do {
      SCOPED_TRACE(std::to_string(before) + (all ? ", all that follow" : ", one"));
      try_with(before, all);
      if (testing::Test::HasFatalFailure()) return;
    } while (was_refused && ++before < 1000);
    EXPECT_GT(before, 0) << "nothing was refused";
    EXPECT_LT(before, 1000);
  }
}

std::vector<double> periodic(std::size_t items, std::size_t period) {
  std::vector<double> weights(items);
  for (std::size_t i = 0; i < items; ++i) weights[i] = static_cast<double>(1 + i % period);
  return weights;
}

class OutOfMemorySuite : public testing::TestWithParam<std::string> {};

TEST_P(OutOfMemorySuite, AStructureIsAsIfNeverBuilt) {
  const Arithmetic arithmetic =
      GetParam() == "lookup_table" ? Arithmetic::floating : Arithmetic::fixed_point;
  const std::vector<double> old = periodic(500, 3);
  for (const std::vector<double>& weights : {periodic(900, 5), periodic(300, 7)}) {
    refuse_each([&](long before, bool all) {
      const auto built = make_method(GetParam(), {.arithmetic = arithmetic, .threads = 1});
      built->build(old);
      const Outcome outcome = with_refusal(before, all, [&] { built->build(weights); });
      if (outcome == Outcome::done) {
        ASSERT_EQ(built->size(), weights.size());
      } else {
        // If all later allocations fail, there is no memory for a message either.
        ASSERT_TRUE(all || outcome == Outcome::out_of_memory);
        ASSERT_EQ(built->size(), 0U);
        ASSERT_THROW(static_cast<void>(built->probabilities()), Error);
        if (const auto* table = dynamic_cast<const AliasTable*>(built.get())) {
          ASSERT_THROW(static_cast<void>(table->to_host()), Error);
        }
        std::vector<Index> out(10);
        ASSERT_THROW(built->sample(out, {}), Error);
        built->build(weights);
      }
      const auto report = verification::verify(*built, weights);
      ASSERT_TRUE(report.ok) << report.message;
    });
  }
}

std::vector<std::string> host_methods() {
  std::vector<std::string> names;
  for (const BuildMethod& method : methods()) {
    if (method.device == Device::cpu) names.push_back(method.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(, OutOfMemorySuite, testing::ValuesIn(host_methods()),
                         [](const auto& tested) { return tested.param; });

TEST(OutOfMemory, ASamplerHasItsOldTableOrNone) {
  const std::vector<double> old = periodic(5000, 3);
  refused_host_buffers = 0;
  for (const bool with_probabilities : {false, true}) {
    const WeightedSamplerOptions options{.with_probabilities = with_probabilities, .threads = 1};
    const WeightedSampler old_one(old, options);
    for (const std::vector<double>& weights : {periodic(9000, 5), periodic(3000, 7)}) {
      const WeightedSampler expected(weights, options);
      refuse_each([&](long before, bool all) {
        WeightedSampler sampler(old, options);
        const Outcome outcome = with_refusal(before, all, [&] { sampler.rebuild(weights); });
        if (outcome != Outcome::done) {
          ASSERT_TRUE(all || outcome == Outcome::out_of_memory);
          if (sampler.size() > 0) {
            ASSERT_EQ(sampler.size(), old.size());
            ASSERT_EQ(drawn(sampler, 100), drawn(old_one, 100));
            if (with_probabilities) {
              ASSERT_EQ(probabilities_of(sampler), probabilities_of(old_one));
            }
          }
          sampler.rebuild(weights);
        }
        ASSERT_EQ(drawn(sampler, 100), drawn(expected, 100));
        if (with_probabilities) {
          ASSERT_EQ(probabilities_of(sampler), probabilities_of(expected));
        }
      });
    }
  }
  EXPECT_GT(refused_host_buffers, 0) << "the linker did not wrap aligned_alloc";
}

TEST(OutOfMemory, ASegmentedSamplerHasItsOldTablesOrNone) {
  using Offsets = std::vector<std::uint32_t>;
  const std::vector<double> old = periodic(5000, 3);
  const std::vector<double> weights = periodic(9000, 5);
  const Offsets old_offsets{0, 10, 5000};
  const Offsets offsets{0, 4000, 4001, 9000};
  const auto drawn_from = [](const SegmentedSampler& sampler) {
    std::vector<Index> out(20 * sampler.segments());
    sampler.draw_from_all(20, out, {1, 0});
    return out;
  };
  const auto of_old = drawn_from({old_offsets, old, {.threads = 1}});
  const auto of_new = drawn_from({offsets, weights, {.threads = 1}});
  refuse_each([&](long before, bool all) {
    SegmentedSampler sampler(old_offsets, old, {.threads = 1});
    const Outcome outcome = with_refusal(before, all, [&] { sampler.rebuild(offsets, weights); });
    if (outcome != Outcome::done) {
      ASSERT_TRUE(all || outcome == Outcome::out_of_memory);
      if (sampler.segments() > 0) {
        ASSERT_EQ(drawn_from(sampler), of_old);
      }
      sampler.rebuild(offsets, weights);
    }
    ASSERT_EQ(drawn_from(sampler), of_new);
  });
  const SegmentedSampler sampler(offsets, weights, {.threads = 1});
  const std::vector<Index> from{0, 2};
  refuse_each([&](long before, bool all) {
    std::vector<Index> out(10);
    const Outcome outcome = with_refusal(before, all, [&] {
      sampler.choose(weights, from, 5, out, {1, 0});
    });
    ASSERT_TRUE(all || outcome != Outcome::bad_alloc);
  });
}

}  // namespace
}  // namespace wrsgpu
