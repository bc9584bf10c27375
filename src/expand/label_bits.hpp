// Makes strings of bits from stored labels pixel by pixel, for all cases without a vector loop.
//
// Pure functions over the caller's memory; thread-safe; never fail. Class c is bit c mod 8 of
// byte c / 8. They may write up to kBitSlack bytes beyond the end of the output.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::expand {

inline constexpr std::size_t kBitSlack = 8;

// Id number i, of 1 or 2 bytes.
[[nodiscard]] inline std::uint32_t id_at(const std::uint8_t* ids, bool wide, std::size_t i) {
  return wide ? static_cast<std::uint32_t>(ids[2 * i] | ids[2 * i + 1] << 8) : ids[i];
}

// Writes `channels` bits per pixel without gaps: the bit of its id is 1. With `ignore_channel`
// the last bit is 1 if the id is not a class.
void channels_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                     bool ignore_channel, std::uint8_t* bits);
// The same from vectors of ⌈classes / 8⌉ bytes.
void channels_of_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                         bool ignore_channel, std::uint8_t* bits);
// Adds one bit to vectors of up to 63 classes, which is 1 for pixels without a class: ⌊classes /
// 8⌋ + 1 bytes, without bits beyond it.
void mark_ignored(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                  std::uint8_t* marked);
// The reverse: `class_count` bits per pixel without gaps become vectors of ⌈classes / 8⌉ bytes.
void vectors_of_channels(const std::uint8_t* bits, std::size_t count, std::size_t class_count,
                         std::uint8_t* vectors);
// Writes one vector per pixel with the bit of its id, or without a bit.
void vectors_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                    std::uint8_t* vectors);
// Copies vectors without the bits that belong to no class.
void clean_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                   std::uint8_t* clean);
// Writes the lowest class of each vector as an id of 1 or 2 bytes; all bits are set if there is
// none.
void lowest_classes(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                    bool wide, std::uint8_t* ids);

}  // namespace hotpack::expand
