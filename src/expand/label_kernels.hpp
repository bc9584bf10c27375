// The inner loops of label expansion, as a table of functions; there is one table per vector
// instruction set.
//
// On the way from a record to one-hot elements, labels are strings of bits: bit i (bit i mod 8 of
// byte i / 8) says whether element i of the output is 1. So each storage needs only loops that make
// bits, and each element type needs only one loop, which makes elements from bits.
// Pure functions over the caller's memory; thread-safe. They do not allocate, lock or fail, and
// every table produces the same bytes. Inputs need no alignment. Nothing beyond the last byte of an
// input or output is read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "expand/channel_shuffle.hpp"
#include "expand/processor.hpp"
#include "hotpack/expand.hpp"

namespace hotpack::expand {

// Which ids are classes (those below class_count), and the output value of all other ids.
struct IdRule {
  std::uint32_t class_count = 0;
  std::int64_t ignored = 0;
};

struct LabelKernels {
  // Sets bit i to 1 if ids[i] == id, else to 0. The first function is for ids of 1 byte, the second
  // for ids of 2 bytes (little-endian).
  void (*ids_equal)(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                    std::uint8_t* bits);
  void (*wide_ids_equal)(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                         std::uint8_t* bits);
  // Sets bit i to 1 if bytes[i] has a bit of `mask`, else to 0. `mask` is one bit, or 255.
  void (*bytes_have)(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                     std::uint8_t* bits);
  // Sets plane[i] to vectors[i · vector_bytes + byte].
  void (*byte_plane)(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                     std::size_t count, std::uint8_t* plane);
  // Makes the bits of all channels of 64 · `blocks` pixels, pixel after pixel, with byte shuffles.
  // Null if the instruction set has no shuffles.
  void (*shuffle)(const std::uint8_t* vectors, std::size_t blocks, const ChannelShuffle& shuffle,
                  std::uint8_t* bits);
  // Handles one byte of each pixel's vector of bits, whose lowest bit is class `base`. Let c be the
  // lowest class in plane[i] & mask; sets ids[i] to c if c is smaller. Leaves ids[i] if no bit is
  // set.
  void (*lowest_bit)(const std::uint8_t* plane, std::size_t count, std::uint8_t mask,
                     std::uint8_t base, std::uint8_t* ids);
  // Writes `count` elements of a one-hot type: element i is 1 if bit i is set, else 0. `out` is
  // aligned to the element.
  void (*write_ones)(const std::uint8_t* bits, std::size_t count, ElementType type, std::byte* out,
                     Stores stores);
  // Converts `count` ids to elements of an index type; this function is for ids of 1 byte, the next
  // for 2 bytes. Ids that are no class become rule.ignored, which must fit the type. `out` is
  // aligned to the element. Streaming stores are used only if elements are as large as ids.
  void (*convert_ids)(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                      ElementType type, std::byte* out, Stores stores);
  void (*convert_wide_ids)(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                           ElementType type, std::byte* out, Stores stores);
  // The lanes of the tables that `shuffle` takes: 16 or 64 bytes.
  std::size_t shuffle_lane;
};

// Returns the kernels of the best vector instructions of this processor.
[[nodiscard]] const LabelKernels& label_kernels();

// Returns the bits of the value 1 in a one-hot type.
[[nodiscard]] constexpr std::uint32_t one_pattern(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x3C00;
    case ElementType::bf16:
      return 0x3F80;
    case ElementType::f32:
      return 0x3F800000;
    default:
      return 1;
  }
}

}  // namespace hotpack::expand
