// The numbers that fix the order for ever: tests/property/order_golden.json. Another program,
// written from ORDER.md alone, computes the same.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "format/json.hpp"

namespace hotpack::test {

// A list of cases: "permutations", "orders", "steps", "crops", "pixels".
inline format::Json order_golden(const char* section) {
  std::ifstream file(HOTPACK_ORDER_GOLDEN, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return format::parse_json(text).value().at(section);
}

inline std::uint64_t number(const format::Json& value, const char* name) {
  return value.at(name).get<std::uint64_t>();
}
inline std::vector<std::uint64_t> numbers(const format::Json& value, const char* name) {
  return value.at(name).get<std::vector<std::uint64_t>>();
}

// The value with this name. A name without a value fails the test: name_of throws after its last.
template <class Value, class NameOf>
Value value_named(const std::string& name, NameOf name_of) {
  for (int i = 0;; ++i) {
    if (name_of(static_cast<Value>(i)) == name) return static_cast<Value>(i);
  }
}

}  // namespace hotpack::test
