#include "preview/label_classes.hpp"

#include "base/endian.hpp"
#include "base/try.hpp"

namespace hotpack::preview {

namespace {

// True if a vector, stored as `bits` or `one_hot`, has the class.
bool has_class(const std::uint8_t* vector, LabelStorage storage, std::size_t class_id) {
  if (storage == LabelStorage::one_hot) return vector[class_id] != 0;
  return (unsigned{vector[class_id / 8]} >> (class_id % 8) & 1U) != 0;
}

}  // namespace

Status LabelClasses::read(const LabelView& label) {
  ids_.clear();
  first_.clear();
  if (label.shape.multi) {
    read_several(label);
    return {};
  }
  ids_.resize(static_cast<std::size_t>(label.shape.vectors()));
  return expand_ids(label, ids_);
}

void LabelClasses::read_several(const LabelView& label) {
  const std::size_t step = label.shape.vector_bytes();
  first_.push_back(0);
  for (std::size_t at = 0; at < label.bytes.size(); at += step) {
    for (std::size_t c = 0; c < label.shape.class_count; ++c) {
      if (has_class(label.bytes.data() + at, label.shape.storage, c))
        ids_.push_back(static_cast<std::uint16_t>(c));
    }
    first_.push_back(ids_.size());
  }
}

std::uint16_t LabelClasses::at(std::size_t pixel, std::size_t turn) const {
  if (first_.empty()) return ids_[pixel];
  const std::size_t classes = first_[pixel + 1] - first_[pixel];
  return classes == 0 ? kIgnoredId : ids_[first_[pixel] + turn % classes];
}

void LabelClasses::add_to(ClassCounts& counts) const {
  for (const std::uint16_t id : ids_) {
    if (id != kIgnoredId) ++counts.pixels[id];
  }
  for (std::size_t pixel = 0; pixel < pixels(); ++pixel)
    counts.without_class += at(pixel) == kIgnoredId;
}

std::uint64_t count_class(const LabelView& label, std::size_t class_id) {
  const std::size_t step = label.shape.vector_bytes();
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < label.bytes.size(); at += step) {
    const std::uint8_t* vector = label.bytes.data() + at;
    if (label.shape.storage != LabelStorage::index) {
      count += has_class(vector, label.shape.storage, class_id);
    } else {
      count += (step == 1 ? std::size_t{*vector}
                          : std::size_t{load_le<std::uint16_t>(
                                reinterpret_cast<const std::byte*>(vector))}) == class_id;
    }
  }
  return count;
}

}  // namespace hotpack::preview
