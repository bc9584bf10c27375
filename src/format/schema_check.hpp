// Checks a schema against those rules of FORMAT.md ("Schema") that a writer of version 1.0 follows
// but that reading a shard does not need.
//
// `verify` checks these rules; opening a data set does not. Pure; thread-safe.
#pragma once

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

// Checks the values of fit, filters and size_mismatch, that pad_color has one number per channel,
// class names and sources, and options. Precondition: decode_schema accepted the schema. Errors
// have code `damaged` and name the JSON key.
[[nodiscard]] Status check_schema(const Schema& schema);

}  // namespace hotpack::format
