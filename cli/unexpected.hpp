// Errors with suggestions for unexpected arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace wrsgpu::cli {

/// Throws `Error` with the closest command if the first argument is a word that is not a command.
void require_command(const CLI::App& program, const std::string& word);

/// Throws `Error` for the first argument that the command did not expect, with the closest option
/// or, for a word, with the option to which it may belong.
void reject_unexpected(const CLI::App& program);

}  // namespace wrsgpu::cli
