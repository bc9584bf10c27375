// The rows of label kernels: they find the pixels of a batch in packed labels, and convert them.
//
// The result equals that of expand::LabelExpander.
#pragma once

#include "device/kernels/portable.hpp"

namespace hotpack::device {

enum class LabelKind { ids, one_hot, bits };

// For ids, a word is the lowest class, or KernelArgs::classes. Otherwise it has one bit per class,
// and one-hot may have one more channel for pixels without a class. Element is the unsigned type of
// the element's size.
template <LabelKind kKind, class Element>
class LabelRow {
 public:
  using T = Element;
  static constexpr std::uint32_t kPerWord = kKind == LabelKind::ids    ? 1
                                            : kKind == LabelKind::bits ? 4
                                                                       : 32;

  HOTPACK_DEVICE LabelRow(const KernelArgs& args, const RowEntry& row)
      : args_(args), row_(row), classes_(static_cast<std::uint32_t>(args.classes)) {}

  HOTPACK_DEVICE static bool is_blank() { return false; }

  HOTPACK_DEVICE T element(std::uint32_t word, std::uint32_t c) const {
    if constexpr (kKind == LabelKind::ids)
      return static_cast<T>(word < classes_ ? std::int64_t{word} : args_.ignore_index);
    if constexpr (kKind == LabelKind::bits) return static_cast<T>(word >> 8 * c);
    return static_cast<T>((word >> c & 1) * args_.one);
  }

  // Labels that are runs of ids of one byte.
  template <std::size_t kPixels>
  HOTPACK_DEVICE bool load_plain(std::uint32_t (&words)[kPixels], std::uint64_t pixel,
                                 std::uint32_t first) const {
    if (args_.storage != kStoredIndex || args_.vector_bytes != 1 || args_.of_image != 0 ||
        !is_plain<kPixels>(args_, row_, row_.label))
      return false;
    const auto ids = load_bytes<kPixels>(args_.records + row_.label + pixel);
    HOTPACK_UNROLL for (std::size_t i = 0; i < kPixels; ++i) words[i] =
        word_of_id(ids[i] < classes_ ? ids[i] : classes_, first);
    return true;
  }

  HOTPACK_DEVICE std::uint32_t word(std::int32_t x, std::int32_t y, std::uint32_t first) const {
    const std::uint8_t* const vector = find(x, y);
    if (kKind == LabelKind::ids || args_.storage == kStoredIndex)
      return word_of_id(id_of(vector), first);
    if constexpr (kKind == LabelKind::bits) first *= 8;
    const std::uint32_t classes = vector == nullptr ? 0 : stored_word(vector, first);
    const std::uint32_t last = classes_ - first;  // the bit of ignored pixels
    const bool ignored = has_ignored() && last < 32 && classes == 0 && id_of(vector) == classes_;
    return ignored ? 1U << last : classes;
  }

 private:
  HOTPACK_DEVICE bool has_ignored() const {
    return kKind == LabelKind::one_hot && args_.channels > args_.classes;
  }

  HOTPACK_DEVICE std::uint32_t word_of_id(std::uint32_t id, std::uint32_t first) const {
    if constexpr (kKind == LabelKind::ids) return id;
    const std::uint32_t bit = id - (kKind == LabelKind::bits ? 8 * first : first);
    return bit < 32 && (id != classes_ || has_ignored()) ? 1U << bit : 0;
  }

  // The stored vector of an output pixel; null where the output is padding.
  HOTPACK_DEVICE const std::uint8_t* find(std::int32_t x, std::int32_t y) const {
    const std::uint8_t* const label = args_.records + row_.label;
    if ((row_.flags & kRowValid) == 0 || y >= args_.height) return nullptr;
    if (args_.of_image != 0) return label;
    if ((row_.flags & kRowFlipHorizontal) != 0) x = args_.width - 1 - x;
    if ((row_.flags & kRowFlipVertical) != 0) y = args_.height - 1 - y;
    if ((row_.flags & kRowResample) != 0) {
      x = nearest(x, row_.width, args_.width, args_.width_reciprocal);
      y = nearest(y, row_.height, args_.height, args_.height_reciprocal);
    }
    if (x >= row_.width || y >= row_.height) return nullptr;
    const std::int64_t pixel = std::int64_t{row_.y + y} * row_.record_width + row_.x + x;
    return label + pixel * args_.vector_bytes;
  }

  // The lowest class of a vector, or KernelArgs::classes if it has none.
  HOTPACK_DEVICE std::uint32_t id_of(const std::uint8_t* vector) const {
    if (vector == nullptr) return classes_;
    if (args_.storage == kStoredIndex) {
      const std::uint32_t id = args_.vector_bytes == 1 ? vector[0] : vector[0] | vector[1] << 8;
      return id < classes_ ? id : classes_;
    }
    std::uint32_t id = 0;
    HOTPACK_ROLL for (std::uint32_t word = 0; id < classes_; ++id) {
      word = id % 32 == 0 ? stored_word(vector, id) : word >> 1;
      if ((word & 1) != 0) break;
    }
    return id;
  }

  // The classes first … first + 31 of a vector of storage bits or one_hot. A bit beyond the last
  // class counts as none.
  HOTPACK_DEVICE std::uint32_t stored_word(const std::uint8_t* vector, std::uint32_t first) const {
    const std::uint32_t count = classes_ - first < 32 ? classes_ - first : 32;
    const bool is_bits = args_.storage == kStoredBits;
    std::uint32_t word = 0;
    HOTPACK_ROLL for (std::uint32_t i = 0; i < count; i += is_bits ? 8 : 1) {
      const std::uint32_t byte = vector[is_bits ? (first + i) / 8 : first + i];
      word |= (is_bits ? byte : byte != 0 ? 1U : 0U) << i;
    }
    return count == 32 ? word : word & ((1U << count) - 1);
  }

  // ⌊(2·at + 1) · given / (2 · wanted)⌋
  HOTPACK_DEVICE static std::int32_t nearest(std::int32_t at, std::int32_t given,
                                             std::int32_t wanted, std::uint64_t reciprocal) {
    const std::uint64_t product =
        (2 * static_cast<std::uint64_t>(at) + 1) * static_cast<std::uint32_t>(given) >> 1;
    return static_cast<std::int32_t>(
        divide(product, static_cast<std::uint32_t>(wanted), reciprocal));
  }

  const KernelArgs& args_;
  const RowEntry& row_;
  const std::uint32_t classes_;
};

}  // namespace hotpack::device
