#include "label_setup/id_scan.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "codecs/decoder.hpp"
#include "label_setup/first_failure.hpp"
#include "label_setup/label_room.hpp"
#include "label_setup/source_file.hpp"
#include "labels/class_table.hpp"
#include "labels/gray_rgb.hpp"
#include "settings/ticker.hpp"

namespace hotpack::pipeline {

namespace {

using Place = SamplePlace;

std::string color_at(const labels::ColoredPixel& pixel) {
  return color_text(pixel.color) + " at x=" + std::to_string(pixel.x) +
         " y=" + std::to_string(pixel.y);
}

constexpr Place kNowhere{std::numeric_limits<std::size_t>::max(), 0};

// The first label whose only foreground value is 1, and the first whose only foreground value is
// 255 or 65535 (white); of one thread or of all.
struct Foregrounds {
  Place one = kNowhere, white = kNowhere;
  bool together = false;  // in one label

  void add(Place place, bool has_one, bool has_white) {
    together = together || (has_one && has_white);
    if (has_one && !has_white) one = std::min(one, place);
    if (has_white && !has_one) white = std::min(white, place);
  }
  void add(const Foregrounds& other) {
    one = std::min(one, other.one);
    white = std::min(white, other.white);
    together = together || other.together;
  }
};

// For one palette index: the first label that uses it, and the first label that gives it another
// color. The result does not depend on the order of calls.
struct IndexColors {
  Place first = kNowhere, other = kNowhere;
  RgbColor color{}, other_color{};

  void add(Place place, RgbColor shown) {
    if (place == kNowhere) return;
    if (place < first) {
      std::swap(place, first);
      std::swap(shown, color);
    }
    if (place == kNowhere || shown == color || other < place) return;
    other = place;
    other_color = shown;
  }
  void add(const IndexColors& more) {
    add(more.first, more.color);
    add(more.other, more.other_color);
  }
};
using PaletteColors = std::array<IndexColors, 256>;

// The first label that cannot be decoded, and the reason.
struct Undecoded {
  Place place = kNowhere;
  std::string why;

  void add(Place where, const std::string& message) {
    if (place < where) return;
    place = where;
    why = message;
  }
};

// Data that all threads share.
struct Shared {
  explicit Shared(const RunOptions& run) : budget(run.max_memory, run.threads) {}

  MemoryBudget budget;
  FirstFailure failure;
  std::mutex mutex;          // guards the members below
  Place colored = kNowhere;  // of the first label with a color so far
  std::string color;

  void found_color(Place place, const labels::ColoredPixel& pixel) {
    const std::lock_guard lock(mutex);
    if (colored < place) return;
    colored = place;
    color = color_at(pixel);
  }
};

class Scanner {
 public:
  codecs::Decoder decoder;
  SourceReader reader;
  std::bitset<65536> narrow, wide;
  Foregrounds foregrounds;
  PaletteColors colors;
  Undecoded undecoded;
  Place crowded = kNowhere;  // the first label with too many ids

  Status look_at(const std::string& path, std::uint64_t bytes, const RecordOptions& options,
                 Place place, Shared& shared) {
    HOTPACK_ASSIGN(const std::span<const std::byte> file, reader.read(path, bytes));
    HOTPACK_ASSIGN(LabelRoom room, LabelRoom::take(shared.budget, reader, file, options, path));
    const Result<RawLabel> label =
        room.decoder(decoder).decode_label(file, options.max_pixels, options.lenient);
    if (!label.ok() && label.error().code == ErrorCode::io) return label.error();
    if (!label.ok()) {
      undecoded.add(place, label.error().message);
      return {};
    }
    if (label->samples.data != nullptr) {
      mark(*label, place);
    } else if (const auto colored = labels::first_colored_pixel(label->rgb)) {
      shared.found_color(place, *colored);
    } else {
      mark_gray(label->rgb, place);
    }
    return {};
  }

  void mark(const RawLabel& label, Place place) {
    seen_.reset();
    for (int y = 0; y < label.height; ++y) {
      const std::uint16_t* const row = label.samples.row(y);
      int last = -1;
      for (int x = 0; x < label.width; ++x) {
        if (row[x] == last) continue;
        last = row[x];
        seen_.set(row[x]);
      }
    }
    const bool is_wide = label.bit_depth == 16;
    (is_wide ? wide : narrow) |= seen_;
    foregrounds.add(place, seen_[1], seen_[is_wide ? 65535 : 255]);
    note_crowded(place);
    const std::size_t colored =
        label.is_palette ? std::min(label.palette.size(), colors.size()) : 0;
    for (std::size_t index = 0; index < colored; ++index)
      if (seen_[index]) colors[index].add(place, label.palette[index]);
  }

  void mark_gray(ConstPixels rgb, Place place) {
    seen_.reset();
    for (int y = 0; y < rgb.height; ++y) {
      const std::uint8_t* at = rgb.row(y);
      for (int x = 0; x < rgb.width; ++x, at += 3) seen_.set(*at);
    }
    narrow |= seen_;
    foregrounds.add(place, seen_[1], seen_[255]);
    note_crowded(place);
  }

 private:
  void note_crowded(Place place) {
    if (place < crowded && seen_.count() > kMostIdsOfLabel) crowded = place;
  }

