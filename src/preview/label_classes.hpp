// The classes of a label's pixels, whatever its storage.
//
// Ownership: a LabelClasses owns what it found. Not thread-safe while it reads; then it is.
// Failure: that of expand_ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expand/class_ids.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// Pixels (whole-image labels: samples) counted over labels.
struct ClassCounts {
  std::vector<std::uint64_t> pixels;  // by class id
  std::uint64_t without_class = 0;
};

class LabelClasses {
 public:
  // Reuses its memory from label to label.
  [[nodiscard]] Status read(const LabelView& label);

  [[nodiscard]] std::size_t pixels() const {
    return first_.empty() ? ids_.size() : first_.size() - 1;
  }
  // The class of a pixel, of several the one whose turn it is; kIgnoredId where there is none.
  [[nodiscard]] std::uint16_t at(std::size_t pixel, std::size_t turn = 0) const;

  void add_to(ClassCounts& counts) const;

 private:
  void read_several(const LabelView& label);

  std::vector<std::uint16_t>
      ids_;  // one per pixel; with several: those of the pixels that have any, pixel by pixel
  std::vector<std::size_t> first_;  // with several classes: where a pixel's ids begin, and the end
};

// The number of the label's vectors that have the class.
[[nodiscard]] std::uint64_t count_class(const LabelView& label, std::size_t class_id);

}  // namespace hotpack::preview
