// Includes Catch2 of either generation: Debian 12 has 2.13, newer systems 3.x.
#pragma once

#include <cstdlib>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

// Says why a test case cannot run here and lets it end; fails in continuous integration, where each
// must run.
#define HOTPACK_NOT_TESTED(reason)                                      \
  do {                                                                  \
    if (std::getenv("CI") != nullptr) FAIL("not tested: " << (reason)); \
    WARN("not tested: " << (reason));                                   \
  } while (false)
