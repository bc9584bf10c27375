// Encodes class ids as the bytes of a record, for each storage, and counts classes for the
// statistics. These are the inner loops of packing labels.
//
// Pure functions over the caller's memory; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::labels {

// The bytes of `pixels` labels in a storage.
[[nodiscard]] std::uint64_t encoded_bytes(LabelStorage storage, std::uint64_t pixels,
                                          std::size_t class_count);

// Encodes `ids` in a storage: as bits (class c is bit c mod 8 of byte c div 8), as one-hot bytes,
// or as ids of 1 or 2 bytes (little-endian; 255 or 65535 means ignored). Precondition: each id is
// kIgnored or below class_count. `out` has exactly encoded_bytes() bytes.
void encode_ids(std::span<const std::uint16_t> ids, std::size_t class_count, LabelStorage storage,
                std::span<std::byte> out);

// Adds one class to pixels that may have several classes: sets the bit (or byte) of `class_id` in
// each pixel whose id in `ids` is 1, and changes nothing else. Not for storage `index`. `one_hot`
// has the encoded_bytes() of all classes.
void add_class(std::span<const std::uint16_t> ids, std::size_t class_id, std::size_t class_count,
               LabelStorage storage, std::span<std::byte> one_hot);

// Counts the pixels of each class in a label of bits or one-hot bytes, whose pixels may have
// several classes. Overwrites `histogram`: element c becomes the number of pixels of class c.
// Returns the number of pixels without a class. Not for storage `index`.
[[nodiscard]] std::uint64_t count_one_hot(std::span<const std::byte> one_hot, LabelStorage storage,
                                          std::size_t class_count,
                                          std::vector<std::uint64_t>& histogram);

// Adds `times` to element c of `histogram` for each pixel of class c. `histogram` has one element
// per class. Returns `times` times the number of ignored pixels.
[[nodiscard]] std::uint64_t count_ids(std::span<const std::uint16_t> ids, std::uint64_t times,
                                      std::span<std::uint64_t> histogram);

}  // namespace hotpack::labels
