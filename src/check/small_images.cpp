#include "check/small_images.hpp"

#include <algorithm>
#include <string>

#include "label_setup/placement.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kRecordFactor = 16;
constexpr std::uint64_t kMedianFactor = 64;

std::uint64_t area(Extent size) {
  return static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
}
std::string size_text(Extent size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

// Calls `visit(list, sample)` once for each image of known size.
template <class Visit>
void for_each_image(const std::vector<Split>& splits, Visit visit) {
  for (const Split& split : splits)
    for (const Sample& sample : split.list.samples)
      if (area(sample.size) > 0 && sample.tile_x == 0 && sample.tile_y == 0)
        visit(split.list, sample);
}

Extent median_size(const std::vector<Split>& splits) {
  std::vector<Extent> sizes;
  for_each_image(splits,
                 [&](const SampleList&, const Sample& sample) { sizes.push_back(sample.size); });
  if (sizes.empty()) return {};
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::nth_element(sizes.begin(), middle, sizes.end(),
                   [](Extent a, Extent b) { return area(a) < area(b); });
  return *middle;
}

}  // namespace

SmallImages small_images(const std::vector<Split>& splits, const RecordOptions& options) {
  SmallImages small;
  small.in_records = options.size != Extent{} || options.tile;
  const Extent median = small.in_records ? Extent{} : median_size(splits);
  for_each_image(splits, [&](const SampleList& list, const Sample& sample) {
    ++small.of;
    const Extent other = small.in_records ? record_extent(options, sample.size) : median;
    const std::uint64_t factor = small.in_records ? kRecordFactor : kMedianFactor;
    if (area(other) / factor < area(sample.size)) return;
    small.images.add({list.image_path(sample),
                      size_text(sample.size) +
                          (small.in_records ? ", its record is " : ", the median image is ") +
                          size_text(other)});
  });
  return small;
}

}  // namespace hotpack::pipeline
