#include "pack/inspection.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/words.hpp"
#include "pack/value_counter.hpp"

namespace hotpack::pipeline {

namespace {

using Entry = ValueCounter::Entry;

// Class ids have 16 bits.
constexpr std::size_t kMostIds = 65536;
constexpr int kFlatRun = 4;
constexpr int kRampRun = 2;
constexpr int kBlock = 8;  // of a JPEG
constexpr std::uint32_t kMostRampKinds = 16;

bool between(RawValue left, RawValue value, RawValue right) {
  return std::min(left, right) <= value && value <= std::max(left, right);
}

// True if a value lies between two others; colors must do so in every channel.
bool is_between(RawValue left, RawValue value, RawValue right, bool colors) {
  if (!colors) return between(left, value, right);
  return between(left >> 16, value >> 16, right >> 16) &&
         between(left >> 8 & 255, value >> 8 & 255, right >> 8 & 255) &&
         between(left & 255, value & 255, right & 255);
}

// A run of equal pixels in a row: [begin, end).
struct Run {
  RawValue value = 0;
  int begin = 0, end = 0;
  [[nodiscard]] int length() const { return end - begin; }
};

// The pixels of a row in memory: gray values of two bytes, or colors of three.
class PixelRow {
 public:
  explicit PixelRow(const std::uint16_t* samples)
      : bytes_(reinterpret_cast<const std::byte*>(samples)), pixel_bytes_(sizeof *samples) {}
  explicit PixelRow(const std::uint8_t* colors)
      : bytes_(reinterpret_cast<const std::byte*>(colors)), pixel_bytes_(3) {}
  // The red of colors of 16 bits per channel is the value.
  static PixelRow of_wide(const std::uint16_t* colors) {
    PixelRow row(colors);
    row.pixel_bytes_ = 3 * sizeof *colors;
    return row;
  }

  // Returns the run that starts at `begin`, in a row of `width` pixels.
  [[nodiscard]] Run run_at(int begin, int width) const {
    const std::byte* const first = bytes_ + static_cast<std::size_t>(begin) * pixel_bytes_;
    const std::size_t rest = static_cast<std::size_t>(width - begin - 1) * pixel_bytes_;
    const auto equal = static_cast<int>(bytes_as_before(first + pixel_bytes_, rest) / pixel_bytes_);
    return {value_of(first), begin, begin + 1 + equal};
  }

 private:
  [[nodiscard]] RawValue value_of(const std::byte* pixel) const {
    const auto byte = [pixel](int at) { return std::to_integer<RawValue>(pixel[at]); };
    return pixel_bytes_ == 3 ? byte(0) << 16 | byte(1) << 8 | byte(2)
                             : load_le<std::uint16_t>(pixel);
  }

  // Returns how many bytes from `at` on equal the byte one pixel before.
  [[nodiscard]] std::size_t bytes_as_before(const std::byte* at, std::size_t size) const {
    const std::byte* const before = at - pixel_bytes_;
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8)
      if (const std::uint64_t unlike =
              load_le<std::uint64_t>(at + i) ^ load_le<std::uint64_t>(before + i);
          unlike != 0)
        return i + static_cast<std::size_t>(std::countr_zero(unlike)) / 8;
    while (i < size && at[i] == before[i]) ++i;
    return i;
  }

  const std::byte* bytes_;
  std::size_t pixel_bytes_;
};

// Counts blocks of eight pixels, in the rows of a label, that contain a step. A step is a pixel
// whose value differs from that of the pixel to its left. A step at the first pixel of a block is
// between two blocks and does not count. The first block of a row starts at pixel `offset`. Call
// step() from left to right.
class BlockCounter {
 public:
  explicit BlockCounter(int offset) : offset_(offset) {}
  void begin_row() { last_ = -1; }
  void step(int x) {
    const int at = x + kBlock - offset_;
    if (at % kBlock == 0 || at / kBlock == last_)
      return;  // between two blocks, or in a counted block
    last_ = at / kBlock;
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  int offset_;
  int last_ = -1;
  std::uint64_t count_ = 0;
};

// Collects statistics of the runs of a label, row by row.
class RunScanner {
 public:
  RunScanner(LabelInspection& out, ConstIds ids) : out_(out), ids_(ids) {}

  void row(int y, const PixelRow& pixels) {
    y_ = y;
    runs_ = 0;
    blocks_.begin_row();
    between_blocks_.begin_row();
    for (int x = 0; x < out_.width;) {
      const Run run = pixels.run_at(x, out_.width);
      take(run);
      x = run.end;
    }
  }

  void finish() {
    out_.uneven_blocks = blocks_.count();
    out_.uneven_between_blocks = between_blocks_.count();
    finish_ramps();
    finish_values();
    for (const Entry& entry : classes_.entries()) {
      if (entry.value == labels::kIgnored)
        out_.ignored = entry.count;
      else
        out_.classes.push_back({entry.value, entry.count});
    }
  }

 private:
  void take(const Run& run) {
    const auto length = static_cast<std::uint64_t>(run.length());
    if (!values_.full()) values_.add(run.value, length);
    // Equal values have equal classes, so one lookup per run is enough.
    if (ids_.data != nullptr) classes_.add(ids_.row(y_)[run.begin], length);
    if (run.length() >= kFlatRun) out_.flat_pixels += length;
    if (runs_ > 0) step(run);
    before_ = std::exchange(last_, run);
    ++runs_;
  }

