// Holds parsed JSON of files from outside.
//
// Ownership: owns the values. Not thread-safe while it changes. Failure: as parse_json. Lack of
// memory throws std::bad_alloc, because the file is then not damaged.
#pragma once

#include <string_view>
#include <utility>

#include "format/json.hpp"

namespace hotpack::format {

// A parsed JSON value that can be destroyed without memory. The destructor of a Json value with
// members allocates memory, and ends the process if there is none. So code that reads files from
// outside keeps parsed values in this class.
class JsonDocument {
 public:
  explicit JsonDocument(Json root) : root_(std::move(root)) {}
  JsonDocument(JsonDocument&& other) noexcept : root_(std::move(other.root_)) {}
  JsonDocument& operator=(JsonDocument&&) = delete;
  ~JsonDocument();
  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] Json take() && { return std::move(root_); }

 private:
  Json root_;
};
[[nodiscard]] Result<JsonDocument> parse_document(std::string_view text, JsonLimits limits = {});

}  // namespace hotpack::format
