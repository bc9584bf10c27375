#include "labels/dim_content.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/text.hpp"
#include "base/words.hpp"
#include "labels/packed_color.hpp"
#include "labels/shown_color.hpp"

namespace hotpack::labels {
namespace {

int luma(RgbColor color) { return (299 * color[0] + 587 * color[1] + 114 * color[2] + 500) / 1000; }

// Collects different values, up to DimContent::kMostKinds, and the largest brightness.
class ContentCounter {
 public:
  void add(std::uint32_t value, int brightness) {
    if (value == last_) return;
    last_ = value;
    brightest_ = std::max(brightest_, brightness);
    if (values_.size() < DimContent::kMostKinds) values_.insert(value);
  }

  template <class Text>
  [[nodiscard]] DimContent finish(Text text) const {
    DimContent content;
    content.brightest = brightest_;
    for (const std::uint32_t value : values_) content.values.push_back(text(value));
    return content;
  }

 private:
  std::set<std::uint32_t> values_;
  std::uint32_t last_ = 0xFFFFFFFF;  // none
  int brightest_ = 0;
};

RgbColor color_of(const RawLabel& label, std::size_t sample) {
  return shown_color(label, sample).value_or(RgbColor{});
}

int brightness_of(const RawLabel& label, std::uint16_t sample) {
  return label.bit_depth == 16 ? sample : luma(color_of(label, sample));
}

DimContent content_of_samples(const RawLabel& label) {
  ContentCounter counter;
  for (int y = 0; y < label.height; ++y)
    for (int x = 0; x < label.width; ++x) {
      const std::uint16_t sample = label.samples.row(y)[x];
      counter.add(sample, brightness_of(label, sample));
    }
  return counter.finish([&](std::uint32_t sample) {
    return label.is_palette ? color_text(color_of(label, sample)) : std::to_string(sample);
  });
}

DimContent content_of_colors(ConstPixels rgb) {
  ContentCounter counter;
  for (int y = 0; y < rgb.height; ++y)
    for (int x = 0; x < rgb.width; ++x) {
      const std::uint8_t* at = rgb.row(y) + std::size_t{3} * static_cast<std::size_t>(x);
      const RgbColor color{at[0], at[1], at[2]};
      counter.add(packed_color(color), luma(color));
    }
  return counter.finish([](std::uint32_t color) { return color_text(unpacked_color(color)); });
}

}  // namespace

DimContent dim_content(const RawLabel& label) {
  return label.rgb.data != nullptr ? content_of_colors(label.rgb) : content_of_samples(label);
}

}  // namespace hotpack::labels
