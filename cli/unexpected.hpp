// Suggestions for an argument that no command expects.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace wrsgpu::cli {

/// Throws `Error` where the first argument is a word that is no command, with the nearest one.
void require_command(const CLI::App& program, const std::string& word);

/// Throws `Error` for the first argument that the command did not expect: with the nearest option,
/// or for a word with the option that it is for.
void refuse_unexpected(const CLI::App& program);

}  // namespace wrsgpu::cli
