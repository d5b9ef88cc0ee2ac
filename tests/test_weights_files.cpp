// Readers of weight files and the writer of .npy.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "error_message.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/weights/npy.hpp"
#include "wrsgpu/detail/weights/text.hpp"
#include "wrsgpu/detail/weights/word_counts.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::weights {
namespace {

std::vector<double> values(const OwnedWeights& weights) {
  return weights.view().visit(
      [](auto span) { return std::vector<double>(span.begin(), span.end()); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder of its own for each test, gone at its end.
class Files : public testing::Test {
 protected:
  Files()
      : folder_(std::filesystem::temp_directory_path() /
                ("wrsgpu_test_weights_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& content) {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

OwnedWeights text(const std::string& content, const TextFormat& format = {}) {
  std::istringstream stream(content);
  return read_text(stream, "w.csv", format);
}
std::string text_message(const std::string& content, const TextFormat& format = {}) {
  return error_of([&] { static_cast<void>(text(content, format)); });
}

TEST(Text, OneWeightALine) {
  EXPECT_EQ(values(text("1\n2.5\n1e-3\n")), (std::vector<double>{1, 2.5, 1e-3}));
  EXPECT_EQ(values(text("1\n2.5\n1e-3")), (std::vector<double>{1, 2.5, 1e-3}));  // no last newline
  EXPECT_EQ(values(text("\xEF\xBB\xBF"
                        "1\r\n 2.5\t\r\n\r\n")),
            (std::vector<double>{1, 2.5}));
  EXPECT_EQ(values(text("# a comment\n\n  # another\n7\n\n+8\n")), (std::vector<double>{7.0, 8.0}));
  EXPECT_EQ(values(text("0\n-1\n4.9406564584124654e-324\n1.7976931348623157e308\n")),
            (std::vector<double>{0, -1, 4.9406564584124654e-324, 1.7976931348623157e308}));
  const std::vector<double> special = values(text("nan\ninf\n-inf\n"));
  EXPECT_TRUE(std::isnan(special[0]));
  EXPECT_EQ(special[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(special[2], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(text("1\n").view().type(), WeightsView::Type::float64);
}

TEST(Text, ManyLines) {
  std::string content;
  std::vector<double> expected;
  for (int i = 0; i < 100'003; ++i) {
    expected.push_back(i * 0.25);
    content += std::to_string(i / 4) + (i % 4 == 0   ? ".0"
                                        : i % 4 == 1 ? ".25"
                                        : i % 4 == 2 ? ".5"
                                                     : ".75");
    content += i % 7 == 0 ? "\r\n" : "\n";
  }
  EXPECT_EQ(values(text(content)), expected);
}

TEST(Text, TheShippedWordCountsAreTheCompiledOnes) {
  const OwnedWeights read = read_text(WRSGPU_WORD_COUNTS, {.column = "count"});
  const std::span<const std::uint32_t> counts = word_counts();
  EXPECT_EQ(values(read), std::vector<double>(counts.begin(), counts.end()));
}

TEST(Text, Columns) {
  const std::string csv = "word,count,share\nthe,3,0.75\n\"a,b\",1,0.25\n";
  EXPECT_EQ(values(text(csv, {.column = "count"})), (std::vector<double>{3.0, 1.0}));
  EXPECT_EQ(values(text(csv, {.column = "share"})), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(values(text(csv, {.column = "2"})), (std::vector<double>{3.0, 1.0}));
  EXPECT_EQ(values(text(csv)), (std::vector<double>{0.75, 0.25}));  // the last one
  EXPECT_EQ(values(text("1,2\n3,4\n", {.column = "1"})), (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(values(text("1,2\n3,4\n")), (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(values(text("1;2\n3 ; 4\n", {.column = "2", .separator = ';'})),
            (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(values(text("a\t2\nb\t4\n", {.column = "2", .separator = '\t'})),
            (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(values(text("weight\n5\n", {.column = "weight"})), (std::vector<double>{5.0}));
  EXPECT_EQ(values(text("\"we\"\"ight\"\n\"5\"\n", {.column = "we\"ight"})),
            (std::vector<double>{5.0}));
}

TEST(Text, Labels) {
  std::istringstream csv("word,count\nthe,3\n# no row\n\"a, \"\"b\"\"\" ,1\n,2\n");
  EXPECT_EQ(read_labels(csv, "w.csv", {.column = "word"}),
            (std::vector<std::string>{"the", "a, \"b\"", ""}));
  std::istringstream by_number("word,count\nthe,3\n");
  EXPECT_EQ(read_labels(by_number, "w.csv", {.column = "1"}), std::vector<std::string>{"the"});
}

TEST(Text, ErrorsNameFileLineAndText) {
  EXPECT_EQ(text_message("1\n# x\n\nabc\n"), "w.csv, line 4: 'abc' is not a number");
  EXPECT_EQ(text_message("weight\n1\n"), "w.csv, line 1: 'weight' is not a number");
  EXPECT_EQ(text_message("1\n2x\n"), "w.csv, line 2: '2x' is not a number");
  EXPECT_EQ(text_message("1 2\n"), "w.csv, line 1: '1 2' is not a number");
  EXPECT_EQ(text_message("0x10\n"), "w.csv, line 1: '0x10' is not a number");
  EXPECT_EQ(text_message("+-1\n"), "w.csv, line 1: '+-1' is not a number");
  EXPECT_EQ(text_message("++1\n"), "w.csv, line 1: '++1' is not a number");
  EXPECT_EQ(text_message("1,5\na,\n"), "w.csv, line 2: '' is not a number");
  EXPECT_EQ(text_message("1\n1e999\n"), "w.csv, line 2: '1e999' is outside the range of double");
  EXPECT_EQ(text_message("1\n1e-999\n"), "w.csv, line 2: '1e-999' is outside the range of double");
  EXPECT_EQ(text_message("1,2\n3\n"), "w.csv, line 2: 1 columns, but 2 in the lines before: '3'");
  EXPECT_EQ(text_message("1,2\n3,4,\n"),
            "w.csv, line 2: 3 columns, but 2 in the lines before: '3,4,'");
  EXPECT_EQ(text_message("1,2\n", {.column = "3"}), "w.csv, line 1: column 3 of 2: '1,2'");
  EXPECT_EQ(text_message("a,b\n1,2\n", {.column = "c"}),
            "w.csv, line 1: no column 'c' in the header 'a,b'");
  EXPECT_EQ(text_message("a,a\n1,2\n", {.column = "a"}),
            "w.csv, line 1: two columns 'a' in the header 'a,a'");
  EXPECT_EQ(text_message("x,\"1\n"), "w.csv, line 1: a quote is not closed: 'x,\"1'");
  EXPECT_EQ(text_message("\"1\"2\n"), "w.csv, line 1: text after a closing quote: '\"1\"2'");
  EXPECT_EQ(text_message("a,1\rb,2\rc,3\r"),
            "w.csv, line 1: a carriage return within the line: lines end in \\n or \\r\\n");
  EXPECT_EQ(text_message(""), "w.csv: holds no weights");
  EXPECT_EQ(text_message("# only\n\n"), "w.csv: holds no weights");
  EXPECT_EQ(text_message("a,b\n"), "w.csv: holds no weights");
  EXPECT_EQ(text_message("a,\nb,2\n"), "w.csv, line 1: '' is not a number");
  EXPECT_EQ(text_message("", {.column = "a"}), "w.csv: no header line, the file is empty");
  EXPECT_EQ(text_message("1\n", {.column = "0"}),
            "argument 'column' is '0'; columns are counted from 1");
  EXPECT_EQ(text_message("1\n", {.column = "99999999999999999999"}),
            "argument 'column' is '99999999999999999999'; columns are counted from 1");
  const std::string nul("1\n\0\x01z\n", 6);
  EXPECT_EQ(text_message(nul), "w.csv, line 2: '??z' is not a number");
  EXPECT_EQ(text_message(std::string(100, 'q')),
            "w.csv, line 1: '" + std::string(40, 'q') + "...' is not a number");
}

TEST(Text, FirstLineOfACsvIsAHeaderOnlyWithoutNumbers) {
  EXPECT_EQ(text_message("a,x\nb,y\n"), "w.csv, line 2: 'y' is not a number");
  EXPECT_EQ(text_message("1,x\n2,3\n"), "w.csv, line 1: 'x' is not a number");
  EXPECT_EQ(text_message("a,.x\nb,3\n"), "w.csv, line 1: '.x' is not a number");
  EXPECT_EQ(values(text("nan,inf\n")).size(), 1);
}

TEST_F(Files, TextFilesThatCannotBeRead) {
  const std::string missing = path("missing.csv").string();
  EXPECT_EQ(error_of([&] { static_cast<void>(read_text(path("missing.csv"))); }),
            "cannot open '" + missing + "': No such file or directory");
  EXPECT_TRUE(
      contains(error_of([&] { static_cast<void>(read_text(path("."))); }), "Is a directory"));
  EXPECT_EQ(values(read_text(write("w.txt", "3\n4\n"))), (std::vector<double>{3.0, 4.0}));
  EXPECT_EQ(read_labels(write("l.csv", "w,c\nx,1\n"), {.column = "w"}),
            std::vector<std::string>{"x"});
}

std::string npy_file(int major, const std::string& dictionary, const std::string& data) {
  std::string file(npy_magic);
  file += static_cast<char>(major);
  file += '\0';
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) {
    file += static_cast<char>((dictionary.size() >> (8 * byte)) & 0xFF);
  }
  return file + dictionary + data;
}

std::string dictionary(const std::string& type, std::size_t items) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(items) +
         ",), }\n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values, char order) {
  std::string bytes;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    const bool little = std::endian::native == std::endian::little;
    if ((order == '<') != little) one = std::string(one.rbegin(), one.rend());
    bytes += one;
  }
  return bytes;
}

OwnedWeights npy(const std::string& content) {
  std::istringstream stream(content);
  return read_npy(stream, "w.npy");
}
std::string npy_message(const std::string& content) {
  return error_of([&] { static_cast<void>(npy(content)); });
}

template <class T>
void expect_reads(const std::string& code, const std::vector<T>& stored) {
  const std::vector<double> expected(stored.begin(), stored.end());
  for (const int major : {1, 2, 3}) {
    for (const char order : {'<', '>'}) {
      const OwnedWeights weights =
          npy(npy_file(major, dictionary(order + code, stored.size()), bytes_of(stored, order)));
      EXPECT_EQ(values(weights), expected) << code << order << major;
      EXPECT_EQ(weights.size(), stored.size());
      EXPECT_EQ(weights.view().type(), (std::is_same_v<T, float> ? WeightsView::Type::float32
                                                                 : WeightsView::Type::float64));
    }
  }
}

TEST(Npy, ReadsEveryTypeVersionAndByteOrder) {
  expect_reads<float>("f4", {1, 0.1F, 1e-45F, -3, 3.4e38F});
  expect_reads<double>("f8", {1, 0.1, 5e-324, -3, 1.7e308});
  expect_reads<std::int32_t>("i4", {1, -2, 2147483647, -2147483647 - 1});
  expect_reads<std::uint32_t>("u4", {1, 0, 4294967295U});
  expect_reads<std::int64_t>("i8", {1, -5, 1LL << 53, -(1LL << 53)});
  expect_reads<std::uint64_t>("u8", {1, 0, 1ULL << 53});
}

TEST(Npy, ManyItems) {
  std::vector<std::int64_t> many(200'003);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i * i);
  for (const char order : {'<', '>'}) {
    const std::vector<double> read = values(npy(
        npy_file(1, dictionary(std::string(1, order) + "i8", many.size()), bytes_of(many, order))));
    EXPECT_EQ(read, std::vector<double>(many.begin(), many.end())) << order;
  }
}

TEST(Npy, HeadersInOtherSpellings) {
  const std::string data = bytes_of<double>({7}, '<');
  for (const char* header :
       {R"({"shape":(1,),"fortran_order":False,"descr":"<f8"})",
        "{ 'fortran_order' : False , 'descr' : '<f8' , 'shape' : ( 1 , ) }   \n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }"}) {
    EXPECT_EQ(values(npy(npy_file(1, header, data))), std::vector<double>{7.0}) << header;
  }
}

TEST(Npy, MalformedHeadersAreRefused) {
  const std::string data = bytes_of<double>({7, 8}, '<');
  const auto refused = [&](const std::string& header) {
    return npy_message(npy_file(1, header, data));
  };
  const auto with = [](const std::string& type, const std::string& order,
                       const std::string& shape) {
    return "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "'{' expected"},
      {"{", "string expected"},
      {"{}", "not all of"},
      {"[]", "'{' expected"},
      {"{'descr': '<f8'}", "not all of descr"},
      {"{'descr': '<f8', 'fortran_order': False}", "not all of descr"},
      {"{'descr': '<f8', 'descr': '<f8'}", "repeated key 'descr'"},
      {"{'kind': '<f8'}", "unknown or repeated key 'kind'"},
      {"{'descr' '<f8'}", "':' expected"},
      {"{'descr: <f8}", "not closed"},
      {with("'<f8'", "False", "(2,)") + "x", "text after the dictionary"},
      {"{'descr': '<f8' 'fortran_order': False}", "'}' expected"},
      {with("'<f8'", "True", "(2,)"), "Fortran order"},
      {with("'<f8'", "0", "(2,)"), "True or False expected"},
      {with("'<f8'", "False", "()"), "0 dimensions"},
      {with("'<f8'", "False", "(1,2)"), "2 dimensions"},
      {with("'<f8'", "False", "(2,"), "a size expected, not"},
      {with("'<f8'", "False", "2"), "'(' expected"},
      {with("'<f8'", "False", "(-2,)"), "a size expected, not '-2'"},
      {with("'<f8'", "False", "(2 3)"), "')' expected"},
      {with("'<f8'", "False", "(99999999999999999999,)"),
       "a size expected, not '99999999999999999999'"},
      {with("[('a', '<f8')]", "False", "(2,)"), "structured types"},
      {with("'<f2'", "False", "(2,)"), "type '<f2' is not read"},
      {with("'<c8'", "False", "(2,)"), "type '<c8' is not read"},
      {with("'|u1'", "False", "(2,)"), "type '|u1' is not read"},
      {with("'=f8'", "False", "(2,)"), "type '=f8' is not read"},
      {with("'f8'", "False", "(2,)"), "type 'f8' is not read"},
      {with("''", "False", "(2,)"), "type '' is not read"},
      {with("'<f8 '", "False", "(2,)"), "type '<f8 ' is not read"},
      {with("'<f8'", "False", "(0,)"), "holds no weights"},
      {with("'<f8'", "False", "(4294967295,)"), "more than the 4294967294"},
      {with("'<f8'", "False", "(18446744073709551615,)"), "more than the 4294967294"},
      {with("'<f8'", "False", "(4294967294,)"), "ends after 2 of 4294967294 items"},
  };
  for (const auto& [header, reason] : cases) {
    const std::string message = refused(header);
    EXPECT_TRUE(contains(message, reason)) << header << "\n" << message;
    EXPECT_TRUE(message.starts_with("w.npy")) << message;
  }
}

TEST(Npy, ErrorsNameThePlace) {
  const std::string two = bytes_of<double>({7, 8}, '<');
  EXPECT_EQ(npy_message(npy_file(1, dictionary("<f8", 3), two)), "w.npy: ends after 2 of 3 items");
  EXPECT_EQ(npy_message(npy_file(1, dictionary("<f8", 2), two.substr(0, 15))),
            "w.npy: ends after 1 of 2 items");
  EXPECT_EQ(npy_message(npy_file(1, dictionary("<f8", 2), two + "x")),
            "w.npy: has data after the 2 items that its header announces");
  EXPECT_EQ(npy_message(npy_file(4, dictionary("<f8", 2), two)),
            "w.npy: .npy version 4.0 is not read (1.0, 2.0 and 3.0 are)");
  EXPECT_EQ(npy_message("1\n2\n3\n4\n5\n6\n"), "w.npy: does not begin as a .npy file does");
  EXPECT_EQ(npy_message(""), "w.npy: ends inside its header");
  std::string long_header = npy_file(2, dictionary("<f8", 2), two);
  long_header[11] = '\x7F';
  EXPECT_TRUE(contains(npy_message(long_header), "a header of "));
  const std::int64_t beyond = (1LL << 53) + 1;
  EXPECT_EQ(
      npy_message(npy_file(1, dictionary("<i8", 2), bytes_of<std::int64_t>({1, beyond}, '<'))),
      "w.npy, item 1: 9007199254740993 is beyond 2^53, where double is not exact");
  EXPECT_TRUE(contains(
      npy_message(npy_file(1, dictionary("<i8", 1), bytes_of<std::int64_t>({-beyond}, '<'))),
      "item 0: -9007199254740993"));
  EXPECT_TRUE(contains(
      npy_message(npy_file(1, dictionary(">u8", 1), bytes_of<std::uint64_t>({~0ULL}, '>'))),
      "item 0: 18446744073709551615"));
}

TEST(Npy, EveryTruncationIsAnError) {
  for (const int major : {1, 2, 3}) {
    const std::string whole =
        npy_file(major, dictionary("<f4", 5), bytes_of<float>({1, 2, 3, 4, 5}, '<'));
    EXPECT_EQ(values(npy(whole)).size(), 5);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(static_cast<void>(npy(whole.substr(0, size))), Error) << size;
    }
  }
}

TEST(Npy, DamagedBytesGiveAnErrorOrWeightsButNothingWorse) {
  const std::string whole =
      npy_file(1, dictionary("<i4", 5), bytes_of<std::int32_t>({1, 2, 3, 4, 5}, '<'));
  std::uint64_t refused = 0;
  std::uint64_t next = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int round = 0; round < 40; ++round) {
      std::string damaged = whole;
      const std::uint64_t word = random::philox_word(1, next++);
      damaged[at] = static_cast<char>(word);
      if (round % 2 == 1) damaged[(word >> 8) % damaged.size()] = static_cast<char>(word >> 40);
      try {
        EXPECT_LE(npy(damaged).size(), 5);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

// A stream that cannot say how long it is, as a pipe.
class PipeBuffer : public std::streambuf {
 public:
  explicit PipeBuffer(std::string content) : content_(std::move(content)) {
    setg(content_.data(), content_.data(), content_.data() + content_.size());
  }

 private:
  std::string content_;
};

TEST(Npy, ReadsFromPipes) {
  PipeBuffer whole(npy_file(1, dictionary("<f8", 2), bytes_of<double>({7, 8}, '<')));
  std::istream stream(&whole);
  EXPECT_EQ(values(read_npy(stream, "pipe")), (std::vector<double>{7.0, 8.0}));
  // Without a length to look at first, the cut is only met on the way.
  const std::string data = bytes_of<double>({7, 8, 9}, '<');
  for (std::size_t size = 0; size < data.size(); ++size) {
    PipeBuffer cut(npy_file(1, dictionary("<f8", 3), data.substr(0, size)));
    std::istream cut_stream(&cut);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_npy(cut_stream, "pipe")); }),
              "pipe: ends after " + std::to_string(size / 8) + " of 3 items");
  }
}

template <class T>
void expect_round_trip(const std::filesystem::path& path, const std::vector<T>& stored) {
  write_npy(path, std::span<const T>(stored));
  EXPECT_EQ(values(read_npy(path)), std::vector<double>(stored.begin(), stored.end()));
  EXPECT_EQ(std::filesystem::file_size(path) % 64, stored.size() * sizeof(T) % 64);
}

TEST_F(Files, WrittenNpyIsReadBack) {
  expect_round_trip<float>(path("f4.npy"), {1, 0.1F, -2});
  expect_round_trip<double>(path("f8.npy"), {1, 0.1, -2});
  expect_round_trip<std::int32_t>(path("i4.npy"), {1, -7});
  expect_round_trip<std::uint32_t>(path("u4.npy"), {1, 4294967295U});
  expect_round_trip<std::int64_t>(path("i8.npy"), {1, -7});
  expect_round_trip<std::uint64_t>(path("u8.npy"), std::vector<std::uint64_t>(100'000, 7));
  expect_round_trip<float>(path("f4.npy"), {5});  // again, over the first
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path(""))) ++files;
  EXPECT_EQ(files, 6);  // nothing besides
}

TEST(Npy, HeaderIsWhatNumPyWrites) {
  const std::string header = npy_header<std::uint32_t>(10);
  const std::string order = std::endian::native == std::endian::little ? "<" : ">";
  const std::string start = "\x93NUMPY" + std::string("\x01\x00\x76\x00", 4) + "{'descr': '" +
                            order + "u4', 'fortran_order': False, 'shape': (10,), }";
  EXPECT_EQ(header, start + std::string(127 - start.size(), ' ') + "\n");
  for (std::uint64_t items = 0; items < 5'000'000'000'000'000'000U; items = items * 10 + 9) {
    EXPECT_EQ(npy_header<double>(items).size() % 64, 0);
  }
}

TEST_F(Files, FailedWritesLeaveNothing) {
  const std::vector<float> data(1000, 1);
  const std::span<const float> span = data;
  const auto attempt = [&](const std::filesystem::path& to) {
    return error_of([&] { write_npy(to, span); });
  };
  EXPECT_TRUE(contains(attempt(path("no/such/x.npy")), "No such file or directory"));
  EXPECT_TRUE(contains(attempt(path("")), "cannot write"));
  std::filesystem::create_directory(path("folder"));
  EXPECT_TRUE(contains(attempt(path("folder")), "cannot write"));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(attempt("/dev/full"), "/dev/full: writing failed");
    EXPECT_TRUE(std::filesystem::exists("/dev/full"));
  }
  std::ostringstream closed;
  closed.setstate(std::ios::badbit);
  EXPECT_EQ(error_of([&] { write_npy(closed, "out", span); }), "out: writing failed");
}

TEST_F(Files, TheKindOfAFileIsSeen) {
  const std::string content = npy_file(1, dictionary("<f8", 2), bytes_of<double>({7, 8}, '<'));
  EXPECT_EQ(values(read_weights(write("a.npy", content))), (std::vector<double>{7.0, 8.0}));
  EXPECT_EQ(values(read_weights(write("a.bin", content))), (std::vector<double>{7.0, 8.0}));
  EXPECT_EQ(values(read_weights(write("a.csv", "w,c\nx,1\n"))), std::vector<double>{1.0});
  EXPECT_EQ(values(read_weights(write("a.csv", "w,c\nx,1\n"), {.column = "c"})),
            std::vector<double>{1.0});
  EXPECT_TRUE(contains(
      error_of([&] { static_cast<void>(read_weights(write("b.npy", "1\n2\n3\n4\n5\n"))); }),
      "does not begin as a .npy file does"));
  EXPECT_TRUE(
      contains(error_of([&] { static_cast<void>(read_weights(path("a.npy"), {.column = "c"})); }),
               "argument 'column' is 'c'"));
  EXPECT_TRUE(contains(error_of([&] { static_cast<void>(read_weights(write("e", ""))); }),
                       "holds no weights"));
  EXPECT_TRUE(
      contains(error_of([&] { static_cast<void>(read_weights(path("none"))); }), "No such file"));
}

}  // namespace
}  // namespace wrsgpu::weights
