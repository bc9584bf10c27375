// Class ids to a record's bytes in each storage, and what the statistics need. The hot loop of packing labels.
//
// Pure functions over caller's memory; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::labels {

// Bytes of `pixels` labels in a storage.
[[nodiscard]] std::uint64_t encoded_bytes(LabelStorage storage, std::uint64_t pixels, std::size_t class_count);

// `ids` (kIgnored or < class_count each; other values are a bug) to one-hot bits (class c at bit c mod 8 of byte c div 8), one-hot bytes,
// or u8/u16 index (little-endian; 255/65535 = ignored). `out` has exactly encoded_bytes().
void encode_ids(std::span<const std::uint16_t> ids, std::size_t class_count, LabelStorage storage, std::span<std::byte> out);

// One class of several that a pixel may hold: sets its bit (or byte) wherever `ids` is 1 and leaves everything else as it is. Not for
// storage `index`. `one_hot` has encoded_bytes() of all classes.
void add_class(std::span<const std::uint16_t> ids, std::size_t class_id, std::size_t class_count, LabelStorage storage,
               std::span<std::byte> one_hot);

// Counts of a one-hot label whose pixels may hold several classes: histogram[c] pixels of class c (resized and overwritten), returns
// the pixels without a class. Not for storage `index`.
[[nodiscard]] std::uint64_t count_one_hot(std::span<const std::byte> one_hot, LabelStorage storage, std::size_t class_count,
                                          std::vector<std::uint64_t>& histogram);

// Counts of one label: histogram[c] pixels of class c (resized to class_count and overwritten), returns the ignored pixels.
[[nodiscard]] std::uint64_t count_ids(std::span<const std::uint16_t> ids, std::size_t class_count, std::vector<std::uint64_t>& histogram);

}  // namespace hotpack::labels
