// Parsed JSON of files that somebody else made.
//
// Ownership: owns the values. Not thread-safe while it is changed. Failure: as parse_json; std::bad_alloc passes through, for lack of
// memory is no damage.
#pragma once

#include <string_view>
#include <utility>

#include "format/json.hpp"

namespace hotpack::format {

// A parsed text that needs no memory to go away. The destructor of a Json with members does, and ends the process where there is none; so
// whatever reads files that somebody else made keeps what it parsed in one of these.
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
