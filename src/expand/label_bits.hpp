// Converts stored labels to strings of bits, pixel by pixel. Used where no vector loop exists.
//
// Pure functions over the caller's memory; thread-safe; never fail. In a vector of bits, class c is
// bit c mod 8 of byte c / 8. The functions may write up to kBitSlack bytes beyond the end of the
// output.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::expand {

inline constexpr std::size_t kBitSlack = 8;

// Returns id number i. Ids have 1 byte, or 2 bytes if `wide`.
[[nodiscard]] inline std::uint32_t id_at(const std::uint8_t* ids, bool wide, std::size_t i) {
  return wide ? static_cast<std::uint32_t>(ids[2 * i] | ids[2 * i + 1] << 8) : ids[i];
}

// Writes one bit per channel of each pixel, without gaps between pixels: the bit of the pixel's id
// is 1. Ids have 1 byte, or 2 bytes if `wide`. With `ignore_channel`, each pixel has one more bit,
// which is 1 if the id is not a class.
void channels_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                     bool ignore_channel, std::uint8_t* bits);
// The same from vectors of ⌈class_count / 8⌉ bytes.
void channels_of_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                         bool ignore_channel, std::uint8_t* bits);
// Copies vectors of up to 63 classes and adds one bit to each: it is 1 for pixels without a class.
// A vector of the result has ⌊class_count / 8⌋ + 1 bytes; all other bits beyond the classes are 0.
void mark_ignored(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                  std::uint8_t* marked);
// The reverse of channels_of_vectors(): `class_count` bits per pixel, without gaps, become vectors
// of ⌈class_count / 8⌉ bytes.
void vectors_of_channels(const std::uint8_t* bits, std::size_t count, std::size_t class_count,
                         std::uint8_t* vectors);
// Writes one vector of bits per pixel. The bit of the pixel's id is 1; no bit is 1 if the id is not
// a class. Ids have 1 byte, or 2 bytes if `wide`.
void vectors_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                    std::uint8_t* vectors);
// Copies vectors, and clears the bits that belong to no class.
void clean_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                   std::uint8_t* clean);
// Writes one id per vector of bits: the lowest class in the vector, or an id with all bits 1 if the
// vector has no class. An id has 1 byte, or 2 bytes if `wide`.
void lowest_classes(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                    bool wide, std::uint8_t* ids);

}  // namespace hotpack::expand
