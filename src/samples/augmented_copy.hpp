// The names that Roboflow gives to augmented copies of an image: "a_jpg.rf.<32 hex digits>" is a
// copy of "a_jpg".
//
// A pure function; thread-safe.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack::pipeline {

// Returns the name of the original, with its folders; nothing if the key has another form.
[[nodiscard]] std::optional<std::string_view> roboflow_original(std::string_view key);

}  // namespace hotpack::pipeline
