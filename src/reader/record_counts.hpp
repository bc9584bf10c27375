// Counts what is in records (pixels, classes), to compare the sums with `shard.sums`. Also finds
// values that a label must not have.
//
// Ownership: views are the caller's. Not thread-safe: each worker has its own counter; the order in
// which their sums are added does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "format/sums.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::reader {

// Adds the pixels of an image inside `region` (x, y, width, height in the record) to the sums.
void count_image(const ImageView& image, const std::array<std::int64_t, 4>& region,
                 format::Sums& sums);

// A kind of wrong value: how many vectors have it, the first such vector, and its value.
struct LabelFault {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // index of the vector, in rows from the top
  unsigned value = 0;
  void note(std::uint64_t vector, unsigned found);
};

struct LabelFaults {
  LabelFault foreign_id;  // index: an id that is neither a class nor the ignore id
  LabelFault spare_bit;   // bits: a bit beyond the last class is set
  LabelFault wrong_byte;  // one_hot: a byte other than 0 and 1
  LabelFault crowded;     // more than one class although `multi` is false
};

class LabelCounter {
 public:
  // Adds one label to `sums`, which has the same classes, and returns the label's faults.
  [[nodiscard]] LabelFaults count(const LabelView& label, format::Sums& sums);
  // The pixels of each class in this label.
  [[nodiscard]] std::span<const std::uint64_t> pixels() const { return pixels_; }

 private:
  LabelFaults count_ids(const LabelView& label);
  LabelFaults count_bits(const LabelView& label);
  LabelFaults count_bytes(const LabelView& label);

  // of the current label: one per class; for ids, one per value of an id
  std::vector<std::uint64_t> pixels_;
  std::uint64_t ignored_ = 0;
};

}  // namespace hotpack::reader
