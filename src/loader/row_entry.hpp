// RowEntry: describes one row of a batch of packed records for the code that expands it, on a host
// or on a device.
//
// Plain data, also for kernels of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::loader {

// Images and labels of packed records begin at multiples of this number.
inline constexpr std::size_t kRecordAlignment = 64;

// The record of a row, and the window of it that the row shows (SampleCrop).
struct RowEntry {
  std::uint64_t image = 0;  // offset of the stored image from the base address of the records
  std::uint64_t label = 0;  // likewise; 0 without a label
  std::int32_t record_width = 0, record_height = 0;
  std::int32_t x = 0, y = 0, width = 0, height = 0;
  std::uint32_t flags = 0, reserved = 0;
};
static_assert(sizeof(RowEntry) == 48);

// Bits of RowEntry::flags. Without kRowValid, the row has no sample: its image becomes zeros, and
// its label is ignored everywhere. kRowResample is Placement::resample.
inline constexpr std::uint32_t kRowValid = 1, kRowFlipHorizontal = 2, kRowFlipVertical = 4,
                               kRowResample = 8;

}  // namespace hotpack::loader
