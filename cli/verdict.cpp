#include "verdict.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace wrsgpu::cli {

void print_row(std::string_view name, std::string_view text) {
  fmt::print("{:<20}{}\n", name, text);
}

void print_table_report(const verification::TableReport& table, bool exact) {
  print_row("table", table.ok ? fmt::format("ok      {}, {:.2g} of a bucket",
                                            exact ? "integers equal; largest rounding of a weight"
                                                  : "largest error",
                                            table.worst_error)
                              : fmt::format("FAILED  {}", table.message));
}

int print_verdict(const verification::TableReport& table,
                  std::span<const verification::StatisticalReport> reports, double level) {
  bool passed = table.ok;
  for (const verification::StatisticalReport& report : reports) {
    const bool passes = report.passes(level);
    print_row(report.name,
              fmt::format("{}  p = {:.4g}, statistic {:.6g}{}{}", passes ? "ok    " : "FAILED",
                          report.p_value, report.statistic, report.detail.empty() ? "" : ", ",
                          report.detail));
    passed = passed && passes;
  }
  print_row("verdict", passed ? "ok" : "FAILED");
  return passed ? exit_ok : exit_failed;
}

}  // namespace wrsgpu::cli
