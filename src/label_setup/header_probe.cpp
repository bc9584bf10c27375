#include "label_setup/header_probe.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"
#include "label_setup/first_failure.hpp"
#include "label_setup/orientation.hpp"
#include "label_setup/placement.hpp"
#include "label_setup/source_file.hpp"
#include "settings/ticker.hpp"

namespace hotpack::pipeline {

namespace {

std::string size_text(Extent size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}
Extent stored_size(const codecs::ImageInfo& info) { return {info.width, info.height}; }
std::uint64_t pixels_of(const codecs::ImageInfo& info) {
  return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
}

std::optional<Problem> too_large(const codecs::ImageInfo& info, const std::string& path,
                                 std::uint64_t max_pixels) {
  if (pixels_of(info) <= max_pixels) return std::nullopt;
  return Problem{ProblemKind::too_large, path,
                 "is " + size_text(stored_size(info)) + " = " + std::to_string(pixels_of(info)) +
                     " pixels, the limit is " + std::to_string(max_pixels)};
}

void count_form(LabelForms::Form& form, const std::string& path) {
  if (form.count++ == 0) form.first = path;
}

void count_palettes(LabelForms& forms, std::uint64_t count, std::uint64_t hash, bool differ) {
  if (count == 0) return;
  forms.palettes_differ =
      forms.palettes_differ || differ || (forms.palette.count > 0 && forms.palette_hash != hash);
  if (forms.palette.count == 0) forms.palette_hash = hash;
}

void count_label(LabelForms& forms, const codecs::ImageInfo& info, const std::string& path) {
  using codecs::PixelKind;
  if (info.format == codecs::FileFormat::jpeg) return count_form(forms.jpeg, path);
  if (info.kind == PixelKind::palette) {
    count_palettes(forms, 1, info.palette_hash, false);
    return count_form(forms.palette, path);
  }
  if (info.kind == PixelKind::gray || info.kind == PixelKind::gray_alpha)
    return count_form(info.bit_depth == 16 ? forms.gray16 : forms.gray8, path);
  count_form(forms.rgb, path);
}

void merge_form(LabelForms::Form& left, const LabelForms::Form& right) {
  if (left.count == 0) left.first = right.first;
  left.count += right.count;
}

// Data that all threads share.
struct Shared {
  FirstFailure failure;
  std::atomic<std::uint64_t> closed = 0;  // files that cannot be read
};

// Probes the headers of a part of the samples. The results of parts are joined in the order of
// samples, so that the examples are the first ones, whatever the number of threads.
class Part {
 public:
  Part(SampleList& list, const RecordOptions& options, const Observer& observer, Shared& shared,
       Ticker& ticker)
      : list_(list), options_(options), observer_(observer), shared_(shared), ticker_(ticker) {}
  Part(const Part& other, tbb::split)
      : Part(other.list_, other.options_, other.observer_, other.shared_, other.ticker_) {}

  void operator()(const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (shared_.failure.skips({0, i}) || observer_.stop_requested()) return;
      probe_sample(i);
      ticker_.tick(0);
    }
  }

  void join(const Part& right) {
    result.problems.append(right.result.problems);
    result.unreadable += right.result.unreadable;
    result.largest_pixels = std::max(result.largest_pixels, right.result.largest_pixels);
    result.forms.add(right.result.forms);
    result.unopened.insert(result.unopened.end(), right.result.unopened.begin(),
                           right.result.unopened.end());
  }

  HeaderProbe result;

 private:
  // Returns nothing, and counts the file, if it cannot be read or its header is unusable.
  std::optional<codecs::ImageInfo> probe(const std::string& path) {
    Result<codecs::ImageInfo> info = reader_.probe(path);
    if (info.ok()) return *info;
    if (info.error().code != ErrorCode::data && info.error().code != ErrorCode::io) {
      shared_.failure.add({0, current_}, std::move(info).error());
      return std::nullopt;
    }
    const bool is_open = info.error().code == ErrorCode::data;
    if (!is_open) note_closed();
    result.problems.add({is_open ? ProblemKind::unreadable_header : ProblemKind::unopenable_file,
                         path, what_failed(info.error())});
    ++result.unreadable;
    return std::nullopt;
  }

  // Counts a file that cannot be opened. After many such files, later files are not tried again:
  // the disk is probably gone, and retries for each file would take hours.
  void note_closed() {
    constexpr std::uint64_t kMostRetried = 16;
    closed_ = true;
    if (++shared_.closed > kMostRetried) reader_.stop_retrying();
  }

