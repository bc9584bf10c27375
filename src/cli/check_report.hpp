// What `check` tells at its end, as text or JSON.
//
// Pure functions from a report to text; thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "check/check.hpp"

namespace hotpack::cli {

// What a report says besides its diagnostics.
struct CheckEnd {
  std::string command;       // to run next: `hotpack pack …`
  bool reads_input = false;  // standard input, which has been read
  double seconds = 0;
  std::size_t columns = 100;  // that lines fit, but for long words, paths and commands
  bool color = false;         // result, warnings and problems in colors
};

// Several lines, each ending in a newline and printable(); the result comes last.
[[nodiscard]] std::string check_text(const pipeline::CheckReport& report, const CheckEnd& end);
// One JSON object and a newline; docs/check.md documents its members. `report` is "hotpack-check/1": members may be added to it, none
// changes its meaning.
[[nodiscard]] std::string check_json(const pipeline::CheckReport& report, const CheckEnd& end);

}  // namespace hotpack::cli
