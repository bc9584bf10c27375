// Packed rows of a batch in device memory, ready for a kernel. A plain value.
#pragma once

#include <cstdint>

#include "device/driver_api.hpp"
#include "hotpack/augment.hpp"

namespace hotpack::device {

struct PackedRows {
  Pointer table = 0;        // address of the RowEntry objects, one per row
  Pointer records = 0;      // base address of the entries' offsets
  std::uint32_t count = 0;  // number of rows
  PixelSize output;         // size of every row
};

}  // namespace hotpack::device
