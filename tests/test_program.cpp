// The program from a shell: output, exit codes, one-line errors, no incomplete files.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/verdict.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/multinomial_counts.hpp"

namespace wrsgpu {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// A .npy file of format version 1.0 with the raw `data`.
std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

std::string npy(const std::string& type, std::size_t items, const std::string& data) {
  return npy(type, std::to_string(items) + ",", data);
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> npy_values(const std::string& file, std::size_t items) {
  std::vector<T> values(items);
  const std::size_t bytes = items * sizeof(T);
  if (file.size() < bytes) return {};
  std::memcpy(values.data(), file.data() + (file.size() - bytes), bytes);
  return values;
}

struct Result {
  int code;
  std::string output;
  std::string errors;
};

// Runs in a new, empty folder.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "wrsgpu_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write_file(folder_ / "weights.txt", "1\n2\n3\n4\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] const fs::path& folder() const { return folder_; }

  /// Runs `wrsgpu <arguments>` in a shell, after `before`.
  [[nodiscard]] Result run(const std::string& arguments, const std::string& before = "") const {
    const fs::path streams = folder_.string() + ".streams";
    fs::create_directory(streams);
    const std::string command =
        "cd '" + folder_.string() + "' && " + before + " '" WRSGPU_PROGRAM "' " + arguments +
        " >'" + (streams / "out").string() + "' 2>'" + (streams / "err").string() + "'";
    const int status = std::system(command.c_str());
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(streams / "out"),
                  read_file(streams / "err")};
    fs::remove_all(streams);
    return result;
  }

  /// The names in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  fs::path folder_;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Program, WritesTheSameSamplesInEveryFormat) {
  const std::string draw = "sample --weights weights.txt --samples 1000 --seed 5 ";
  const Result text = run(draw);
  EXPECT_EQ(text.code, 0) << text.errors;
  EXPECT_EQ(text.errors, "wrsgpu: weights.txt: 4 items, one a line; no header\n");
  EXPECT_EQ(lines(text.output), 1000U);
  EXPECT_EQ(run(draw + "--output s.txt").output, "");
  EXPECT_EQ(read_file(folder() / "s.txt"), text.output);
  EXPECT_EQ(run(draw + "--output s.csv").code, 0);
  EXPECT_EQ(read_file(folder() / "s.csv"), "item\n" + text.output);
  EXPECT_EQ(run(draw + "--output s.npy").code, 0);
  EXPECT_EQ(run(draw + "--format npy").output, read_file(folder() / "s.npy"));
  const auto items = npy_values<std::uint32_t>(read_file(folder() / "s.npy"), 1000);
  std::string expected;
  for (const std::uint32_t item : items) expected += std::to_string(item) + "\n";
  EXPECT_EQ(text.output, expected);
  EXPECT_EQ(names(), (std::vector<std::string>{"s.csv", "s.npy", "s.txt", "weights.txt"}));
}

TEST_F(Program, HistogramCountsTheSamples) {
  const std::string draw = "sample --weights weights.txt --samples 5000 --seed 5 ";
  const auto samples = npy_values<std::uint32_t>(run(draw + "--format npy").output, 5000);
  std::vector<std::uint64_t> counts(4);
  for (const std::uint32_t item : samples) ++counts.at(item);
  EXPECT_EQ(npy_values<std::uint64_t>(run(draw + "--histogram --format npy").output, 4), counts);
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) {
    text += std::to_string(i) + "," + std::to_string(counts[i]) + "\n";
    // Within 7 standard deviations: correct samples exceed this once in 4*10^11 counts.
    const double p = 0.1 * static_cast<double>(i + 1);
    EXPECT_NEAR(static_cast<double>(counts[i]), 5000 * p, 7 * std::sqrt(5000 * p * (1 - p)));
  }
  EXPECT_EQ(run(draw + "--histogram --format csv").output, "item,count\n" + text);
}

TEST_F(Program, DrawsWithoutReplacement) {
  const std::string draw = "sample --weights weights.txt --without-replacement --seed 5 --samples ";
  const Result all = run(draw + "4 --format npy");
  auto items = npy_values<std::uint32_t>(all.output, 4);
  EXPECT_EQ(npy_values<std::uint32_t>(run(draw + "2 --format npy").output, 2),
            (std::vector<std::uint32_t>{items.begin(), items.begin() + 2}));
  const std::vector<double> weights{1, 2, 3, 4};
  std::vector<Index> expected(4);
  choose(weights, expected, {5, 0});
  EXPECT_EQ(items, expected);
  EXPECT_EQ(lines(run(draw + "3 --lines").output), 3U);
  EXPECT_NE(run(draw + "5").errors.find("argument --samples: '5' exceeds the 4 items"),
            std::string::npos);
  write_file(folder() / "zeros.txt", "0\n1\n0\n");
  EXPECT_EQ(run("sample --weights zeros.txt --without-replacement --samples 2 --quiet").errors,
            "wrsgpu: argument --weights zeros.txt: 2 items are to be chosen without replacement, "
            "but only 1 weight is positive\n");
  for (const std::string samples : {"1", "2", "4"}) {
    EXPECT_EQ(run("sample --weights zeros.txt --without-replacement --allow-fewer --samples " +
                  samples + " --quiet")
                  .output,
              "1\n");
  }
  EXPECT_EQ(run("sample --weights zeros.txt --allow-fewer --samples 2").errors,
            "wrsgpu: argument --allow-fewer: needs --without-replacement\n");
}

