// Little-endian loads and stores at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace hotpack {

static_assert(
    std::endian::native == std::endian::little,
    "hotpack maps little-endian tables directly; a big-endian port needs byte swaps here");

template <class T>
[[nodiscard]] T load_le(const std::byte* at) {
  static_assert(std::is_integral_v<T>);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store_le(std::byte* at, T value) {
  static_assert(std::is_integral_v<T>);
  std::memcpy(at, &value, sizeof value);
}

}  // namespace hotpack
