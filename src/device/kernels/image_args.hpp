// The arguments of the image kernels: one plain struct, given by value. The kernels are named
// hotpack_image_<type>_<order>.
#pragma once

#include <cstdint>

#include "device/row_entry.hpp"

namespace hotpack::device {

struct ImageArgs {
  const RowEntry* rows = nullptr;         // row_count of them, in device memory
  const std::uint8_t* records = nullptr;  // base address of RowEntry::image
  void* out = nullptr;                    // row_count rows of row_bytes
  std::uint64_t row_bytes = 0;
  const void* values = nullptr;  // float types: [3][256] elements as expand::ValueMap's singles or
                                 // halves (one channel: the first)
  std::uint32_t row_count = 0;
  std::int32_t width = 0;  // of the output
  std::int32_t height = 0;
  std::int32_t channels = 3;       // 1 or 3
  std::int32_t source_planes = 0;  // 1: records are [channels,height,width]
  std::int32_t arithmetic = 0;     // 1: ValueMap::Arithmetic::exact; mean, std and reciprocal below
                                   // give the same as `values`
  float mean[3] = {};
  float std[3] = {};
  float reciprocal[3] = {};
};
static_assert(sizeof(ImageArgs) == 104);

}  // namespace hotpack::device
