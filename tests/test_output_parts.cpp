// The distribution of the samples among the blocks of a sampler.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "wrsgpu/detail/sampling/output_parts.hpp"

namespace wrsgpu {
namespace {

constexpr std::uint64_t many = OutputParts::many;

TEST(OutputParts, FollowOneAnotherAndEndWithTheSamples) {
  for (const unsigned blocks : {1U, 2U, 3U, 132U, 264U, 997U}) {
    for (const std::uint64_t samples :
         {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1000}, many * blocks - 1, many * blocks,
          many * blocks + 1, std::uint64_t{1'000'000'007}, ~std::uint64_t{0}}) {
      SCOPED_TRACE(std::to_string(samples) + " samples, " + std::to_string(blocks) + " blocks");
      const OutputParts parts = OutputParts::of(samples, blocks);
      ASSERT_EQ(parts.samples(), samples);
      ASSERT_EQ(parts.begin(0), 0U);
      const std::uint64_t first = parts.begin(1);
      for (std::uint64_t part = 0; part < blocks; ++part) {
        const std::uint64_t size = parts.begin(part + 1) - parts.begin(part);
        ASSERT_LE(size, first) << part;
        ASSERT_LE(first - size, 1U) << part;
      }
      // The remainder: nothing, or a sixteenth in parts that are neither empty nor long.
      ASSERT_EQ(samples - parts.begin(blocks), samples / blocks < many ? 0 : samples / 16);
      std::uint64_t part = blocks;
      for (; parts.begin(part) < samples; ++part) {
        ASSERT_GT(parts.begin(part + 1), parts.begin(part)) << part;
        ASSERT_LE(parts.begin(part + 1) - parts.begin(part), samples / blocks / 64) << part;
      }
      ASSERT_LE(part - blocks, 4 * blocks + 1);
      for (const std::uint64_t later : {part + 1, part + blocks, 2 * part}) {
        ASSERT_EQ(parts.begin(later), samples) << later;
      }
    }
  }
}

}  // namespace
}  // namespace wrsgpu
