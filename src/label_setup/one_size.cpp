#include "label_setup/one_size.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "label_setup/placement.hpp"

namespace hotpack::pipeline {

bool size_is_open(const RecordOptions& options) {
  return options.size == Extent{} && !options.fit && !options.tile;
}

void RecordSizes::add(const SampleList& list, const RecordOptions& options) {
  for (const Sample& sample : list.samples) {
    if (sample.size == Extent{}) continue;
    const Extent size = record_extent(options, sample.size);
    ++counts_[{size.width, size.height}];
  }
}

// All images have the same size here, so stretching to it changes nothing. With --pad-multiple,
// records are larger; crop-or-pad then puts the image at the same place in its record as
// --pad-multiple alone does.
void RecordSizes::settle(RecordOptions& options) const {
  if (!size_is_open(options) || counts_.size() != 1) return;
  options.size = commonest();
  options.fit = options.pad_multiple > 1 ? Fit::crop_or_pad : Fit::stretch;
}

std::string RecordSizes::note() const {
  const Extent size = commonest();
  return "the images have " + number_text(counts_.size()) + " sizes, " +
         std::to_string(size.width) + "x" + std::to_string(size.height) +
         " most often: records of different sizes cannot share a batch; to batch them, pack with "
         "--size WxH and --fit, or give the loader a crop or pad_to";
}

std::string RecordSizes::advice(bool labels_a_pixel) const {
  const Extent size = commonest();
  return "--size " + std::to_string(size.width) + "x" + std::to_string(size.height) +
         (labels_a_pixel ? " --fit contain" : " --fit cover");
}

// Of equally frequent sizes the largest.
Extent RecordSizes::commonest() const {
  if (counts_.empty()) return {};
  const auto most =
      std::max_element(counts_.begin(), counts_.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
      });
  return {most->first.first, most->first.second};
}

}  // namespace hotpack::pipeline
