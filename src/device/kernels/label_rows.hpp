// Finds the pixels of a batch row in its record, and reads the classes of a stored pixel, for each
// kind of storage: ids, bits or channels (one byte per class).
//
// Pure functions for host and device. A stored value that is not allowed counts as no class, and
// never leads to a read outside the label's block. Whole aligned words of the block (a multiple of
// kBlockAlignment) may be read.
#pragma once

#include <cstdint>
#include <cstring>

#include "device/kernels/label_args.hpp"
#include "device/kernels/portable.hpp"

// Put HOTPACK_UNROLL before loops that the device must unroll, so that the arrays in them stay in
// registers. Put HOTPACK_ROLL before loops that would be too large if unrolled.
#if defined(__CUDA_ARCH__)
#define HOTPACK_UNROLL _Pragma("unroll")
#define HOTPACK_ROLL _Pragma("unroll 1")
#else
#define HOTPACK_UNROLL
#define HOTPACK_ROLL
#endif

namespace hotpack::device {

// Traps on the host if the address is misaligned, because a device would fail.
template <std::size_t kBytes>
HOTPACK_HOST_DEVICE inline void expect_aligned([[maybe_unused]] const std::uint8_t* at) {
#if !defined(__CUDA_ARCH__)
  if (reinterpret_cast<std::uintptr_t>(at) % kBytes != 0) __builtin_trap();
#endif
}

// Loads a value through the device's read-only cache: records do not change while a kernel runs.
template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline T load_record(const std::uint8_t* at) {
#if defined(__CUDA_ARCH__)
  return __ldg(reinterpret_cast<const T*>(at));
#else
  expect_aligned<sizeof(T)>(at);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
#endif
}

// The index of the lowest bit that is 1. Precondition: word is not 0.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t lowest_bit(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(word)) - 1);
#else
  return static_cast<std::uint32_t>(__builtin_ctz(word));
#endif
}

// A word whose lowest `count` bits are 1. Precondition: 1 ≤ count ≤ 32.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t low_bits(std::uint32_t count) {
  return ~std::uint32_t{0} >> (32 - count);
}

[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t smaller(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

// Loads `count` (1 … 4) bytes from any address. Reads the one or two aligned words that contain
// them. The upper bytes of the result are zeros.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t load_bytes(const std::uint8_t* at,
                                                                  std::uint32_t count) {
  const auto offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) % 4);
  const std::uint8_t* const aligned = at - offset;
  std::uint64_t words = load_record<std::uint32_t>(aligned);
  if (offset + count > 4) words |= std::uint64_t{load_record<std::uint32_t>(aligned + 4)} << 32;
  return static_cast<std::uint32_t>(words >> 8 * offset) & low_bits(8 * count);
}

// 0x01 in each byte of `word` that is not 0.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t bytes_set(std::uint32_t word) {
  constexpr std::uint32_t kLow = 0x7F7F7F7F;
  return (((word & kLow) + kLow) | word) >> 7 & 0x01010101;
}

// Gathers the four bytes of bytes_set() in bits 0 … 3.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t join_bytes(std::uint32_t set) {
  return set * 0x10204080U >> 28;
}

// The pixels of the label of a batch row: where those that come from the record are. A row that the
// record contains unchanged counts as a single line of any length. A row without a sample counts as
// a single line of padding.
struct LabelRow {
  const std::uint8_t* window = nullptr;  // its first pixel in the record
  std::int64_t pitch = 0;                // bytes between the record's lines
  std::uint64_t shown_width = 0;         // of the window; of one line all pixels, or none
  std::uint32_t shown_height = 0;
  std::uint32_t flags = 0;  // of RowEntry
  bool one_line = true;
};

[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t pixels_of(const LabelArgs& args) {
  return static_cast<std::uint64_t>(args.width) * static_cast<std::uint64_t>(args.height);
}

[[nodiscard]] HOTPACK_HOST_DEVICE inline LabelRow label_row(const LabelArgs& args,
                                                            std::uint32_t index) {
  LabelRow row;
  const RowEntry& entry = args.rows[index];
  if ((entry.flags & kRowValid) == 0) return row;
  row.window = args.records + entry.label;
  row.shown_width = pixels_of(args);
  row.shown_height = 1;
  if (args.sample_kind != 0) return row;
  const bool fills = entry.width == args.width && entry.height == args.height;
  row.pitch = std::int64_t{entry.record_width} * args.vector_bytes;
  row.window += entry.y * row.pitch + std::int64_t{entry.x} * args.vector_bytes;
  row.flags = entry.flags & (kRowFlipHorizontal | kRowFlipVertical | (fills ? 0 : kRowResample));
  if (fills && row.flags == 0 && (args.width == entry.record_width || args.height == 1)) return row;
  row.one_line = false;
  row.shown_width = static_cast<std::uint64_t>(entry.width);
  row.shown_height = static_cast<std::uint32_t>(entry.height);
  return row;
}

inline constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

// Returns which source pixel belongs at position `at` of an output line (or column) of `wanted`
// pixels; the source has `given` pixels. With `resample`, this is ⌊(2·at + 1) · given / (2 ·
// wanted)⌋. (The code halves dividend and divisor, and rounds the dividend down, which gives the
// same quotient.) Otherwise it is `at` itself, or kNoPlace if there is no such pixel. With `flip`,
// the output is mirrored.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t source_place(std::uint32_t at,
                                                                    std::uint32_t wanted,
                                                                    std::uint64_t reciprocal,
                                                                    std::uint32_t given,
                                                                    bool resample, bool flip) {
  if (flip) at = wanted - 1 - at;
  if (resample)
    return static_cast<std::uint32_t>(
        divide((2 * std::uint64_t{at} + 1) * given >> 1, wanted, reciprocal));
  return at < given ? at : kNoPlace;
}