  std::bitset<65536> seen_;  // in one label
};

using Scanners = tbb::enumerable_thread_specific<Scanner>;

// Empty for kNowhere.
std::string label_at(std::span<const SampleList* const> lists, Place place) {
  return place == kNowhere
             ? std::string()
             : lists[place.list]->label_path(lists[place.list]->samples[place.sample]);
}

// The combined result of all scanners.
struct Found {
  std::bitset<65536> narrow, wide;
  Foregrounds foregrounds;
  PaletteColors colors;
  Undecoded undecoded;
  Place crowded = kNowhere;

  void add(const Scanner& scanner) {
    crowded = std::min(crowded, scanner.crowded);
    if (scanner.undecoded.place != kNowhere)
      undecoded.add(scanner.undecoded.place, scanner.undecoded.why);
    narrow |= scanner.narrow;
    wide |= scanner.wide;
    foregrounds.add(scanner.foregrounds);
    for (std::size_t index = 0; index < colors.size(); ++index)
      colors[index].add(scanner.colors[index]);
  }
  [[nodiscard]] IdScan scan(std::span<const SampleList* const> lists) const {
    IdScan scan;
    scan.narrow = narrow;
    scan.wide = wide;
    if (undecoded.place != kNowhere)
      scan.undecoded = label_at(lists, undecoded.place) + ": " + undecoded.why;
    scan.crowded_label = label_at(lists, crowded);
    scan.clash = clash(lists);
    if (foregrounds.together) return scan;
    scan.one_label = label_at(lists, foregrounds.one);
    scan.white_label = label_at(lists, foregrounds.white);
    return scan;
  }

 private:
  [[nodiscard]] std::optional<IdScan::PaletteClash> clash(
      std::span<const SampleList* const> lists) const {
    const auto first = std::min_element(
        colors.begin(), colors.end(),
        [](const IndexColors& a, const IndexColors& b) { return a.other < b.other; });
    if (first->other == kNowhere) return std::nullopt;
    return IdScan::PaletteClash{static_cast<unsigned>(first - colors.begin()),
                                label_at(lists, first->first), label_at(lists, first->other),
                                first->color, first->other_color};
  }
};

// Reads the labels of lists on all threads.
class Scan {
 public:
  Scan(std::span<const SampleList* const> lists, const PackOptions& options, std::size_t most)
      : lists_(lists), options_(options), most_(most), shared_(options.run) {}

  // The number of labels to read: at most `most` of each list.
  [[nodiscard]] std::size_t total() const {
    std::size_t total = 0;
    for (const SampleList* list : lists_) total += taken_of(*list);
    return total;
  }

  // Calls `done` with each sample that was read or skipped.
  template <class Stop, class Done>
  Result<IdScan> run(const Stop& stop_requested, const Done& done) {
    for (std::size_t index = 0; index < lists_.size(); ++index) {
      const SampleList& list = *lists_[index];
      const std::size_t taken = taken_of(list);
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, taken),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t i = range.begin(); i != range.end() && !stop_requested();
                               ++i) {
                            const Place place{index, i * list.samples.size() / taken};
                            read(place);
                            done(list.samples[place.sample]);
                          }
                        });
    }
    if (auto error = shared_.failure.error()) return *std::move(error);
    return found();
  }

 private:
  [[nodiscard]] std::size_t taken_of(const SampleList& list) const {
    return list.has_label_files ? std::min(most_, list.samples.size()) : 0;
  }

  void read(Place place) {
    if (shared_.failure.skips(place)) return;
    const SampleList& list = *lists_[place.list];
    const Sample& sample = list.samples[place.sample];
    Status status = scanners_.local().look_at(list.label_path(sample), sample.label.bytes,
                                              options_.record, place, shared_);
    if (!status.ok()) shared_.failure.add(place, std::move(status).error());
  }

  [[nodiscard]] IdScan found() const {
    Found all;
    for (const Scanner& scanner : scanners_) all.add(scanner);
    IdScan scan = all.scan(lists_);
    scan.colored_label = label_at(lists_, shared_.colored);
    scan.color = shared_.color;
    return scan;
  }

  std::span<const SampleList* const> lists_;
  const PackOptions& options_;
  std::size_t most_;
  Scanners scanners_;
  Shared shared_;
};

}  // namespace

Result<std::string> color_in(const std::string& path, const RecordOptions& options) {
  std::vector<std::byte> file;
  HOTPACK_TRY(read_file(path, file));
  codecs::Decoder decoder;
  const Result<RawLabel> label = decoder.decode_label(file, options.max_pixels, options.lenient);
  if (!label.ok() || label->rgb.data == nullptr) return std::string();
  const auto pixel = labels::first_colored_pixel(label->rgb);
  return pixel ? color_at(*pixel) : std::string();
}

Result<IdScan> scan_ids(std::span<const SampleList* const> lists, const PackOptions& options,
                        Observer& observer) {
  Scan scan(lists, options, std::numeric_limits<std::size_t>::max());
  Ticker ticker(observer, "reading labels", scan.total());
  return scan.run([&] { return observer.stop_requested(); },
                  [&](const Sample& sample) { ticker.tick(sample.label.bytes); });
}

Result<IdScan> scan_some_ids(std::span<const SampleList* const> lists, const PackOptions& options) {
  constexpr std::size_t kSome = 8;
  return Scan(lists, options, kSome).run([] { return false; }, [](const Sample&) {});
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
