// Host code that all other folders use.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/write_file_atomically.hpp"

namespace wrsgpu {
namespace {

TEST(BitWidth, IsThatOfTheStandardLibrary) {
  static_assert(bit_width(0) == 0 && bit_width(1) == 1 && bit_width(~std::uint64_t{0}) == 64);
  for (std::uint64_t x = 1; x != 0; x <<= 1) {
    for (const std::uint64_t y : {x - 1, x, x + 1}) {
      EXPECT_EQ(bit_width(y), static_cast<int>(std::bit_width(y))) << y;
    }
  }
}

TEST(Parallel, EachBlockRunsOnce) {
  constexpr std::array<unsigned, 5> threads{0, 1, 2, 7, max_threads + 1};
  for (const unsigned of : threads) {
    for (const std::uint64_t blocks : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> runs(blocks);
      parallel_for(blocks, of, [&](std::uint64_t block) { ++runs[block]; });
      for (const std::atomic<int>& run : runs) EXPECT_EQ(run, 1) << of << " threads";
    }
  }
}

TEST(Parallel, WhatABlockThrowsIsThrownOn) {
  for (const unsigned threads : {1U, 3U}) {
    const auto run = [&] {
      parallel_for(100, threads, [](std::uint64_t block) {
        if (block == 42) throw Error("block 42");
      });
    };
    EXPECT_EQ(error_of(run), "block 42") << threads << " threads";
  }
}

TEST(Parallel, SlicesAreNeighboursAndNearlyEqual) {
  for (const std::uint64_t size : {0U, 1U, 5U, 6U, 7U, 1001U}) {
    constexpr std::uint64_t parts = 6;
    std::uint64_t end = 0;
    for (std::uint64_t part = 0; part < parts; ++part) {
      const Range range = slice(size, part, parts);
      EXPECT_EQ(range.begin, end);
      EXPECT_GE(range.end - range.begin, size / parts);
      EXPECT_LE(range.end - range.begin, (size + parts - 1) / parts);
      end = range.end;
    }
    EXPECT_EQ(end, size);
  }
}

TEST(CheckedBytes, NeverWrap) {
  EXPECT_EQ(checked_bytes(0, 8), 0U);
  EXPECT_EQ(checked_bytes(5, 8), 40U);
  EXPECT_EQ(checked_bytes(std::size_t{1} << 59, 8), std::size_t{1} << 62);
  EXPECT_THROW(static_cast<void>(checked_bytes((std::size_t{1} << 59) + 1, 8)), OutOfMemory);
  EXPECT_THROW(static_cast<void>(checked_bytes(~std::size_t{0}, 16)), OutOfMemory);
}

TEST(BlocksFor, AreEnoughAndNoMoreThanALaunchCanHave) {
  EXPECT_EQ(blocks_for(0, 256), 0U);
  EXPECT_EQ(blocks_for(1, 256), 1U);
  EXPECT_EQ(blocks_for(256, 256), 1U);
  EXPECT_EQ(blocks_for(257, 256), 2U);
  EXPECT_EQ(blocks_for(max_blocks, 1), max_blocks);
  EXPECT_THROW(static_cast<void>(blocks_for(max_blocks + 1, 1)), Error);
  EXPECT_EQ(capped_blocks_for(max_blocks + 1, 1), max_blocks);
  EXPECT_EQ(capped_blocks_for(1000, 10, 7), 7U);
  EXPECT_EQ(capped_blocks_for(61, 10, 7), 7U);
  EXPECT_EQ(capped_blocks_for(60, 10, 7), 6U);
}

class WriteFileAtomically : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static std::string content_of(const std::filesystem::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / "wrsgpu_write_file_atomically";
  std::filesystem::path path_ = folder_ / "file";
};

TEST_F(WriteFileAtomically, IsThereOnlyWhenItIsComplete) {
  write_file_atomically(path_, [](std::ostream& out) { out << "old"; });
  EXPECT_EQ(content_of(path_), "old");
  const auto fail_midway = [&] {
    write_file_atomically(path_, [&](std::ostream& out) {
      out << "ne";
      EXPECT_EQ(content_of(path_), "old");
      throw Error("midway");
    });
  };
  EXPECT_EQ(error_of(fail_midway), "midway");
  EXPECT_EQ(content_of(path_), "old");
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
  write_file_atomically(path_, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content_of(path_), "new");
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
}

TEST_F(WriteFileAtomically, NamesWhatCannotBeWritten) {
  const std::filesystem::path nowhere = folder_ / "no such folder" / "file";
  const std::string message =
      error_of([&] { write_file_atomically(nowhere, [](std::ostream&) {}); });
  EXPECT_NE(message.find("'" + nowhere.string() + "'"), std::string::npos) << message;
}

TEST_F(WriteFileAtomically, SaysWhenTheDeviceIsFull) {
  const std::filesystem::path full = "/dev/full";
  if (!std::filesystem::exists(full)) GTEST_SKIP() << "needs " << full;
  EXPECT_EQ(
      error_of([&] { write_file_atomically(full, [](std::ostream& out) { out << "some"; }); }),
      "/dev/full: writing failed");
}

}  // namespace
}  // namespace wrsgpu
