// The arguments of the label kernels: one plain struct, given by value. The kernels are named
// hotpack_label_index_<type>, hotpack_label_bits and hotpack_label_one_hot_<u8|b16|b32>_<order>.
#pragma once

#include <cstdint>

#include "device/kernels/fast_division.hpp"
#include "device/row_entry.hpp"

namespace hotpack::device {

inline constexpr std::int32_t kStoredBits = 0, kStoredOneHot = 1, kStoredIndex = 2;

struct LabelArgs {
  const RowEntry* rows = nullptr;  // row_count of them, in device memory
  const std::uint8_t* records =
      nullptr;  // base address of RowEntry::label, a multiple of kBlockAlignment; of a label's
                // block, the padding too, whole aligned words are read
  void* out = nullptr;  // row_count rows of row_bytes; aligned to 16
  std::uint64_t row_bytes = 0;
  std::int64_t ignore_index = 0;  // of form ids
  std::uint32_t row_count = 0;
  std::int32_t width =
      0;  // of the output; labels of kind `sample`: 1×1, and rows' windows are not used
  std::int32_t height = 0;
  std::int32_t sample_kind = 0;  // 1: a label of kind `sample`
  std::int32_t storage = kStoredBits;
  std::int32_t vector_bytes = 0;  // of a stored pixel
  std::int32_t classes = 0;
  std::int32_t channels =
      0;  // of one_hot: classes, and one more with ignore_channel; of bits ⌈classes/8⌉; of index 1
  std::int32_t ignore_channel = 0;
  std::uint32_t one = 1;  // the bits of a one of the output's type
  std::uint64_t width_reciprocal =
      0;  // set_reciprocals() makes them, of width, height and channels
  std::uint64_t height_reciprocal = 0;
  std::uint64_t channel_reciprocal = 0;
};
static_assert(sizeof(LabelArgs) == 104);

// Computes the reciprocals. Call it after all other members are set.
inline void set_reciprocals(LabelArgs& args) {
  args.width_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.width));
  args.height_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.height));
  args.channel_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.channels));
}

}  // namespace hotpack::device
