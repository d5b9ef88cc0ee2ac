// The command-line program wrsgpu: its commands, and what it says of errors.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "build_info.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "program.hpp"
#include "unexpected.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {
namespace {

// Prints an error message on one line.
int report(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "wrsgpu: {}\n", message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App program("Weighted random sampling with alias tables, on the CPU and on GPUs");
  program.name("wrsgpu");
  program.set_version_flag("--version", std::string(version));
  program.require_subcommand(0, 1);
  program.footer(
      "Examples:\n"
      "  wrsgpu sample --weights weights.csv --samples 10 --seed 7\n"
      "  wrsgpu shuffle --input lines.txt\n"
      "wrsgpu sample --help has more; the methods of the thesis are in wrsgpu_methods.\n"
      "Exit codes: 0 done; 1 a verification failed, or writing did;\n"
      "2 any other error, mostly refused arguments or weights.");
  Action action;
  add_sample(program, action);
  add_shuffle(program, action);
  add_verify(program, action);
  add_info(program, action);
  try {
    parse_arguments(program, argc, argv);
    const int code = action();
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return code;
  } catch (const CLI::Success& help) {
    const int code = program.exit(help);
    return std::fflush(stdout) == 0 ? code : report("standard output: writing failed", exit_failed);
  } catch (const CLI::ParseError& error) {
    return report(error.what(), exit_error);
  } catch (const RunError& error) {
    return report(error.what(), exit_failed);
  } catch (const wrsgpu::Error& error) {
    return report(error.what(), exit_error);
  } catch (const BrokenPipe&) {
    return exit_ok;
  } catch (const std::system_error& error) {
    // The reader closed standard output, which is not a failure.
    if (error.code() == std::errc::broken_pipe) return exit_ok;
    return report(std::string("standard output: ") + error.what(), exit_failed);
  } catch (const std::bad_alloc&) {
    return report("out of memory", exit_error);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  // A closed pipe is reported as a failed write instead, which ends the program quietly.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that exceeds the limit (`ulimit -f`) is also reported as a failed write.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return report(error.what(), exit_error);
  }
}

}  // namespace wrsgpu::cli
