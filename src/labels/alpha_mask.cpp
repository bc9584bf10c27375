#include "labels/alpha_mask.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace hotpack::labels {
namespace {

// Returns the color of all pixels, "255, 255, 255" or "0"; absent if pixels differ.
template <class Sample>
std::optional<std::string> only_color(PixelView<const Sample> pixels, int channels) {
  const Sample* const first = pixels.row(0);
  for (int y = 0; y < pixels.height; ++y) {
    const Sample* const row = pixels.row(y);
    if (!std::equal(row + channels, row + pixels.width * channels, row)) return std::nullopt;
    if (!std::equal(row, row + channels, first)) return std::nullopt;
  }
  std::string text;
  for (int c = 0; c < channels; ++c) text += (c > 0 ? ", " : "") + std::to_string(first[c]);
  return text;
}

}  // namespace

Status check_alpha(const RawLabel& label) {
  if (!label.alpha_varies) return {};
  const std::optional<std::string> color = label.rgb.data != nullptr ? only_color(label.rgb, 3)
                                           : label.wide_rgb.data != nullptr
                                               ? only_color(label.wide_rgb, 3)
                                               : only_color(label.samples, 1);
  if (!color) return {};
  return data_error("the label (" + label.form + ") has the color " + *color +
                    " in every pixel, and its transparency varies: the mask is in the alpha "
                    "channel, which hotpack does not read. Save that channel as a gray PNG "
                    "(Pillow: image.getchannel(\"A\"))");
}

}  // namespace hotpack::labels
