#define XXH_INLINE_ALL  // the header defines the functions
#include <gtest/gtest.h>

#include <unistd.h>
#include "wrsgpu/detail/third_party/xxhash.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "registry/methods.hpp"
#include "table_rows.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/table/table_file.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

class TableFiles : public testing::Test {
 protected:
  TableFiles()
      : folder_(std::filesystem::temp_directory_path() /
                ("wrsgpu_table_file_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TableFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "table"; }

  static HostTable table(Arithmetic arithmetic, Layout layout, Index items = 1000) {
    const auto built = make_method("sectioned_sweep", {arithmetic, layout, 1});
    built->build(find_weight_family("powerlaw_1_shuffled").make(items));
    return dynamic_cast<const HostAliasTable&>(*built).to_host();
  }

  [[nodiscard]] std::string bytes() const {
    std::ostringstream all;
    all << std::ifstream(file(), std::ios::binary).rdbuf();
    return all.str();
  }
  void write(const std::string& bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }
  [[nodiscard]] std::string error_of_load() const {
    return error_of([this] { static_cast<void>(load_table(file())); });
  }

 private:
  std::filesystem::path folder_;
};

std::vector<PlainRow> rows_of(const HostTable& table) {
  std::vector<PlainRow> all;
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      all.push_back({rows.own(rows.load(i)), rows.alias(rows.load(i))});
    }
  });
  return all;
}

// The bytes of a format version must never change: name; version, layout and arithmetic; rows and
// bucket; both hashes; zeros; rows.
TEST_F(TableFiles, HaveTheBytesOfVersion1) {
  const auto saved = [&](Arithmetic arithmetic, Layout layout) {
    const auto built = make_method("vose", {arithmetic, layout, 1});
    built->build(std::vector<double>{1, 3});
    save_table(dynamic_cast<const HostAliasTable&>(*built).to_host(), arithmetic, file());
    std::ostringstream hex;
    for (const char byte : bytes()) {
      hex << std::hex << std::setw(2) << std::setfill('0') << int{static_cast<unsigned char>(byte)};
    }
    return hex.str();
  };
  EXPECT_EQ(saved(Arithmetic::fixed_point, Layout::compact_rows),
            "777273677075207461626c65"
            "010000000200000001000000"
            "0200000000000000000000000000f041"
            "a5d97340d442875a2841dcb1a0dc0c9a"
            "0000000000000000"
            "00000080010000000000000001000000");
  EXPECT_EQ(saved(Arithmetic::fixed_point, Layout::struct_of_arrays),
            "777273677075207461626c65"
            "010000000100000001000000"
            "0200000000000000000000000000f041"
            "288c8b8e1091b3220e9474c42fe4b8ed"
            "0000000000000000"
            "000000000000e041000000000000f0410100000001000000");
  EXPECT_EQ(saved(Arithmetic::floating, Layout::wide_rows),
            "777273677075207461626c65"
            "010000000000000000000000"
            "02000000000000000000000000000040"
            "925f076c992f783b5dcbb1fcac6aa839"
            "0000000000000000"
            "000000000000f03f010000000000000000000000000000400100000000000000");
}

TEST_F(TableFiles, HaveNames) {
  const HostTable small = table(Arithmetic::fixed_point, Layout::compact_rows, 2);
  EXPECT_EQ(error_of([&] { save_table(small, Arithmetic::fixed_point, ""); }),
            "cannot write a file that has no name");
}

TEST_F(TableFiles, HoldWhatWasSaved) {
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    for (const Layout layout :
         {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
      if (layout == Layout::compact_rows && arithmetic == Arithmetic::floating) continue;
      for (const Index items : {1U, 2U, 1000U, 100'003U}) {
        const HostTable saved = table(arithmetic, layout, items);
        save_table(saved, arithmetic, file());
        const TableFile loaded = load_table(file());
        EXPECT_EQ(loaded.arithmetic, arithmetic);
        EXPECT_EQ(loaded.table.layout(), layout);
        EXPECT_EQ(loaded.table.size(), saved.size());
        EXPECT_EQ(loaded.table.bucket(), saved.bucket());
        EXPECT_TRUE(rows_of(loaded.table) == rows_of(saved));
      }
    }
  }
}

// Any changed, missing or additional byte is detected.
TEST_F(TableFiles, ChangesAreNoticed) {
  save_table(table(Arithmetic::fixed_point, Layout::compact_rows, 50), Arithmetic::fixed_point,
             file());
  const std::string good = bytes();
  bool version_is_named = false;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write(bad);
    EXPECT_NE(error_of_load(), "no error") << "byte " << i;
    version_is_named |= error_of_load().find("this program reads") != std::string::npos;
    write(good.substr(0, i));
    EXPECT_NE(error_of_load(), "no error") << "cut off after " << i;
  }
  EXPECT_TRUE(version_is_named) << "where that is what changed";
  write(good + "x");
  EXPECT_NE(error_of_load(), "no error");
  write(good);
  EXPECT_EQ(error_of_load(), "no error");
}

