// Checks a schema against the rules of FORMAT.md ("Schema") that a writer of 1.0 follows but that
// reading a shard does not need.
//
// `verify` checks them; opening a data set does not. Pure; thread-safe.
#pragma once

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

// Checks values of fit, filters and size_mismatch; one number of pad_color per channel; class
// names and sources; options. Precondition: decode_schema accepted the schema. Errors have code
// `damaged` and name the JSON key.
[[nodiscard]] Status check_schema(const Schema& schema);

}  // namespace hotpack::format
