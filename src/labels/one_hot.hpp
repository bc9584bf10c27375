// Encodes class ids as a record's bytes in each storage, and counts classes for statistics. These
// are the hot loops of packing labels.
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

// Encodes `ids` (each kIgnored or < class_count; other values are a bug) as one-hot bits (class c
// at bit c mod 8 of byte c div 8), one-hot bytes, or u8/u16 index (little-endian; 255/65535 =
// ignored). `out` has exactly encoded_bytes().
void encode_ids(std::span<const std::uint16_t> ids, std::size_t class_count, LabelStorage storage,
                std::span<std::byte> out);

// Adds one class to pixels that may hold several: sets its bit (or byte) in each pixel whose id is
// 1 and changes nothing else. Not for storage `index`. `one_hot` has encoded_bytes() for all
// classes.
void add_class(std::span<const std::uint16_t> ids, std::size_t class_id, std::size_t class_count,
               LabelStorage storage, std::span<std::byte> one_hot);

// Counts the pixels of a one-hot label, which may hold several classes each. Resizes and overwrites
// `histogram`: element c is the number of pixels of class c. Returns the number of pixels without a
// class. Not for storage `index`.
[[nodiscard]] std::uint64_t count_one_hot(std::span<const std::byte> one_hot, LabelStorage storage,
                                          std::size_t class_count,
                                          std::vector<std::uint64_t>& histogram);

// Counts each pixel `times` times: adds to element c of `histogram`, which has one element per
// class, for pixels of class c. Returns the count of ignored pixels.
[[nodiscard]] std::uint64_t count_ids(std::span<const std::uint16_t> ids, std::uint64_t times,
                                      std::span<std::uint64_t> histogram);

}  // namespace hotpack::labels
