#include "verdict.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace wrsgpu::cli {
namespace {

std::string freedom_of(const verification::StatisticalReport& report) {
  if (report.degrees_of_freedom == 0) return "";
  return fmt::format(" with {:.0f} degrees of freedom", report.degrees_of_freedom);
}

}  // namespace

void print_row(std::string_view name, std::string_view text) {
  fmt::print("{:<20}{}\n", name, text);
}

void print_table_report(const verification::TableReport& table, bool exact) {
  if (!table.ok) {
    print_row("table", fmt::format("FAILED  {}", table.message));
  } else if (exact) {
    print_row("table",
              fmt::format("ok      exact: each item has its mass; weights are rounded by at most "
                          "{:.2g} of the mean weight",
                          table.worst_error));
  } else {
    print_row("table",
              fmt::format("ok      largest error {:.2g} of the mean weight", table.worst_error));
  }
}

int print_verdict(const verification::TableReport& table,
                  std::span<const verification::StatisticalReport> reports, double level) {
  bool passed = table.ok;
  for (const verification::StatisticalReport& report : reports) {
    const bool passes = report.passes(level);
    print_row(report.name,
              fmt::format("{}  p = {:.4g}, statistic {:.6g}{}{}{}", passes ? "ok    " : "FAILED",
                          report.p_value, report.statistic, freedom_of(report),
                          report.detail.empty() ? "" : ", ", report.detail));
    passed = passed && passes;
  }
  print_row("verdict", passed ? "ok" : "FAILED");
  return passed ? exit_ok : exit_failed;
}

}  // namespace wrsgpu::cli
