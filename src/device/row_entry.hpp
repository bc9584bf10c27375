// What a kernel is reported about one row of a batch. Entries cross the bus with the records.
//
// Plain data, for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotpack::device {

// Records lie in blocks, one after the other or scattered: image, padding to kBlockAlignment, label, padding again.
inline constexpr std::size_t kBlockAlignment = 64;

struct RowEntry {
  std::uint64_t image = 0;        // bytes from the base address of the records to the stored image, a multiple of kBlockAlignment
  std::uint64_t label = 0;        // likewise; 0 where there is none
  std::int32_t record_width = 0;  // pixels of the stored image (and of a label of kind `pixel`)
  std::int32_t record_height = 0;
  std::int32_t x = 0;  // the window that the row shows: SampleCrop
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::uint32_t flags = 0;
  std::uint32_t reserved[5] = {};
};
static_assert(sizeof(RowEntry) == 64);

// Bits of `flags`.
inline constexpr std::uint32_t kRowValid = 1;  // else the row holds no sample: image zero bytes, label ignored
inline constexpr std::uint32_t kRowFlipHorizontal = 2;
inline constexpr std::uint32_t kRowFlipVertical = 4;
inline constexpr std::uint32_t kRowResample = 8;  // Placement::resample

}  // namespace hotpack::device
