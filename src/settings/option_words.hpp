// The options of a schema, as typed on the command line.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::pipeline {

struct TypedOption {
  std::string name;  // "--size"
  std::optional<std::string>
      value;           // "64x48"; empty for an option without a value, absent if it was not given
  bool usual = false;  // the default, which may be omitted
  [[nodiscard]] std::string text() const;  // "--size 64x48", "without --size"
  bool operator==(const TypedOption&) const = default;
};

// Every option that a schema describes, always in the same order. A map is reported without its
// table.
[[nodiscard]] std::vector<TypedOption> typed_options(const Schema& schema);

// The first difference of two schemas: "--size 64x48 here, 120x90 there" if options differ, else
// that of format::first_difference. Empty if they are equal.
[[nodiscard]] std::string option_difference(const Schema& here, const Schema& there);

}  // namespace hotpack::pipeline
