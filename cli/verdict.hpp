// Result of a verification, as text and as an exit code.
#pragma once

#include <span>
#include <string_view>

#include "verification/reconstruction.hpp"
#include "verification/statistical_report.hpp"

namespace wrsgpu::cli {

/// Prints one aligned line.
void print_row(std::string_view name, std::string_view text);

/// Prints the outcome for the table. `exact`: its masses are integers,
/// which had to be equal to those that the weights are rounded to.
void print_table_report(const verification::TableReport& table, bool exact);

/// Prints a line for each test, and the verdict. Returns the exit code: `exit_ok` only when the
/// table is right and every test passes at `level`.
[[nodiscard]] int print_verdict(const verification::TableReport& table,
                                std::span<const verification::StatisticalReport> reports,
                                double level);

}  // namespace wrsgpu::cli
