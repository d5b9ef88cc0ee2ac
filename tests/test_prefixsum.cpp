#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "prefixsum/basic.hpp"
#include "prefixsum/registry.hpp"
#include "prefixsum/work_efficient.hpp"
#include "prefixsum/work_efficient_in_place.hpp"
#include "prefixsum_cases.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::prefixsum {
namespace {

constexpr Order orders[] = {Order::ascending, Order::descending};

/// Every length up to 1100, and the neighbours of larger powers of two.
std::vector<std::uint64_t> lengths() {
  std::vector<std::uint64_t> all(1101);
  std::iota(all.begin(), all.end(), 0);
  for (std::uint64_t power = 2048; power <= 1 << 17; power *= 2) {
    for (const std::uint64_t n : {power - 1, power, power + 1}) all.push_back(n);
  }
  return all;
}

template <class T>
class HostSteps : public testing::Test {};
using ItemTypes = testing::Types<std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(HostSteps, ItemTypes);

TYPED_TEST(HostSteps, SumsForEveryLength) {
  using T = TypeParam;
  for (const PrefixSumMethod& method : methods()) {
    const HostRun<T> run = method.on_host<T>();
    if (run == nullptr) continue;
    for (const std::uint64_t n : lengths()) {
      const std::vector<T> items = random_items<T>(n);
      for (const Kind kind : kinds) {
        std::vector<T> first;
        for (const Order order : orders) {
          const std::string what = method.name + " N=" + std::to_string(n) +
                                   (kind == Kind::inclusive ? " inclusive" : " exclusive");
          std::vector<T> out(n, T{77});
          const Traffic counted = run(items.data(), out.data(), n, kind, order);
          ASSERT_NO_FATAL_FAILURE(expect_sums(items, out, kind, what));
          // The execution order of the threads must not matter, bit for bit.
          if (order == Order::ascending) first = out;
          ASSERT_EQ(out, first) << what;
          if (n > 0) {
            ASSERT_EQ(counted, method.traffic(n, kind))
                << what << ": counted " << counted.reads << " reads, " << counted.writes
                << " writes, " << counted.launches << " launches";
          }
          if (method.in_place) {
            std::vector<T> array = items;
            run(array.data(), array.data(), n, kind, order);
            ASSERT_EQ(array, out) << what << " in place";
          }
        }
      }
    }
  }
}

/// Small blocks give many levels: all lengths up to several times the fourth power.
template <unsigned block_size>
void small_blocks() {
  using Small = BasicWorkEfficientInPlace<block_size>;
  using T = std::uint64_t;
  for (std::uint64_t n = 1; n <= 1100; ++n) {
    const std::vector<T> items = random_items<T>(n);
    for (const Kind kind : kinds) {
      for (const Order order : orders) {
        std::vector<T> out = items;
        const Traffic counted = run_on_host<Small>(out.data(), out.data(), n, kind, order);
        ASSERT_EQ(out, expected_sums(items, kind)) << "N=" << n << " block " << block_size;
        ASSERT_EQ(counted, Small::traffic(n, kind)) << "N=" << n << " block " << block_size;
        std::vector<T> other(n, 77);
        run_on_host<Small>(items.data(), other.data(), n, kind, order);
        ASSERT_EQ(other, out) << "N=" << n << " block " << block_size;
      }
    }
  }
}

TEST(WorkEfficientInPlaceSteps, ManyLevels) {
  small_blocks<2>();
  small_blocks<4>();
  small_blocks<8>();
  small_blocks<32>();
}

TEST(Steps, InfinityReachesOnlyTheItemsBehindIt) {
  for (const PrefixSumMethod& method : methods()) {
    const HostRun<double> run = method.on_host<double>();
    if (run == nullptr) continue;
    for (const Kind kind : kinds) {
      std::vector<double> items(1500, 1.0);
      items[700] = std::numeric_limits<double>::infinity();
      std::vector<double> out(items.size());
      run(items.data(), out.data(), items.size(), kind, Order::ascending);
      EXPECT_EQ(out, expected_sums(items, kind)) << method.name;
    }
  }
}

// Thesis 1.4.1: the sum over the passes is right, its closed form is not.
TEST(MemoryVolume, BasicAgainstTheThesis) {
  for (std::uint64_t levels = 1; levels <= 16; ++levels) {
    const std::uint64_t n = std::uint64_t{1} << levels;
    const std::vector<std::uint32_t> items = random_items<std::uint32_t>(n);
    std::vector<std::uint32_t> out(n);
    const Traffic counted =
        run_on_host<Basic>(items.data(), out.data(), n, Kind::inclusive, Order::ascending);
    std::uint64_t thesis_sum = 0;
    for (std::uint64_t i = 1; i <= levels; ++i)
      thesis_sum += n + (n - (std::uint64_t{1} << (i - 1)));
    EXPECT_EQ(counted.launches, levels);
    EXPECT_EQ(counted.writes, n * levels);
    EXPECT_EQ(counted.reads, thesis_sum);
    EXPECT_EQ(counted.reads, 2 * n * levels - n + 1);
    const std::uint64_t thesis_closed_form = (2 * n - 1) * levels + 1;
    EXPECT_EQ(thesis_closed_form - counted.reads, n - levels);
  }
}

// Thesis 1.4.2: its reads count the right child twice and the root not at all.
TEST(MemoryVolume, WorkEfficientAgainstTheThesis) {
  for (std::uint64_t levels = 2; levels <= 16; ++levels) {
    const std::uint64_t n = std::uint64_t{1} << levels;
    for (const Kind kind : kinds) {
      std::vector<std::uint32_t> items = random_items<std::uint32_t>(n);
      HostExecution execution(Order::ascending);
      const auto array = execution.array(items.data());
      WorkEfficient::sweep(execution, array, array, n, kind);
      const Traffic& counted = execution.traffic();
      EXPECT_EQ(counted, WorkEfficient::sweep_traffic(n, kind));
      EXPECT_EQ(counted.launches, 2 * levels);
      EXPECT_EQ(counted.writes, 3 * n - 3);
      EXPECT_EQ(counted.reads, 4 * n - 6 + (kind == Kind::inclusive ? 1 : 0));
      const std::uint64_t read_twice = n - 2;  // right children of all nodes but the root
      const std::uint64_t first_item = kind == Kind::exclusive ? 1 : 0;  // the thesis counts it
      EXPECT_EQ(5 * n - 9, counted.reads + read_twice + first_item - 2);
    }
  }
}

// Thesis 1.4.2: "setting it to the first item results in an inclusive prefix sum" also requires
// shifting the items to the left.
TEST(WorkEfficientSteps, FirstItemAsRootAloneIsNotInclusive) {
  std::vector<std::uint32_t> items{1, 2, 3, 4};
  HostExecution execution(Order::ascending);
  const auto array = execution.array(items.data());
  WorkEfficient::sweep(execution, array, array, 4, Kind::inclusive);
  EXPECT_EQ(items, (std::vector<std::uint32_t>{1, 2, 4, 7}));
}

TEST(Registry, NamesAreFoundAndUnknownOnesRefused) {
  for (const PrefixSumMethod& method : methods()) EXPECT_EQ(&find_method(method.name), &method);
  try {
    static_cast<void>(find_method("horn"));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown prefix sum 'horn' (known: basic, work_efficient, "
                 "work_efficient_in_place, cub)");
  }
}

std::string refusal(std::size_t bytes, const void* in, const void* out, bool in_place) {
  return error_of([&] { check_arguments("basic", bytes, 100, in, out, 10, in_place); });
}

TEST(Arguments, AreChecked) {
  const int a = 0;
  const int b = 0;
  EXPECT_EQ(refusal(100, &a, &b, false), "no error");
  EXPECT_EQ(refusal(100, &a, &a, true), "no error");
  EXPECT_EQ(refusal(99, &a, &b, false),
            "prefix sum basic: argument 'temporary_bytes' is 99, needed are 100");
  EXPECT_EQ(refusal(100, nullptr, &b, false),
            "prefix sum basic: argument 'in' is null, with 10 items");
  EXPECT_EQ(refusal(100, &a, nullptr, false),
            "prefix sum basic: argument 'out' is null, with 10 items");
  EXPECT_EQ(refusal(100, &a, &a, false),
            "prefix sum basic: argument 'out' is 'in'; this method is not in place");
}

TEST(Tree, PaddingSpreadsEveryStrideOverTheBanks) {
  constexpr unsigned items = 1024;
  for (unsigned stride = 1; stride <= items / 64; stride *= 2) {
    unsigned in_bank[32] = {};
    for (unsigned node = 0; node < 32; ++node) {  // one warp
      ++in_bank[padded(static_cast<unsigned>(TreeNode(stride, node).right)) % 32];
    }
    for (const unsigned threads : in_bank) EXPECT_LE(threads, 2U) << "stride " << stride;
  }
}

}  // namespace
}  // namespace wrsgpu::prefixsum
