// The program's commands.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace wrsgpu::cli {

// The exit codes of the program.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;  // a verification failed, or writing did
inline constexpr int exit_error = 2;   // any other error, mostly invalid arguments or weights

/// Runs a parsed command and returns the exit code. Throws `RunError` when writing fails, and
/// another `Error` for what else does.
using Action = std::function<int()>;

/// Each adds a command to the program; when it is the one given, parsing sets `action`.
void add_sample(CLI::App& program, Action& action);
void add_shuffle(CLI::App& program, Action& action);
void add_verify(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);

}  // namespace wrsgpu::cli
