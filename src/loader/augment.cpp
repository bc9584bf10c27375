#include "hotpack/augment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/counter_random.hpp"
#include "base/error.hpp"
#include "base/isqrt.hpp"
#include "base/try.hpp"

namespace hotpack {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t kAttempts = 10;
constexpr double kMaxSide = 1 << 30;

// The aspect ratios from 2 to 4 that random crops can have, times 2^30: entry j is 2^(31 + (j + ½)
// / 64), rounded. The ratios of lower octaves, such as 1 to 2, are these divided by a power of two.
constexpr std::array<std::uint32_t, 64> kOctave = {
    0x80B1ED50, 0x8218AF43, 0x8383594F, 0x84F1F656, 0x8664915C, 0x87DB3580, 0x8955EE03, 0x8AD4C645,
    0x8C57C9C4, 0x8DDF0420, 0x8F6A8118, 0x90FA4C8C, 0x928E727E, 0x9426FF10, 0x95C3FE87, 0x97657D4A,
    0x990B87E2, 0x9AB62AFD, 0x9C657368, 0x9E196E19, 0x9FD22825, 0xA18FAECB, 0xA3520F69, 0xA5195787,
    0xA6E594D0, 0xA8B6D516, 0xAA8D2653, 0xAC6896A5, 0xAE493453, 0xB02F0DCC, 0xB21A31A6, 0xB40AAEA2,
    0xB60093A8, 0xB7FBEFCB, 0xB9FCD245, 0xBC034A7F, 0xBE0F680A, 0xC0213AA2, 0xC238D231, 0xC4563ECC,
    0xC67990B6, 0xC8A2D85D, 0xCAD2265E, 0xCD078B86, 0xCF4318CF, 0xD184DF62, 0xD3CCF09A, 0xD61B5DFF,
    0xD870394C, 0xDACB946F, 0xDD2D8185, 0xDF9612DF, 0xE2055B00, 0xE47B6CA0, 0xE6F85AAB, 0xE97C3840,
    0xEC0718B6, 0xEE990F98, 0xF13230A8, 0xF3D28FDE, 0xF67A416C, 0xF92959BB, 0xFBDFED6D, 0xFE9E115C,
};
constexpr unsigned kRatios = 256;  // from 1/4 to 4

std::uint32_t ratio_entry(unsigned i) { return kOctave[i % 64] >> (3 - i / 64); }

// ⌊value · 2^bits⌋: scaling by a power of two is exact.
std::uint64_t fixed_point(double value, int bits) {
  return static_cast<std::uint64_t>(std::floor(std::ldexp(value, bits)));
}

// True if a random word decides that an event of this probability happens.
bool happens(double probability, std::uint32_t word) { return word < fixed_point(probability, 32); }

// ---- random-resized-crop

// The options as integers.
struct CropRange {
  std::uint64_t min_area, max_area;    // · 2^32
  std::uint64_t min_ratio, max_ratio;  // · 2^30
  unsigned first_entry, entries;       // the range within the 256 ratios
};

struct Rectangle {
  std::uint64_t width, height;
};

CropRange range_of(const ResizedCrop& crop) {
  CropRange range = {std::max<std::uint64_t>(fixed_point(crop.min_area, 32), 1),
                     std::max<std::uint64_t>(fixed_point(crop.max_area, 32), 1),
                     fixed_point(crop.min_ratio, 30),
                     fixed_point(crop.max_ratio, 30),
                     0,
                     0};
  while (range.first_entry < kRatios && ratio_entry(range.first_entry) < range.min_ratio)
    ++range.first_entry;
  unsigned last = range.first_entry;
  while (last < kRatios && ratio_entry(last) <= range.max_ratio) ++last;
  range.entries = last - range.first_entry;
  return range;
}

// Returns a ratio, chosen by the random `word`: one of the table's entries within the range, each
// with the same probability. If the range contains no entry, returns the middle of the range.
std::uint64_t draw_ratio(const CropRange& range, std::uint32_t word) {
  if (range.entries == 0) return (range.min_ratio + range.max_ratio) / 2;
  return ratio_entry(range.first_entry + static_cast<unsigned>(scaled_word(word, range.entries)));
}

// Returns the square root of a value, rounded to the nearest integer. `four_values` is four times
// the value, rounded down. It is at most 2^64, and 2^64 gives the same result as 2^64 − 1.
std::uint64_t nearest_root(Wide four_values) {
  constexpr Wide kMost = std::numeric_limits<std::uint64_t>::max();
  return (isqrt_floor(static_cast<std::uint64_t>(std::min(four_values, kMost))) + 1) / 2;
}

// Draws a random area and a random ratio, and returns a rectangle of √(area · ratio) × √(area /
// ratio) pixels. The rectangle may be larger than the record, or empty.
Rectangle draw_rectangle(const CropRange& range, Rectangle record, const RandomWords& words) {
  // The chosen area times 2^32: below 2^93 for records up to 2^30 × 2^30.
  const Wide area = Wide{record.width * record.height} *
                    (range.min_area + scaled_word(words[0], range.max_area - range.min_area + 1));
  const std::uint64_t ratio = draw_ratio(range, words[1]);
  return {nearest_root(area * ratio >> 60), nearest_root(area / ratio)};
}

// The largest rectangle in the record whose ratio is within the range.
Rectangle widest(const CropRange& range, Rectangle record) {
  Rectangle widest = record;
  if (record.width << 30 < record.height * range.min_ratio) {
    widest.height = ((record.width << 31) + range.min_ratio) / (2 * range.min_ratio);
  } else if (record.width << 30 > record.height * range.max_ratio) {
    widest.width = (record.height * range.max_ratio + (1 << 29)) >> 30;
  }
  return {std::max<std::uint64_t>(widest.width, 1), std::max<std::uint64_t>(widest.height, 1)};
}

SampleCrop box_at(std::uint64_t x, std::uint64_t y, Rectangle size) {
  return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
          static_cast<std::int32_t>(size.width), static_cast<std::int32_t>(size.height)};
}

