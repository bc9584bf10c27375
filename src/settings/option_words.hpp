// Converts the options in a schema to the words that a user types on the command line.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/schema_json.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::pipeline {

struct TypedOption {
  std::string name;  // "--size"
  std::optional<std::string>
      value;           // "64x48"; empty for an option without a value, absent if it was not given
  bool usual = false;  // the value is the default, so the option may be omitted
  [[nodiscard]] std::string text() const;  // "--size 64x48", "without --size"
  bool operator==(const TypedOption&) const = default;
};

// Returns every command-line option that a schema describes, always in the same order. The value of
// --map is the word FILE, because the schema does not contain the file's name.
[[nodiscard]] std::vector<TypedOption> typed_options(const Schema& schema);

// Returns the first difference of two schemas in words for users. If options differ, it has the
// form "--size 64x48 now, 120x90 then"; otherwise it is that of format::first_difference(). Returns
// "" if the schemas are equal.
[[nodiscard]] std::string option_difference(const Schema& here, const Schema& there,
                                            format::Sides sides);

}  // namespace hotpack::pipeline
