#include "pipeline/id_scan.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <compare>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/try.hpp"
#include "codecs/decoder.hpp"
#include "labels/class_table.hpp"
#include "labels/gray_rgb.hpp"
#include "pipeline/source_file.hpp"
#include "pipeline/ticker.hpp"

namespace hotpack::pipeline {

namespace {

// Where a label stands: in the order of lists and samples.
struct Place {
  std::size_t list = 0, sample = 0;
  auto operator<=>(const Place&) const = default;
};

std::string color_at(const labels::ColoredPixel& pixel) {
  return labels::color_text(pixel.color) + " at x=" + std::to_string(pixel.x) + " y=" + std::to_string(pixel.y);
}

constexpr Place kNowhere{std::numeric_limits<std::size_t>::max(), 0};

// What the threads share.
struct Shared {
  std::mutex mutex;
  std::optional<Error> failure;
  std::atomic<bool> stopped = false;
  Place colored = kNowhere;  // of the first label that holds a colour, so far
  std::string color;

  void fail(Error error) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(error);
    stopped = true;
  }
  void found_color(Place place, const labels::ColoredPixel& pixel) {
    const std::lock_guard lock(mutex);
    if (colored < place) return;
    colored = place;
    color = color_at(pixel);
  }
};

struct Scanner {
  codecs::Decoder decoder;
  SourceReader reader;
  std::bitset<65536> narrow, wide;

  Status look_at(const std::string& path, std::uint64_t bytes, std::uint64_t max_pixels, Place place, Shared& shared) {
    Result<std::span<const std::byte>> file = reader.read(path, bytes);
    if (!file.ok()) return std::move(file).error();
    const Result<RawLabel> label = decoder.decode_label(*file, max_pixels);
    if (!label.ok()) return {};
    if (label->samples.data != nullptr) {
      mark(*label);
    } else if (const auto colored = labels::first_colored_pixel(label->rgb)) {
      shared.found_color(place, *colored);
    } else {
      mark_gray(label->rgb);
    }
    return {};
  }

  void mark(const RawLabel& label) {
    std::bitset<65536>& ids = label.bit_depth == 16 ? wide : narrow;
    for (int y = 0; y < label.height; ++y) {
      const std::uint16_t* const row = label.samples.row(y);
      int last = -1;
      for (int x = 0; x < label.width; ++x) {
        if (row[x] == last) continue;
        last = row[x];
        ids.set(row[x]);
      }
    }
  }

  void mark_gray(ConstPicture rgb) {
    for (int y = 0; y < rgb.height; ++y) {
      const std::uint8_t* at = rgb.row(y);
      for (int x = 0; x < rgb.width; ++x, at += 3) narrow.set(*at);
    }
  }
};

using Scanners = tbb::enumerable_thread_specific<Scanner>;

void scan_list(const SampleList& list, std::size_t index, std::uint64_t max_pixels, const Observer& observer, Scanners& scanners,
               Shared& shared, Ticker& ticker) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, list.samples.size(), 8), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end() && !shared.stopped && !observer.stop_requested(); ++i) {
      const Sample& sample = list.samples[i];
      Status status = scanners.local().look_at(list.label_path(sample), sample.label.bytes, max_pixels, {index, i}, shared);
      ticker.tick(sample.label.bytes);
      if (!status.ok()) shared.fail(std::move(status).error());
    }
  });
}

}  // namespace

Result<std::string> color_in(const std::string& path, std::uint64_t max_pixels) {
  std::vector<std::byte> file;
  HOTPACK_TRY(read_file(path, file));
  codecs::Decoder decoder;
  const Result<RawLabel> label = decoder.decode_label(file, max_pixels);
  if (!label.ok() || label->rgb.data == nullptr) return std::string();
  const auto pixel = labels::first_colored_pixel(label->rgb);
  return pixel ? color_at(*pixel) : std::string();
}

Result<IdScan> scan_ids(std::span<const SampleList* const> lists, std::uint64_t max_pixels, Observer& observer) {
  std::size_t total = 0;
  for (const SampleList* list : lists) total += list->has_label_files ? list->samples.size() : 0;
  Scanners scanners;
  Shared shared;
  Ticker ticker(observer, "reading labels", total);
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (lists[i]->has_label_files) scan_list(*lists[i], i, max_pixels, observer, scanners, shared, ticker);
  if (shared.failure) return *shared.failure;
  IdScan all;
  for (const Scanner& scanner : scanners) {
    all.narrow |= scanner.narrow;
    all.wide |= scanner.wide;
  }
  if (shared.colored == kNowhere) return all;
  const SampleList& list = *lists[shared.colored.list];
  all.colored_label = list.label_path(list.samples[shared.colored.sample]);
  all.color = shared.color;
  return all;
}

Result<IdScan> scan_some_ids(std::span<const SampleList* const> lists, std::uint64_t max_pixels) {
  constexpr std::size_t kSome = 8;
  Scanner scanner;
  Shared shared;
  for (const SampleList* list : lists) {
    if (!list->has_label_files) continue;
    const std::size_t total = list->samples.size(), taken = std::min(kSome, total);
    for (std::size_t i = 0; i < taken; ++i) {
      const Sample& sample = list->samples[i * total / taken];
      HOTPACK_TRY(scanner.look_at(list->label_path(sample), sample.label.bytes, max_pixels, kNowhere, shared));
    }
  }
  return IdScan{scanner.narrow, scanner.wide, {}, {}};
}

std::string ids_text(const std::bitset<65536>& ids, std::size_t most) {
  std::vector<std::string> stretches;
  for (std::size_t first = 0; first < ids.size(); ++first) {
    if (!ids[first]) continue;
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1]) ++last;
    stretches.push_back(std::to_string(first));
    if (last > first) stretches.back() += (last == first + 1 ? ", " : "…") + std::to_string(last);
    first = last;
  }
  std::string text;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const bool left_out = stretches.size() > most && i + 2 > most && i + 1 < stretches.size();
    if (!left_out) text += (text.empty() ? "" : ", ") + stretches[i];
    if (left_out && i + 2 == stretches.size()) text += ", …";
  }
  return text.empty() ? "none" : text;
}

}  // namespace hotpack::pipeline
