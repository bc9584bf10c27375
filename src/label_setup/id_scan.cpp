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
#include "base/words.hpp"
#include "codecs/decoder.hpp"
#include "label_setup/first_failure.hpp"
#include "label_setup/label_room.hpp"
#include "label_setup/source_file.hpp"
#include "labels/alpha_mask.hpp"
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
  IdScan::Shades shades;
  IdScan::BlackAndWhite shown;
  IdScan::Numbering numbering;

  Status look_at(const std::string& path, std::uint64_t bytes, const PackOptions& pack, Place place,
                 Shared& shared) {
    const RecordOptions& options = pack.record;
    HOTPACK_ASSIGN(const std::span<const std::byte> file, reader.read(path, bytes));
    HOTPACK_ASSIGN(LabelRoom room, LabelRoom::take(shared.budget, reader, file, options, path));
    const Result<RawLabel> label =
        room.decoder(decoder).decode_label(file, options.max_pixels, options.lenient);
    if (!label.ok() && label.error().code == ErrorCode::io) return label.error();
    const Status readable = label.ok() ? labels::check_alpha(*label) : Status(label.error());
    if (!readable.ok()) {
      undecoded.add(place, readable.error().message);
      return {};
    }
    const labels::RgbId formula = pack.label.rgb_id;
    if (label->samples.data != nullptr) {
      mark(*label, place);
    } else if (label->wide_rgb.data != nullptr) {
      if (formula == labels::RgbId::red) mark_red(label->wide_rgb, wide);
    } else if (formula == labels::RgbId::red) {
      mark_red(label->rgb, narrow);
    } else if (formula != labels::RgbId::none) {
      mark_coded(label->rgb, formula);
    } else if (const auto colored = labels::first_colored_pixel(label->rgb)) {
      shared.found_color(place, *colored);
    } else {
      mark_gray(label->rgb, place);
    }
    return {};
  }

  void mark(const RawLabel& label, Place place) {
    seen_.reset();
    const int largest = (1 << label.bit_depth) - 1;
    for (int y = 0; y < label.height; ++y)
      mark_row(
          label.width, [row = label.samples.row(y)](int x) { return row[x]; },
          label.is_palette ? 0 : largest);
    const bool is_wide = label.bit_depth == 16;
    (is_wide ? wide : narrow) |= seen_;
    foregrounds.add(place, seen_[1], seen_[is_wide ? 65535 : 255]);
    note_crowded(place);
    numbering.add(seen_);
    note_shown(label, largest);
    const std::size_t colored =
        label.is_palette ? std::min(label.palette.size(), colors.size()) : 0;
    for (std::size_t index = 0; index < colored; ++index)
      if (seen_[index]) colors[index].add(place, label.palette[index]);
  }

  void mark_gray(ConstPixels rgb, Place place) {
    seen_.reset();
    for (int y = 0; y < rgb.height; ++y)
      mark_row(
          rgb.width, [row = rgb.row(y)](int x) { return row[3 * x]; }, 255);
    narrow |= seen_;
    foregrounds.add(place, seen_[1], seen_[255]);
    note_crowded(place);
    numbering.add(seen_);
    note_shown({}, 255);
  }

  // Marks the red values of colors.
  template <class Sample>
  void mark_red(PixelView<const Sample> rgb, std::bitset<65536>& ids) {
    for (int y = 0; y < rgb.height; ++y)
      for (int x = 0; x < rgb.width; ++x) ids.set(rgb.row(y)[3 * x]);
  }

  // Marks the ids that a formula finds in colors; larger ones are unknown in any case.
  void mark_coded(ConstPixels rgb, labels::RgbId formula) {
    for (int y = 0; y < rgb.height; ++y)
      for (int x = 0; x < rgb.width; ++x) {
        const std::uint8_t* const at = rgb.row(y) + std::ptrdiff_t{3} * x;
        const auto id = labels::rgb_id(formula, {at[0], at[1], at[2]});
        if (id && *id < wide.size()) wide.set(*id);
      }
  }

 private:
  // Marks the values of a row; counts them as shades of gray up to `largest`, unless it is 0.
  template <class At>
  void mark_row(int width, At at, int largest) {
    for (int begin = 0, x = 1; x <= width; ++x) {
      const int value = at(begin);
      if (x < width && at(x) == value) continue;
      seen_.set(static_cast<std::size_t>(value));
      const auto pixels = static_cast<std::uint64_t>(x - std::exchange(begin, x));
      if (largest > 0) shades.add(static_cast<int>(std::int64_t{value} * 255 / largest), pixels);
    }
  }

  void note_crowded(Place place) {
    if (place < crowded && seen_.count() > kMostIdsOfLabel) crowded = place;
  }

  // `largest` is white in a label without a palette.
  void note_shown(const RawLabel& label, int largest) {
    std::size_t left = seen_.count();
    shown.other = shown.other || left > 2;
    for (std::size_t value = 0; left > 0 && left <= 2; ++value) {
      if (!seen_[value]) continue;
      --left;
      constexpr RgbColor kBlack{}, kWhite{255, 255, 255}, kOther{1, 1, 1};
      const RgbColor color = label.is_palette
                                 ? (value < label.palette.size() ? label.palette[value] : kOther)
                             : value == 0                                 ? kBlack
                             : value == static_cast<std::size_t>(largest) ? kWhite
                                                                          : kOther;
      if (color == kBlack) shown.black.set(value);
      if (color == kWhite) shown.white.set(value);
      shown.other = shown.other || (color != kBlack && color != kWhite);
    }
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
  IdScan::Shades shades;
  IdScan::BlackAndWhite shown;
  IdScan::Numbering numbering;

  void add(const Scanner& scanner) {
    shades.add(scanner.shades);
    shown.add(scanner.shown);
    numbering.add(scanner.numbering);
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
    scan.shades = shades;
    scan.shown = shown;
    scan.numbering = numbering;
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
    Status status = scanners_.local().look_at(list.label_path(sample), sample.label.bytes, options_,
                                              place, shared_);
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

constexpr int kNear = 8;  // of black or white: as near as noise of a JPEG

}  // namespace

void IdScan::Shades::add(int shade, std::uint64_t pixels) {
  const bool is_dark = shade <= kNear, is_light = shade >= 255 - kNear;
  (is_dark ? dark : is_light ? light : between) += pixels;
  low = low || (!is_dark && shade < 128);
  high = high || (!is_light && shade >= 128);
}

void IdScan::Shades::add(const Shades& more) {
  dark += more.dark;
  light += more.light;
  between += more.between;
  low = low || more.low;
  high = high || more.high;
}

bool IdScan::Shades::soft() const {
  return dark > 0 && light > 0 && low && high && 10 * between <= dark + light + between;
}

void IdScan::BlackAndWhite::add(const BlackAndWhite& more) {
  black |= more.black;
  white |= more.white;
  other = other || more.other;
}

bool IdScan::BlackAndWhite::stored_in_several_ways() const {
  const auto plain = [](const std::bitset<65536>& values) {
    return values.count() <= 1 && (values.none() || values[0] || values[1]);
  };
  return !other && black.any() && white.any() && !(plain(black) && plain(white));
}

void IdScan::Numbering::add(const std::bitset<65536>& ids) {
  constexpr std::size_t kFew = 4;
  const std::size_t count = ids.count() - (ids[0] ? 1 : 0);
  if (count < kFew) return;
  for (std::size_t id = 1; id <= count; ++id)
    if (!ids[id]) return void(++others);
  ++gapless;
  fewest = std::min(fewest, count);
  most = std::max(most, count);
}

void IdScan::Numbering::add(const Numbering& more) {
  gapless += more.gapless;
  others += more.others;
  fewest = std::min(fewest, more.fewest);
  most = std::max(most, more.most);
}

bool IdScan::Numbering::of_objects() const {
  constexpr std::uint64_t kEnoughLabels = 3;
  constexpr std::size_t kMany = 16;
  return gapless >= kEnoughLabels && 20 * others <= gapless && most > kMany && fewest < most;
}

Result<std::string> color_in(const std::string& path, const RecordOptions& options) {
  std::vector<std::byte> file;
  HOTPACK_TRY(read_file(path, file));
  codecs::Decoder decoder;
  const Result<RawLabel> label = decoder.decode_label(file, options.max_pixels, options.lenient);
  if (!label.ok() || label->rgb.data == nullptr) return std::string();
  const auto pixel = labels::first_colored_pixel(label->rgb);
  return pixel ? color_at(*pixel) : std::string();
}

Result<std::string> channels_text(const std::string& path, const RecordOptions& options) {
  constexpr std::size_t kListed = 6;
  std::vector<std::byte> file;
  HOTPACK_TRY(read_file(path, file));
  codecs::Decoder decoder;
  const Result<RawLabel> label = decoder.decode_label(file, options.max_pixels, options.lenient);
  if (!label.ok() || label->wide_rgb.data == nullptr) return std::string("not readable");
  std::array<std::bitset<65536>, 3> seen;
  for (int y = 0; y < label->height; ++y)
    for (int x = 0; x < 3 * label->width; ++x)
      seen[static_cast<std::size_t>(x) % 3].set(label->wide_rgb.row(y)[x]);
  return "red " + ids_text(seen[0], kListed) + ", green " + ids_text(seen[1], kListed) + ", blue " +
         ids_text(seen[2], kListed);
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
