// Fills memory with copies of a value of 2 or 4 bytes. Runs in a label are short, and a vectorized
// loop takes long to start. So this function stores blocks of 16 bytes; the last two may overlap.
// Only src/labels and its tests use this; pure, thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace hotpack::labels {

// `out` needs no alignment.
template <class Unit>
void fill_units(Unit value, std::size_t count, void* out) {
  std::array<Unit, 16 / sizeof(Unit)> block;
  block.fill(value);
  auto* at = static_cast<std::byte*>(out);
  std::byte* const end = at + count * sizeof(Unit);
  if (count < block.size()) {
    for (; at != end; at += sizeof(Unit)) std::memcpy(at, &value, sizeof value);
    return;
  }
  std::byte* const last = end - sizeof block;
  for (; at < last; at += sizeof block) std::memcpy(at, block.data(), sizeof block);
  std::memcpy(last, block.data(), sizeof block);
}

}  // namespace hotpack::labels
