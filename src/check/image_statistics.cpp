#include "check/image_statistics.hpp"

#include <algorithm>

namespace hotpack::pipeline {

namespace {

// Returns the smallest value, the median and the largest value. Each value comes with its count.
template <class T>
ImageStatistics::Span<T> span_of(std::vector<std::pair<T, std::uint64_t>> counted,
                                 std::uint64_t total) {
  if (counted.empty()) return {};
  std::sort(counted.begin(), counted.end());
  std::uint64_t before = 0;
  auto middle = counted.begin();
  while (before + middle->second < (total + 1) / 2) before += (middle++)->second;
  return {counted.front().first, middle->first, counted.back().first};
}

template <class Map, class Of>
auto counts_of(const Map& sizes, Of of) {
  std::vector<std::pair<decltype(of(1, 1)), std::uint64_t>> counted;
  counted.reserve(sizes.size());
  for (const auto& [size, count] : sizes) counted.emplace_back(of(size.first, size.second), count);
  return counted;
}

}  // namespace

std::string form_text(const codecs::ImageInfo& info) {
  const std::string kind =
      std::string(pixel_kind_name(info.kind)) + " " + std::string(format_name(info.format));
  return info.format == codecs::FileFormat::jpeg ? kind
                                                 : std::to_string(info.bit_depth) + "-bit " + kind;
}

void ImageStatistics::add(const codecs::ImageInfo& info) {
  ++images_;
  ++forms_[form_text(info)];
  ++sizes_[{info.width, info.height}];
  ++orientations_[static_cast<std::size_t>(std::clamp(info.orientation, 1, 8))];
  with_alpha_ += info.has_alpha;
  with_profile_ += info.has_icc;
  with_more_images_ += info.more_images;
}

void ImageStatistics::add(const ImageStatistics& other) {
  images_ += other.images_;
  with_alpha_ += other.with_alpha_;
  with_profile_ += other.with_profile_;
  with_more_images_ += other.with_more_images_;
  for (const auto& [form, count] : other.forms_) forms_[form] += count;
  for (const auto& [size, count] : other.sizes_) sizes_[size] += count;
  for (std::size_t i = 0; i < orientations_.size(); ++i) orientations_[i] += other.orientations_[i];
}

std::vector<std::pair<std::string, std::uint64_t>> ImageStatistics::forms() const {
  std::vector<std::pair<std::string, std::uint64_t>> forms(forms_.begin(), forms_.end());
  std::stable_sort(forms.begin(), forms.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return forms;
}

std::vector<ImageStatistics::SizeCount> ImageStatistics::sizes() const {
  std::vector<SizeCount> sizes;
  for (const auto& [size, count] : sizes_) sizes.push_back({{size.first, size.second}, count});
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const SizeCount& a, const SizeCount& b) { return a.count > b.count; });
  return sizes;
}

ImageStatistics::Span<int> ImageStatistics::widths() const {
  return span_of(counts_of(sizes_, [](int width, int) { return width; }), images_);
}

ImageStatistics::Span<int> ImageStatistics::heights() const {
  return span_of(counts_of(sizes_, [](int, int height) { return height; }), images_);
}

ImageStatistics::Span<double> ImageStatistics::aspects() const {
  return span_of(
      counts_of(sizes_, [](int width, int height) { return static_cast<double>(width) / height; }),
      images_);
}

}  // namespace hotpack::pipeline
