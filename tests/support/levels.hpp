// The vector levels that a test can run on this machine, and their choice for a while.
#pragma once

#include <string>
#include <vector>

#include "expand/processor.hpp"
#include "support/catch.hpp"

namespace hotpack::test {

// Within a test case. Warns, once a process, of each level that this machine lacks: its kernels stay untested here.
inline std::vector<expand::Level> levels() {
  using expand::Level;
  std::vector<Level> possible;
  static bool warned = false;
  for (const Level level : {Level::portable, Level::avx2, Level::avx512}) {
    if (level <= expand::best_level()) {
      possible.push_back(level);
    } else if (!warned) {
      WARN("level " + std::string(expand::level_name(level)) + " is not tested: this machine cannot run it");
    }
  }
  warned = true;
  return possible;
}

// The best level again at the end of a scope.
class RestoreLevel {
 public:
  RestoreLevel() = default;
  ~RestoreLevel() { expand::set_level(expand::best_level()); }
  RestoreLevel(const RestoreLevel&) = delete;
  RestoreLevel& operator=(const RestoreLevel&) = delete;
};

}  // namespace hotpack::test
