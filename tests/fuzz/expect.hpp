// What a fuzz target holds of a result: expect(condition, "what should be") ends the process with the words when it does not hold.
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
