// Encodes runs of pixels of one class as a record's bytes: what encode_ids() writes, without a
// plane of ids.
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
  // One-hot bytes of class 0, again and again, from pixel_bytes_ bytes before the first one on. A
  // part that starts c bytes earlier holds class c.
  std::vector<std::byte> pattern_;
  std::size_t pattern_pixels_ = 0;
};

}  // namespace hotpack::labels
