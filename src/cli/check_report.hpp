// Turns the result of `check` into a report: JSON members and text.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "check/check.hpp"
#include "cli/report.hpp"

namespace hotpack::cli {

// Parts of a report that are not diagnostics.
struct CheckEnd {
  std::string command;        // to run next: `hotpack pack …`
  bool adds_classes = false;  // it has a class table that this check has written
  bool reads_input = false;   // the command reads standard input, which has been read already
  double seconds = 0;
};

// Makes the report of a check. docs/check.md documents its JSON members. The member `report` is
// "hotpack-check/1": later versions may add members, but never change the meaning of one. The text
// is made for lines of `columns` columns.
[[nodiscard]] Report check_report(const pipeline::CheckReport& report, const CheckEnd& end,
                                  std::size_t columns = 100);
// Returns the text of a report of check_report() as it is printed. Lines fit into `columns`, except
// for long words, paths and commands. With `color`, the result and the headings of warnings and
// problems are colored.
[[nodiscard]] std::string check_text(const Report& report, pipeline::CheckResult result,
                                     std::size_t columns, bool color);

}  // namespace hotpack::cli
