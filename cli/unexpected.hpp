// Parsing of the command line, with suggestions for unexpected arguments.
#pragma once

#include <CLI/CLI.hpp>

namespace wrsgpu::cli {

/// Parses the command line of a program that has a name and commands. Throws `Error`
///  - without a command,
///  - with the closest command if the first argument is a word that is not a command,
///  - with the closest option, or for a word with the option to which it may belong, for the first
///    argument that the command did not expect,
///  - for an empty argument, and for an option that is given more often than it may be.
/// Throws the exceptions of CLI11 for everything else, and for --help and --version.
void parse_arguments(CLI::App& program, int argc, const char* const* argv);

}  // namespace wrsgpu::cli