[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t source_column(const LabelArgs& args,
                                                                     const LabelRow& row,
                                                                     std::uint32_t x) {
  return source_place(x, static_cast<std::uint32_t>(args.width), args.width_reciprocal,
                      static_cast<std::uint32_t>(row.shown_width), (row.flags & kRowResample) != 0,
                      (row.flags & kRowFlipHorizontal) != 0);
}

[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t source_line(const LabelArgs& args,
                                                                   const LabelRow& row,
                                                                   std::uint32_t y) {
  return source_place(y, static_cast<std::uint32_t>(args.height), args.height_reciprocal,
                      row.shown_height, (row.flags & kRowResample) != 0,
                      (row.flags & kRowFlipVertical) != 0);
}

[[nodiscard]] HOTPACK_HOST_DEVICE inline const std::uint8_t* stored_at(const LabelArgs& args,
                                                                       const LabelRow& row,
                                                                       std::uint32_t column,
                                                                       std::uint32_t line) {
  return row.window + line * row.pitch + std::int64_t{column} * args.vector_bytes;
}

// The position of an output pixel. The template parameter Number of the functions below is
// std::uint32_t if it can count all elements of a batch row, else std::uint64_t.
struct PixelPlace {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline PixelPlace place_of(const LabelArgs& args, Number pixel) {
  const auto width = static_cast<std::uint32_t>(args.width);
  const Number y = divide(pixel, width, args.width_reciprocal);
  return {static_cast<std::uint32_t>(pixel - y * width), static_cast<std::uint32_t>(y)};
}

template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline const std::uint8_t* stored_in_line(const LabelArgs& args,
                                                                            const LabelRow& row,
                                                                            Number pixel) {
  return row.window +
         static_cast<std::uint64_t>(pixel) * static_cast<std::uint32_t>(args.vector_bytes);
}

// The stored vector of an output pixel; null where the output is padding.
template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline const std::uint8_t* find_pixel(const LabelArgs& args,
                                                                        const LabelRow& row,
                                                                        Number pixel) {
  if (row.one_line)
    return pixel < static_cast<Number>(row.shown_width) ? stored_in_line(args, row, pixel)
                                                        : nullptr;
  const PixelPlace place = place_of(args, pixel);
  const std::uint32_t column = source_column(args, row, place.x),
                      line = source_line(args, row, place.y);
  return column == kNoPlace || line == kNoPlace ? nullptr : stored_at(args, row, column, line);
}

// Neighbors in an output that are neighbors in the record too, in the same or in reverse order.
struct PixelRun {
  const std::uint8_t* first = nullptr;  // null: they are not, or not known to be
  std::int64_t step = 0;
};

// Finds the run of `count` pixels from `pixel` on. Precondition: the output has all of them.
template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline PixelRun find_run(const LabelArgs& args,
                                                           const LabelRow& row, Number pixel,
                                                           std::uint32_t count) {
  const std::int64_t step = args.vector_bytes;
  if (row.one_line)
    return {row.shown_width != 0 ? stored_in_line(args, row, pixel) : nullptr, step};
  if ((row.flags & kRowResample) != 0) return {};
  const PixelPlace place = place_of(args, pixel);
  const std::uint32_t line = source_line(args, row, place.y);
  if (static_cast<std::uint32_t>(args.width) - place.x < count || line == kNoPlace) return {};
  const std::uint32_t first = source_column(args, row, place.x),
                      last = source_column(args, row, place.x + count - 1);
  if (first == kNoPlace || last == kNoPlace) return {};
  return {stored_at(args, row, first, line), (row.flags & kRowFlipHorizontal) != 0 ? -step : step};
}

// Calls a function for each of kCount output pixels, from `pixel` on, with its stored vector. If
// the pixels are a run in the record, calls set(i, vector). Otherwise calls push(vector) for one
// pixel after the other, in a loop that is not unrolled: unrolled, the code that searches the
// pixels would be kCount times as large.
template <std::uint32_t kCount, class Number, class Set, class Push>
HOTPACK_HOST_DEVICE inline void for_pixels(const LabelArgs& args, const LabelRow& row, Number pixel,
                                           const Set& set, const Push& push) {
  if (const PixelRun run = find_run(args, row, pixel, kCount); run.first != nullptr) {
    HOTPACK_UNROLL
    for (std::uint32_t i = 0; i < kCount; ++i)
      set(i, run.first + static_cast<std::int64_t>(i) * run.step);
  } else {
    HOTPACK_ROLL
    for (std::uint32_t i = 0; i < kCount; ++i) push(find_pixel(args, row, pixel + i));
  }
}

// Returns the lowest class of a stored vector (kStored is its storage), or args.classes if it has
// none. A null vector means padding, which has no class.
template <std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t id_of(const LabelArgs& args,
                                                             const std::uint8_t* vector) {
  const auto classes = static_cast<std::uint32_t>(args.classes);
  if (vector == nullptr) return classes;
  if constexpr (kStored == kStoredIndex) {
    return smaller(classes, args.vector_bytes == 1 ? load_record<std::uint8_t>(vector)
                                                   : load_record<std::uint16_t>(vector));
  }
  const auto bytes = static_cast<std::uint32_t>(args.vector_bytes);
  for (std::uint32_t at = 0; at < bytes; at += 4) {
    const std::uint32_t word = load_bytes(vector + at, smaller(4, bytes - at));
    if (word == 0) continue;
    // A bit beyond the last class can only be in the last byte, so no class follows it.
    return kStored == kStoredBits ? smaller(classes, 8 * at + lowest_bit(word))
                                  : at + lowest_bit(word) / 8;
  }
  return classes;
}

// The classes 8·group … 8·group + 7 of a stored vector, as bits 0 … 7.
template <std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t bits_of(const LabelArgs& args,
                                                               const std::uint8_t* vector,
                                                               std::uint32_t group) {
  if (vector == nullptr) return 0;
  const std::uint32_t count = smaller(8, static_cast<std::uint32_t>(args.classes) - 8 * group);
  if constexpr (kStored == kStoredBits)
    return load_record<std::uint8_t>(vector + group) & low_bits(count);
  if constexpr (kStored == kStoredIndex) {
    const std::uint32_t id = id_of<kStored>(args, vector) - 8 * group;
    return id < count ? 1U << id : 0;
  }
  vector += 8 * static_cast<std::size_t>(group);
  const std::uint32_t low = join_bytes(bytes_set(load_bytes(vector, smaller(4, count))));
  return count <= 4 ? low : low | join_bytes(bytes_set(load_bytes(vector + 4, count - 4))) << 4;
}

// Up to 16 classes of a vector, from class `first` on, as bits. Bits beyond the last class are 0.
template <std::int32_t kStored, std::uint32_t kMost>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t classes_from(const LabelArgs& args,
                                                                    const std::uint8_t* vector,
                                                                    std::uint32_t first,
                                                                    std::uint32_t count) {
  if (first >= static_cast<std::uint32_t>(args.classes)) return 0;
  count = smaller(count, static_cast<std::uint32_t>(args.classes) - first);
  if constexpr (kStored == kStoredBits) {
    return load_bytes(vector + first / 8, (first % 8 + count + 7) / 8) >> first % 8 &
           low_bits(count);
  }
  std::uint32_t bits = 0;
  HOTPACK_UNROLL
  for (std::uint32_t i = 0; i < kMost; i += 4) {
    if (i < count)
      bits |= join_bytes(bytes_set(load_bytes(vector + first + i, smaller(4, count - i)))) << i;
  }
  return bits;
}

// Returns `count` channels of one_hot, from channel `first` on, as bits. Preconditions: count ≤
// kMost ≤ 16; first + count ≤ args.channels.
template <std::int32_t kStored, std::uint32_t kMost>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t channels_from(const LabelArgs& args,
                                                                     const std::uint8_t* vector,
                                                                     std::uint32_t first,
                                                                     std::uint32_t count) {
  const auto classes = static_cast<std::uint32_t>(args.classes);
  if constexpr (kStored == kStoredIndex) {
    const std::uint32_t at =
        id_of<kStored>(args, vector) - first;  // the ignored channel follows the last class
    return at < count ? 1U << at : 0;
  }
  std::uint32_t bits =
      vector == nullptr ? 0 : classes_from<kStored, kMost>(args, vector, first, count);
  const bool to_ignored = first + count > classes;
  if (to_ignored && bits == 0 && id_of<kStored>(args, vector) == classes)
    bits = 1U << (classes - first);
  return bits;
}

}  // namespace hotpack::device
