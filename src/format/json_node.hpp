// Typed access to parsed JSON from outside. Each failure names the JSON path and what was
// expected there.
//
// A node points into a Json, which must outlive it. Errors have code `damaged`. The decoders of
// src/format and src/loader/state.cpp use it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "format/json.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

// Counts and ids stay below this limit, so that sums of two never overflow.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 62;

class JsonNode {
 public:
  JsonNode(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool has(std::string_view key) const;

  // Fails unless the node is an object with all keys of `wanted`. Other keys are refused if the
  // format's version is 1.0 (`minor` is 0), and ignored in later versions.
  [[nodiscard]] Status require_keys(std::initializer_list<std::string_view> wanted,
                                    int minor) const;
  // Precondition: the key exists.
  [[nodiscard]] JsonNode at(std::string_view key) const;
  // Returns the number of elements; fails if the node is not a list. JsonNodes for elements are
  // made only when they are visited, so a long list costs no memory.
  [[nodiscard]] Result<std::size_t> length() const;
  [[nodiscard]] JsonNode element(std::size_t index) const;  // precondition: index < length()

  [[nodiscard]] Result<std::uint64_t> count(std::uint64_t low = 0,
                                            std::uint64_t high = kMaxCount) const;
  [[nodiscard]] Result<double> number() const;
  [[nodiscard]] Result<bool> boolean() const;
  [[nodiscard]] Result<std::string> text() const;
  [[nodiscard]] Result<std::string> digest() const;  // "xxh3-128:" and 32 lower-case hex digits
  // Returns the index in `names` of a string.
  [[nodiscard]] Result<std::size_t> choice(std::span<const std::string_view> names) const;

  // "<path>: <problem>", without the path if it is empty.
  [[nodiscard]] Error error(std::string_view problem) const;

 private:
  const Json* value_;
  std::string path_;
};

// Canonical text of a value, shortened for a message.
[[nodiscard]] std::string excerpt(const Json& value);

}  // namespace hotpack::format
