// The program as a shell user meets it: output, exit codes, one-line errors, nothing half-written.

#include <gtest/gtest.h>
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

#include "commands.hpp"
#include "verdict.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"

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

// A version 1.0 file of NumPy's format with the raw `data`.
std::string npy(const std::string& type, std::size_t items, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(items) + ",), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
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

// Runs in a fresh folder.
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

  /// Runs `wrsgpu <arguments>` by the shell, after `before`.
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
  EXPECT_EQ(text.errors, "");
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
    // Within 7 standard deviations: of right samples one count in 4*10^11 is not.
    const double p = 0.1 * static_cast<double>(i + 1);
    EXPECT_NEAR(static_cast<double>(counts[i]), 5000 * p, 7 * std::sqrt(5000 * p * (1 - p)));
  }
  EXPECT_EQ(run(draw + "--histogram --format csv").output, "item,count\n" + text);
}

TEST_F(Program, LongDrawsComeInPiecesOfOneStream) {
  // More than one piece (2^22), and the same from any offset and number of threads.
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
  write_file(folder() / "negative.txt", "1\n-2\n");
  EXPECT_NE(run("sample --weights negative.txt --samples 1 --seed 1 --device cpu")
                .errors.find("argument --weights negative.txt: weight 1 is negative (-2)"),
            std::string::npos);
}

TEST_F(Program, SeedsMatterAndMethodsDoNot) {
  const std::string draw = "sample --weights weights.txt --samples 100 ";
  EXPECT_EQ(run(draw + "--seed 1").output, run(draw + "--seed 1 --sampler direct").output);
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
  // In pieces it is the same order, on any device.
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
  // The order of the items, in pieces as well.
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
  EXPECT_EQ(run(draw + " --order drawn --sampler batched").output, drawn.output);
}

TEST_F(Program, VerifyAcceptsGoodTables) {
  const Result result = run("verify --weights weights.txt --samples 100000 --seed 3");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("verdict             ok"), std::string::npos) << result.output;
}

TEST_F(Program, ListNamesWhatThereIs) {
  const Result result = run("list");
  EXPECT_EQ(result.code, 0);
  for (const char* name : {"sweep", "batched", "uniform", "compact_rows", "(default)"}) {
    EXPECT_NE(result.output.find(name), std::string::npos) << name;
  }
}

TEST_F(Program, InfoSaysWhetherThereIsAGpu) {
  const Result result = run("info");
  EXPECT_EQ(result.code, 0);
  const std::string reason = why_no_cuda_device();
  EXPECT_NE(result.output.find(reason.empty() ? "GPU 0" : "none: " + reason), std::string::npos);
}

// The verdict is what the table and every test say.
TEST(Verdict, IsOkOnlyWhenAllIsWell) {
  verification::TableReport table;
  std::vector<verification::StatisticalReport> reports(3);
  for (verification::StatisticalReport& report : reports) report.p_value = 0.5;
  const auto verdict = [&] { return cli::print_verdict(table, reports, 1e-6); };
  EXPECT_EQ(verdict(), cli::exit_failed);  // the table is not
  table.ok = true;
  EXPECT_EQ(verdict(), cli::exit_ok);
  for (verification::StatisticalReport& report : reports) {
    report.p_value = 1e-7;
    EXPECT_EQ(verdict(), cli::exit_failed);
    report.p_value = 0.5;
  }
  EXPECT_EQ(cli::print_verdict(table, {}, 1e-6), cli::exit_ok);
}

TEST_F(Program, DemoVerifiesAndWritesWhatItDrew) {
  write_file(folder() / "words.csv", "word,count\nthe,50\nand,30\nof,20\n");
  const auto demo = [&](const std::string& arguments) {
    return std::system(("cd '" + folder().string() + "' && '" WRSGPU_DEMO "' --device cpu " +
                        arguments + " >out 2>err")
                           .c_str());
  };
  EXPECT_EQ(demo("--weights words.csv --samples 100000 --output words.json"), 0);
  const std::string out = read_file(folder() / "out");
  for (const char* part : {"verified", "chi-squared", "Kolmogorov-Smirnov", "the", "are right"}) {
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n in " << out;
  }
  const std::string json = read_file(folder() / "words.json");
  EXPECT_NE(json.find("\"sampled\""), std::string::npos);
  fs::remove(folder() / "words.json");
  std::vector<const char*> bad_arguments{"--weights words.csv --samples 0", "--weights missing.csv",
                                         "--weights words.csv --output missing/words.json"};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Sanitizers report an allocation that cannot be as a fault of their own.
  bad_arguments.push_back("--weights words.csv --samples 99999999999999999");
#endif
  for (const char* bad : bad_arguments) {
    EXPECT_NE(demo(std::string(bad) + (std::string(bad).find("--output") == std::string::npos
                                           ? " --output words.json"
                                           : "")),
              0)
        << bad;
    EXPECT_EQ(lines(read_file(folder() / "err")), 1U) << read_file(folder() / "err");
    EXPECT_EQ(read_file(folder() / "out"), "") << bad;
    EXPECT_FALSE(fs::exists(folder() / "words.json")) << bad;
  }
}

