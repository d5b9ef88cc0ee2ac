// Prints the result of a verification and returns an exit code.
#pragma once

#include <span>
#include <string_view>

#include "verification/reconstruction.hpp"
#include "verification/statistical_report.hpp"

namespace wrsgpu::cli {

/// Prints one aligned line.
void print_row(std::string_view name, std::string_view text);

/// Prints the result for the table. `exact`: the masses are integers and had to equal the rounded
/// weights.
void print_table_report(const verification::TableReport& table, bool exact);

/// Prints a line for each test, and the verdict. Returns `exit_ok` if the table is correct and
/// every test passes at `level`, `exit_failed` otherwise.
[[nodiscard]] int print_verdict(const verification::TableReport& table,
                                std::span<const verification::StatisticalReport> reports,
                                double level);

}  // namespace wrsgpu::cli
