// Reads and writes structs that cross the C ABI and start with their size. If the struct of an
// older caller lacks a field, the library uses the default. It never writes beyond the caller's
// size.
//
// Pure functions; thread-safe. Failure: code `usage` for a size that ends within a field, which no
// version of the struct has, and for nonzero fields that this library does not know, because it
// cannot do what they ask for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "c_api/option_error.hpp"
#include "c_api/struct_fields.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// Larger than any version of a struct will be; a larger size was not initialized.
inline constexpr std::size_t kLargestStruct = 4096;

template <class Struct>
[[nodiscard]] Status check_struct_size(std::size_t size, const char* name) {
  const bool larger = size > sizeof(Struct) && size <= kLargestStruct;
  if (larger || has_whole_fields(static_cast<const Struct*>(nullptr), size)) return {};
  return option_error("struct_size", "struct_size of " + std::string(name) + " is " +
                                         std::to_string(size) + "; set it to sizeof(" + name + ")");
}

// Reads the caller's struct. Fields beyond its size get their values from `defaults`.
template <class Struct>
[[nodiscard]] Result<Struct> read_struct(const Struct* from, Struct defaults, const char* name) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  const std::size_t size = from->struct_size;
  if (Status good = check_struct_size<Struct>(size, name); !good.ok())
    return std::move(good).error();
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  std::memcpy(&defaults, bytes, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size,
                                           [](unsigned char byte) { return byte != 0; })) {
    return usage_error(std::string(name) +
                       " has fields that this version of hotpack does not know, and they are not "
                       "0; set them to 0, or use a newer libhotpack");
  }
  return defaults;
}

// The same, and `defaults` if the caller gave no struct.
template <class Struct>
[[nodiscard]] Result<Struct> read_or(const Struct* from, Struct defaults, const char* name) {
  if (from == nullptr) return defaults;
  return read_struct(from, defaults, name);
}

// Copies `value` to the caller's struct, up to the size that the caller gave. If the caller's
// struct has fields that this library does not know, sets them to 0.
template <class Struct>
[[nodiscard]] Status write_struct(Struct value, Struct* to, const char* name) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  const std::size_t size = to->struct_size;
  if (Status good = check_struct_size<Struct>(size, name); !good.ok()) return good;
  value.struct_size = size;
  auto* bytes = reinterpret_cast<unsigned char*>(to);
  std::memcpy(bytes, &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct)) std::memset(bytes + sizeof(Struct), 0, size - sizeof(Struct));
  return {};
}

// Implements the init functions: writes the struct that defaults() returns.
template <class Struct>
hotpack_status init_struct(Struct* to, std::size_t size, const char* name,
                           Struct (*defaults)()) noexcept {
  if (to == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    if (!check_struct_size<Struct>(size, name).ok()) return HOTPACK_ERROR_USAGE;
    to->struct_size = size;
    return write_struct(defaults(), to, name).ok() ? HOTPACK_OK : HOTPACK_ERROR_USAGE;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

}  // namespace hotpack::c_api