  // False if a header is unusable.
  bool read_headers(const Sample& sample) {
    headers_.clear();
    headers_.image.path = list_.image_path(sample);
    const auto image = probe(headers_.image.path);
    if (image) {
      headers_.image.info = *image;
      result.largest_pixels = std::max(result.largest_pixels, pixels_of(*image));
    }
    bool usable = image.has_value();
    if (list_.has_label_files) usable &= add_label(list_.label_path(sample));
    for (const Mask& mask : list_.masks_of(sample)) usable &= add_label(list_.mask_path(mask));
    return usable;
  }

  bool add_label(const std::string& path) {
    const auto info = probe(path);
    if (!info) return false;
    count_label(result.forms, *info, path);
    headers_.labels.push_back({*info, path});
    return true;
  }

  void probe_sample(std::size_t index) {
    Sample& sample = list_.samples[index];
    current_ = index;
    sample.size = {};
    closed_ = false;
    const bool usable = read_headers(sample);
    if (closed_) result.unopened.push_back(index);
    if (!usable) return;
    if (auto problem = check_headers(headers_, options_)) {
      result.problems.add(std::move(*problem));
    } else {
      sample.size = packed_source_size(headers_, options_);
    }
  }

  SampleList& list_;
  const RecordOptions& options_;
  const Observer& observer_;
  Shared& shared_;
  Ticker& ticker_;
  SourceReader reader_;
  SampleHeaders headers_;  // of the current sample
  std::size_t current_ = 0;
  bool closed_ = false;  // a file of the current sample cannot be read
};

}  // namespace

void LabelForms::add(const LabelForms& later) {
  count_palettes(*this, later.palette.count, later.palette_hash, later.palettes_differ);
  for (const auto form : {&LabelForms::gray8, &LabelForms::gray16, &LabelForms::palette,
                          &LabelForms::rgb, &LabelForms::jpeg})
    merge_form(this->*form, later.*form);
}

std::optional<Extent> SampleHeaders::label_size() const {
  if (labels.empty()) return std::nullopt;
  return stored_size(labels.front().info);
}

std::optional<Problem> check_headers(const SampleHeaders& headers, const RecordOptions& options) {
  const auto& [image, path] = headers.image;
  if (auto problem = too_large(image, path, options.max_pixels)) return problem;
  for (const FileHeader& label : headers.labels)
    if (auto problem = too_large(label.info, label.path, options.max_pixels)) return problem;
  const auto applied = applies_orientation(options.exif, image, headers.label_size());
  if (!applied)
    return Problem{ProblemKind::orientation, path,
                   "EXIF orientation " + std::to_string(image.orientation) + ", stored " +
                       size_text(stored_size(image)) + ", label " +
                       size_text(*headers.label_size())};
  const Extent seen = oriented_size(image, *applied);
  for (const FileHeader& label : headers.labels) {
    if (options.size_mismatch == SizeMismatch::error && seen != stored_size(label.info))
      return Problem{ProblemKind::size_mismatch, path,
                     "is " + size_text(seen) + ", its label '" + label.path + "' is " +
                         size_text(stored_size(label.info))};
  }
  if (options.tile && !can_be_tiled(options, packed_source_size(headers, options)))
    return Problem{
        ProblemKind::too_large, path,
        "of " + size_text(seen) + " makes too many tiles, or too large an image to cut them from"};
  return std::nullopt;
}

Extent packed_source_size(const SampleHeaders& headers, const RecordOptions& options) {
  const bool applied =
      applies_orientation(options.exif, headers.image.info, headers.label_size()).value_or(false);
  Extent size = oriented_size(headers.image.info, applied);
  if (options.size_mismatch != SizeMismatch::crop_min) return size;
  for (const FileHeader& label : headers.labels)
    size = {std::min(size.width, label.info.width), std::min(size.height, label.info.height)};
  return size;
}

Result<HeaderProbe> probe_headers(SampleList& list, const RecordOptions& options,
                                  Observer& observer) {
  Shared shared;
  Ticker ticker(observer, "reading headers", list.samples.size());
  Part whole(list, options, observer, shared, ticker);
  tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, list.samples.size(), 64), whole);
  if (auto error = shared.failure.error()) return *std::move(error);
  return std::move(whole.result);
}

}  // namespace hotpack::pipeline
