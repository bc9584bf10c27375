// Gives the stored vectors (or ids) of an output's pixels, row after row, for a placement. If the
// vectors are contiguous in the record, points to them there; otherwise gathers them in a buffer.
//
// A view: it borrows the record and the buffers. For one thread. Never fails; reads only the
// placement's window.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/placement.hpp"

namespace hotpack::expand {

struct VectorBuffers {
  std::int32_t* columns = nullptr;  // output.width entries
  std::uint8_t* vectors = nullptr;  // room for as many vectors as the largest `count` of take()
};

class LabelVectors {
 public:
  // A vector outside the record consists of bytes with the value `padding`.
  LabelVectors(const std::uint8_t* record, std::size_t vector_bytes, std::int64_t record_width,
               const Placement& placement, std::uint8_t padding, const VectorBuffers& buffers);

  // True if all vectors are contiguous in the record. Then take() gathers nothing, for any count.
  [[nodiscard]] bool in_place() const { return in_place_; }
  // Returns the vectors of output pixels `first` … `first + count − 1`; valid until the next call.
  [[nodiscard]] const std::uint8_t* take(std::size_t first, std::size_t count) const;

 private:
  void fill_columns() const;
  // Gathers pixels x … end − 1 of output row y.
  void gather(std::size_t y, std::size_t x, std::size_t end, std::uint8_t* into) const;
  void gather_inside(const std::uint8_t* row, std::size_t x, std::size_t end,
                     std::uint8_t* into) const;
  void gather_columns(const std::uint8_t* row, std::size_t x, std::size_t end,
                      std::uint8_t* into) const;
  [[nodiscard]] const std::uint8_t* record_row(std::size_t y) const;  // null for a row of padding

  const std::uint8_t* window_;  // first pixel of the window
  std::size_t vector_bytes_;
  std::size_t row_bytes_;  // per row of the record
  Placement placement_;
  std::size_t width_;  // of the output
  std::uint8_t padding_;
  VectorBuffers buffers_;
  bool spread_;    // columns are resampled
  bool straight_;  // columns are contiguous, as in the record
  bool in_place_;  // all pixels are contiguous, as in the record
};

}  // namespace hotpack::expand
