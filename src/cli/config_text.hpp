// Parses a configuration file: `key = value` lines, a subset of TOML that also accepts simple INI
// files.
//
// CLI11 2.1's own reader is not used: it has no line numbers, splits values at commas and spaces,
// cuts them at '#', and accepts broken quotes and lists.
//
//   # a remark
//   size = 512x512               unquoted: the value ends at a remark or at the end of the line
//   classes = "class dict.csv"   quoted, with the escapes \" \\ \n \t
//   pattern = 'C:\x'             quoted, without escapes
//   ignore = [void, 255]         a list of values
//   dry-run = true               a flag
//
// Pure functions; thread-safe. Failure: code `usage`, with the number of the faulty line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::cli {

struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;  // one, or those of a list
  int line = 0;                     // from 1
};

[[nodiscard]] Result<std::vector<ConfigEntry>> parse_config(std::string_view text);

}  // namespace hotpack::cli
