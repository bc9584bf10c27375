// Finds the class of each pixel of a label, whatever the storage of the label.
//
// Ownership: a LabelClasses owns the classes that it found. After read() has returned, several
// threads may use it. Failure: the errors of expand_ids().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expand/class_ids.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::preview {

// The number of pixels of each class in one or more labels. For labels of whole images: the number
// of samples of each class.
struct ClassCounts {
  std::vector<std::uint64_t> pixels;  // by class id
  std::uint64_t without_class = 0;
};

class LabelClasses {
 public:
  // Finds the classes of a label, in place of those of the label before. Reuses the memory.
  [[nodiscard]] Status read(const LabelView& label);

  [[nodiscard]] std::size_t pixels() const {
    return first_.empty() ? ids_.size() : first_.size() - 1;
  }
  // Returns the class of a pixel; kIgnoredId if it has none. If the pixel has n classes, they are
  // numbered from 0, and class number `turn` mod n is returned.
  [[nodiscard]] std::uint16_t at(std::size_t pixel, std::size_t turn = 0) const;

  void add_to(ClassCounts& counts) const;

 private:
  void read_several(const LabelView& label);

  std::vector<std::uint16_t>
      ids_;  // one id per pixel or, if a pixel may have several, all ids of all pixels, in order
  std::vector<std::size_t>
      first_;  // if a pixel may have several ids: the index of each one's first id, and the end
};

// Returns how many pixels of the label have the class. A label of a whole image counts as one
// pixel.
[[nodiscard]] std::uint64_t count_class(const LabelView& label, std::size_t class_id);

}  // namespace hotpack::preview
