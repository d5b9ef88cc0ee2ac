// The program wrsgpu.

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
#include "wrsgpu/core/error.hpp"

namespace {

using namespace wrsgpu::cli;

// One line, whatever the message holds.
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
      "Exit codes: 0 done; 1 a verification failed, or drawing or writing did;\n"
      "2 the arguments or the weights were refused.");
  Action action;
  add_sample(program, action);
  add_verify(program, action);
  add_list(program, action);
  add_info(program, action);
  try {
    program.parse(argc, argv);
    if (!action) throw wrsgpu::Error("no command given; wrsgpu --help lists them");
    const int code = action();
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return code;
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return report(error.what(), exit_bad_input);
  } catch (const RunError& error) {
    return report(error.what(), exit_failed);
  } catch (const wrsgpu::Error& error) {
    return report(error.what(), exit_bad_input);
  } catch (const ReaderGone&) {
    return exit_ok;
  } catch (const std::system_error& error) {
    // From printing to standard output; a reader who has seen enough is no failure.
    if (error.code() == std::errc::broken_pipe) return exit_ok;
    return report(std::string("standard output: ") + error.what(), exit_failed);
  } catch (const std::bad_alloc&) {
    return report("out of memory", exit_failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe is met as a failed write, which ends the program quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return report(error.what(), exit_failed);
  }
}
