// Enums whose values are written as words in options, schemas and reports. One array per enum has
// the words; the command line, its help, schema checks and messages all use that array.
//
// Plain values and pure functions; thread-safe. Failure: an unknown word gives no value.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/fit.hpp"
#include "hotpack/schema.hpp"

namespace hotpack {

// The resampling filter for images.
enum class ImageFilter {
  automatic,  // area if both axes shrink, else linear
  linear,
  area,
  nearest,
  // triangle, cubic and lanczos shrink with antialiasing and equal BILINEAR, BICUBIC and LANCZOS of
  // Pillow 13
  triangle,
  cubic,
  lanczos,
  // the same as Pillow 12.1 and older compute them
  triangle_pillow12_1,
  cubic_pillow12_1,
  lanczos_pillow12_1,
};

// The resampling filter for class ids. Each chooses the nearest pixel, but by a different rule.
enum class LabelFilter {
  nearest,      // centered, exact: floor((2i+1)·s / (2d))
  nearest_cv,   // OpenCV's INTER_NEAREST: min(floor(i · (1.0 / (double(d) / s))), s−1)
  nearest_pil,  // Pillow's NEAREST: accumulated double steps
};

// What to do if an image and its label differ in size.
enum class SizeMismatch {
  error,
  each_to_target,  // resample the label straight to the image's place in the record
  resize_label,    // resample the label to the image's size first
  crop_min,  // crop both to the smaller width and the smaller height, from the upper left corner
};

enum class ExifPolicy { automatic, apply, ignore };

// how 16-bit samples become 8-bit ones: v >> 8, or (v * 255 + 32767) / 65535
enum class Depth16 { shift, scale };
enum class JpegScale { automatic, off };

// How the values in label files are read. `automatic` is replaced by another kind before labels are
// decoded. `rgb_id` and `instances` occur in options and presets only: decoders read the labels of
// the first as `index`, with an id computed from red, green and blue, and each mask of the second
// as `binary`; packs record both as `index`.
enum class LabelKind { automatic, color, index, palette_color, binary, rgb_id, instances };

// The kinds that decoders read and packs record.
inline constexpr std::array kDecodedKinds{LabelKind::color, LabelKind::index,
                                          LabelKind::palette_color, LabelKind::binary};

// A value, its word on the command line and in reports, and its word in packs if that differs.
template <class Enum>
struct Word {
  Enum value;
  std::string_view text;
  std::string_view packed = text;
};

template <class Enum>
inline constexpr int kWords = 0;  // no words

template <>
inline constexpr auto kWords<Fit> = std::array{
    Word<Fit>{Fit::stretch, "stretch"},     Word<Fit>{Fit::crop_or_pad, "crop-or-pad"},
    Word<Fit>{Fit::contain, "contain"},     Word<Fit>{Fit::cover, "cover"},
    Word<Fit>{Fit::long_side, "long-side"}, Word<Fit>{Fit::short_side, "short-side"},
    Word<Fit>{Fit::none, "none"},
};
template <>
inline constexpr auto kWords<Anchor> =
    std::array{Word<Anchor>{Anchor::center, "center"}, Word<Anchor>{Anchor::top_left, "top-left"}};
template <>
inline constexpr auto kWords<ImageFilter> = std::array{
    Word<ImageFilter>{ImageFilter::automatic, "auto"},
    Word<ImageFilter>{ImageFilter::linear, "linear"},
    Word<ImageFilter>{ImageFilter::area, "area"},
    Word<ImageFilter>{ImageFilter::nearest, "nearest"},
    Word<ImageFilter>{ImageFilter::triangle, "triangle"},
    Word<ImageFilter>{ImageFilter::cubic, "cubic"},
    Word<ImageFilter>{ImageFilter::lanczos, "lanczos"},
    Word<ImageFilter>{ImageFilter::triangle_pillow12_1, "triangle-pillow12.1"},
    Word<ImageFilter>{ImageFilter::cubic_pillow12_1, "cubic-pillow12.1"},
    Word<ImageFilter>{ImageFilter::lanczos_pillow12_1, "lanczos-pillow12.1"},
};
template <>
inline constexpr auto kWords<LabelFilter> =
    std::array{Word<LabelFilter>{LabelFilter::nearest, "nearest"},
               Word<LabelFilter>{LabelFilter::nearest_cv, "nearest-cv"},
               Word<LabelFilter>{LabelFilter::nearest_pil, "nearest-pil"}};
template <>
inline constexpr auto kWords<SizeMismatch> =
    std::array{Word<SizeMismatch>{SizeMismatch::error, "error"},
               Word<SizeMismatch>{SizeMismatch::resize_label, "resize-label"},
               Word<SizeMismatch>{SizeMismatch::each_to_target, "each-to-target"},
               Word<SizeMismatch>{SizeMismatch::crop_min, "crop-min"}};
template <>
inline constexpr auto kWords<ExifPolicy> = std::array{
    Word<ExifPolicy>{ExifPolicy::automatic, "auto"}, Word<ExifPolicy>{ExifPolicy::apply, "apply"},
    Word<ExifPolicy>{ExifPolicy::ignore, "ignore"}};
template <>
inline constexpr auto kWords<Depth16> =
    std::array{Word<Depth16>{Depth16::shift, "shift"}, Word<Depth16>{Depth16::scale, "scale"}};
template <>
inline constexpr auto kWords<JpegScale> = std::array{Word<JpegScale>{JpegScale::automatic, "auto"},
                                                     Word<JpegScale>{JpegScale::off, "off"}};
template <>
inline constexpr auto kWords<LabelKind> = std::array{
    Word<LabelKind>{LabelKind::automatic, "auto"},
    Word<LabelKind>{LabelKind::color, "color"},
    Word<LabelKind>{LabelKind::index, "index"},
    Word<LabelKind>{LabelKind::palette_color, "palette-color"},
    Word<LabelKind>{LabelKind::binary, "binary"},
    Word<LabelKind>{LabelKind::rgb_id, "rgb-id"},
    Word<LabelKind>{LabelKind::instances, "instances"},
};
template <>
inline constexpr auto kWords<LabelStorage> =
    std::array{Word<LabelStorage>{LabelStorage::bits, "bits"},
               Word<LabelStorage>{LabelStorage::one_hot, "one_hot", "onehot"},
               Word<LabelStorage>{LabelStorage::index, "index"}};
template <>
inline constexpr auto kWords<AxisOrder> =
    std::array{Word<AxisOrder>{AxisOrder::channels_last, "hwc"},
               Word<AxisOrder>{AxisOrder::channels_first, "chw"}};
template <>
inline constexpr auto kWords<ImageColor> = std::array{Word<ImageColor>{ImageColor::rgb, "rgb"},
                                                      Word<ImageColor>{ImageColor::gray, "gray"}};
template <>
inline constexpr auto kWords<LabelScope> = std::array{
    Word<LabelScope>{LabelScope::pixel, "pixel"}, Word<LabelScope>{LabelScope::image, "sample"}};

// Returns the entry of a value. Precondition: kWords<Enum> lists the value.
template <class Enum>
[[nodiscard]] constexpr const Word<Enum>& entry_of(Enum value) {
  for (const Word<Enum>& word : kWords<Enum>) {
    if (word.value == value) return word;
  }
  return kWords<Enum>.front();
}
template <class Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {
  return entry_of(value).text;
}
template <class Enum>
[[nodiscard]] constexpr std::string_view packed_word_of(Enum value) {
  return entry_of(value).packed;
}

// Returns the enum value that a word of the command line stands for, or nothing for an unknown
// word. For words in packs, call value_of_packed() instead.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> value_of(std::string_view text) {
  for (const Word<Enum>& word : kWords<Enum>) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> value_of_packed(std::string_view text) {
  for (const Word<Enum>& word : kWords<Enum>) {
    if (word.packed == text) return word.value;
  }
  return std::nullopt;
}

// All words of an enum as packs spell them, in the order of the array.
template <class Enum>
[[nodiscard]] constexpr auto packed_words() {
  std::array<std::string_view, kWords<Enum>.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kWords<Enum>[i].packed;
  return words;
}

}  // namespace hotpack
