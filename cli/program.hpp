// The program wrsgpu.
#pragma once

namespace wrsgpu::cli {

/// Runs the command that the arguments name and returns the exit code. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace wrsgpu::cli