TEST_F(Program, CountsWithoutDrawing) {
  const std::string draw = "sample --weights weights.txt --counts --samples 1e15 --seed 5 ";
  const auto counts = npy_values<std::uint64_t>(run(draw + "--format npy").output, 4);
  const std::vector<double> weights{1, 2, 3, 4};
  std::vector<std::uint64_t> expected(4);
  multinomial_counts(weights, expected, 1'000'000'000'000'000, {5, 0});
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(run(draw + "--format csv").output.substr(0, 11), "item,count\n");
}

TEST_F(Program, LongDrawsComeInPiecesOfOneStream) {
  // More than one chunk (2^22), with different offsets and numbers of threads.
  const std::string draw = "sample --distribution uniform --items 1000 --format npy --seed 9 ";
  const std::string whole = run(draw + "--samples 5000000 --threads 2").output;
  const auto all = npy_values<std::uint32_t>(whole, 5'000'000);
  ASSERT_EQ(all.size(), 5'000'000U);
  EXPECT_EQ(run(draw + "--samples 5000000 --threads 1").output, whole);
  const auto rest =
      npy_values<std::uint32_t>(run(draw + "--samples 900000 --offset 4100000").output, 900'000);
  ASSERT_EQ(rest.size(), 900'000U);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 4'100'000));
}

TEST_F(Program, ErrorsAboutWeightsNameTheArgumentOnce) {
  write_file(folder() / "zeros.txt", "0\n0\n");
  EXPECT_NE(run("sample --weights zeros.txt --samples 1 --seed 1 --device cpu")
                .errors.find("argument --weights zeros.txt: all 2 weights are zero"),
            std::string::npos);
}

TEST_F(Program, SeedsAndGeneratorsMatterAndThreadsDoNot) {
  const std::string draw = "sample --weights weights.txt --samples 100 ";
  EXPECT_EQ(run(draw + "--seed 1").output, run(draw + "--seed 1 --threads 3").output);
  EXPECT_NE(run(draw + "--seed 1").output, run(draw + "--seed 1 --generator philox7").output);
  EXPECT_NE(run(draw + "--seed 1").output, run(draw + "--seed 2").output);
}

TEST_F(Program, ShuffleWritesEveryItemOnce) {
  const Result all = run("shuffle --items 10 --seed 3 --device cpu");
  EXPECT_EQ(all.code, 0) << all.errors;
  std::vector<int> items;
  std::istringstream text(all.output);
  for (int item = 0; text >> item;) items.push_back(item);
  std::vector<int> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_NE(items, sorted);
  // Several chunks give the same order, on any device.
  const Result first = run("shuffle --items 10 --seed 3 --samples 4 --device cpu");
  const Result rest = run("shuffle --items 10 --seed 3 --first 4");
  EXPECT_EQ(first.output + rest.output, all.output);
  EXPECT_NE(run("shuffle --items 10 --seed 4").output, all.output);
}

TEST_F(Program, ShuffleWritesWideItemsOnlyWhereTheyAreNeeded) {
  for (const auto& [items, bytes] : {std::pair{"4294967296", 4}, std::pair{"4294967297", 8}}) {
    const Result result = run(std::string("shuffle --samples 100 --output s.npy --items ") + items);
    EXPECT_EQ(result.code, 0) << result.errors;
    const std::string file = read_file(folder() / "s.npy");
    EXPECT_NE(file.find(bytes == 4 ? "<u4" : "<u8"), std::string::npos);
    EXPECT_EQ(file.size() % 64, 100U * static_cast<unsigned>(bytes) % 64);
  }
}

TEST_F(Program, ShuffleWritesTheLinesOfAFile) {
  write_file(folder() / "lines.txt", "a b\n\nc\nlast without end");
  const Result result = run("shuffle --input lines.txt --seed 1");
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> found;
  std::istringstream text(result.output);
  for (std::string line; std::getline(text, line);) found.push_back(line);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{"", "a b", "c", "last without end"}));
  // The order of the items, also in several chunks.
  std::string numbers;
  for (int i = 0; i < 20; ++i) numbers += std::to_string(i) + "\n";
  write_file(folder() / "numbers.txt", numbers);
  EXPECT_EQ(run("shuffle --input numbers.txt --seed 9").output,
            run("shuffle --items 20 --seed 9").output);
  EXPECT_EQ(run("shuffle --input - --seed 9 --first 5 --samples 3", "cat numbers.txt |").output,
            run("shuffle --items 20 --seed 9 --first 5 --samples 3").output);
}

TEST_F(Program, LongShufflesComeInPiecesOfOneOrder) {
  const Result all = run("shuffle --items 4194310 --seed 2");
  const Result tail = run("shuffle --items 4194310 --seed 2 --first 4194300");
  EXPECT_EQ(lines(all.output), 4194310U);
  EXPECT_EQ(lines(tail.output), 10U);
  EXPECT_TRUE(all.output.ends_with(tail.output));
}

TEST_F(Program, RandomOrderIsWhatDrawsOnTheHostHave) {
  const std::string draw = "sample --weights weights.txt --samples 50 --seed 1 --device cpu";
  const Result drawn = run(draw);
  EXPECT_EQ(run(draw + " --order random").output, drawn.output);
  EXPECT_EQ(run(draw + " --order any").output, drawn.output);
}

TEST_F(Program, VerifyAcceptsGoodTables) {
  const Result result = run("verify --weights weights.txt --samples 100000 --seed 3");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("verdict             ok"), std::string::npos) << result.output;
}

TEST_F(Program, InfoListsDistributions) {
  const Result result = run("info");
  EXPECT_EQ(result.code, 0);
  for (const char* name : {"uniform", "powerlaw_", "words"}) {
    EXPECT_NE(result.output.find(name), std::string::npos) << name;
  }
}

TEST_F(Program, InfoSaysWhetherThereIsAGpu) {
  const Result result = run("info");
  EXPECT_EQ(result.code, 0);
  const std::string reason = why_no_cuda_device();
  EXPECT_NE(result.output.find(reason.empty() ? "GPU 0" : "none: " + reason), std::string::npos);
}

