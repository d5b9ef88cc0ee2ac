// Latency of small draws: they must not query the number of CPUs, which takes longer than the draw.
#include <gtest/gtest.h>

#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace {
int queries = 0;
}  // namespace

// The linker calls this instead of std::thread::hardware_concurrency().
extern "C" unsigned __wrap__ZNSt6thread20hardware_concurrencyEv() noexcept {  // NOLINT
  ++queries;
  return 2;
}

namespace wrsgpu {
namespace {

TEST(SmallDraws, DoNotAskForTheNumberOfCpus) {
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    WeightedSampler sampler({1, 2, 3}, {.generator = generator});
    sampler.rebuild({4, 5, 6, 7});
    std::vector<Index> out(1 << 16);
    std::vector<std::uint64_t> counts(4);
    queries = 0;
    sampler.draw(std::span(out).first(1), {7, 0});
    sampler.draw(out, {7, 1});
    sampler.histogram(counts, 1000, {7, 0});
    EXPECT_EQ(queries, 0);
    out.push_back(0);
    sampler.draw(out, {7, 0});
    EXPECT_EQ(queries, 1);  // the test detects a query
  }
}

}  // namespace
}  // namespace wrsgpu
