#include "check/inverted_masks.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kLeastMasks = 8;
constexpr std::size_t kOneIn = 10;
constexpr float kMostOfOthers = 0.5F, kLeastBorder = 0.9F;

}  // namespace

void InvertedMasks::add(SamplePlace place, std::uint32_t number, const LabelInspection& mask) {
  if (!mask.decoded || mask.classes.size() != 2 || mask.classes.back().value != 1) return;
  const std::uint64_t around = 2 * static_cast<std::uint64_t>(mask.width + mask.height);
  masks_.push_back(
      {place, number,
       static_cast<float>(mask.classes.back().pixels) /
           static_cast<float>(mask.classes.front().pixels + mask.classes.back().pixels),
       static_cast<float>(mask.border_ones) / static_cast<float>(around - 4)});
}

void InvertedMasks::finish(const std::function<std::string(SamplePlace, std::uint32_t)>& path_of,
                           Diagnostics& diagnostics) const {
  const auto is_suspect = [](const Mask& mask) { return mask.border >= kLeastBorder; };
  const auto suspects =
      static_cast<std::size_t>(std::count_if(masks_.begin(), masks_.end(), is_suspect));
  if (masks_.size() < kLeastMasks || suspects == 0 || suspects * kOneIn > masks_.size() + kOneIn)
    return;
  float most = 0;
  for (const Mask& mask : masks_) {
    if (is_suspect(mask)) continue;
    if (mask.border > kMostOfOthers || mask.foreground > kMostOfOthers) return;
    most = std::max(most, mask.foreground);
  }
  Occurrences inverted;
  for (const Mask& mask : masks_)
    if (is_suspect(mask) && mask.foreground > 1 - most)
      inverted.add({path_of(mask.place, mask.number),
                    "foreground is " + percent_text(mask.foreground, 0) + ", and at most " +
                        percent_text(most, 0) + " in the others"});
  if (inverted.count == 0) return;
  diagnostics.add(make_diagnostic(
      "inverted-mask", Severity::warning,
      share_text(inverted.count, masks_.size(), "mask", "masks") +
          (inverted.count == 1 ? " seems" : " seem") +
          " to have foreground and background exchanged",
      inverted, masks_.size(), "compare such a mask with its image, and exchange its two values"));
}

}  // namespace hotpack::pipeline