  void step(const Run& run) {
    ++out_.steps;
    blocks_.step(run.begin);
    between_blocks_.step(run.begin);
    const bool ramp = runs_ > 1 && last_.length() <= kRampRun &&
                      is_between(before_.value, last_.value, run.value, out_.holds_colors);
    if (!ramp) return;
    if (out_.ramps++ == 0) out_.first_ramp = {last_.begin, y_};
    if (!ramps_.full()) ramps_.add(last_.value, 1);
  }

  void finish_ramps() {
    out_.ramp_kinds = static_cast<std::uint32_t>(ramps_.kinds());
    for (const Entry& entry : ramps_.entries())
      out_.commonest_ramp = std::max(out_.commonest_ramp, entry.count);
  }

  void finish_values() {
    std::vector<Entry> all = values_.entries();
    out_.kinds = static_cast<std::uint32_t>(all.size());
    const std::size_t kept = std::min(all.size(), LabelInspection::kMostValues);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(kept);
    std::partial_sort(all.begin(), end, all.end(), [](const Entry& a, const Entry& b) {
      return a.count != b.count ? a.count > b.count : a.value < b.value;
    });
    if (kept > 2) out_.third_pixels = all[2].count;
    std::sort(all.begin(), end, [](const Entry& a, const Entry& b) { return a.value < b.value; });
    for (std::size_t i = 0; i < kept; ++i) out_.values.push_back({all[i].value, all[i].count});
  }

  LabelInspection& out_;
  ConstIds ids_;
  ValueCounter values_{LabelInspection::kMostKinds};
  ValueCounter classes_{kMostIds};
  ValueCounter ramps_{kMostRampKinds};
  BlockCounter blocks_{0}, between_blocks_{kBlock / 2};
  int y_ = 0;
  int runs_ = 0;       // runs of this row so far
  Run before_, last_;  // the two latest runs
};

// Hashes ids row by row, without the padding between rows.
std::uint64_t hash_of(ConstIds ids) {
  std::vector<std::uint64_t> rows{static_cast<std::uint64_t>(ids.width),
                                  static_cast<std::uint64_t>(ids.height)};
  for (int y = 0; y < ids.height; ++y)
    rows.push_back(
        xxh3_64(std::as_bytes(std::span(ids.row(y), static_cast<std::size_t>(ids.width)))));
  return xxh3_64(std::as_bytes(std::span(rows)));
}

// Counts pixels whose id differs from those of all eight neighbors.
std::uint64_t count_lone(ConstIds ids) {
  std::uint64_t lone = 0;
  for (int y = 1; y + 1 < ids.height; ++y) {
    const std::uint16_t *const above = ids.row(y - 1), *const row = ids.row(y),
                               *const below = ids.row(y + 1);
    unsigned in_row = 0;
    for (int x = 1; x + 1 < ids.width; ++x) {
      const std::uint16_t id = row[x];
      in_row += static_cast<unsigned>(id != row[x - 1]) & (id != row[x + 1]) & (id != above[x]) &
                (id != below[x]) & (id != above[x - 1]) & (id != above[x + 1]) &
                (id != below[x - 1]) & (id != below[x + 1]);
    }
    lone += in_row;
  }
  return lone;
}

std::uint64_t count_border_ones(ConstIds ids) {
  std::uint64_t ones = 0;
  for (int y = 0; y < ids.height; ++y) {
    const bool whole = y == 0 || y == ids.height - 1;
    const int step = whole ? 1 : std::max(1, ids.width - 1);
    for (int x = 0; x < ids.width; x += step) ones += ids.row(y)[x] == 1;
  }
  return ones;
}

void scan_rows(const RawLabel& label, RunScanner& scanner) {
  for (int y = 0; y < label.height; ++y)
    scanner.row(y, label.rgb.data != nullptr        ? PixelRow(label.rgb.row(y))
                   : label.wide_rgb.data != nullptr ? PixelRow::of_wide(label.wide_rgb.row(y))
                                                    : PixelRow(label.samples.row(y)));
  scanner.finish();
}

}  // namespace

void inspect_label(const RawLabel& label, const labels::DecodeReport& report, ConstIds ids,
                   SampleInspection& inspection) {
  LabelInspection& out = inspection.label_pixels.emplace_back();
  out.width = label.width;
  out.height = label.height;
  out.bit_depth = label.bit_depth;
  out.holds_colors = label.rgb.data != nullptr;
  out.lossy = label.lossy;
  out.is_palette = label.is_palette;
  out.palette = label.palette;
  out.decoded = ids.data != nullptr;
  RunScanner scanner(out, ids);
  scan_rows(label, scanner);
  if (!out.decoded) return;
  out.ids_hash = hash_of(ids);
  out.lone_pixels = count_lone(ids);
  out.border_ones = count_border_ones(ids);
  out.unknown = report.unknown;
  out.unknown_pixels = report.unknown_pixels;
  out.unknown_kinds = report.unknown_kinds;
}

}  // namespace hotpack::pipeline