// The verdict combines the result for the table and all tests.
TEST(Verdict, IsOkOnlyWhenAllIsWell) {
  verification::TableReport table;
  std::vector<verification::StatisticalReport> reports(3);
  for (verification::StatisticalReport& report : reports) report.p_value = 0.5;
  const auto verdict = [&] { return cli::print_verdict(table, reports, 1e-6); };
  EXPECT_EQ(verdict(), cli::exit_failed);  // the table failed
  table.ok = true;
  EXPECT_EQ(verdict(), cli::exit_ok);
  for (verification::StatisticalReport& report : reports) {
    report.p_value = 1e-7;
    EXPECT_EQ(verdict(), cli::exit_failed);
    report.p_value = 0.5;
  }
  EXPECT_EQ(cli::print_verdict(table, {}, 1e-6), cli::exit_ok);
}

TEST_F(Program, OutputIsReadableAsTheShellWants) {
  EXPECT_EQ(run("sample --weights weights.txt --samples 5 --output out.txt", "umask 027;").code, 0);
  EXPECT_EQ(fs::status(folder() / "out.txt").permissions(), fs::perms(0640));
}

TEST_F(Program, LeavesNothingBehindWhenAFileMayNotGrow) {
  // As text, the minimum size fits, but the actual size is more than three times as large.
  const Result result =
      run("sample --distribution uniform --items 10000000 --samples 30000 --output out.txt --quiet",
          "ulimit -f 100;");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(lines(result.errors), 1U) << result.errors;
  EXPECT_NE(result.errors.find("out.txt"), std::string::npos) << result.errors;
  EXPECT_EQ(names(), std::vector<std::string>{"weights.txt"});
}

