// The readers of weight files and the writer of .npy files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "error_message.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/weights/npy.hpp"
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

/// A temporary folder for each test, removed at its end.
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

WeightFile read(const std::string& content, const WeightFileOptions& options = {}) {
  std::istringstream stream(content);
  return read_weight_file(stream, "w.csv", options);
}
std::vector<double> text(const std::string& content, const WeightFileOptions& options = {}) {
  return values(read(content, options).weights);
}
std::string concat(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}
std::string text_message(const std::string& content, const WeightFileOptions& options = {}) {
  return error_of([&] { static_cast<void>(read(content, options)); });
}
std::string how(const std::string& content, const WeightFileOptions& options = {}) {
  return read(content, options).interpretation;
}
std::vector<std::string> list(const Labels& labels) {
  std::vector<std::string> texts;
  for (std::uint64_t k = 0; k < labels.size(); ++k) texts.emplace_back(labels[k]);
  return texts;
}
using Weights = std::vector<double>;
using Texts = std::vector<std::string>;

TEST(Text, OneWeightALine) {
  EXPECT_EQ(text("1\n2.5\n1e-3\n"), (Weights{1, 2.5, 1e-3}));
  EXPECT_EQ(text("1\n2.5\n1e-3"), (Weights{1, 2.5, 1e-3}));  // no newline at the end
  EXPECT_EQ(text("\xEF\xBB\xBF"
                 "1\r\n 2.5\t\r\n\r\n"),
            (Weights{1, 2.5}));
  EXPECT_EQ(text("# a comment\n\n  # another\n7\n# a third\n+8\n\n"), (Weights{7, 8}));
  EXPECT_EQ(text("0\n-0\n4.9406564584124654e-324\n1.7976931348623157e308\n"),
            (Weights{0, 0, 4.9406564584124654e-324, 1.7976931348623157e308}));
  EXPECT_EQ(read("1\n").weights.view().type(), WeightsView::Type::float64);
  EXPECT_EQ(how("1\n2\n"), "2 items, one a line; no header");
  EXPECT_EQ(how("# a\n1\n"), "1 item, one a line; no header; 1 comment skipped; item 0 is line 2");
}

TEST(Text, ManyLines) {
  // Beyond the first block of the input and beyond the lines that determine the interpretation.
  std::string content;
  Weights expected;
  constexpr std::array<const char*, 4> decimals{".0", ".25", ".5", ".75"};
  for (unsigned i = 0; i < 400'003; ++i) {
    expected.push_back(i * 0.25);
    content += std::to_string(i / 4) + decimals[i % 4] + (i % 7 == 0 ? "\r\n" : "\n");
  }
  EXPECT_EQ(text(content), expected);
}

TEST(Text, TheShippedWordCountsAreTheCompiledOnes) {
  const WeightFile read = read_weight_file(WRSGPU_WORD_COUNTS, {.column = "count", .labels = "1"});
  const std::span<const std::uint32_t> counts = word_counts();
  const std::span<const std::string_view> words = word_list();
  EXPECT_EQ(values(read.weights), Weights(counts.begin(), counts.end()));
  EXPECT_EQ(list(read.labels), Texts(words.begin(), words.end()));
}

TEST(Text, Columns) {
  const std::string csv = "word,count,share\nthe,3,0.75\n\"a,b\",1,0.25\n";
  EXPECT_EQ(text(csv, {.column = "count"}), (Weights{3, 1}));
  EXPECT_EQ(text(csv, {.column = "share"}), (Weights{0.75, 0.25}));
  EXPECT_EQ(text(csv, {.column = "name=share"}), (Weights{0.75, 0.25}));
  EXPECT_EQ(text(csv, {.column = "2"}), (Weights{3, 1}));
  EXPECT_EQ(text(csv, {.column = "number=2"}), (Weights{3, 1}));
  EXPECT_EQ(text(csv), (Weights{0.75, 0.25}));  // the last column
  EXPECT_EQ(
      how(csv),
      "2 items from column 3 'share' of 3 (delimiter comma); header in line 1; item 0 is line 2");
  EXPECT_EQ(text("1.0,2\n3.0,4\n", {.column = "1"}), (Weights{1, 3}));
  EXPECT_EQ(text("1;2\n3 ; 4\n"), (Weights{2, 4}));
  EXPECT_EQ(text("1:2\n3 : 4\n", {.delimiter = ":"}), (Weights{2, 4}));
  EXPECT_EQ(text("1|2\n3 | 4\n"), (Weights{2, 4}));
  EXPECT_EQ(text("weight\n5\n", {.column = "weight"}), Weights{5});
  EXPECT_EQ(text("\"we\"\"ight\"\n\"5\"\n", {.column = "we\"ight"}), Weights{5});
  // A column without any numbers is not selected as the weights; a column with some numbers is.
  EXPECT_EQ(text("x,1,a\ny,2,b\n"), (Weights{1, 2}));
  EXPECT_EQ(text("a,1,\nb,2,\n"), (Weights{1, 2}));
  EXPECT_EQ(text_message("x,1,2,a\ny,2,3,b\n"),
            "w.csv, line 2: columns 2 and 3 hold numbers, the last one does not: 'y,2,3,b'; "
            "--column says which");
  EXPECT_EQ(text_message("1,5\n2,x\n3,7\n"), "w.csv, line 2, column 2: 'x' is not a number");
}

TEST(Text, QuotedFields) {
  const WeightFile file = read("name,w\n\"a\nb\",1\n\"c \"\"x\"\", d\" , \"2\"\n'e',3\n",
                               {.labels = "name", .line_numbers = true, .lines = true});
  EXPECT_EQ(values(file.weights), (Weights{1, 2, 3}));
  EXPECT_EQ(list(file.labels), (Texts{"a\nb", "c \"x\", d", "'e'"}));
  EXPECT_EQ(file.line_numbers, (std::vector<std::uint64_t>{2, 4, 5}));
  EXPECT_EQ(list(file.lines), (Texts{"\"a\nb\",1", "\"c \"\"x\"\", d\" , \"2\"", "'e',3"}));
  EXPECT_EQ(text_message("x,\"1\n"), "w.csv, line 1: a quote is not closed: 'x,\"1'");
  EXPECT_EQ(text_message("\"1\"2\n"), "w.csv, line 1: text after a closing quote: '\"1\"2'");
}

TEST(Text, LabelsAndLines) {
  const std::string csv = "word,count\r\nthe,3\r\n# no row\r\n\"a, \"\"b\"\"\" ,1\r\n\r\n,2\r\n";
  WeightFile file = read(csv, {.labels = "word", .line_numbers = true, .lines = true});
  EXPECT_EQ(list(file.labels), (Texts{"the", "a, \"b\"", ""}));
  EXPECT_EQ(file.line_numbers, (std::vector<std::uint64_t>{2, 4, 6}));
  EXPECT_EQ(list(file.lines), (Texts{"the,3", "\"a, \"\"b\"\"\" ,1", ",2"}));
  EXPECT_EQ(list(read(csv, {.labels = "1"}).labels), list(file.labels));
  EXPECT_EQ(file.header_line, "word,count");
  EXPECT_EQ(file.labels_name, "word");
  EXPECT_EQ(read(csv, {.labels = "1"}).labels_name, "word");
  file = read("the,3\n", {.labels = "1"});
  EXPECT_EQ(file.header_line, "");
  EXPECT_EQ(file.labels_name, "");
  file = read(csv);
  EXPECT_EQ(file.labels_name, "");
  EXPECT_TRUE(file.labels.empty());
  EXPECT_TRUE(file.line_numbers.empty());
  EXPECT_TRUE(file.lines.empty());
  // The label column is not the weights, even if it is the last column.
  EXPECT_EQ(text("weight,id\n5,100\n6,101\n", {.labels = "id"}), (Weights{5, 6}));
  EXPECT_EQ(text_message("a,b\n1,2\n", {.labels = "c"}),
            "w.csv, line 1: --labels: no column 'c' in the header 'a,b'");
  EXPECT_EQ(text_message("a,1\n", {.labels = "3"}), "w.csv, line 1: column 3 of 2: 'a,1'");
  EXPECT_EQ(text_message("a,1\nb,2\n", {.labels = "number=0"}),
            "--labels 'number=0': columns are counted from 1");
}

