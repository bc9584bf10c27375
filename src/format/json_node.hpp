// Typed access to parsed JSON that comes from outside: each failure names the JSON path and what was expected there.
//
// A node points into a Json that must outlive it. Errors have code `damaged`. Not exposed beyond the room's own decoders.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "format/json.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

// Counts and ids stay below this, so that sums of two never overflow.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 62;

class JsonNode {
 public:
  JsonNode(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool has(std::string_view key) const;

  // An object that has all of `wanted`; other keys are refused in version 1.0 and ignored later.
  [[nodiscard]] Status require_keys(std::initializer_list<std::string_view> wanted, int minor) const;
  // Precondition: the key exists.
  [[nodiscard]] JsonNode at(std::string_view key) const;
  // The number of elements of a list; each is made as it is visited, so that a long list costs no memory of its own.
  [[nodiscard]] Result<std::size_t> length() const;
  [[nodiscard]] JsonNode element(std::size_t index) const;  // precondition: index < length()

  [[nodiscard]] Result<std::uint64_t> count(std::uint64_t low = 0, std::uint64_t high = kMaxCount) const;
  [[nodiscard]] Result<double> number() const;
  [[nodiscard]] Result<bool> boolean() const;
  [[nodiscard]] Result<std::string> text() const;
  [[nodiscard]] Result<std::string> digest() const;  // "xxh3-128:" and 32 lower-case hex digits
  // The index of a string in `names`.
  [[nodiscard]] Result<std::size_t> choice(std::span<const std::string_view> names) const;

  // "<path>: <problem>", shortened where the path is empty.
  [[nodiscard]] Error error(std::string_view problem) const;

 private:
  const Json* value_;
  std::string path_;
};

// Canonical text of a value, cut to a length fit for a message.
[[nodiscard]] std::string excerpt(const Json& value);

}  // namespace hotpack::format
