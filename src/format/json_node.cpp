#include "format/json_node.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace hotpack::format {
namespace {

constexpr std::string_view kDigestPrefix = "xxh3-128:";

bool is_digest(std::string_view text) {
  if (!text.starts_with(kDigestPrefix)) return false;
  text.remove_prefix(kDigestPrefix.size());
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string excerpt(const Json& value) {
  constexpr std::size_t kMost = 80;
  return beginning_of(canonical_json(value), kMost);
}

Error JsonNode::error(std::string_view problem) const {
  return damaged_error((path_.empty() ? "" : path_ + ": ") + std::string(problem));
}

bool JsonNode::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

Status JsonNode::require_keys(std::initializer_list<std::string_view> wanted, int minor) const {
  if (!value_->is_object()) return error("not an object");
  for (const auto key : wanted) {
    if (!has(key)) return error("lacks the key " + canonical_string(key));
  }
  if (minor > 0 || value_->size() == wanted.size()) return {};
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>()) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
      return error("the key " + excerpt(Json(name)) + " is unknown in version 1.0");
    }
  }
  return {};
}

JsonNode JsonNode::at(std::string_view key) const {
  return {*value_->find(key), path_.empty() ? std::string(key) : path_ + "." + std::string(key)};
}

Result<std::size_t> JsonNode::length() const {
  if (!value_->is_array()) return error("not a list");
  return value_->size();
}

JsonNode JsonNode::element(std::size_t index) const {
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]"};
}

Result<std::uint64_t> JsonNode::count(std::uint64_t low, std::uint64_t high) const {
  if (value_->is_number_unsigned()) {
    const auto number = value_->get<std::uint64_t>();
    if (number >= low && number <= high) return number;
  }
  return error(excerpt(*value_) + " is not an integer from " + std::to_string(low) + " to " +
               std::to_string(high));
}

Result<double> JsonNode::number() const {
  if (value_->is_number()) return value_->get<double>();
  return error(excerpt(*value_) + " is not a number");
}

Result<bool> JsonNode::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  return error(excerpt(*value_) + " is not true or false");
}

Result<std::string> JsonNode::text() const {
  if (value_->is_string()) return value_->get<std::string>();
  return error(excerpt(*value_) + " is not a string");
}

Result<std::string> JsonNode::digest() const {
  if (value_->is_string() && is_digest(value_->get_ref<const std::string&>()))
    return value_->get<std::string>();
  return error(excerpt(*value_) + " is not \"xxh3-128:\" with 32 hexadecimal digits");
}

Result<std::size_t> JsonNode::choice(std::span<const std::string_view> names) const {
  if (value_->is_string()) {
    const auto found = std::find(names.begin(), names.end(), value_->get_ref<const std::string&>());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  std::string wanted;
  for (const auto name : names) wanted += (wanted.empty() ? "" : ", ") + std::string(name);
  return error(excerpt(*value_) + " is none of " + wanted);
}

}  // namespace hotpack::format
