// RowEntry: describes one row of a batch for a kernel. Entries are copied to the device with the
// records.
//
// Plain data, for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::device {

// Each record is a block: image, padding to kBlockAlignment, label, padding to kBlockAlignment.
// Every block begins at a multiple of it.
inline constexpr std::size_t kBlockAlignment = 64;

struct RowEntry {
  // offset of the batch row's stored image from the base address of the records, a multiple of
  // kBlockAlignment
  std::uint64_t image = 0;
  std::uint64_t label = 0;        // likewise; 0 without a label
  std::int32_t record_width = 0;  // pixels of the stored image, and of a label per pixel
  std::int32_t record_height = 0;
  std::int32_t x = 0;  // the window that the row shows: SampleCrop
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::uint32_t flags = 0;
  std::uint32_t reserved[5] = {};
};
static_assert(sizeof(RowEntry) == 64);

// Bits of RowEntry::flags.
// If kRowValid is not set, the batch row has no sample: its image becomes zeros, and its label is
// ignored everywhere.
inline constexpr std::uint32_t kRowValid = 1;
inline constexpr std::uint32_t kRowFlipHorizontal = 2;
inline constexpr std::uint32_t kRowFlipVertical = 4;
inline constexpr std::uint32_t kRowResample = 8;  // Placement::resample

}  // namespace hotpack::device
