#include "unexpected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "numbers.hpp"
#include "wrsgpu/detail/core/closest_names.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {
namespace {

/// The known name that `name` is most like; empty if more than half of it would have to change.
std::string nearest(const std::vector<std::string>& known, std::string_view name) {
  const std::vector<std::string> closest = closest_names(known, name, 1, name.size() / 2);
  return closest.empty() ? "" : closest.front();
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
  const bool is_number = parse_whole_number(word, 0, ~std::uint64_t{0}, number).empty();
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

/// The option closest to one that was given without a command, after the command that has it; empty
/// if none is close.
std::string command_with_option(const CLI::App& program, const std::string& option) {
  std::vector<std::string> known = option_names(program);
  std::vector<std::string> commands(known.size(), program.get_name());
  for (const CLI::App* command : program.get_subcommands({})) {
    for (const std::string& name : option_names(*command)) {
      known.push_back(name);
      commands.push_back(program.get_name() + " " + command->get_name());
    }
  }
  const std::string name = nearest(known, option);
  if (name.empty()) return {};
  const auto place = std::find(known.begin(), known.end(), name) - known.begin();
  return commands[static_cast<std::size_t>(place)] + " " + name;
}

[[noreturn]] void reject(const CLI::App& program, const CLI::App& command,
                         const std::string& word) {
  const std::string text = fmt::format("unexpected argument {}", word);
  if (program.get_name() == "wrsgpu" && is_thesis_option(word)) {
    throw Error(text + "; the methods of the thesis have a program of their own, wrsgpu_methods");
  }
  std::string meant;
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    meant = &command == &program ? command_with_option(program, name)
                                 : nearest(option_names(command), name);
  } else if (const std::string option = option_for(command, word); !option.empty()) {
    meant = option + " " + word;
  }
  if (!meant.empty()) throw Error(fmt::format("{}; did you mean {}?", text, meant));
  const std::string after = &command == &program ? "" : " " + command.get_name();
  throw Error(fmt::format("{}; see {}{} --help", text, program.get_name(), after));
}

/// Throws `Error` with the closest command if the first argument is a word that is not a command.
void require_command(const CLI::App& program, const std::string& word) {
  if (word.starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  if (program.get_name() == "wrsgpu" && word == "list") {
    throw Error(
        "unknown command 'list'; wrsgpu info lists distributions, wrsgpu_methods list the "
        "methods of the thesis");
  }
  const std::string command = nearest(names, word);
  const std::string meant =
      command.empty() ? "" : fmt::format("; did you mean {} {}?", program.get_name(), command);
  throw Error(
      fmt::format("unknown command '{}'{} ({} --help lists all)", word, meant, program.get_name()));
}

/// Throws `Error` for the first argument that the command did not expect.
void reject_unexpected(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    const std::vector<std::string> words = command->remaining();
    if (words.empty()) continue;
    // Reports an option first: words after it may be its values.
    const auto option = std::find_if(words.begin(), words.end(), [](const std::string& word) {
      return word.size() > 1 && word.front() == '-';
    });
    reject(program, *command, option == words.end() ? words.front() : *option);
  }
  const std::vector<std::string> words = program.remaining();
  if (!words.empty()) reject(program, program, words.front());
}

// An empty argument is usually an unset shell variable; CLI11 would treat the option as not given.
void reject_empty_arguments(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '\0') continue;
    const bool names_it = i > 1 && argv[i - 1][0] == '-';
    throw Error(fmt::format("argument {} is empty",
                            names_it ? std::string(argv[i - 1]) : std::to_string(i)));
  }
}

/// The first option that is given more often than it may be; null if there is none.
const CLI::Option* repeated_option(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const bool only_once = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
                             option->get_items_expected_max() <= 1;
      if (only_once && option->count() > 1) return option;
    }
  }
  return nullptr;
}

}  // namespace

void parse_arguments(CLI::App& program, int argc, const char* const* argv) {
  reject_empty_arguments(argc, argv);
  if (argc > 1) require_command(program, argv[1]);
  program.allow_extras();
  for (CLI::App* command : program.get_subcommands({})) command->allow_extras();
  try {
    program.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch&) {
    const CLI::Option* repeated = repeated_option(program);
    if (repeated == nullptr) throw;
    throw Error(fmt::format("argument {} is given {}", repeated->get_name(),
                            repeated->count() == 2 ? std::string("twice")
                                                   : fmt::format("{} times", repeated->count())));
  }
  reject_unexpected(program);
  if (program.get_subcommands().empty()) {
    throw Error(fmt::format("no command given; {} --help lists them", program.get_name()));
  }
}

}  // namespace wrsgpu::cli
