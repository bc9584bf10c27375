#include "label_setup/header_probe.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/words.hpp"
#include "codecs/image_info.hpp"
#include "label_setup/first_failure.hpp"
#include "label_setup/orientation.hpp"
#include "label_setup/placement.hpp"
#include "label_setup/source_file.hpp"
#include "settings/io_threads.hpp"
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
  count_form(info.bit_depth == 16 ? forms.rgb16 : forms.rgb, path);
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

// Probes the headers of samples, on one thread.
class Prober {
 public:
  Prober(SampleList& list, const RecordOptions& options, Shared& shared)
      : list_(list), options_(options), shared_(shared) {}

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

  HeaderProbe result;  // of the samples so far

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

  SampleList& list_;
  const RecordOptions& options_;
  Shared& shared_;
  SourceReader reader_;
  SampleHeaders headers_;  // of the current sample
  std::size_t current_ = 0;
  bool closed_ = false;  // a file of the current sample cannot be read
};

// Appends the result of later samples.
void append(HeaderProbe& whole, const HeaderProbe& later) {
  whole.problems.append(later.problems);
  whole.unreadable += later.unreadable;
  whole.largest_pixels = std::max(whole.largest_pixels, later.largest_pixels);
  whole.forms.add(later.forms);
  whole.unopened.insert(whole.unopened.end(), later.unopened.begin(), later.unopened.end());
}

// Deals blocks of samples to threads. Their results are joined in the order of samples, so that the
// examples are the first ones, whatever the number of threads.
class Survey {
 public:
  Survey(SampleList& list, const RecordOptions& options, Observer& observer)
      : list_(list),
        options_(options),
        observer_(observer),
        ticker_(observer, "reading headers", list.samples.size()) {}

  Result<HeaderProbe> run(ProbeThreads count) {
    IoThreads threads(count.most, [&] { work(threads); });
    threads.grow_to(std::min(static_cast<std::size_t>(std::max(1, count.first)), blocks()));
    work(threads);
    threads.join();
    if (auto error = shared_.failure.error()) return *std::move(error);
    return std::move(whole_);
  }

 private:
  static constexpr std::size_t kBlock = 16;

  [[nodiscard]] std::size_t blocks() const { return (list_.samples.size() + kBlock - 1) / kBlock; }

  void work(IoThreads& threads) {
    Prober prober(list_, options_, shared_);
    while (true) {
      const std::size_t block = next_block_++;
      if (block >= blocks()) return;
      const WaitMeter meter;
      if (!probe(prober, block)) return;
      join(block, std::exchange(prober.result, {}));
      if (meter.waited() && next_block_ < blocks()) threads.add_one();
    }
  }

  // False if no later block is needed.
  bool probe(Prober& prober, std::size_t block) {
    const std::size_t end = std::min((block + 1) * kBlock, list_.samples.size());
    for (std::size_t i = block * kBlock; i < end; ++i) {
      if (shared_.failure.skips({0, i}) || observer_.stop_requested()) return false;
      prober.probe_sample(i);
      ticker_.tick(0);
    }
    return true;
  }

  void join(std::size_t block, HeaderProbe result) {
    const std::lock_guard lock(mutex_);
    early_.emplace(block, std::move(result));
    for (; !early_.empty() && early_.begin()->first == joined_; ++joined_) {
      append(whole_, early_.begin()->second);
      early_.erase(early_.begin());
    }
  }

  SampleList& list_;
  const RecordOptions& options_;
  Observer& observer_;
  Ticker ticker_;
  Shared shared_;
  std::atomic<std::size_t> next_block_ = 0;
  std::mutex mutex_;
  HeaderProbe whole_;                         // of the blocks before joined_
  std::size_t joined_ = 0;                    // blocks
  std::map<std::size_t, HeaderProbe> early_;  // blocks that are done before an earlier one
};

}  // namespace

void LabelForms::add(const LabelForms& later) {
  count_palettes(*this, later.palette.count, later.palette_hash, later.palettes_differ);
  for (const auto form : {&LabelForms::gray8, &LabelForms::gray16, &LabelForms::palette,
                          &LabelForms::rgb, &LabelForms::rgb16, &LabelForms::jpeg})
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
  for (const FileHeader& label : headers.labels)
    if (label.info.orientation != 1 && options.exif != ExifPolicy::ignore)
      return Problem{ProblemKind::label_orientation, label.path,
                     "EXIF orientation " + std::to_string(label.info.orientation) + ", its image " +
                         (image.orientation == 1 ? "none" : std::to_string(image.orientation))};
  const auto applied = applies_orientation(options.exif, image, headers.label_size());
  if (!applied)
    return Problem{ProblemKind::orientation, path,
                   "EXIF orientation " + std::to_string(image.orientation) + ", stored " +
                       size_text(stored_size(image)) + ", label " +
                       size_text(*headers.label_size())};
  const Extent seen = oriented_size(image, *applied);
  for (const FileHeader& label : headers.labels) {
    if (const Extent size = stored_size(label.info);
        options.size_mismatch == SizeMismatch::error && seen != size)
      return Problem{
          !image.swaps_axes() && size == Extent{seen.height, seen.width}
              ? ProblemKind::exchanged_sides
              : ProblemKind::size_mismatch,
          path, "is " + size_text(seen) + ", its label '" + label.path + "' is " + size_text(size)};
  }
  if (options.tile && !can_be_tiled(options, packed_source_size(headers, options)))
    return Problem{
        ProblemKind::too_large, path,
        "of " + size_text(seen) + " makes too many tiles, or too large an image to cut them from"};
  return std::nullopt;
}

void note_exchanged_sides(std::uint64_t labels, ProblemLog& problems) {
  constexpr auto kKind = ProblemKind::exchanged_sides;
  if (labels > 1 && problems.group(kKind).count == labels)
    problems.extend_first(
        kKind, "; width and height are exchanged in all " + std::to_string(labels) + " labels");
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
                                  Observer& observer, ProbeThreads threads) {
  return Survey(list, options, observer).run(threads);
}

}  // namespace hotpack::pipeline
