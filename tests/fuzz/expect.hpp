// Assertions of fuzz targets: expect(condition, "what should be") ends the process with the text
// if the condition is false.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hotpack::fuzz {

inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz target: expected that %s\n", what);
  std::abort();
}

}  // namespace hotpack::fuzz
