// The vector levels that this machine can test, and a temporary choice among them.
#pragma once

#include <string>
#include <vector>

#include "expand/processor.hpp"
#include "support/catch.hpp"

namespace hotpack::test {

// Within a test case. Warns once per process about each level that this machine lacks, whose
// kernels stay untested.
inline std::vector<expand::Level> levels() {
  using expand::Level;
  std::vector<Level> possible;
  static bool warned = false;
  for (const Level level : {Level::portable, Level::avx2, Level::avx512}) {
    if (level <= expand::best_level()) {
      possible.push_back(level);
    } else if (!warned) {
      WARN("level " + std::string(expand::level_name(level)) +
           " is not tested: this machine cannot run it");
    }
  }
  warned = true;
  return possible;
}

// Restores the best level at the end of a scope.
class RestoreLevel {
 public:
  RestoreLevel() = default;
  ~RestoreLevel() { expand::set_level(expand::best_level()); }
  RestoreLevel(const RestoreLevel&) = delete;
  RestoreLevel& operator=(const RestoreLevel&) = delete;
};

}  // namespace hotpack::test
