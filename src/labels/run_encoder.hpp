// Encodes runs of pixels of one class as the bytes of a record. The bytes equal those of
// encode_ids(), but no array of all ids is needed.
//
// Immutable after construction; thread-safe with different outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpack/schema.hpp"

namespace hotpack::labels {

class RunEncoder {
 public:
  RunEncoder(LabelStorage storage, std::size_t class_count);

  [[nodiscard]] std::size_t pixel_bytes() const { return pixel_bytes_; }

  // Writes `pixels` pixels of class `id` (kIgnored or < class_count), pixels * pixel_bytes() bytes.
  void write(std::uint16_t id, std::size_t pixels, std::byte* out) const;

 private:
  void write_index(std::uint16_t id, std::size_t pixels, std::byte* out) const;
  void write_bits(std::uint16_t id, std::size_t pixels, std::byte* out) const;
  void write_one_hot(std::uint16_t id, std::size_t pixels, std::byte* out) const;

  LabelStorage storage_;
  std::size_t class_count_, pixel_bytes_;
  // Bytes to copy one-hot runs from: a 1 every pixel_bytes_ bytes, the first one at offset
  // pixel_bytes_. Copied from the offset pixel_bytes_ − c on, they are pixels of class c.
  std::vector<std::byte> pattern_;
  std::size_t pattern_pixels_ = 0;
};

}  // namespace hotpack::labels
