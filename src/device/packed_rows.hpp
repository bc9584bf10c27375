// Packed rows of a batch in device memory, ready for a kernel. A plain value.
#pragma once

#include <cstdint>

#include "device/driver_api.hpp"
#include "hotpack/augment.hpp"

namespace hotpack::device {

struct PackedRows {
  Pointer table = 0;        // address of the RowEntry objects, one per batch row
  Pointer records = 0;      // the address that the offsets in the entries count from
  std::uint32_t count = 0;  // number of batch rows
  PixelSize output;         // size of the image of every batch row
};

}  // namespace hotpack::device