// The index must not become the weights because --labels takes the column that would hold them.
TEST(WeightsFiles, LabelsDoNotTakeTheColumnOfTheWeights) {
  const std::string csv = ",name,weight\n0,the,10\n1,and,4\n";
  const std::string error = text_message(csv, {.labels = "weight"});
  EXPECT_TRUE(
      contains(error, "column 3 would hold the weights, as the last one, and --labels takes it"))
      << error;
  EXPECT_TRUE(contains(error, "--column says which")) << error;
  EXPECT_EQ(list(read(csv, {.column = "1", .labels = "weight"}).labels), (Texts{"10", "4"}));
}

TEST(Text, ErrorsNameFileLineColumnAndText) {
  EXPECT_EQ(text_message("1\n# x\n2\nabc\n"), "w.csv, line 4: 'abc' is not a number");
  EXPECT_EQ(text_message("1\n2x\n"), "w.csv, line 2: '2x' is not a number");
  EXPECT_EQ(text_message("a 2x\nb 3\n"),
            "w.csv, line 1, column 2: '2x' is not a number; if the line is a header and not an "
            "item, give --header");
  EXPECT_EQ(text_message("0x10\n"), "w.csv, line 1: '0x10' is not a number");
  EXPECT_EQ(text_message("+-1\n"), "w.csv, line 1: '+-1' is not a number");
  EXPECT_EQ(text_message("++1\n"), "w.csv, line 1: '++1' is not a number");
  EXPECT_EQ(text_message("a,x\nb,y\n"), "w.csv, line 2, column 2 'x': 'y' is not a number");
  EXPECT_EQ(text_message("1\n1e999\n"), "w.csv, line 2: '1e999' is outside the range of double");
  EXPECT_EQ(text_message("1\n1e-999\n"), "w.csv, line 2: '1e-999' is outside the range of double");
  EXPECT_EQ(text_message("a,2\n3\n"), "w.csv, line 2: 1 columns, but 2 in the lines before: '3'");
  EXPECT_EQ(text_message("1,2\n3,4,\n"),
            "w.csv, line 2: 3 columns, but 2 in the lines before: '3,4,'");
  EXPECT_EQ(text_message("a,2\n", {.column = "3"}), "w.csv, line 1: column 3 of 2: 'a,2'");
  EXPECT_EQ(text_message("a,b\n1,2\n", {.column = "c"}),
            "w.csv, line 1: --column: no column 'c' in the header 'a,b'");
  EXPECT_EQ(text_message("a,a\n1,2\n", {.column = "a"}),
            "w.csv, line 1: two columns 'a' in the header 'a,a'");
  EXPECT_EQ(text_message("a,1\rb,2\rc,3\r"),
            "w.csv, line 1: a carriage return within the line: lines end in \\n or \\r\\n");
  for (const char* empty : {"", "\n\n", "# only\n\n", "a,b\n", "weight\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(text_message(empty), "w.csv: holds no weights") << empty;
  }
  for (const std::string number : {"0", "99999999999999999999"}) {
    EXPECT_EQ(text_message("1\n", {.column = number}),
              "w.csv, line 1: --column: no column '" + number +
                  "', and columns are counted from 1, in the header '1'");
    EXPECT_EQ(text_message("1\n", {.column = "number=" + number}),
              "--column 'number=" + number + "': columns are counted from 1");
  }
  EXPECT_EQ(text_message("a,1\n", {.column = "a", .header = false}),
            "--column 'a' is a name, but --no-header says that there are none");
  EXPECT_TRUE(contains(text_message("1\n", {.delimiter = "ab"}), "--delimiter 'ab': give one"));
  EXPECT_TRUE(contains(text_message("1\n", {.delimiter = "."}), "--delimiter '.': give one"));
  const std::string nul("1\n\0\x01z\n", 6);
  EXPECT_EQ(text_message(nul), "w.csv, line 2: '??z' is not a number");
  EXPECT_EQ(text_message(std::string(100, '9') + 'q'),
            "w.csv, line 1: '" + std::string(40, '9') + "...' is not a number");
  // As above, beyond the lines that determine the interpretation.
  std::string many = "name,weight\n";
  for (int k = 0; k < 2000; ++k) many += "a,1\n";
  EXPECT_EQ(text_message(many + "b,x\n"),
            "w.csv, line 2002, column 2 'weight': 'x' is not a number");
  EXPECT_EQ(text_message(many + "b\n"),
            "w.csv, line 2002: 1 columns, but 2 in the lines before: 'b'");
  EXPECT_EQ(text_message(many + "b,\"1,5\"\n"),
            "w.csv, line 2002, column 2 'weight': '1,5' is not a number; --decimal-comma reads it");
  EXPECT_EQ(text_message(many + "b,1\rc,2\n"),
            "w.csv, line 2002: a carriage return within the line: lines end in \\n or \\r\\n");
  EXPECT_EQ(text_message(many + "b,\n"),
            "w.csv, line 2002, column 2 'weight': the cell is empty; write 0 for an item that is "
            "never drawn, or remove the line");
}

TEST(Text, AnIndexColumnWithoutANameHasAHeader) {
  const std::string pandas = ",0\n0,1.0\n1,2.0\n2,3.0\n";
  EXPECT_EQ(text(pandas), (Weights{1, 2, 3}));
  EXPECT_EQ(how(pandas),
            "3 items from column 2 '0' of 2 (delimiter comma); header in line 1, its first name is "
            "empty; item 0 is line 2");
  EXPECT_EQ(text(pandas, {.column = "0"}), (Weights{1, 2, 3}));
  EXPECT_EQ(text(pandas, {.header = false}), (Weights{0, 1, 2, 3}));
  EXPECT_EQ(text(",weight\nx,5\ny,6\n"), (Weights{5, 6}));
  EXPECT_EQ(text(",name,weight\n0,x,5\n1,y,6\n"), (Weights{5, 6}));
  EXPECT_EQ(text(",5,weight\n0,1,2\n"), Weights{2});
  EXPECT_EQ(text(",0,1\n0,5,7\n1,6,8\n"), (Weights{7, 8}));
  // A first line without a name, among other items without one, is not a header.
  EXPECT_EQ(text(",7\na,8\n,9\n"), (Weights{7, 8, 9}));
  // A number is a name only if the program that wrote the index gives it to columns without one.
  const std::string unnamed = ",5\na,6\nb,7\n";
  EXPECT_EQ(text_message(unnamed),
            "w.csv: is ambiguous: line 1 can be column names or an item: --header gives 6, 7; "
            "--no-header gives 5, 6, 7");
  EXPECT_EQ(text(unnamed, {.header = true}), (Weights{6, 7}));
  EXPECT_EQ(text(unnamed, {.header = false}), (Weights{5, 6, 7}));
  for (const char* either : {",0.5\na,0.25\nb,0.25\n", ",0\na,6\nb,7\n", ",5\n0,6\n1,7\n",
                             ",0\n5,1.0\n7,2.0\n", ",name,5\n0,x,6\n"}) {
    EXPECT_TRUE(contains(text_message(either), "is ambiguous: line 1 can be column names"));
    EXPECT_EQ(text(either, {.delimiter = ",", .header = false}).size(),
              text(either, {.delimiter = ",", .header = true}).size() + 1);
  }
  // Without the index, only the spelling of the numbers decides.
  const std::string without_index = "0\n1.0\n2.0\n3.0\n";
  EXPECT_EQ(text_message(without_index),
            "w.csv: is ambiguous: line 1 can be column names or an item: --header gives 1, 2, 3; "
            "--no-header gives 0, 1, 2, ...");
  EXPECT_EQ(text(without_index, {.header = true}), (Weights{1, 2, 3}));
  EXPECT_EQ(text(without_index, {.header = false}), (Weights{0, 1, 2, 3}));
  EXPECT_EQ(text("0\n1\n2\n"), (Weights{0, 1, 2}));
}

TEST(Text, NamesOfColumnsMayBeNumbers) {
  const std::string years = "country,2019,2020\nA,5,7\nB,6,8\n";
  EXPECT_EQ(text(years), (Weights{7, 8}));
  EXPECT_EQ(text(years, {.column = "2020"}), (Weights{7, 8}));
  EXPECT_EQ(text(years, {.column = "2019"}), (Weights{5, 6}));
  EXPECT_EQ(text(years, {.column = "2"}), (Weights{5, 6}));
  EXPECT_EQ(how(years),
            "2 items from column 3 '2020' of 3 (delimiter comma); header in line 1, its names are "
            "years; item 0 is line 2");
  EXPECT_EQ(text(years, {.header = false}), (Weights{2020, 7, 8}));
  EXPECT_EQ(text(",2019,2020\nA,5,7\nB,6,8\n"), (Weights{7, 8}));
  EXPECT_EQ(text("country,region,2019,2020\nA,x,5,7\n"), Weights{7});
  // Consecutive years are names only if no other line has numbers of that kind. Other consecutive
  // numbers, and years with gaps, are ambiguous.
  EXPECT_EQ(text_message("country,1,2\nA,5,7\nB,6,8\n"),
            "w.csv: is ambiguous: line 1 can be column names or an item: --header gives 7, 8; "
            "--no-header gives 2, 7, 8");
  for (const char* either :
       {"country,1,2\nA,5,7\nB,6,8\n", "the,2015,2016\nand,12,13\n",
        "the,2015,2016\nand,12,14\nof,7,8\n", "the,7,8,9\nand,5,1,2\n", "a,1,2\nb,2,3\n",
        "a,1999,2000\nb,1950,2001\n", "country,region,1,2\nA,x,5,7\n", "x 1 2\ny 5 7\n",
        "2019,2020\n5,7\n6,8\n", "country,2010,2020\nA,5,7\n", "country,0,1\nA,5,7\n",
        "0,1,2\n7,8,9\n", "name,0\na,1.5\nb,2.5\n"}) {
    const std::string message = text_message(either, {.delimiter = either[1] == ' ' ? " " : ","});
    EXPECT_TRUE(contains(message,
                         "is ambiguous: line 1 can be column names or an item: --header "
                         "gives "))
        << either << message;
    WeightFileOptions options{.delimiter = either[1] == ' ' ? " " : ","};
    for (const char* column : {"", "number=2"}) {
      options.column = contains(either, "region") ? "" : column;
      options.header = true;
      const std::size_t items = text(either, options).size();
      options.header = false;
      EXPECT_EQ(text(either, options).size(), items + 1) << either;
    }
  }
  // With --column: the weights that it selects; a name decides, a number does not.
  const std::string ranks = "country,3,4\nA,5,7\nB,6,8\n";
  EXPECT_EQ(text_message(ranks, {.column = "number=2"}),
            "w.csv: is ambiguous: line 1 can be column names or an item: --header gives 5, 6; "
            "--no-header gives 3, 5, 6");
  EXPECT_EQ(text(ranks, {.column = "4"}), (Weights{7, 8}));
  EXPECT_EQ(text(ranks, {.column = "name=3"}), (Weights{5, 6}));
  EXPECT_EQ(text(ranks, {.column = "number=2", .header = true}), (Weights{5, 6}));
  EXPECT_EQ(text(ranks, {.column = "number=2", .header = false}), (Weights{3, 5, 6}));
  EXPECT_EQ(text(ranks, {.column = "2", .header = true}), (Weights{5, 6}));
  EXPECT_EQ(text_message("country,1,2\nA,5,7\n", {.column = "2"}),
            "w.csv: is ambiguous: line 1 can be column names or an item: --header: --column 2 can "
            "be column 2 or column 3, which has that name: --column number=2, --column name=2; "
            "--no-header gives 1, 5");
  // Numbers that do not ascend one by one are an item.
  EXPECT_EQ(text("a,1,5\nb,2,7\n"), (Weights{5, 7}));
  EXPECT_EQ(text("a,2,1\nb,2,7\n"), (Weights{1, 7}));
  EXPECT_EQ(text("a,1,2\n"), Weights{2});
  EXPECT_EQ(text("0 1 5\n0 2 7\n"), (Weights{5, 7}));  // weighted edges
  EXPECT_EQ(
      text_message(",1,2,3\na,4,5,6\n", {.column = "2", .header = true}),
      "w.csv: --column 2 can be column 2 or column 3, which has that name: --column number=2, "
      "--column name=2");
  EXPECT_EQ(text(",1,2,3\na,4,5,6\n", {.column = "name=2"}), Weights{5});
  EXPECT_EQ(text(",1,2,3\na,4,5,6\n", {.column = "number=2", .header = true}), Weights{4});
  EXPECT_EQ(text(",1,2,3\na,4,5,6\n", {.column = "number=2", .header = false}), (Weights{1, 4}));
  EXPECT_EQ(text_message("a,5,7\nb,6,8\n", {.column = "5"}),
            "w.csv, line 1: column 5 of 3: 'a,5,7'; if the line is a header and not an item, give "
            "--header");
}

TEST(Text, DecimalCommas) {
  const std::string numbers = "0,435\n1,286\n0,118\n";
  EXPECT_EQ(text_message(numbers),
            "w.csv: is ambiguous: --delimiter comma gives 435, 286, 118; "
            "--decimal-comma gives 0.435, 1.286, 0.118");
  EXPECT_EQ(text(numbers, {.decimal_comma = true}), (Weights{0.435, 1.286, 0.118}));
  EXPECT_EQ(text(numbers, {.delimiter = ","}), (Weights{435, 286, 118}));
  EXPECT_EQ(text(numbers, {.delimiter = "none"}), (Weights{0.435, 1.286, 0.118}));
  EXPECT_EQ(text("weight\n0,435\n1,286\n"), (Weights{0.435, 1.286}));  // one name, one column
  EXPECT_EQ(text("a;1,5\nb;2\n", {.delimiter = ";"}), (Weights{1.5, 2}));
  EXPECT_EQ(text("a\t1,5\nb\t2,5\n"), (Weights{1.5, 2.5}));
  EXPECT_EQ(text("a,\"0,5\"\nb,\"1,5\"\n"), (Weights{0.5, 1.5}));
  EXPECT_EQ(how("weight\n0,435\n"),
            "1 item, one a line; header in line 1; decimal comma; item 0 is line 2");
  // Numbered items may be numbers with a decimal comma.
  EXPECT_EQ(text_message("0,5\n1,5\n2,5\n"),
            "w.csv: is ambiguous: --delimiter comma gives 5, 5, 5; --decimal-comma gives 0.5, 1.5, "
            "2.5");
  EXPECT_EQ(text_message("1,50\n2,50\n3,50\n4,00\n"),
            "w.csv: is ambiguous: --delimiter comma gives 50, 50, 50, ...; --decimal-comma gives "
            "1.5, 2.5, 3.5, ...");
  EXPECT_EQ(text("0,3\n1,5\n2,7\n", {.delimiter = "comma"}), (Weights{3, 5, 7}));
  EXPECT_EQ(text("0,3\n1,5\n2,7\n", {.decimal_comma = true}), (Weights{0.3, 1.5, 2.7}));
  for (const char* clear : {",weight\n0,3\n1,5\n2,7\n", "id,weight\n0,3\n1,5\n2,7\n",
                            "\"0\",\"3\"\n\"1\",\"5\"\n\"2\",\"7\"\n", "0, 3\n1, 5\n2, 7\n"}) {
    EXPECT_EQ(text(clear), (Weights{3, 5, 7})) << clear;
  }
  EXPECT_EQ(text_message(",5\n,25\n"),
            "w.csv: is ambiguous: --delimiter comma gives 5, 25; --decimal-comma gives 0.5, 0.25");
  EXPECT_EQ(text(",0\n0,1\n1,2\n"), (Weights{1, 2}));
  EXPECT_EQ(text("\"0,3\"\n\"1,5\"\n"), (Weights{0.3, 1.5}));
  EXPECT_EQ(text("0,0.5\n1,0.25\n"), (Weights{0.5, 0.25}));
  EXPECT_EQ(text_message("a;1,5\nb;2,5\n"),
            "w.csv: is ambiguous: --decimal-comma --delimiter semicolon gives 1.5, 2.5; "
            "--delimiter comma gives 5, 5");
  EXPECT_EQ(text_message("1,2\n3\n"),
            "w.csv, line 2: 1 columns, but 2 in the lines before: '3'; --decimal-comma gives 1.2, "
            "3");
  // 1,500 may mean fifteen hundred.
  const std::string thousands = "name;weight\na;1,500\nb;2,250\n";
  EXPECT_EQ(
      text_message(thousands),
      "w.csv, line 2, column 2 'weight': '1,500' is not a number; --decimal-comma --delimiter "
      "semicolon gives 1.5, 2.25");
  EXPECT_EQ(text(thousands, {.decimal_comma = true}), (Weights{1.5, 2.25}));
}

TEST(Text, MarksOfThousands) {
  EXPECT_EQ(
      text_message("1.234,5\n2.345,6\n"),
      "w.csv: is ambiguous: --delimiter comma gives 5, 6; with marks of thousands, which must "
      "be removed, it is 1234.5, 2345.6");
  EXPECT_EQ(text_message("1,234,567\n2,345,678\n"),
            "w.csv: is ambiguous: --delimiter comma gives 567, 678; with marks of thousands, which "
            "must be removed, it is 1234567, 2345678");
  EXPECT_EQ(text_message("a;1.234,5\nb;2.345,6\n"),
            "w.csv: is ambiguous: with marks of thousands, which must be removed, it is 1234.5, "
            "2345.6; --delimiter comma gives 5, 6");
  for (const char* either :
       {"1,234.5\n2,345.6\n", "1,234,567\n", "1.234,5\n-2.345,6\n", "a 1,234,567\nb 2,345,678\n",
        "a;1,234,567\nb;2,345,678\n", "1,234\n2,345\n3,456\n"}) {
    EXPECT_TRUE(contains(text_message(either), "w.csv: is ambiguous: ")) << either;
  }
  EXPECT_EQ(text("1.234,5\n2.345,6\n", {.delimiter = "comma"}), (Weights{5, 6}));
  EXPECT_EQ(text("1,234,567\n2,345,678\n", {.delimiter = "comma"}), (Weights{567, 678}));
  EXPECT_EQ(text("1,234,567\n2,345,678\n", {.column = "1", .delimiter = "comma"}), (Weights{1, 2}));
  // A header, other digits, or a zero at the beginning decide.
  EXPECT_EQ(text("a,b,c\n1,234,567\n2,345,678\n"), (Weights{567, 678}));
  EXPECT_EQ(text("1.234,5\n2.34,6\n"), (Weights{5, 6}));
  EXPECT_EQ(text("0.234,5\n2.345,6\n"), (Weights{5, 6}));
  EXPECT_EQ(text("1,234,567\n2,345,67\n"), (Weights{567, 67}));
  // Where they are the only way to read the numbers.
  for (const char* marked : {"name;weight\na;1.234,5\nb;7\n", "a\t1.234,5\nb\t7\n",
                             "name,weight\na,\"1,234.5\"\nb,7\n", "1.234,5\n7\n"}) {
    EXPECT_TRUE(contains(text_message(marked),
                         "; with marks of thousands, which must be removed, it is 1234.5, 7"))
        << text_message(marked);
  }
  EXPECT_TRUE(contains(text_message("weight\n1.234.567\n", {.header = true}), "it is 1234567"));
  EXPECT_TRUE(contains(text_message("1.234,5\n", {.decimal_comma = true}), "it is 1234.5"));
  EXPECT_TRUE(contains(text_message("1,234,567\n", {.delimiter = "none"}), "it is 1234567"));
}

TEST(Text, SpreadsheetErrorsAreMissingValues) {
  const std::string help =
      " is a missing value; write 0 for an item that is never drawn, or remove the line";
  for (const std::string error :
       {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#n/a"}) {
    const std::string quoted = "'" + error + "'";
    EXPECT_EQ(text_message(concat({"1\n", error, "\n3\n"})),
              concat({"w.csv, line 2: ", quoted, help}));
    EXPECT_EQ(text_message(concat({error, "\n1\n3\n"})), concat({"w.csv, line 1: ", quoted, help}));
    EXPECT_EQ(text_message(concat({"weight\n  ", error, " \r\n3\n"})),
              concat({"w.csv, line 2: ", quoted, help}));
    EXPECT_EQ(text_message(concat({"a,1\nb,", error, "\n"})),
              concat({"w.csv, line 2, column 2: ", quoted, help}));
    EXPECT_EQ(text_message(concat({"a,1\n", error, ",", error, "\n"})),
              concat({"w.csv, line 2: '", error, ",", error, "'", help}));
    // As above, beyond the lines that determine the interpretation.
    std::string many;
    for (int k = 0; k < 2000; ++k) many += "1\n";
    EXPECT_EQ(text_message(concat({many, error, "\n"})),
              concat({"w.csv, line 2001: ", quoted, help}));
    EXPECT_EQ(text_message(concat({"w\n", many, "\"", error, "\"\n"})),
              concat({"w.csv, line 2002: ", quoted, help}));
  }
  // A line that begins with one may be an item or a comment.
  EXPECT_EQ(text_message("a,1\n#N/A,2\n"), "w.csv, line 2: '#N/A,2'" + help +
                                               "; --comment none makes it an item, --comment '#' "
                                               "a comment");
  EXPECT_EQ(text("a,1\n#N/A,2\n", {.comment = "none"}), (Weights{1, 2}));
  EXPECT_EQ(text("a,1\n#N/A,2\n", {.comment = "#"}), Weights{1});
  EXPECT_EQ(text("a,#N/A,1\nb,x,2\n"), (Weights{1, 2}));  // not the weight
  EXPECT_EQ(text("# N/A\n#NAMES\n#number\n1\n"), Weights{1});
}

TEST(Text, HashesInData) {
  const std::string tags = "##ing,10\n##s,5\ncat,1\ndog,1\n";
  EXPECT_EQ(text(tags), (Weights{10, 5, 1, 1}));
  EXPECT_EQ(read(tags).warnings,
            Texts{"w.csv: 2 lines begin with # and are items; --comment '#' skips such lines"});
  EXPECT_EQ(text(tags, {.comment = "#"}), (Weights{1, 1}));
  EXPECT_EQ(text(tags, {.comment = "none"}), (Weights{10, 5, 1, 1}));
  EXPECT_TRUE(read(tags, {.comment = "none"}).warnings.empty());
  EXPECT_EQ(text("#a,1\n#b,2\n"), (Weights{1, 2}));
  EXPECT_EQ(text("cat,1\n#dog,2\n"), (Weights{1, 2}));
  const std::string mixed = "# from a model\n" + tags;
  EXPECT_EQ(
      text_message(mixed),
      "w.csv: of the lines that begin with #, line 2 can be an item, line 1 cannot: --comment "
      "'#' skips both; a longer beginning, such as --comment '# ', can tell them apart");
  EXPECT_EQ(text(mixed, {.comment = "# "}), (Weights{10, 5, 1, 1}));
  EXPECT_EQ(text("% a\n1\n", {.comment = "%"}), Weights{1});
  EXPECT_EQ(text_message("1\n#2\n", {.comment = "none"}), "w.csv, line 2: '#2' is not a number");
  // Column names in a comment, as written by NumPy's savetxt.
  const std::string named = "# made by x\n# name,weight,size\na,1,5\nb,2,6\n";
  EXPECT_EQ(text(named, {.column = "weight"}), (Weights{1, 2}));
  EXPECT_EQ(how(named),
            "2 items from column 3 'size' of 3 (delimiter comma); header in line 2, after #; 2 "
            "comments skipped; item 0 is line 3");
  EXPECT_EQ(read(named).header_line, "name,weight,size");
}

TEST(Text, OneColumnWithAHeader) {
  EXPECT_EQ(text("weight\n1\n2\n3\n"), (Weights{1, 2, 3}));
  EXPECT_EQ(text("my weights\n1\n2\n"), (Weights{1, 2}));
  EXPECT_EQ(how("weight\n1\n"), "1 item, one a line; header in line 1; item 0 is line 2");
  EXPECT_EQ(text("5\n1\n", {.header = true}), Weights{1});
  // A missing value is not a name; text that begins like a number may be one.
  const std::string header = "; if the line is a header and not an item, give --header";
  for (const std::string missing :
       {"NA", "na", "n/a", "N/A", "null", "NULL", "None", "none", "missing", "Missing", "-", "--",
        "\xE2\x80\x94", "?", ".", "<NA>", "\\N", "nil", "Err:502"}) {
    const std::string what = "'" + missing +
                             "' is a missing value; write 0 for an item that is never drawn, or "
                             "remove the line";
    EXPECT_EQ(text_message(concat({missing, "\n1\n2\n"})),
              concat({"w.csv, line 1: ", what, header}));
    EXPECT_EQ(text_message("x," + missing + "\ny,5\n"),
              concat({"w.csv, line 1, column 2: ", what, header}));
    EXPECT_EQ(text_message("x,5\ny," + missing + "\n"), "w.csv, line 2, column 2: " + what);
    EXPECT_EQ(text(missing + "\n1\n2\n", {.header = true}), (Weights{1, 2}));
  }
  for (const std::string number : {"$5",
                                   "\xE2\x82\xAC"
                                   "5",
                                   "\xC2\xA3 5",
                                   "\xE2\x88\x92"
                                   "1",
                                   "(5)", "'5", "<5", "~5",
                                   "\xC2\xA0"
                                   "5",
                                   "5 kg", "5%"}) {
    std::string what = "'" + number;
    what.append("' is not a number").append(header);
    EXPECT_EQ(text_message(number + "\n1\n2\n"), "w.csv, line 1: " + what);
    EXPECT_EQ(text_message("x," + number + "\ny,5\n"), "w.csv, line 1, column 2: " + what);
    EXPECT_EQ(text(number + "\n1\n2\n", {.header = true}), (Weights{1, 2}));
  }
  for (const std::string amount : {"EUR 5", "EUR5", "SEK 1'000.50", "XAU\xC2\xA0\x35", "US$5",
                                   "R$ 1.5", "kr 5", "Fr. 5", "Rs.5", "z\xC5\x82 5", "CHF -5"}) {
    EXPECT_EQ(text_message(amount + "\n1\n2\n"),
              concat({"w.csv, line 1: '", amount, "' is not a number", header}));
    EXPECT_EQ(text(amount + "\n1\n2\n", {.header = true}), (Weights{1, 2}));
  }
  EXPECT_EQ(text("country,USD 2019\nA,5\n"), Weights{5});
  for (const char* name : {"COL1", "V1", "EUR", "EUR 5 real", "weight 5", "KRONA 5", "US$", "$",
                           "$price", "(weight)", "nan_count", "na_count", "<weight>"}) {
    EXPECT_EQ(text(std::string(name) + "\n1\n2\n"), (Weights{1, 2})) << name;
  }
  EXPECT_EQ(text_message("1,x\n2,3\n"),
            "w.csv, line 1, column 2: 'x' is not a number; if the line is a header and not an "
            "item, give --header");
  EXPECT_EQ(text_message("a,.x\nb,3\n"),
            "w.csv, line 1, column 2: '.x' is not a number; if the line is a header and not an "
            "item, give --header");
  EXPECT_EQ(text("a,.x\nb,3\n", {.header = true}), Weights{3});
  EXPECT_TRUE(contains(text_message("weight\n1\n", {.header = false}), "'weight' is not a number"));
}

TEST(Text, BlanksTabsAndUniq) {
  EXPECT_EQ(text("alpha\t1\nbeta\t2\n"), (Weights{1, 2}));
  EXPECT_EQ(text("Smith, John\t3\nBob\t4\n"), (Weights{3, 4}));
  EXPECT_EQ(text("alpha  1\n  beta \t 2 \n"), (Weights{1, 2}));
  EXPECT_EQ(text("\"a b\" 3\nc 4\n"), (Weights{3, 4}));
  EXPECT_EQ(text("     10 the\n      4 and\n"), (Weights{10, 4}));
  const WeightFile phrases = read("     10 the cat \n      4 a \"b\n1234567 c\n", {.labels = "2"});
  EXPECT_EQ(values(phrases.weights), (Weights{10, 4, 1234567}));
  EXPECT_EQ(list(phrases.labels), (Texts{"the cat ", "a \"b", "c"}));
  EXPECT_EQ(phrases.interpretation, "3 items from column 1 of 2 (delimiter uniq); no header");
  const std::string numbers = "     10 3\n      4 5\n";
  EXPECT_EQ(text_message(numbers),
            "w.csv: is ambiguous: --delimiter uniq gives 10, 4; --delimiter blank gives "
            "3, 5");
  EXPECT_EQ(text(numbers, {.delimiter = "uniq"}), (Weights{10, 4}));
  EXPECT_EQ(text(numbers, {.delimiter = "blank"}), (Weights{3, 5}));
  EXPECT_EQ(text_message("3 a\nb\n", {.delimiter = "uniq"}),
            "w.csv, line 2: no count at the beginning: 'b'");
}

TEST(Text, Spreadsheets) {
  const std::string excel = "\xEF\xBB\xBFname;weight\r\na;1\r\nb;2\r\n";
  EXPECT_EQ(text(excel, {.column = "weight"}), (Weights{1, 2}));
  EXPECT_EQ(text(excel), (Weights{1, 2}));
  EXPECT_EQ(text("\xEF\xBB\xBFname;weight\r\na;1,5\r\nb;2\r\n"), (Weights{1.5, 2}));
  const WeightFile stated = read("sep=:\r\nname:weight\r\na:1\r\nb:2\r\n", {.line_numbers = true});
  EXPECT_EQ(values(stated.weights), (Weights{1, 2}));
  EXPECT_EQ(stated.line_numbers, (std::vector<std::uint64_t>{3, 4}));
}

TEST(Text, IntegersThatDoubleDoesNotHold) {
  const std::string integers = "1\n9007199254740993\n18446744073709551615\n";
  EXPECT_EQ(
      text_message(integers),
      "w.csv, line 2: '9007199254740993' and 1 more are not exactly representable as a double; "
      "--round-integers rounds to the nearest");
  const WeightFile rounded = read(integers, {.round_integers = true});
  EXPECT_EQ(values(rounded.weights), (Weights{1, 9007199254740992, 0x1p64}));
  EXPECT_EQ(rounded.warnings,
            Texts{"w.csv, line 2: '9007199254740993' and 1 more are not exactly representable as a "
                  "double; rounded to the nearest"});
  // Exact integers, and numbers that are not integers.
  EXPECT_TRUE(read("9007199254740992\n18446744073709551616\n036893488147419103232\n0.1\n"
                   "9007199254740993.0\n")
                  .warnings.empty());
}

TEST(Text, NumbersThatAreNoWeightsAreNamedByLine) {
  EXPECT_EQ(text_message("1\n# two\n-2.50\n-3\n"), "w.csv, line 3: '-2.50' is negative");
  EXPECT_EQ(text_message("1\n2\n-inf\n"), "w.csv, line 3: '-inf' is negative");
  EXPECT_EQ(text_message("1\n+Infinity\n"), "w.csv, line 2: '+Infinity' is infinite");
  EXPECT_EQ(text_message("1\nNaN\n"),
            "w.csv, line 2: 'NaN' is a missing value; write 0 for an item that is never drawn, or "
            "remove the line");
  EXPECT_EQ(text_message("1\n-nan\n"), "w.csv, line 2: '-nan' is not a number");
  EXPECT_EQ(text_message("city,weight\nA,1\nB,-4\n"),
            "w.csv, line 3, column 2 'weight': '-4' is negative");
  EXPECT_EQ(text_message("1\n-9007199254740993\n"),
            "w.csv, line 2: '-9007199254740993' is negative");
}

TEST(Text, OneLineOfManyNumbers) {
  EXPECT_EQ(text("1,2,3,4\n"), (Weights{1, 2, 3, 4}));
  EXPECT_EQ(text("1 2 3\n"), (Weights{1, 2, 3}));
  EXPECT_EQ(text("5;6"), (Weights{5, 6}));
  EXPECT_EQ(
      how("# x\n1,2,3,4\n"),
      "4 items from the fields of line 2, the only one (delimiter comma); no header; 1 comment "
      "skipped");
  EXPECT_EQ(text("1,2,3,4\n", {.column = "4"}), Weights{4});
  EXPECT_EQ(text_message("1,2,3,4\n", {.lines = true}),
            "w.csv, line 1: all items are on one line; --lines needs one item per line");
  EXPECT_EQ(text_message("1,5\n"),
            "w.csv: is ambiguous: --delimiter comma gives 1, 5; --decimal-comma gives "
            "1.5");
  EXPECT_EQ(text("a,5\n"), Weights{5});
  std::string many;  // more than the first block
  for (int k = 0; k < 700'000; ++k) many += std::to_string(k % 10) + ",";
  EXPECT_EQ(text(many + "5").size(), 700'001);
}

TEST(Text, AnEmptyCellIsNoWeight) {
  const std::string message =
      ": an empty line where a weight should be; write 0 for an item that is never drawn, or "
      "remove "
      "the line";
  EXPECT_EQ(text_message("1\n\n3\n"), "w.csv, line 2" + message);
  EXPECT_EQ(text_message("weight\n\n3\n"), "w.csv, line 2" + message);
  EXPECT_EQ(text_message("\n3\n"), "w.csv, line 1" + message);
  EXPECT_EQ(text_message("1\n2\n \r\n\n3\n"), "w.csv, line 3" + message);
  EXPECT_EQ(text("1\n3\n\n\n"), (Weights{1, 3}));
  EXPECT_EQ(text("\nweight\n3\n"), Weights{3});
  EXPECT_EQ(text("a,1\n\nb,3\n"), (Weights{1, 3}));  // an empty line is not an item
  EXPECT_EQ(
      text_message("a,1\nb,\n"),
      "w.csv, line 2, column 2: the cell is empty; write 0 for an item that is never drawn, or "
      "remove the line");
  EXPECT_EQ(
      text_message("a,\nb,2\n"),
      "w.csv, line 1, column 2: the cell is empty; write 0 for an item that is never drawn, or "
      "remove the line; if the line is a header and not an item, give --header");
  EXPECT_TRUE(contains(text_message("1\n\"\"\n"), "line 2: the cell is empty"));
}

TEST(Text, RandomBytesGiveAnErrorOrWeightsButNothingWorse) {
  const std::string alphabet("01259.,;\t\n\n \"#-+eEaNx=|\r\xEF\0PK", 28);
  const std::array<std::string, 4> columns{"", "a", "2", "name=1"};
  const std::array<std::string, 4> delimiters{"", "uniq", "blank", ","};
  std::uint64_t next = 0;
  std::uint64_t read_ones = 0;
  for (int round = 0; round < 6'000; ++round) {
    std::string content;
    const std::uint64_t choice = random::philox_word(2, next++);
    for (std::uint64_t k = 0; k < choice % 24; ++k) {
      const std::uint64_t word = random::philox_word(2, next++);
      const std::uint64_t span = (choice >> 50) % 4 == 0 ? 256 : alphabet.size();
      content += span == 256 ? static_cast<char>(word % span) : alphabet[word % span];
    }
    WeightFileOptions options;
    if (choice >> 63 != 0) {
      options.column = columns[(choice >> 8) % 4];
      options.delimiter = delimiters[(choice >> 24) % 4];
      if ((choice >> 32) % 3 == 0) options.header = (choice >> 34) % 2 == 0;
      options.decimal_comma = (choice >> 36) % 3 == 0;
      options.labels = (choice >> 40) % 3 == 0 ? "1" : "";
    }
    options.lines = options.line_numbers = (choice >> 44) % 2 == 0;
    try {
      const WeightFile file = read(content, options);
      ++read_ones;
      EXPECT_EQ(file.line_numbers.size(), options.line_numbers ? file.weights.size() : 0);
      EXPECT_EQ(file.labels.size(), options.labels.empty() ? 0 : file.weights.size());
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(read_ones, 100);
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

TEST_F(Files, TextFilesThatCannotBeRead) {
  const std::string missing = path("missing.csv").string();
  EXPECT_EQ(error_of([&] { static_cast<void>(read_weights(path("missing.csv"))); }),
            "cannot open '" + missing + "': No such file or directory");
  EXPECT_TRUE(
      contains(error_of([&] { static_cast<void>(read_weights(path("."))); }), "Is a directory"));
  EXPECT_EQ(values(read_weights(write("w.txt", "3\n4\n"))), (Weights{3, 4}));
}

/// Redirects standard input to a file for its lifetime.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : before_(dup(STDIN_FILENO)) {
    dup2(descriptor, STDIN_FILENO);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

 private:
  int before_;
};

TEST_F(Files, StandardInput) {
  std::string content = "weight\n";
  Weights expected;
  for (int k = 0; k < 600'000; ++k) {
    content += std::to_string(k) + "\n";
    expected.push_back(k);
  }
  const int descriptor = open(write("in.txt", content).c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  {
    const StandardInput input(descriptor);
    EXPECT_EQ(values(read_weights("-")), expected);
  }
  close(descriptor);
  const int folder = open(path("").c_str(), O_RDONLY);
  ASSERT_GE(folder, 0);
  {
    const StandardInput input(folder);
    EXPECT_EQ(error_of([] { static_cast<void>(read_weights("-")); }),
              "standard input: reading failed: Is a directory");
  }
  close(folder);
}

TEST_F(Files, APipeIsReadInPieces) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::string content = npy_file(1, dictionary("<f8", 2), bytes_of<double>({7, 8}, '<'));
  std::thread writer([&] {
    for (const char byte : content) {
      if (::write(ends[1], &byte, 1) != 1) break;
    }
    close(ends[1]);
  });
  {
    const StandardInput input(ends[0]);
    EXPECT_EQ(values(read_weights("-")), (Weights{7, 8}));
  }
  writer.join();
  close(ends[0]);
}

TEST_F(Files, ForeignFormatsAreNamedWithACommand) {
  const auto message = [&](const std::string& name, const std::string& content) {
    const std::string file = write(name, content).string();
    std::string text = error_of([&] { static_cast<void>(read_weights(file)); });
    for (std::size_t at = 0; (at = text.find(file)) != std::string::npos;) {
      text.replace(at, file.size(), name);
    }
    return text;
  };
  EXPECT_EQ(message("w.csv.gz", "\x1F\x8B\x08"),
            "w.csv.gz: compressed by gzip: gzip -dc w.csv.gz | wrsgpu ... --weights -");
  EXPECT_EQ(message("w.bz2", "BZh91AY&SY"),
            "w.bz2: compressed by bzip2: bzip2 -dc w.bz2 | wrsgpu ... --weights -");
  EXPECT_EQ(message("w.zst", "\x28\xB5\x2F\xFD"),
            "w.zst: compressed by zstd: zstd -dc w.zst | wrsgpu ... --weights -");
  EXPECT_TRUE(contains(message("w.txt", std::string("\xFF\xFE"
                                                    "1\0\n\0",
                                                    6)),
                       "text in UTF-16: iconv -f UTF-16 -t UTF-8 w.txt |"));
  const auto zip = [](const std::string& member) {
    std::string header("PK\x03\x04");
    header.resize(26);
    header += static_cast<char>(member.size());
    return header + std::string(3, '\0') + member;
  };
  EXPECT_EQ(message("w.npz", zip("arr_0.npy")),
            "w.npz: a .npz archive of NumPy; take one array out of it: unzip -p w.npz arr_0.npy | "
            "wrsgpu ... --weights -");
  EXPECT_EQ(message("w.npy", zip("p q.npy")),
            "w.npy: a .npz archive of NumPy; take one array out of it: unzip -p w.npy ARRAY.npy | "
            "wrsgpu ... --weights -");
  EXPECT_EQ(message("w.zip", zip("a.csv")),
            "w.zip: a ZIP archive, the first file in it 'a.csv'; take one file out of it: unzip -p "
            "w.zip a.csv | wrsgpu ... --weights -");
  EXPECT_EQ(message("w.xlsx", zip("[Content_Types].xml")), "w.xlsx: a spreadsheet; save it as CSV");
  EXPECT_EQ(message("w.pt", zip("w/data.pkl")),
            "w.pt: a file of torch.save; save the weights as CSV or .npy");
  EXPECT_TRUE(contains(message("cut.zip", "PK\x03\x04\x05"), "cut.zip: a ZIP archive;"));
  EXPECT_TRUE(contains(message("w.h5", "\x89HDF\r\n"), "an HDF5 file"));
  EXPECT_EQ(
      message("w.table", "wrsgpu table\x01"),
      "w.table: a table of wrsgpu, which C++ and Python load; save the weights as CSV or .npy");
  EXPECT_EQ(
      message("w.bin", std::string("\0\0\0\0\0\0\xF0\x3F", 8)),
      "w.bin: its first line has null characters, as no text has; save the weights as CSV or .npy");
  for (const char* const array :
       {"[1, 2, 3]\n", "[1. 2. 3.]", "{\"a\": 1, \"b\": 2, \"c\": 3}\n"}) {
    EXPECT_EQ(message("w.json", array),
              "w.json: its only line is in brackets; write the numbers without them, one a line");
  }
  EXPECT_EQ(values(read_weights(write("tags.csv", "[PAD],5\n[UNK],6\n"))), (Weights{5, 6}));
  EXPECT_EQ(values(read_weights(write("table.csv", "wrsgpu table\n5\n"))), (Weights{5}));
  EXPECT_EQ(values(read_weights(write("names.csv", "BZh,5\nPAR1,6\n"))), (Weights{5, 6}));
}

WeightFile npy_file_of(const std::string& content, const WeightFileOptions& options = {}) {
  std::istringstream stream(content);
  return read_weight_file(stream, "w.npy", options);
}
OwnedWeights npy(const std::string& content) { return npy_file_of(content).weights; }
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
      {with("'<f8'", "0", "(2,)"), "True or False expected"},
      {with("'<f8'", "False", "()"), "0 dimensions"},
      {with("'<f8'", "False", "(1,2,1)"), "3 dimensions"},
      {with("'<f8'", "False", "(2,"), "a size expected, not"},
      {with("'<f8'", "False", "2"), "'(' expected"},
      {with("'<f8'", "False", "(-2,)"), "a size expected, not '-2'"},
      {with("'<f8'", "False", "(2 3)"), "')' expected"},
      {with("'<f8'", "False", "(99999999999999999999,)"),
       "a size expected, not '99999999999999999999'"},
      {with("[('a', '<f8')]", "False", "(2,)"), "structured types"},
      {with("'<f16'", "False", "(2,)"), "type '<f16' is not read"},
      {with("'<c8'", "False", "(2,)"), "type '<c8' is not read"},
      {with("'|u2'", "False", "(2,)"), "type '|u2' is not read"},
      {with("'=f8'", "False", "(2,)"), "type '=f8' is not read"},
      {with("'f8'", "False", "(2,)"), "type 'f8' is not read"},
      {with("''", "False", "(2,)"), "type '' is not read"},
      {with("'<f8 '", "False", "(2,)"), "type '<f8 ' is not read"},
      {with("'<f8'", "False", "(0,)"), "holds no weights"},
      {with("'<f8'", "False", "(5,0)"), "holds no weights"},
      {with("'<f8'", "False", "(4294967295,)"), "more than the 4294967294"},
      {with("'<f8'", "False", "(4294967296,4294967296)"), "more than the 4294967294"},
      {with("'<f8'", "True", "(65536,65536)"), "65536 x 65536 items, more than the 4294967294"},
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
}

TEST(Npy, IntegersThatDoubleDoesNotHold) {
  const auto file = [](const std::string& type, const auto& stored) {
    return npy_file(1, dictionary(type, stored.size()), bytes_of(stored, type.front()));
  };
  const auto rounded = [&](const std::string& type, const auto& stored) {
    return npy_file_of(file(type, stored), {.round_integers = true});
  };
  const std::vector<std::uint64_t> unsigned_ones{2, ~0ULL};
  const std::string unsigned_text =
      "w.npy, item 1: 18446744073709551615 is not exactly representable as a double; ";
  EXPECT_EQ(npy_message(file("<u8", unsigned_ones)),
            unsigned_text + "--round-integers rounds to the nearest");
  const WeightFile read_unsigned = rounded("<u8", unsigned_ones);
  EXPECT_EQ(values(read_unsigned.weights), (Weights{2, 0x1p64}));
  EXPECT_EQ(read_unsigned.warnings, Texts{unsigned_text + "rounded to the nearest"});
  const std::int64_t beyond = (1LL << 53) + 1;
  const WeightFile read_signed = rounded(
      ">i8",
      std::vector<std::int64_t>{1, -beyond, beyond, std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(values(read_signed.weights), (Weights{1, -0x1p53, 0x1p53, 0x1p63}));
  EXPECT_EQ(read_signed.warnings,
            Texts{"w.npy, item 1: -9007199254740993 and 2 more are not exactly representable as a "
                  "double; rounded to the nearest"});
  EXPECT_EQ(values(npy(file("<u8", std::vector<std::uint64_t>{1ULL << 63, 3ULL << 60}))),
            (Weights{0x1p63, 0x3p60}));
  EXPECT_EQ(
      values(npy(file("<i8", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}))),
      Weights{-0x1p63});
}

TEST(Npy, SmallTypes) {
  const auto read = [](const std::string& type, std::size_t items, const std::string& data) {
    return npy(npy_file(1, dictionary(type, items), data));
  };
  EXPECT_EQ(values(read("|b1", 3, std::string("\x01\x00\x01", 3))), (Weights{1, 0, 1}));
  EXPECT_EQ(values(read("|i1", 2, "\x7F\x80")), (Weights{127, -128}));
  EXPECT_EQ(values(read("|u1", 2, "\x7F\xFF")), (Weights{127, 255}));
  expect_reads<std::int16_t>("i2", {1, -2, 32767, -32768});
  expect_reads<std::uint16_t>("u2", {1, 0, 65535});
  // 1, the largest, the smallest normal and the smallest subnormal number, -2, -0, infinity and
  // NaN.
  const std::vector<std::uint16_t> halves{0x3C00, 0x7BFF, 0x0400, 0x0001,
                                          0xC000, 0x8000, 0x7C00, 0x7E00};
  for (const char order : {'<', '>'}) {
    const OwnedWeights read_halves = read(std::string(1, order) + "f2", 8, bytes_of(halves, order));
    EXPECT_EQ(read_halves.view().type(), WeightsView::Type::float32);
    Weights half = values(read_halves);
    EXPECT_TRUE(std::isnan(half.back()));
    half.pop_back();
    EXPECT_EQ(half, (Weights{1, 65504, 0x1p-14, 0x1p-24, -2, -0.0,
                             std::numeric_limits<double>::infinity()}));
  }
}

TEST(Npy, TwoDimensionsAreReadRowByRow) {
  const auto read = [](const std::string& order, const std::string& shape,
                       const std::vector<double>& stored) {
    return npy_file_of(
        npy_file(1, "{'descr': '<f8', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n",
                 bytes_of(stored, '<')));
  };
  const WeightFile image = read("False", "(2, 3)", {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(image.weights), (Weights{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(image.interpretation,
            "6 items of type f8 from a .npy file of 2 rows and 3 columns, row by row: item = row * "
            "3 + column, from 0");
  const WeightFile by_columns = read("True", "(2, 3)", {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(values(by_columns.weights), (Weights{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(by_columns.interpretation, image.interpretation);
  for (const char* order : {"False", "True"}) {
    EXPECT_EQ(values(read(order, "(3, 1)", {1, 2, 3}).weights), (Weights{1, 2, 3}));
    EXPECT_EQ(values(read(order, "(1, 3)", {1, 2, 3}).weights), (Weights{1, 2, 3}));
    EXPECT_EQ(values(read(order, "(3,)", {1, 2, 3}).weights), (Weights{1, 2, 3}));
  }
  EXPECT_EQ(read("True", "(3,)", {1, 2, 3}).interpretation, "3 items of type f8 from a .npy file");
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

// A stream of unknown length, like a pipe.
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
  EXPECT_EQ(values(read_weight_file(stream, "pipe.npy").weights), (std::vector<double>{7.0, 8.0}));
  // Without a known length, truncation is only detected while reading.
  const std::string data = bytes_of<double>({7, 8, 9}, '<');
  for (std::size_t size = 0; size < data.size(); ++size) {
    PipeBuffer cut(npy_file(1, dictionary("<f8", 3), data.substr(0, size)));
    std::istream cut_stream(&cut);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_weight_file(cut_stream, "pipe.npy")); }),
              "pipe.npy: ends after " + std::to_string(size / 8) + " of 3 items");
  }
}

template <class T>
void expect_round_trip(const std::filesystem::path& path, const std::vector<T>& stored) {
  write_npy(path, std::span<const T>(stored));
  EXPECT_EQ(values(read_weights(path)), std::vector<double>(stored.begin(), stored.end()));
  EXPECT_EQ(std::filesystem::file_size(path) % 64, stored.size() * sizeof(T) % 64);
}

TEST_F(Files, WrittenNpyIsReadBack) {
  expect_round_trip<float>(path("f4.npy"), {1, 0.1F, -2});
  expect_round_trip<double>(path("f8.npy"), {1, 0.1, -2});
  expect_round_trip<std::int32_t>(path("i4.npy"), {1, -7});
  expect_round_trip<std::uint32_t>(path("u4.npy"), {1, 4294967295U});
  expect_round_trip<std::int64_t>(path("i8.npy"), {1, -7});
  expect_round_trip<std::uint64_t>(path("u8.npy"), std::vector<std::uint64_t>(100'000, 7));
  expect_round_trip<float>(path("f4.npy"), {5});  // overwrites the first file
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path(""))) ++files;
  EXPECT_EQ(files, 6);  // no other files remain
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
               "--column 'c': " + path("a.npy").string() + " is a .npy file"));
  EXPECT_TRUE(contains(error_of([&] { static_cast<void>(read_weights(write("e", ""))); }),
                       "holds no weights"));
  EXPECT_TRUE(
      contains(error_of([&] { static_cast<void>(read_weights(path("none"))); }), "No such file"));
}

}  // namespace
}  // namespace wrsgpu::weights
