#include "program.hpp"

int main(int argc, char** argv) { return wrsgpu::cli::run_program(argc, argv); }
