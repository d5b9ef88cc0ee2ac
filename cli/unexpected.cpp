#include "unexpected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "numbers.hpp"
#include "wrsgpu/detail/core/closest_names.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {
namespace {

std::string nearest(const std::vector<std::string>& known, std::string_view name) {
  return closest_names(known, name, 1).front();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

/// The option to which a word without an option may belong; empty if that is not clear.
std::string option_for(const CLI::App& command, const std::string& word) {
  std::uint64_t number = 0;
  const bool is_number = parse_whole_number(word, ~std::uint64_t{0}, number).empty();
  if (is_number) return has_option(command, "--samples") ? "--samples" : "";
  for (const char* name : {"--input", "--weights"}) {
    if (has_option(command, name)) return name;
  }
  return {};
}

/// True for options of the thesis's methods, which only wrsgpu_methods has.
bool is_thesis_option(const std::string& option) {
  constexpr std::array<std::string_view, 6> names{"--method",  "--arithmetic", "--layout",
                                                  "--sampler", "--seeding",    "--section-rows"};
  return std::find(names.begin(), names.end(), option.substr(0, option.find('='))) != names.end();
}

[[noreturn]] void reject(const CLI::App& command, const std::string& word) {
  std::string text = fmt::format("unexpected argument {}", word);
  if (is_thesis_option(word)) {
    text += "; the methods of the thesis have a program of their own, wrsgpu_methods";
  } else if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    text += fmt::format("; did you mean {}?", nearest(option_names(command), name));
  } else if (const std::string option = option_for(command, word); !option.empty()) {
    text += fmt::format("; did you mean {} {}?", option, word);
  }
  throw Error(text);
}

}  // namespace

void require_command(const CLI::App& program, const std::string& word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  if (word == "list") {
    throw Error(
        "unknown command 'list'; wrsgpu info lists distributions, wrsgpu_methods list the "
        "methods of the thesis");
  }
  throw Error(fmt::format("unknown command '{}'; did you mean wrsgpu {}? (wrsgpu --help lists all)",
                          word, nearest(names, word)));
}

void reject_unexpected(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    const std::vector<std::string> words = command->remaining();
    if (words.empty()) continue;
    // Reports an option first: words after it may be its values.
    const auto option = std::find_if(words.begin(), words.end(), [](const std::string& word) {
      return word.size() > 1 && word.front() == '-';
    });
    reject(*command, option == words.end() ? words.front() : *option);
  }
  if (const std::vector<std::string> words = program.remaining(); !words.empty()) {
    throw Error(fmt::format("unexpected argument {}; see wrsgpu --help", words.front()));
  }
}

}  // namespace wrsgpu::cli