TEST_F(Program, NumbersAreTakenAsPeopleWriteThem) {
  const auto drawn = [&](const std::string& samples) {
    return lines(run("sample --weights weights.txt --samples " + samples).output);
  };
  EXPECT_EQ(drawn("1e3"), 1000U);
  EXPECT_EQ(drawn("1.5e3"), 1500U);
  EXPECT_EQ(drawn("10_000"), 10'000U);
  EXPECT_EQ(drawn("2k"), 2000U);
  EXPECT_EQ(drawn("0.01M"), 10'000U);
  EXPECT_EQ(drawn("2Ki"), 2048U);
  EXPECT_EQ(drawn("2^10"), 1024U);
}

TEST_F(Program, SaysWhatWasWrittenWhere) {
  const std::string draw = "sample --weights weights.txt --samples 1000 --output s.npy";
  const Result said = run(draw);
  EXPECT_EQ(lines(said.errors), 2U);
  EXPECT_NE(said.errors.find("wrote 1000 samples of 4 items to s.npy"), std::string::npos)
      << said.errors;
  EXPECT_EQ(run(draw + " --quiet").errors, "");
  const Result timed = run(draw + " --quiet --timings");
  for (const char* part : {"weights", "table", "draw", "write", "other", "all"}) {
    EXPECT_NE(timed.errors.find(part), std::string::npos) << part << " in " << timed.errors;
  }
  EXPECT_NE(run("shuffle --items 10 --output s.txt").errors.find("wrote 10 of 10 items to s.txt"),
            std::string::npos);
}

TEST_F(Program, WritesLinesAndLabelsOfAFile) {
  write_file(folder() / "cities.csv", "city,weight\n\"Bonn, am Rhein\",1\n\nKiel,0\nUlm,3\n");
  const std::string draw = "sample --weights cities.csv --samples 300 --seed 3 ";
  const Result numbers = run(draw);
  EXPECT_EQ(numbers.errors,
            "wrsgpu: cities.csv: 3 items from column 2 'weight' of 2 (delimiter comma); header in "
            "line 1; item 0 is line 2\n");
  const auto expected = [&](const std::vector<std::string>& names) {
    std::string text;
    std::istringstream items(numbers.output);
    for (std::size_t item = 0; items >> item;) text += names.at(item) + "\n";
    return text;
  };
  const std::string bonn = "\"Bonn, am Rhein\"";
  EXPECT_EQ(run(draw + "--lines").output, expected({bonn + ",1", "Kiel,0", "Ulm,3"}));
  EXPECT_EQ(run(draw + "--labels city").output, expected({"Bonn, am Rhein", "Kiel", "Ulm"}));
  EXPECT_EQ(run(draw + "--labels 1 --format csv").output,
            "city\n" + expected({bonn, "Kiel", "Ulm"}));
  const std::string ones =
      std::to_string(std::count(numbers.output.begin(), numbers.output.end(), '0'));
  const std::string threes = std::to_string(300 - std::stoi(ones));
  EXPECT_EQ(run(draw + "--histogram --labels city").output,
            "Bonn, am Rhein\t" + ones + "\nKiel\t0\nUlm\t" + threes + "\n");
  EXPECT_EQ(run(draw + "--histogram --lines --format csv").output,
            "city,weight,count\n" + bonn + ",1," + ones + "\nKiel,0,0\nUlm,3," + threes + "\n");
  // Text has a label a line.
  write_file(folder() / "broken.csv", "city,weight\nKiel,1\n\"Bad\nEms\",2\n");
  const std::string broken = "sample --weights broken.csv --samples 9 --labels city ";
  for (const std::string histogram : {"", "--histogram "}) {
    const auto refused = run(broken + histogram);
    EXPECT_EQ(refused.code, cli::exit_error);
    EXPECT_EQ(refused.output, "");
    EXPECT_NE(refused.errors.find("the label of item 1 has a line break"), std::string::npos)
        << refused.errors;
    EXPECT_EQ(run(broken + histogram + "--format csv").code, cli::exit_ok);
  }
  // Standard input is read once, so its lines can be written, too.
  const std::string piped = "sample --weights - --samples 300 --seed 3 ";
  for (const std::string names : {"--lines", "--labels city"}) {
    EXPECT_EQ(run(piped + names, "cat cities.csv |").output, run(draw + names).output) << names;
  }
}

// Weights as other programs write them, and how `wrsgpu sample` reads them.
struct GivenWeights {
  const char* name;
  const char* file_name;
  std::string content;
  const char* options;
  const char* as_read;                // on stderr
  std::vector<std::uint64_t> shares;  // the counts of the samples are in this proportion
};

std::ostream& operator<<(std::ostream& out, const GivenWeights& weights) {
  return out << weights.name;
}

class WeightsAsWritten : public Program, public testing::WithParamInterface<GivenWeights> {};

TEST_P(WeightsAsWritten, AreDrawnFrom) {
  const GivenWeights& given = GetParam();
  write_file(folder() / given.file_name, given.content);
  const std::string draw = std::string(given.options) + " --samples 2000 --seed 7 --weights ";
  const Result result = run("sample --histogram --format csv " + draw + given.file_name);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "wrsgpu: " + std::string(given.file_name) + ": " + given.as_read + "\n");
  // Plain weights in the same proportions give equal samples.
  std::string plain;
  for (const std::uint64_t share : given.shares) plain += std::to_string(share) + "\n";
  write_file(folder() / "plain.txt", plain);
  const std::string expected =
      run("sample --histogram --format csv --samples 2000 --seed 7 --weights plain.txt").output;
  EXPECT_EQ(lines(expected), given.shares.size() + 1);
  EXPECT_EQ(result.output, expected);
  const std::string from_input = std::string("cat ") + given.file_name + " |";
  EXPECT_EQ(run("sample --histogram --format csv " + draw + "-", from_input).output, expected);
}

const std::vector<GivenWeights> weights_as_written{
    {"Pandas",
     "series.csv",
     ",0\n0,1.0\n1,2.0\n2,3.0\n",
     "",
     "3 items from column 2 '0' of 2 (delimiter comma); header in line 1, its first name is empty; "
     "item 0 is line 2",
     {1, 2, 3}},
    {"Years",
     "years.csv",
     "country,2019,2020\nA,5,7\nB,6,8\n",
     "--column 2020",
     "2 items from column 3 '2020' of 3 (delimiter comma); header in line 1, its names are "
     "years; item 0 is line 2",
     {7, 8}},
    {"DecimalComma",
     "comma.txt",
     "0,435\n1,286\n0,118\n",
     "--decimal-comma",
     "3 items, one a line; no header; decimal comma",
     {435, 1286, 118}},
    {"OneColumnWithHeader",
     "named.csv",
     "weight\n1\n2\n3\n",
     "",
     "3 items, one a line; header in line 1; item 0 is line 2",
     {1, 2, 3}},
    {"Uniq",
     "counts.txt",
     "     10 the\n      4 and\n",
     "",
     "2 items from column 1 of 2 (delimiter uniq); no header",
     {10, 4}},
    {"Tabs",
     "tabs.tsv",
     "alpha\t1\nbeta\t2\n",
     "",
     "2 items from column 2 of 2 (delimiter tab); no header",
     {1, 2}},
    {"Excel",
     "excel.csv",
     "\xEF\xBB\xBFname;weight\r\na;1\r\nb;2\r\n",
     "",
     "2 items from column 2 'weight' of 2 (delimiter semicolon); header in line 1; item 0 is line "
     "2",
     {1, 2}},
    {"FirstLineAsAnItem",
     "years.txt",
     "2019\n2020\n5\n",
     "--no-header",
     "3 items, one a line; no header",
     {2019, 2020, 5}},
    {"Comments",
     "tags.csv",
     "%x,9\na,1\nb,2\n",
     "--comment %",
     "2 items from column 2 of 2 (delimiter comma); no header; 1 comment skipped; item 0 is line 2",
     {1, 2}},
    {"Delimiter",
     "colons.txt",
     "a:1\nb:3\n",
     "--delimiter :",
     "2 items from column 2 of 2 (delimiter :); no header",
     {1, 3}},
    {"Image",
     "image.npy",
     npy("<f8", "2, 3", raw<double>({1, 2, 3, 4, 5, 6})),
     "",
     "6 items of type f8 from a .npy file of 2 rows and 3 columns, row by row: item = row * 3 + "
     "column, from 0",
     {1, 2, 3, 4, 5, 6}},
};

INSTANTIATE_TEST_SUITE_P(Program, WeightsAsWritten, testing::ValuesIn(weights_as_written),
                         [](const auto& weights) { return std::string(weights.param.name); });

TEST_F(Program, WarnsOfWeightsEvenWhenQuiet) {
  write_file(folder() / "tags.csv", "##ing,10\n##s,5\ncat,1\ndog,1\n");
  const Result result = run("sample --weights tags.csv --samples 5 --quiet");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(
      result.errors,
      "wrsgpu: tags.csv: 2 lines begin with # and are items; --comment '#' skips such lines\n");
}

TEST_F(Program, RoundsIntegersOnlyWhenTold) {
  write_file(folder() / "large.txt", "1\n9007199254740993\n");
  const Result refused = run("sample --samples 1 --weights large.txt");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.errors,
            "wrsgpu: argument --weights: large.txt, line 2: '9007199254740993' is not exactly "
            "representable as a double; --round-integers rounds to the nearest\n");
  const Result rounded = run("sample --samples 1 --weights large.txt --round-integers --quiet");
  EXPECT_EQ(rounded.code, 0);
  EXPECT_NE(rounded.errors.find("line 2: '9007199254740993' is not exactly representable as a "
                                "double; rounded to the nearest\n"),
            std::string::npos)
      << rounded.errors;
}