SampleCrop draw_resized_crop(const ResizedCrop& crop, Rectangle record, std::uint64_t seed,
                             std::uint64_t epoch, std::uint64_t sample) {
  const CropRange range = range_of(crop);
  for (std::uint32_t attempt = 1; attempt <= kAttempts; ++attempt) {
    const RandomWords words = random_words(
        seed, epoch, static_cast<std::uint32_t>(Stream::augmentation), sample, attempt);
    const Rectangle size = draw_rectangle(range, record, words);
    if (size.width == 0 || size.height == 0 || size.width > record.width ||
        size.height > record.height)
      continue;
    return box_at(scaled_word(words[2], record.width - size.width + 1),
                  scaled_word(words[3], record.height - size.height + 1), size);
  }
  const Rectangle size = widest(range, record);
  return box_at((record.width - size.width) / 2, (record.height - size.height) / 2, size);
}

// ---- crop

SampleCrop draw_crop(const Crop& crop, Rectangle record, const RandomWords& words) {
  const Rectangle size = {std::min(static_cast<std::uint64_t>(crop.size.width), record.width),
                          std::min(static_cast<std::uint64_t>(crop.size.height), record.height)};
  const auto edge = [&](std::uint64_t room, std::uint32_t word) {
    return crop.random ? scaled_word(word, room + 1) : room / 2;
  };
  return box_at(edge(record.width - size.width, words[2]),
                edge(record.height - size.height, words[3]), size);
}

SampleCrop draw_window(const Augment& augment, Rectangle record, const RandomWords& words,
                       std::uint64_t seed, std::uint64_t epoch, std::uint64_t sample) {
  if (augment.crop) return draw_crop(*augment.crop, record, words);
  if (augment.resized_crop)
    return draw_resized_crop(*augment.resized_crop, record, seed, epoch, sample);
  return box_at(0, 0, record);
}

// ---- checks

std::string text(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

// NaN is outside every range.
bool within(double low, double value, double high) { return value >= low && value <= high; }

Status check_probability(const char* option, double value) {
  if (within(0, value, 1)) return {};
  return usage_error(std::string(option) + ": " + text(value) +
                     " is not a probability; use 0 (never) to 1 (always)");
}

Status check_size(const char* option, PixelSize size) {
  const auto fits = [](std::int64_t side) {
    return within(1, static_cast<double>(side), kMaxSide);
  };
  if (fits(size.width) && fits(size.height)) return {};
  return usage_error(std::string(option) + ": a size of " + std::to_string(size.width) + "×" +
                     std::to_string(size.height) +
                     " pixels; give a width and a height from 1 to 2^30");
}

Status check_resized_crop(const ResizedCrop& crop) {
  HOTPACK_TRY(check_size("resized_crop", crop.size));
  const bool areas = crop.min_area > 0 && within(crop.min_area, crop.max_area, 1);
  if (!areas) {
    return usage_error("resized_crop: areas from " + text(crop.min_area) + " to " +
                       text(crop.max_area) +
                       " of the record; give min_area above 0, max_area from min_area to 1");
  }
  if (within(0.25, crop.min_ratio, crop.max_ratio) && within(crop.min_ratio, crop.max_ratio, 4))
    return {};
  return usage_error("resized_crop: width / height from " + text(crop.min_ratio) + " to " +
                     text(crop.max_ratio) + "; give 0.25 ≤ min_ratio ≤ max_ratio ≤ 4");
}

}  // namespace

Status check_augment(const Augment& augment) {
  HOTPACK_TRY(check_probability("horizontal_flip", augment.horizontal_flip));
  HOTPACK_TRY(check_probability("vertical_flip", augment.vertical_flip));
  if (augment.crop && augment.resized_crop) {
    return usage_error(
        "crop and resized_crop are both set, but each chooses the whole window; set one of them");
  }
  if (augment.crop) HOTPACK_TRY(check_size("crop", augment.crop->size));
  if (augment.resized_crop) HOTPACK_TRY(check_resized_crop(*augment.resized_crop));
  return {};
}

SampleCrop draw_crop(const Augment& augment, PixelSize record, std::uint64_t seed,
                     std::uint64_t epoch, std::uint64_t sample) {
  const RandomWords words =
      random_words(seed, epoch, static_cast<std::uint32_t>(Stream::augmentation), sample);
  const Rectangle size = {static_cast<std::uint64_t>(record.width),
                          static_cast<std::uint64_t>(record.height)};
  SampleCrop box = draw_window(augment, size, words, seed, epoch, sample);
  box.flip_horizontal = happens(augment.horizontal_flip, words[0]);
  box.flip_vertical = happens(augment.vertical_flip, words[1]);
  return box;
}

}  // namespace hotpack
