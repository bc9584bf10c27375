// Strings of bits from stored labels, a pixel at a time: for all that has no vector loop of its own.
//
// Pure functions over the caller's memory, thread-safe; never fail. Class c is bit c mod 8 of byte c / 8. Outputs may be written up to
// kBitSlack bytes beyond their end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::expand {

inline constexpr std::size_t kBitSlack = 8;

// Id number i, of 1 or of 2 bytes.
[[nodiscard]] inline std::uint32_t id_at(const std::uint8_t* ids, bool wide, std::size_t i) {
  return wide ? static_cast<std::uint32_t>(ids[2 * i] | ids[2 * i + 1] << 8) : ids[i];
}

// `channels` bits per pixel, without gaps: the one of its id, or none. With `ignore_channel` the last one where the id is no class.
void channels_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count, bool ignore_channel,
                     std::uint8_t* bits);
// The same from vectors of ⌈classes / 8⌉ bytes.
void channels_of_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count, bool ignore_channel, std::uint8_t* bits);
// Vectors of up to 63 classes with one more bit, set where there is no class: ⌊classes / 8⌋ + 1 bytes, and no bits beyond it.
void mark_ignored(const std::uint8_t* vectors, std::size_t count, std::size_t class_count, std::uint8_t* marked);
// The way back: `class_count` bits per pixel without gaps become vectors of ⌈classes / 8⌉ bytes.
void vectors_of_channels(const std::uint8_t* bits, std::size_t count, std::size_t class_count, std::uint8_t* vectors);
// A vector per pixel: the bit of its id, or none.
void vectors_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count, std::uint8_t* vectors);
// Vectors without the bits that are no class.
void clean_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count, std::uint8_t* clean);
// The lowest class of each vector as an id of 1 or 2 bytes, all bits set where there is none.
void lowest_classes(const std::uint8_t* vectors, std::size_t count, std::size_t class_count, bool wide, std::uint8_t* ids);

}  // namespace hotpack::expand