TEST_F(Program, NamesItemsThatAreNeverDrawn) {
  write_file(folder() / "light.txt", "1e-12\n1\n");
  const std::string text = "1 item is too light for this table and is never drawn: item 0";
  const Result verified = run("verify --weights light.txt --samples 1000");
  EXPECT_EQ(verified.code, 0) << verified.output << verified.errors;
  EXPECT_NE(verified.output.find(text), std::string::npos) << verified.output;
  for (const char* command :
       {"sample --samples 5 --weights light.txt", "info --weights light.txt"}) {
    const Result result = run(command);
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_NE(result.errors.find(text), std::string::npos) << command << ": " << result.errors;
  }
  EXPECT_EQ(run("sample --samples 5 --weights weights.txt --quiet").errors, "");
}

TEST_F(Program, NamesItemsThatAreLighterThanHalfAUnit) {
  // 0.43 units of 2^-32 of the mean.
  write_file(folder() / "light.txt", "5e-11\n1\n");
  EXPECT_NE(run("sample --samples 5 --weights light.txt")
                .errors.find("1 item is too light for this table and is never drawn: item 0"),
            std::string::npos);
}

TEST_F(Program, KeepsModeLinksAndOwnerOfAFile) {
  write_file(folder() / "out.txt", "old");
  fs::permissions(folder() / "out.txt", fs::perms(0600));
  const std::string draw = "sample --weights weights.txt --samples 5 --output ";
  EXPECT_EQ(run(draw + "out.txt").code, 0);
  EXPECT_EQ(fs::status(folder() / "out.txt").permissions(), fs::perms(0600));
  fs::create_hard_link(folder() / "out.txt", folder() / "other.txt");
  EXPECT_EQ(run(draw + "out.txt --seed 2").code, 0);
  EXPECT_EQ(fs::hard_link_count(folder() / "out.txt"), 2U);
  EXPECT_EQ(read_file(folder() / "other.txt"),
            run("sample --weights weights.txt --samples 5 --seed 2").output);
  EXPECT_EQ(names(), (std::vector<std::string>{"other.txt", "out.txt", "weights.txt"}));
  // A file without write permission is not replaced; root may write any file.
  fs::permissions(folder() / "out.txt", fs::perms(0400));
  if (geteuid() != 0) {
    EXPECT_EQ(run(draw + "out.txt").code, 2);
    return;
  }
  ASSERT_EQ(chown((folder() / "out.txt").c_str(), 12345, 54321), 0);
  fs::remove(folder() / "other.txt");
  EXPECT_EQ(run(draw + "out.txt").code, 0);
  struct stat status {};
  ASSERT_EQ(stat((folder() / "out.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345U);
  EXPECT_EQ(status.st_gid, 54321U);
}

TEST_F(Program, IgnoredSignalsStayIgnored) {
  // Under nohup, and in the background of a script, which ignores SIGINT.
  for (const char* signal : {"HUP", "INT"}) {
    for (const char* command :
         {"sample --weights weights.txt --samples 2e7", "shuffle --items 2e7 --device cpu"}) {
      const std::string name = std::string(signal);
      const Result result =
          run(std::string(command) + " --quiet --output out.txt & job=$!; sleep 0.2; kill -" +
                  name + " $job; wait $job; exit $?; true",
              "trap '' " + name + ";");
      EXPECT_EQ(result.code, 0) << name << ' ' << command;
      EXPECT_TRUE(fs::exists(folder() / "out.txt")) << name << ' ' << command;
      fs::remove(folder() / "out.txt");
    }
  }
}

// A pseudo-terminal; its output can be read from `master`.
struct Terminal {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  std::string name;

  Terminal() {
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0) name = ptsname(master);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { close(master); }
};

TEST_F(Program, WritesNoBinaryToATerminal) {
  const Terminal terminal;
  if (terminal.name.empty()) GTEST_SKIP() << "no terminal is to be had";
  const Result result = run("sample --weights weights.txt --samples 5 --format npy >" +
                            terminal.name + "; exit $?; true");
  EXPECT_EQ(result.code, 2);
}

TEST_F(Program, ShowsRateAndTimeLeftOnATerminal) {
  const Terminal terminal;
  if (terminal.name.empty()) GTEST_SKIP() << "no terminal is to be had";
  // No other process has it open while it is read.
  const int held = open(terminal.name.c_str(), O_RDWR | O_NOCTTY);
  EXPECT_EQ(run("sample --weights weights.txt --samples 3e8 --output /dev/null 2>" + terminal.name +
                    "; true",
                "timeout 3")
                .code,
            0);
  // One read returns a part of the output.
  fcntl(terminal.master, F_SETFL, O_NONBLOCK);
  std::string shown;
  std::string part(4096, ' ');
  for (ssize_t bytes = 1; bytes > 0;) {
    bytes = read(terminal.master, part.data(), part.size());
    if (bytes > 0) shown.append(part, 0, static_cast<std::size_t>(bytes));
  }
  close(held);
  EXPECT_NE(shown.find("/s, "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" left"), std::string::npos) << shown;
}

TEST_F(Program, HelpGoesToStandardOutput) {
  for (const char* arguments :
       {"--help", "sample --help", "shuffle --help", "verify --help", "info --help"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << arguments;
    EXPECT_EQ(result.errors, "") << arguments;
    EXPECT_NE(result.output, "") << arguments;
  }
}

TEST_F(Program, StopsQuietlyWhenTheReaderHasSeenEnough) {
  // The status of the group is that of the program: if SIGPIPE ended it, it would be a signal.
  const Result result =
      run("sample --weights weights.txt --samples 3000000 --quiet; echo $? >status; } | head -n 2",
          "{");
  EXPECT_EQ(lines(result.output), 2U);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(read_file(folder() / "status"), "0\n");
}

TEST_F(Program, ReplacesAFileOnlyWithACompleteOne) {
  write_file(folder() / "out.txt", "old");
  EXPECT_EQ(run("sample --weights missing.txt --samples 5 --output out.txt").code, 2);
  EXPECT_EQ(read_file(folder() / "out.txt"), "old");
  EXPECT_EQ(run("sample --weights weights.txt --samples 5 --output out.txt").code, 0);
  EXPECT_EQ(lines(read_file(folder() / "out.txt")), 5U);
}

TEST_F(Program, WritesThroughLinksAndToDevices) {
  fs::create_symlink("target.txt", folder() / "link.txt");
  write_file(folder() / "target.txt", "old");
  EXPECT_EQ(run("sample --weights weights.txt --samples 5 --output link.txt").code, 0);
  EXPECT_TRUE(fs::is_symlink(folder() / "link.txt"));
  EXPECT_EQ(lines(read_file(folder() / "target.txt")), 5U);
  EXPECT_EQ(run("sample --weights weights.txt --samples 5 --output /dev/null").code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Program, LeavesNothingBehindWhenStopped) {
  const Result result =
      run("sample --weights weights.txt --samples 800000000 --output out.txt", "timeout 0.5");
  EXPECT_EQ(result.code, 124);
  EXPECT_EQ(names(), std::vector<std::string>{"weights.txt"});
}

TEST_F(Program, FailsWhenTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const char* arguments :
       {"sample --weights weights.txt --samples 5 --output /dev/full",
        "sample --weights weights.txt --samples 5 --output - >/dev/full; exit $?; true",
        "--help >/dev/full; exit $?; true", "info >/dev/full; exit $?; true"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 1) << arguments;
  }
}

struct BadInput {
  const char* name;
  std::string arguments;  // of `wrsgpu sample`, unless they begin with a command
  std::vector<std::string> message;
  std::string file_name = {};
  std::string file = {};
  int code = 2;
};

std::ostream& operator<<(std::ostream& out, const BadInput& input) { return out << input.name; }

class BadInputs : public Program, public testing::WithParamInterface<BadInput> {};

TEST_P(BadInputs, OneLineAndNothingWritten) {
  const BadInput& input = GetParam();
  if (!input.file_name.empty()) write_file(folder() / input.file_name, input.file);
  const std::vector<std::string> before = names();
  const std::string command = input.arguments.starts_with("-") ? "sample" : "";
  std::vector<std::string> defaults{""};
  if (input.arguments.find("--samples") == std::string::npos) defaults = {" --samples 5"};
  if (input.arguments.find("--output") == std::string::npos) {
    defaults.push_back(defaults.front() + " --output out.npy");
  }
  for (const std::string& rest : defaults) {
    std::string arguments = command;
    arguments += " ";
    arguments += input.arguments;
    arguments += rest;
    const Result result = run(arguments);
    EXPECT_EQ(result.code, input.code);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(lines(result.errors), 1U) << result.errors;
    EXPECT_TRUE(result.errors.starts_with("wrsgpu: ")) << result.errors;
    for (const std::string& part : input.message) {
      EXPECT_NE(result.errors.find(part), std::string::npos) << part << "\n in " << result.errors;
    }
    EXPECT_EQ(names(), before);
  }
}

// A file of weights that is rejected, and the required parts of the message besides its name.
BadInput bad_file(const char* name, const std::string& extension, std::string content,
                  std::vector<std::string> message) {
  const std::string file = "bad." + extension;
  message.push_back(file);
  return {name, "--weights " + file, std::move(message), file, std::move(content)};
}

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();
const double huge = std::numeric_limits<double>::max();

const std::vector<BadInput> bad_inputs{
    // Weights.
    bad_file("EmptyText", "txt", "", {"holds no weights"}),
    bad_file("EmptyCsv", "csv", "word,count\n", {"holds no weights"}),
    bad_file("EmptyNpy", "npy", npy("<f8", 0, ""), {"holds no weights"}),
    bad_file("NanText", "txt", "1\nnan\n2\n", {"line 2: 'nan' is a missing value"}),
    bad_file("InfiniteText", "txt", "1\n2\ninf\n", {"line 3: 'inf' is infinite"}),
    bad_file("NegativeText", "txt", "1\n-2.5\n", {"line 2: '-2.5' is negative"}),
    bad_file("NanNpy", "npy", npy("<f8", 3, raw<double>({1, nan, 1})), {"weight 1", "nan"}),
    bad_file("InfiniteNpy", "npy", npy("<f8", 3, raw<double>({1, 1, infinity})),
             {"weight 2", "inf"}),
    bad_file("NegativeNpy", "npy", npy("<i4", 2, raw<std::int32_t>({1, -7})), {"weight 1", "-7"}),
    bad_file("AllZero", "txt", "0\n0\n0\n", {"all 3 weights are zero"}),
    bad_file("SumOverflow", "npy", npy("<f8", 3, raw<double>({huge, huge, huge})),
             {"sum of all 3 overflows", "1.797693134"}),
    {"TooManyItems",
     "--distribution uniform --items 5G",
     {"argument --items: 5000000000 exceeds the limit of 2^32 - 2 items"}},
    {"NoItems", "--distribution uniform --items 0", {"--items: '0' must be at least 1"}},
    {"NoItemsOfWords", "--distribution words --items 0", {"--items: '0' must be at least 1"}},
    {"ItemsMissing",
     "--distribution uniform",
     {"argument --items is required with --distribution, for example --items 1M"}},
    {"NegativeItems", "--distribution uniform --items -5", {"--items: '-5' must be at least 1"}},
    // Files.
    {"MissingFile", "--weights missing.txt", {"missing.txt", "No such file"}},
    {"Folder", "--weights /", {"'/'", "directory"}},
    bad_file("OldMacText", "csv", "a,1\rb,2\r", {"line 1", "carriage return"}),
    bad_file("NoNumber", "txt", "1\n2\nthree\n", {"line 3", "three"}),
    bad_file("NoNumberInCsv", "csv", "word,count\nthe,3\nand,x\n", {"line 3", "x"}),
    bad_file("DecimalCommaOrColumns", "csv", "0,435\n1,286\n0,118\n", {"--decimal-comma"}),
    bad_file("EmptyCell", "txt", "1\n\n3\n", {"line 2", "an empty line where a weight should be"}),
    bad_file("TruncatedCsv", "csv", "word,count\nthe,3\nand\n", {"line 3"}),
    bad_file("TruncatedNpy", "npy", npy("<f8", 3, raw<double>({1, 2})), {"after 2 of 3 items"}),
    bad_file("TruncatedNpyHeader", "npy", npy("<f8", 3, "").substr(0, 40), {"header"}),
    bad_file("NoNpy", "npy", "1\n2\n3\n4\n5\n6\n7\n8\n", {"does not begin as a .npy file"}),
    bad_file("ComplexNpy", "npy", npy("<c16", 1, raw<double>({1, 2})), {"<c16"}),
    // Names.
    {"MethodOfTheThesis", "--weights weights.txt --method vose", {"--method", "wrsgpu_methods"}},
    {"UnknownGenerator", "--weights weights.txt --generator x", {"--generator", "'x'", "philox7"}},
    {"UnknownDevice", "--weights weights.txt --device tpu", {"--device", "'tpu'", "cuda"}},
    {"UnknownDistribution", "--distribution x --items 5", {"--distribution", "'x'", "uniform"}},
    {"TwoKindsOfDraw",
     "--weights weights.txt --counts --histogram",
     {"--histogram, --without-replacement, --counts: several given; give one"}},
    {"OrderWithoutReplacement",
     "--weights weights.txt --without-replacement --order any",
     {"--order", "--without-replacement"}},
    {"UnknownOrder", "--weights weights.txt --order sorted", {"--order", "'sorted'", "random"}},
    {"ShuffleOfNone", "shuffle --items 9 --samples 0", {"--samples", "at least 1"}},
    {"LinesOnNothing", "shuffle --input weights.txt --device tpu", {"--device", "'tpu'"}},
    {"ShuffleOfAFolder", "shuffle --input - < /", {"--input", "directory"}},
    {"ShuffleOfTooManyOfTheRest",
     "shuffle --items 9 --first 5",
     {"argument --samples 5 exceeds the 4 items from --first 5 on\n"}},
    {"ShuffleOfTooManyLines",
     "shuffle --input weights.txt",
     {"argument --samples 5 exceeds the 4 lines\n"}},
    {"ShuffleOfFewerThanNone", "shuffle --items 9 --samples -5", {"'-5' must be at least 1"}},
    {"ShuffleOfNothing", "shuffle", {"--items", "--input"}},
    {"ShuffleOfNoItems", "shuffle --items 0", {"--items: '0' must be at least 1"}},
    {"ShuffleOfNoLines", "shuffle --input empty.txt", {"--input: 0 lines"}, "empty.txt", ""},
    {"ShuffleOfTooMuch", "shuffle --items 1099511627777", {"--items", "2^40"}},
    {"ShuffleOfTwo", "shuffle --items 5 --input weights.txt", {"--items", "--input"}},
    {"ShuffleOfMoreThanThereIs",
     "shuffle --items 5 --samples 6",
     {"argument --samples 6 exceeds the 5 items\n"}},
    {"ShuffleBehindTheEnd",
     "shuffle --items 9 --first 9",
     {"--first", "9 must be below the number of items (9)"}},
    {"ShuffleOfNoFile", "shuffle --input missing.txt", {"--input", "missing.txt"}},
    {"ShuffleOnNothing", "shuffle --items 9 --device tpu", {"--device", "'tpu'"}},
    {"LinesAsNpy", "shuffle --input weights.txt --format npy", {"--format", "lines"}},
    {"UnknownType", "--distribution uniform --items 5 --type f2", {"--type", "'f2'", "float32"}},
    {"UnknownFormat", "--weights weights.txt --format bin", {"--format", "'bin'", "npy"}},
    {"UnknownCommand", "sampel --weights weights.txt", {"'sampel'", "did you mean wrsgpu sample?"}},
    {"CommandThatMoved", "list", {"'list'", "wrsgpu_methods list"}},
    {"OptionBeforeTheCommand",
     " --sampels 5",
     {"--sampels", "did you mean wrsgpu sample --samples?"}},
    {"UnknownOption", "--weights weights.txt --columm 1", {"--columm", "did you mean --column?"}},
    {"OptionUnlikeAll", "--weights weights.txt --bogus", {"--bogus; see wrsgpu sample --help"}},
    {"CommandUnlikeAll", "frobnicate", {"'frobnicate' (wrsgpu --help lists all)"}},
    {"WeightsMistyped", "--weigths weights.txt", {"--weigths", "did you mean --weights?"}},
    {"WeightsWithoutTheOption", "sample weights.txt 5", {"did you mean --weights weights.txt?"}},
    {"NumberWithoutTheOption", "sample --weights weights.txt 5", {"did you mean --samples 5?"}},
    {"LinesWithoutTheOption", "shuffle weights.txt", {"did you mean --input weights.txt?"}},
    {"SamplesTwice",
     "--weights weights.txt --samples 1 --samples 2",
     {"argument --samples is given twice"}},
    {"SeedThreeTimes",
     "--weights weights.txt --seed 1 --seed 1 --seed 1",
     {"argument --seed is given 3 times"}},
    {"EmptyGenerator", "--weights weights.txt --generator ''", {"--generator", "empty"}},
    {"LinesAndLabels",
     "--weights weights.txt --lines --labels 1 --format text",
     {"--lines", "--labels", "both given"}},
    {"HeaderAndNone", "--weights weights.txt --header --no-header", {"--header", "--no-header"}},
    {"UnknownColumn", "--weights weights.txt --column share", {"'share'", "weights.txt"}},
    {"DelimiterOfTwoCharacters", "--weights weights.txt --delimiter ab", {"--delimiter", "'ab'"}},
    {"HeaderOfADistribution",
     "--distribution uniform --items 5 --no-header",
     {"--distribution", "--no-header"}},
    {"LinesOfOneLine",
     "--weights one.txt --lines --format text",
     {"one.txt, line 1", "--lines"},
     "one.txt",
     "1,2,3,4\n"},
    {"LinesOfNpy",
     "--weights w.npy --lines --format text",
     {"argument --lines: w.npy is a .npy file"},
     "w.npy",
     npy("<f8", 1, raw<double>({1}))},
    {"LinesOfADistribution",
     "--distribution uniform --items 5 --lines",
     {"--lines", "a distribution has neither"}},
    {"LabelsAsNpy",
     "--weights weights.txt --labels 1 --format npy",
     {"--labels", ".npy files hold numbers"}},
    {"EmptyOutput", "--weights weights.txt --output ''", {"--output", "empty"}},
    // Combinations.
    {"ItemsOfAFile", "--weights weights.txt --items 5", {"--weights", "--items"}},
    {"TypeOfAFile", "--weights weights.txt --type float32", {"--weights", "--type"}},
    {"SeedOfAFile", "--weights weights.txt --weights-seed 4", {"--weights", "--weights-seed"}},
    {"ColumnOfADistribution",
     "--distribution uniform --items 5 --column 7",
     {"--distribution", "--column"}},
    {"NoWeights", "--seed 1", {"--weights", "--distribution"}},
    {"TwoWeights", "--weights weights.txt --distribution uniform", {"--weights", "--distribution"}},
    {"ZeroSamples", "--weights weights.txt --samples 0", {"--samples", "at least 1"}},
    {"NegativeSamples",
     "--weights weights.txt --samples -5",
     {"--samples: '-5' must be at least 1"}},
    {"SamplesWithAComma",
     "--weights weights.txt --samples 1,000",
     {"--samples: '1,000' is ambiguous: write 1000 or 1_000; if the comma is decimal, write 1\n"}},
    {"SamplesWithACommaAndAFraction",
     "--weights weights.txt --samples 1,500",
     {"'1,500' is ambiguous: write 1500 or 1_500; if the comma is decimal, it is no whole "
      "number\n"}},
    {"SamplesWithTwoCommas",
     "--weights weights.txt --samples 1,000,000",
     {"'1,000,000' has commas: write 1000000 or 1_000_000\n"}},
    {"SamplesWithACommaAndAUnit",
     "--weights weights.txt --samples 1,5M",
     {"'1,5M' has a decimal comma: write 1.5M or 1500000\n"}},
    {"SamplesWithACommaInTheWrongPlace",
     "--weights weights.txt --samples 1,00,0",
     {"'1,00,0' is not a whole number from 1 to 18446744073709551615"}},
    {"SamplesWithAFraction", "--weights weights.txt --samples 1.5e0", {"--samples", "'1.5e0'"}},
    {"SamplesWithTwoUnderscores", "--weights weights.txt --samples 1__0", {"'1__0'"}},
    {"SamplesOfAnUnknownUnit", "--weights weights.txt --samples 5m", {"'5m'", "10_000"}},
    {"MoreThanTheDiskHolds",
     "--weights weights.txt --samples 99999999999999 --output big.npy",
     {"--output", "'big.npy' needs 400000000000124 bytes (400 TB)", "but only"}},
    {"MoreThanAnyFileHolds",
     "--weights weights.txt --samples 18446744073709551615 --output big.npy",
     {"--output", "18446744073709551615 bytes"}},
    {"SamplesNoNumber", "--weights weights.txt --samples ten", {"--samples", "ten"}},
    {"SamplesBeyondAnyNumber",
     "--weights weights.txt --samples 18446744073709551616",
     {"--samples", "18446744073709551616"}},
    {"SeedNoNumber", "--weights weights.txt --seed x", {"--seed", "x"}},
    {"UnknownExtension", "--weights weights.txt --output out.bin", {"--output", "out.bin"}},
    {"UnwritableOutput",
     "--weights weights.txt --output missing/out.npy",
     {"--output", "missing/out.npy", "No such file"}},
    {"OutputIsAFolder", "--weights weights.txt --output /", {"--output", "'/'"}},
};

INSTANTIATE_TEST_SUITE_P(Program, BadInputs, testing::ValuesIn(bad_inputs),
                         [](const auto& input) { return std::string(input.param.name); });

TEST_F(Program, CountsNoMoreSamplesThanCanBeDrawn) {
  const Result verified = run("verify --weights weights.txt --samples 1e19");
  EXPECT_EQ(verified.code, 2);
  EXPECT_EQ(verified.errors, "wrsgpu: --samples: '1e19' must be at most 10000000000000\n");
  const Result counted =
      run("sample --weights weights.txt --histogram --samples 10_000_000_000_001");
  EXPECT_EQ(counted.code, 2);
  EXPECT_EQ(counted.errors,
            "wrsgpu: argument --samples: '10000000000001' must be at most 10000000000000 with "
            "--histogram\n");
}

TEST_F(Program, MissingDeviceIsNamed) {
  if (why_no_cuda_device().empty()) GTEST_SKIP() << "there is a GPU";
  const Result result =
      run("sample --weights weights.txt --samples 5 --device cuda --output out.npy");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(lines(result.errors), 1U);
  EXPECT_NE(result.errors.find("--device"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(why_no_cuda_device()), std::string::npos) << result.errors;
  EXPECT_EQ(names(), std::vector<std::string>{"weights.txt"});
}

}  // namespace
}  // namespace wrsgpu
