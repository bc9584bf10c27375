// The rules of FORMAT.md ("Schema") for what a writer of 1.0 may say, beyond what reading a shard needs.
//
// Opening a data set does not ask for them; `verify` does. Pure; thread-safe.
#pragma once

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

// Values of fit, filters and size_mismatch; one number of pad_color a channel; class names, sources; options. Precondition: decode_schema
// accepted the schema. Errors have code `damaged` and name the JSON key.
[[nodiscard]] Status check_schema(const Schema& schema);

}  // namespace hotpack::format