// An impossible header is rejected even if its checksum is correct.
TEST_F(TableFiles, InvalidHeadersAreRefused) {
  save_table(table(Arithmetic::floating, Layout::wide_rows, 50), Arithmetic::floating, file());
  const std::string good = bytes();
  constexpr std::size_t version = 12, layout = 16, arithmetic = 20, rows = 24, bucket = 32,
                        checksum = 48;
  const auto error_with = [&](std::size_t at, auto value) {
    std::string changed = good;
    std::memcpy(changed.data() + at, &value, sizeof value);
    const std::uint64_t hash = XXH3_64bits(changed.data(), checksum);
    std::memcpy(changed.data() + checksum, &hash, sizeof hash);
    write(changed);
    return error_of_load();
  };
  EXPECT_EQ(error_with(rows, std::uint64_t{50}), "no error") << "what is there";
  for (const std::string& error :
       {error_with(layout, std::uint32_t{3}), error_with(layout, ~std::uint32_t{0}),
        error_with(layout, static_cast<std::uint32_t>(Layout::compact_rows)),
        error_with(arithmetic, std::uint32_t{2}),
        error_with(arithmetic, static_cast<std::uint32_t>(Arithmetic::fixed_point)),
        error_with(rows, std::uint64_t{0}), error_with(rows, std::uint64_t{max_items} + 1),
        error_with(bucket, 0.0), error_with(bucket, -1.0),
        error_with(bucket, std::numeric_limits<double>::infinity())}) {
    EXPECT_NE(error.find("its header"), std::string::npos) << error;
  }
  EXPECT_NE(error_with(rows, std::uint64_t{51}).find("is not complete"), std::string::npos);
  for (const std::uint32_t other : {0U, 2U}) {
    EXPECT_NE(error_with(version, other).find("this program reads 1"), std::string::npos) << other;
  }
}

TEST_F(TableFiles, ErrorsNameTheFile) {
  EXPECT_NE(error_of_load().find("could not be opened"), std::string::npos);
  EXPECT_NE(error_of_load().find(file().string()), std::string::npos);
  write("something else");
  EXPECT_NE(error_of_load().find("is no table"), std::string::npos);
  EXPECT_THROW(save_table(table(Arithmetic::floating, Layout::wide_rows), Arithmetic::floating,
                          "/nowhere/table"),
               Error);
  EXPECT_THROW(save_table(HostTable(), Arithmetic::floating, file()), Error);
}

// An impossible row is rejected even if the checksums are correct.
TEST_F(TableFiles, RowsThatAreUnsafeAreRefused) {
  HostTable bad = table(Arithmetic::fixed_point, Layout::compact_rows, 50);
  bad.compact_rows().data()[7].alias = 50;
  save_table(bad, Arithmetic::fixed_point, file());
  EXPECT_NE(error_of_load().find("row 7 has alias 50"), std::string::npos) << error_of_load();
  HostTable wide = table(Arithmetic::floating, Layout::wide_rows, 50);
  wide.wide_rows().data()[3].weight = -1;
  save_table(wide, Arithmetic::floating, file());
  EXPECT_NE(error_of_load().find("row 3 keeps -1"), std::string::npos) << error_of_load();
  wide.wide_rows().data()[3].weight = 1.01 * wide.bucket();
  save_table(wide, Arithmetic::floating, file());
  EXPECT_NE(error_of_load().find("row 3 keeps"), std::string::npos) << error_of_load();
  HostTable integer = table(Arithmetic::fixed_point, Layout::wide_rows, 50);
  integer.wide_rows().data()[49].weight = 0.5;
  save_table(integer, Arithmetic::fixed_point, file());
  EXPECT_NE(error_of_load().find("row 49 keeps 0.5"), std::string::npos) << error_of_load();
}

}  // namespace
}  // namespace wrsgpu::verification