TEST_F(Program, OutputIsReadableAsTheShellWants) {
  EXPECT_EQ(run("sample --weights weights.txt --samples 5 --output out.txt", "umask 027;").code, 0);
  EXPECT_EQ(fs::status(folder() / "out.txt").permissions(), fs::perms(0640));
}

TEST_F(Program, LeavesNothingBehindWhenAFileMayNotGrow) {
  const Result result =
      run("sample --weights weights.txt --samples 1000000 --output out.txt", "ulimit -f 100;");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(lines(result.errors), 1U) << result.errors;
  EXPECT_NE(result.errors.find("out.txt"), std::string::npos) << result.errors;
  EXPECT_EQ(names(), std::vector<std::string>{"weights.txt"});
}

TEST_F(Program, HelpGoesToStandardOutput) {
  for (const char* arguments : {"--help", "sample --help", "verify --help"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << arguments;
    EXPECT_EQ(result.errors, "") << arguments;
    EXPECT_NE(result.output, "") << arguments;
  }
}

TEST_F(Program, StopsQuietlyWhenTheReaderHasSeenEnough) {
  // The group's status is the program's: it would be a signal's if SIGPIPE ended it.
  const Result result =
      run("sample --weights weights.txt --samples 3000000; echo $? >status; } | head -n 2", "{");
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
      run("sample --weights weights.txt --samples 100000000000 --output out.npy", "timeout 0.5");
  EXPECT_EQ(result.code, 124);
  EXPECT_EQ(names(), std::vector<std::string>{"weights.txt"});
}

TEST_F(Program, FailsWhenTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const char* arguments :
       {"sample --weights weights.txt --samples 5 --output /dev/full",
        "sample --weights weights.txt --samples 5 --output - >/dev/full; exit $?; true",
        "--help >/dev/full; exit $?; true", "list >/dev/full; exit $?; true"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 1) << arguments;
  }
}

