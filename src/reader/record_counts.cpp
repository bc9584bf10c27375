#include "reader/record_counts.hpp"

#include <algorithm>
#include <bit>

#include "base/endian.hpp"

namespace hotpack::reader {

namespace {

// Adds every `step`-th of `count` samples to the sum and the sum of squares.
void add_samples(const std::uint8_t* at, std::uint64_t count, std::uint64_t step,
                 std::uint64_t& sum, std::uint64_t& squares) {
  for (std::uint64_t i = 0; i < count; ++i, at += step) {
    const std::uint64_t value = *at;
    sum += value;
    squares += value * value;
  }
}

}  // namespace

void count_image(const ImageView& image, const std::array<std::int64_t, 4>& region,
                 format::Sums& sums) {
  const ImageShape& shape = image.shape;
  const std::int64_t left = std::clamp<std::int64_t>(region[0], 0, shape.width);
  const std::int64_t right = std::clamp<std::int64_t>(region[0] + region[2], left, shape.width);
  const std::int64_t top = std::clamp<std::int64_t>(region[1], 0, shape.height);
  const std::int64_t bottom = std::clamp<std::int64_t>(region[1] + region[3], top, shape.height);
  const bool chw = shape.layout == AxisOrder::channels_first;
  const std::int64_t column_step = chw ? 1 : shape.channels;
  const auto count = static_cast<std::uint64_t>(right - left);
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    const std::uint8_t* const plane =
        image.bytes.data() + (chw ? channel * shape.height * shape.width : channel);
    const auto c = static_cast<std::size_t>(channel);
    for (std::int64_t y = top; y < bottom; ++y) {
      add_samples(plane + (y * shape.width + left) * column_step, count,
                  static_cast<std::uint64_t>(column_step), sums.channel_sums[c],
                  sums.channel_squares[c]);
    }
  }
  sums.pixels_counted += count * static_cast<std::uint64_t>(bottom - top);
}

void LabelFault::note(std::uint64_t vector, unsigned found) {
  if (count++ > 0) return;
  first = vector;
  value = found;
}

LabelFaults LabelCounter::count(const LabelView& label, format::Sums& sums) {
  ignored_ = 0;
  LabelFaults faults;
  switch (label.shape.storage) {
    case LabelStorage::bits:
      faults = count_bits(label);
      break;
    case LabelStorage::one_hot:
      faults = count_bytes(label);
      break;
    case LabelStorage::index:
      faults = count_ids(label);
      break;
  }
  const std::uint64_t labeled = label.shape.vectors() - ignored_;
  sums.ignored += ignored_;
  for (std::size_t c = 0; c < sums.classes.size(); ++c) {
    if (pixels_[c] == 0) continue;
    sums.classes[c].pixels += pixels_[c];
    sums.classes[c].samples += 1;
    sums.classes[c].labeled += labeled;
  }
  return faults;
}

LabelFaults LabelCounter::count_ids(const LabelView& label) {
  const bool wide = label.shape.vector_bytes() == 2;
  const std::size_t values = wide ? 65536 : 256;
  const std::uint64_t vectors = label.shape.vectors();
  const std::uint8_t* const in = label.bytes.data();
  const auto id_at = [&](std::uint64_t p) -> unsigned {
    return wide ? load_le<std::uint16_t>(reinterpret_cast<const std::byte*>(in) + 2 * p) : in[p];
  };
  pixels_.assign(values, 0);
  for (std::uint64_t p = 0; p < vectors; ++p) ++pixels_[id_at(p)];
  ignored_ = pixels_[values - 1];

  LabelFaults faults;
  const bool foreign =
      std::any_of(pixels_.begin() + static_cast<std::ptrdiff_t>(label.shape.class_count),
                  pixels_.end() - 1, [](std::uint64_t count) { return count > 0; });
  for (std::uint64_t p = 0; foreign && p < vectors; ++p) {
    if (const unsigned id = id_at(p); id >= label.shape.class_count && id != values - 1)
      faults.foreign_id.note(p, id);
  }
  return faults;
}

LabelFaults LabelCounter::count_bits(const LabelView& label) {
  const std::size_t classes = label.shape.class_count;
  const std::size_t vector_bytes = label.shape.vector_bytes();
  // bits of the last byte that belong to no class
  const unsigned spare = classes % 8 != 0 ? 0xFFu << classes % 8 & 0xFFu : 0;
  const std::uint64_t vectors = label.shape.vectors();
  pixels_.assign(classes, 0);
  LabelFaults faults;
  const std::uint8_t* in = label.bytes.data();
  for (std::uint64_t p = 0; p < vectors; ++p, in += vector_bytes) {
    int set = 0;
    for (std::size_t b = 0; b < vector_bytes; ++b) {
      unsigned byte = in[b];
      if (b + 1 == vector_bytes && (byte & spare) != 0) {
        faults.spare_bit.note(p, byte);
        byte &= ~spare;
      }
      set += std::popcount(byte);
      for (; byte != 0; byte &= byte - 1)
        ++pixels_[8 * b + static_cast<std::size_t>(std::countr_zero(byte))];
    }
    ignored_ += set == 0 ? 1 : 0;
    if (set > 1 && !label.shape.multi) faults.crowded.note(p, static_cast<unsigned>(set));
  }
  return faults;
}

LabelFaults LabelCounter::count_bytes(const LabelView& label) {
  const std::size_t classes = label.shape.class_count;
  const std::uint64_t vectors = label.shape.vectors();
  pixels_.assign(classes, 0);
  LabelFaults faults;
  const std::uint8_t* in = label.bytes.data();
  for (std::uint64_t p = 0; p < vectors; ++p, in += classes) {
    unsigned set = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      if (in[c] == 0) continue;
      if (in[c] != 1) faults.wrong_byte.note(p, in[c]);
      ++set;
      ++pixels_[c];
    }
    ignored_ += set == 0 ? 1 : 0;
    if (set > 1 && !label.shape.multi) faults.crowded.note(p, set);
  }
  return faults;
}

}  // namespace hotpack::reader
