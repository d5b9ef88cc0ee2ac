// The commands of the program.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace wrsgpu::cli {

// Exit codes.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;  // a failed verification or a failed write
inline constexpr int exit_error = 2;   // any other error, mostly invalid arguments or weights

/// Runs a parsed command and returns the exit code. Throws `RunError` if writing fails, and `Error`
/// for any other failure.
using Action = std::function<int()>;

/// Each adds a command to the program; parsing sets `action` if that command was given.
void add_sample(CLI::App& program, Action& action);
void add_shuffle(CLI::App& program, Action& action);
void add_verify(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);

}  // namespace wrsgpu::cli
