#include "pipeline/header_survey.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "pipeline/orientation.hpp"
#include "pipeline/source_file.hpp"
#include "pipeline/ticker.hpp"

namespace hotpack::pipeline {

namespace {

std::string size_text(Extent size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }
Extent stored_size(const codecs::PictureInfo& info) { return {info.width, info.height}; }
std::uint64_t pixels_of(const codecs::PictureInfo& info) {
  return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height);
}

std::optional<Problem> too_large(const codecs::PictureInfo& info, const std::string& path, std::uint64_t max_pixels) {
  if (pixels_of(info) <= max_pixels) return std::nullopt;
  return Problem{ProblemKind::too_large, path,
                 "is " + size_text(stored_size(info)) + " = " + std::to_string(pixels_of(info)) + " pixels, the limit is " +
                     std::to_string(max_pixels)};
}

void count_form(LabelForms::Form& form, const std::string& path) {
  if (form.count++ == 0) form.first = path;
}

void count_label(LabelForms& forms, const codecs::PictureInfo& info, const std::string& path) {
  using codecs::PixelKind;
  if (info.format == codecs::FileFormat::jpeg) return count_form(forms.jpeg, path);
  if (info.kind == PixelKind::palette) return count_form(forms.palette, path);
  if (info.kind == PixelKind::gray || info.kind == PixelKind::gray_alpha)
    return count_form(info.bit_depth == 16 ? forms.gray16 : forms.gray8, path);
  count_form(forms.rgb, path);
}

void merge_form(LabelForms::Form& left, const LabelForms::Form& right) {
  if (left.count == 0) left.first = right.first;
  left.count += right.count;
}

// What stops the whole survey: the first failing read, or a signal.
struct Stop {
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::optional<Error> error;

  void fail(Error found) {
    const std::lock_guard lock(mutex);
    if (!error) error = std::move(found);
    stopped = true;
  }
};

// One part of the survey; parts are joined left to right, so the examples are the first ones whatever the number of threads.
class Part {
 public:
  Part(const SampleList& list, const RecordOptions& options, const Observer& observer, Stop& stop, Ticker& ticker)
      : list_(list), options_(options), observer_(observer), stop_(stop), ticker_(ticker) {}
  Part(const Part& other, tbb::split) : Part(other.list_, other.options_, other.observer_, other.stop_, other.ticker_) {}

  void operator()(const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (stop_.stopped || observer_.stop_requested()) return;
      look_at(list_.samples[i]);
      ticker_.tick(0);
    }
  }

  void join(const Part& right) {
    survey.problems.append(right.survey.problems);
    survey.unreadable += right.survey.unreadable;
    survey.largest_pixels = std::max(survey.largest_pixels, right.survey.largest_pixels);
    for (const auto form : {&LabelForms::gray8, &LabelForms::gray16, &LabelForms::palette, &LabelForms::rgb, &LabelForms::jpeg})
      merge_form(survey.forms.*form, right.survey.forms.*form);
  }

  HeaderSurvey survey;

 private:
  // Absent where the header is unusable (counted) or the file unreadable (the survey stops).
  std::optional<codecs::PictureInfo> probe(const std::string& path) {
    Result<codecs::PictureInfo> info = reader_.probe(path);
    if (info.ok()) return *info;
    if (info.error().code == ErrorCode::data) {
      survey.problems.add({ProblemKind::unreadable_header, path, info.error().message});
      ++survey.unreadable;
    } else {
      stop_.fail(info.error());
    }
    return std::nullopt;
  }

  void look_at(const Sample& sample) {
    const std::string image_path = list_.image_path(sample);
    const auto image = probe(image_path);
    if (image) survey.largest_pixels = std::max(survey.largest_pixels, pixels_of(*image));
    std::optional<codecs::PictureInfo> label;
    std::string label_path;
    if (list_.has_label_files) {
      label_path = list_.label_path(sample);
      label = probe(label_path);
      if (!label) return;
      count_label(survey.forms, *label, label_path);
    }
    if (!image) return;
    if (auto problem = check_headers(*image, image_path, label, label_path, options_)) survey.problems.add(std::move(*problem));
  }

  const SampleList& list_;
  const RecordOptions& options_;
  const Observer& observer_;
  Stop& stop_;
  Ticker& ticker_;
  SourceReader reader_;
};

}  // namespace

std::optional<Problem> check_headers(const codecs::PictureInfo& image, const std::string& image_path,
                                     const std::optional<codecs::PictureInfo>& label, const std::string& label_path,
                                     const RecordOptions& options) {
  if (auto problem = too_large(image, image_path, options.max_pixels)) return problem;
  if (!label) return std::nullopt;
  if (auto problem = too_large(*label, label_path, options.max_pixels)) return problem;
  const auto applied = applies_orientation(options.exif, image, stored_size(*label));
  if (!applied)
    return Problem{ProblemKind::orientation, image_path,
                   "EXIF orientation " + std::to_string(image.orientation) + ", stored " + size_text(stored_size(image)) + ", label " +
                       size_text(stored_size(*label))};
  const Extent seen = oriented_size(image, *applied);
  if (options.size_mismatch == SizeMismatch::error && seen != stored_size(*label))
    return Problem{ProblemKind::size_mismatch, image_path,
                   "is " + size_text(seen) + ", its label " + label_path + " is " + size_text(stored_size(*label))};
  return std::nullopt;
}

Result<HeaderSurvey> survey_headers(const SampleList& list, const RecordOptions& options, Observer& observer) {
  Stop stop;
  Ticker ticker(observer, "reading headers", list.samples.size());
  Part whole(list, options, observer, stop, ticker);
  tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, list.samples.size(), 64), whole);
  if (stop.error) return *stop.error;
  return std::move(whole.survey);
}

}  // namespace hotpack::pipeline