struct BadInput {
  const char* name;
  std::string arguments;  // of `wrsgpu sample`, unless they name a command
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

// A file of weights that is refused, and what the message must hold besides its name.
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
    bad_file("NanText", "txt", "1\nnan\n2\n", {"weight 1", "nan"}),
    bad_file("InfiniteText", "txt", "1\n2\ninf\n", {"weight 2", "inf"}),
    bad_file("NegativeText", "txt", "1\n-2.5\n", {"weight 1", "-2.5"}),
    bad_file("NanNpy", "npy", npy("<f8", 3, raw<double>({1, nan, 1})), {"weight 1", "nan"}),
    bad_file("InfiniteNpy", "npy", npy("<f8", 3, raw<double>({1, 1, infinity})),
             {"weight 2", "inf"}),
    bad_file("NegativeNpy", "npy", npy("<i4", 2, raw<std::int32_t>({1, -7})), {"weight 1", "-7"}),
    bad_file("AllZero", "txt", "0\n0\n0\n", {"all 3 weights are zero"}),
    bad_file("SumOverflow", "npy", npy("<f8", 3, raw<double>({huge, huge, huge})),
             {"sum of all 3 overflows", "1.797693134"}),
    {"TooManyItems", "--distribution uniform --items 5000000000", {"5000000000", "items"}},
    {"NoItems", "--distribution uniform --items 0", {"--items", "0"}},
    {"ItemsMissing", "--distribution uniform", {"--items"}},
    // Files.
    {"MissingFile", "--weights missing.txt", {"missing.txt", "No such file"}},
    {"Folder", "--weights /", {"'/'", "directory"}},
    bad_file("OldMacText", "csv", "a,1\rb,2\r", {"line 1", "carriage return"}),
    bad_file("NoNumber", "txt", "1\n2\nthree\n", {"line 3", "three"}),
    bad_file("NoNumberInCsv", "csv", "word,count\nthe,3\nand,x\n", {"line 3", "x"}),
    bad_file("TruncatedCsv", "csv", "word,count\nthe,3\nand\n", {"line 3"}),
    bad_file("TruncatedNpy", "npy", npy("<f8", 3, raw<double>({1, 2})), {"after 2 of 3 items"}),
    bad_file("TruncatedNpyHeader", "npy", npy("<f8", 3, "").substr(0, 40), {"header"}),
    bad_file("NoNpy", "npy", "1\n2\n3\n4\n5\n6\n7\n8\n", {"does not begin as a .npy file"}),
    bad_file("ComplexNpy", "npy", npy("<c16", 1, raw<double>({1, 2})), {"<c16"}),
    // Names.
    {"UnknownMethod", "--weights weights.txt --method magic", {"--method", "'magic'", "sweep"}},
    {"UnknownSampler", "--weights weights.txt --sampler x", {"--sampler", "'x'", "batched"}},
    {"UnknownLayout", "--weights weights.txt --layout x", {"--layout", "'x'", "compact_rows"}},
    {"UnknownArithmetic",
     "--weights weights.txt --arithmetic x",
     {"--arithmetic", "'x'", "fixed_point"}},
    {"UnknownDevice", "--weights weights.txt --device tpu", {"--device", "'tpu'", "cuda"}},
    {"UnknownDistribution", "--distribution x --items 5", {"--distribution", "'x'", "uniform"}},
    {"GeneratorOnTheCpu",
     "--weights weights.txt --device cpu --generator xorwow",
     {"--generator", "GPU"}},
    {"UnknownOrder", "--weights weights.txt --order sorted", {"--order", "'sorted'", "random"}},
    {"OrderOfWhatIsNotRandom",
     "--weights weights.txt --device cpu --sampler expected --order random",
     {"--order", "expected"}},
    {"ShuffleOfNone", "shuffle --items 9 --samples 0", {"--samples", "at least 1"}},
    {"LinesOnNothing", "shuffle --input weights.txt --device tpu", {"--device", "'tpu'"}},
    {"ShuffleOfAFolder", "shuffle --input - < /", {"--input", "directory"}},
    {"ShuffleOfTooManyOfTheRest", "shuffle --items 9 --first 5", {"--samples", "5 of 9"}},
    {"ShuffleOfNothing", "shuffle", {"--items", "--input"}},
    {"ShuffleOfNoItems", "shuffle --items 0", {"--items", "0 items", "1 to 2^40"}},
    {"ShuffleOfNoItemsAndAFile", "shuffle --items 0 --input weights.txt", {"--items", "--input"}},
    {"ShuffleOfTooMuch", "shuffle --items 1099511627777", {"--items", "2^40"}},
    {"ShuffleOfTwo", "shuffle --items 5 --input weights.txt", {"--items", "--input"}},
    {"ShuffleOfMoreThanThereIs", "shuffle --items 4", {"--samples", "5 of 4"}},
    {"ShuffleBehindTheEnd", "shuffle --items 9 --first 9", {"--first", "9 of 9"}},
    {"ShuffleOfNoFile", "shuffle --input missing.txt", {"--input", "missing.txt"}},
    {"ShuffleOnNothing", "shuffle --items 9 --device tpu", {"--device", "'tpu'"}},
    {"LinesAsNpy", "shuffle --input weights.txt --format npy", {"--format", "lines"}},
    {"SectionsWithoutASampler", "--weights weights.txt --section-rows 5", {"--section-rows"}},
    {"UnknownType", "--distribution uniform --items 5 --type f2", {"--type", "'f2'", "float32"}},
    {"UnknownFormat", "--weights weights.txt --format bin", {"--format", "'bin'", "npy"}},
    {"UnknownCommand", "frobnicate", {"frobnicate"}},
    {"UnknownOption", "--weights weights.txt --colour red", {"--colour"}},
    {"EmptyMethod", "--weights weights.txt --method ''", {"--method", "empty"}},
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
    {"RefusedLayout",
     "--weights weights.txt --arithmetic floating --layout compact_rows",
     {"--layout", "compact_rows", "fixed_point"}},
    {"ZeroSamples", "--weights weights.txt --samples 0", {"--samples", "0"}},
    {"NegativeSamples", "--weights weights.txt --samples -3", {"--samples", "-3"}},
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
