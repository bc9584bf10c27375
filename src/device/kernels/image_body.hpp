// What one thread of the image kernels does: it expands packed records to the images of a batch.
// The result equals that of expand::ImageExpander bit by bit.
//
// For host and device. A block works on one row at a time: row block_y, then every grid_y-th row
// after it. Neighboring threads write neighboring vectors of 16 bytes of the output. All threads of
// a row use the same one of these methods:
//   runs     if the record has the output's order: bytes become elements one by one
//   split    if the whole record goes from [H,W,3] to [3,H,W], and all of it is aligned: vectors
//            of pixels become three vectors
//   lines    in other cases without resampling (flips, crops, padding, other orders, unaligned
//            planes): loads the bytes of a vector's pixels as one string (three strings from
//            planes to pixels), reverses it if the row is flipped, and orders it in registers
//   pixels   if resampled to [3,H,W]: makes a vector of pixels one by one; makes single pixels if
//            a plane is not a whole number of vectors
//   elements if resampled to [H,W,3] or one channel: the same with vectors of elements
// Runs and lines cut their output at addresses that are multiples of 16 bytes: vectors in the
// middle, single elements at the ends.
// A thread needs only its ThreadPlace: threads share nothing and never wait. Indices of elements
// have 64 bits. Preconditions: records begin at multiples of 64 bytes, the output at a multiple of
// 16; the window of each row lies in its record; a window that is not resampled is no larger than
// the output.
#pragma once

#include <cstdint>

#include "device/kernels/image_args.hpp"
#include "device/kernels/image_bytes.hpp"
#include "device/kernels/image_lines.hpp"
#include "device/kernels/image_pixels.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::device::image {

// How many vectors (or groups of pixels) a thread processes at the same time. With several, their
// loads from memory overlap.
inline constexpr int kRunUnroll = 4;
template <class Element>
inline constexpr int kSplitUnroll = sizeof(typename Element::Bits) == 1 ? 1 : 2;
template <class Element>
inline constexpr int kLineUnroll = sizeof(typename Element::Bits) == 1 ? 1 : 2;

// Which units of work (vectors or groups of pixels) a thread processes: first, first + step, …
// Units that it processes at the same time are block_threads apart.
struct Units {
  std::uint64_t first;
  std::uint64_t step;
};

HOTPACK_HOST_DEVICE inline Units units_of(const ThreadPlace& place, std::uint32_t at_once) {
  const std::uint64_t tile = std::uint64_t{place.block_threads} * at_once;
  return {place.block_x * tile + place.thread, place.grid_x * tile};
}

// Cuts a run of elements at addresses that are multiples of 16 bytes: single elements at the
// beginning, then vectors, then single elements.
template <class Element>
class Cuts {
 public:
  // `address` is that of the first element.
  HOTPACK_HOST_DEVICE Cuts(const void* address, std::uint64_t elements) : elements_(elements) {
    const auto before = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address) % 16 /
                                                   sizeof(typename Element::Bits));
    const std::uint32_t to_aligned = (kVector<Element> - before) % kVector<Element>;
    head_ = to_aligned < elements ? to_aligned : static_cast<std::uint32_t>(elements);
    vectors_ = (elements - head_) / kVector<Element>;
  }
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint64_t head() const { return head_; }
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint64_t vectors() const { return vectors_; }
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint64_t singles() const {
    return elements_ - vectors_ * kVector<Element>;
  }
  // The index in the run of the single element number i.
  [[nodiscard]] HOTPACK_HOST_DEVICE std::uint64_t single(std::uint64_t i) const {
    return i < head_ ? i : i + vectors_ * kVector<Element>;
  }

 private:
  std::uint64_t elements_;
  std::uint32_t head_;
  std::uint64_t vectors_;
};

// i mod 3; 2^32 mod 3 is 1.
HOTPACK_HOST_DEVICE inline std::uint32_t mod3(std::uint64_t i) {
  return (static_cast<std::uint32_t>(i) % 3 + static_cast<std::uint32_t>(i >> 32) % 3) % 3;
}

// The row that all threads of a block work on.
template <class Element>
struct Row {
  RowEntry entry;
  typename Element::Bits* to;
  std::uint64_t pixels;  // of the output
};

template <class Element>
HOTPACK_HOST_DEVICE void write_blank(const ThreadPlace& place, const Row<Element>& row,
                                     std::uint64_t elements) {
  const Cuts<Element> cuts(row.to, elements);
  const Units units = units_of(place, 1);
  for (std::uint64_t vector = units.first; vector < cuts.vectors(); vector += units.step) {
    store_vector(row.to + cuts.head() + vector * kVector<Element>, Vector{});
  }
  for (std::uint64_t i = units.first; i < cuts.singles(); i += units.step)
    row.to[cuts.single(i)] = 0;
}

// Converts consecutive bytes of the record to a run of elements. They all belong to one channel or,
// with kInTurn, to the three channels in turn.
template <class Element, bool kInTurn>
class Run {
 public:
  static constexpr int kElements = kVector<Element>;
  using Bits = typename Element::Bits;

  HOTPACK_HOST_DEVICE Run(const ImageArgs& args, const std::uint8_t* from, Bits* to,
                          std::uint64_t elements, std::uint32_t channel)
      : args_(args), from_(from), to_(to), channel_(channel), cuts_(to, elements) {}

  HOTPACK_HOST_DEVICE void write(const ThreadPlace& place) const {
    const bool aligned = reinterpret_cast<std::uintptr_t>(from_ + cuts_.head()) % kElements == 0;
    const Units units = units_of(place, kRunUnroll);
    for (std::uint64_t unit = units.first; unit < cuts_.vectors(); unit += units.step)
      write_vectors(unit, place.block_threads, aligned);
    const Units singles = units_of(place, 1);
    for (std::uint64_t i = singles.first; i < cuts_.singles(); i += singles.step)
      write_single(cuts_.single(i));
  }

 private:
  HOTPACK_HOST_DEVICE void write_vectors(std::uint64_t vector, std::uint32_t apart,
                                         bool aligned) const {
    Bytes<kElements> bytes[std::size_t{kRunUnroll}];
    const std::uint64_t first = cuts_.head() + vector * kElements;
    const std::uint64_t step = std::uint64_t{apart} * kElements;
    HOTPACK_UNROLL
    for (int u = 0; u < kRunUnroll; ++u) {
      if (vector + static_cast<std::uint64_t>(u) * apart >= cuts_.vectors()) continue;
      const std::uint8_t* const from = from_ + first + static_cast<std::uint64_t>(u) * step;
      bytes[u] = aligned ? load_aligned<kElements>(from) : load_anywhere<kElements>(from);
    }
    HOTPACK_UNROLL
    for (int u = 0; u < kRunUnroll; ++u) {
      if (vector + static_cast<std::uint64_t>(u) * apart >= cuts_.vectors()) continue;
      const std::uint64_t element = first + static_cast<std::uint64_t>(u) * step;
      const Channels channels =
          kInTurn ? channels_from(args_, mod3(element)) : one_channel(args_, channel_);
      store_vector(to_ + element, converted<Element, 0, 1>(args_, bytes[u], channels));
    }
  }

  HOTPACK_HOST_DEVICE void write_single(std::uint64_t element) const {
    to_[element] = converted_byte<Element>(args_, load_byte(from_ + element),
                                           kInTurn ? mod3(element) : channel_);
  }

  const ImageArgs& args_;
  const std::uint8_t* from_;
  Bits* to_;
  std::uint32_t channel_;
  Cuts<Element> cuts_;
};

// Writes a row whose bytes in the record, from `from` on, are in the output's order.
template <class Element, bool kPlanes>
HOTPACK_HOST_DEVICE void write_run(const ImageArgs& args, const ThreadPlace& place,
                                   const Row<Element>& row, const std::uint8_t* from) {
  if (args.channels == 1)
    return Run<Element, false>(args, from, row.to, row.pixels, 0).write(place);
  if constexpr (kPlanes) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      Run<Element, false>(args, from + c * row.pixels, row.to + c * row.pixels, row.pixels, c)
          .write(place);
    }
  } else {
    Run<Element, true>(args, from, row.to, 3 * row.pixels, 0).write(place);
  }
}

// Converts kVector interleaved pixels to three vectors of elements, one per plane. The planes are
// `pixels` elements apart.
template <class Element>
HOTPACK_HOST_DEVICE void store_split(const ImageArgs& args,
                                     const Bytes<3 * kVector<Element>>& bytes,
                                     typename Element::Bits* to, std::uint64_t pixels) {
  store_vector(to, converted<Element, 0, 3>(args, bytes, one_channel(args, 0)));
  store_vector(to + pixels, converted<Element, 1, 3>(args, bytes, one_channel(args, 1)));
  store_vector(to + 2 * pixels, converted<Element, 2, 3>(args, bytes, one_channel(args, 2)));
}

// Converts interleaved pixels to planes. Precondition: record and output are aligned, and a plane
// is a whole number of vectors.
template <class Element>
HOTPACK_HOST_DEVICE void write_split(const ImageArgs& args, const ThreadPlace& place,
                                     const Row<Element>& row, const std::uint8_t* from) {
  constexpr int kPixels = kVector<Element>;
  const std::uint64_t groups = row.pixels / kPixels;
  const Units units = units_of(place, kSplitUnroll<Element>);
  for (std::uint64_t group = units.first; group < groups; group += units.step) {
    Bytes<3 * kPixels> bytes[std::size_t{kSplitUnroll<Element>}];
    HOTPACK_UNROLL
    for (int u = 0; u < kSplitUnroll<Element>; ++u) {
      const std::uint64_t pixel =
          (group + static_cast<std::uint64_t>(u) * place.block_threads) * kPixels;
      if (pixel < row.pixels) bytes[u] = load_aligned<3 * kPixels>(from + 3 * pixel);
    }
    HOTPACK_UNROLL
    for (int u = 0; u < kSplitUnroll<Element>; ++u) {
      const std::uint64_t pixel =
          (group + static_cast<std::uint64_t>(u) * place.block_threads) * kPixels;
      if (pixel < row.pixels) store_split<Element>(args, bytes[u], row.to + pixel, row.pixels);
    }
  }
}

// A source of elements for a plane of channel c: element i comes from pixel i. If the channel has
// its own plane in the record, or is the only channel, kPixelBytes is 1. If the record has three
// channels in turn, kPixelBytes is 3; then all three are loaded.
template <class Element, int kPixelBytes>
class PlaneOfLines {
 public:
  static constexpr int kElements = kVector<Element>,
                       kAtOnce = kPixelBytes == 1 ? kLineUnroll<Element> : 1;
  using Pixels = Neighbors<kElements, kPixelBytes>;

  HOTPACK_HOST_DEVICE PlaneOfLines(const ImageArgs& args, const Lines& lines, std::uint32_t c)
      : args_(args), lines_(lines), c_(c) {}

  HOTPACK_HOST_DEVICE void locate(Pixels& pixels, std::uint64_t element) const {
    pixels.locate(lines_, lines_.template place_of<1>(element), kPixelBytes == 1 ? c_ : 0);
  }
  HOTPACK_HOST_DEVICE void load(Pixels& pixels) const { pixels.load(lines_); }
  HOTPACK_HOST_DEVICE Vector vector(Pixels& pixels) const {
    pixels.finish(lines_);
    const auto bytes =
        without_first<kPixelBytes * kElements>(pixels.strings()[0], kPixelBytes == 1 ? 0 : c_);
    return converted<Element, 0, kPixelBytes>(args_, bytes, one_channel(args_, c_));
  }
  HOTPACK_HOST_DEVICE typename Element::Bits single(std::uint64_t element) const {
    const Place place = lines_.template place_of<1>(element);
    const std::uint32_t byte = lines_.template byte_at<kPixelBytes>(
        place, kPixelBytes == 1 ? c_ : 0, kPixelBytes == 1 ? 0 : c_);
    return converted_byte<Element>(args_, byte, c_);
  }

 private:
  const ImageArgs& args_;
  const Lines& lines_;
  std::uint32_t c_;
};

// A source of elements for output with three channels in turn. The record has kPlanes planes (1 or
// 3). Loads whole pixels, then drops the bytes before the first element that is needed.
template <class Element, int kPlanes>
class PixelsOfLines {
 public:
  static constexpr int kElements = kVector<Element>, kPixels = (kElements + 2 + 2) / 3,
                       kAtOnce = kPlanes == 1 ? kLineUnroll<Element> : 1;
  using Pixels = Neighbors<kPixels, 3 / kPlanes, kPlanes>;

  HOTPACK_HOST_DEVICE PixelsOfLines(const ImageArgs& args, const Lines& lines)
      : args_(args), lines_(lines) {}

  HOTPACK_HOST_DEVICE void locate(Pixels& pixels, std::uint64_t element) const {
    pixels.locate(lines_, lines_.template place_of<3>(element), 0);
  }
  HOTPACK_HOST_DEVICE void load(Pixels& pixels) const { pixels.load(lines_); }
  HOTPACK_HOST_DEVICE Vector vector(Pixels& pixels) const {
    pixels.finish(lines_);
    const Bytes<kElements> bytes = without_first<kElements>(in_turn(pixels), pixels.channel());
    return converted<Element, 0, 1>(args_, bytes, channels_from(args_, pixels.channel()));
  }
  HOTPACK_HOST_DEVICE typename Element::Bits single(std::uint64_t element) const {
    const Place place = lines_.template place_of<3>(element);
    const std::uint32_t byte = lines_.template byte_at<3 / kPlanes>(
        place, kPlanes == 3 ? place.c : 0, kPlanes == 3 ? 0 : place.c);
    return converted_byte<Element>(args_, byte, place.c);
  }

 private:
  HOTPACK_HOST_DEVICE static Padded<3 * kPixels> in_turn(const Pixels& pixels) {
    if constexpr (kPlanes == 1) {
      return pixels.strings()[0];
    } else {
      return woven<kPixels>(pixels.strings());
    }
  }

  const ImageArgs& args_;
  const Lines& lines_;
};

// Writes a run of elements from such a source.
template <class Element, class Source>
HOTPACK_HOST_DEVICE void write_line_run(const ThreadPlace& place, typename Element::Bits* to,
                                        std::uint64_t elements, const Source& source) {
  constexpr int kAtOnce = Source::kAtOnce;
  const Cuts<Element> cuts(to, elements);
  const Units units = units_of(place, kAtOnce);
  for (std::uint64_t unit = units.first; unit < cuts.vectors(); unit += units.step) {
    typename Source::Pixels pixels[std::size_t{kAtOnce}];
    const auto vector = [&](int u) {
      return unit + static_cast<std::uint64_t>(u) * place.block_threads;
    };
    const auto element = [&](int u) { return cuts.head() + vector(u) * kVector<Element>; };
    HOTPACK_UNROLL
    for (int u = 0; u < kAtOnce; ++u) {
      if (vector(u) < cuts.vectors()) source.locate(pixels[u], element(u));
    }
    HOTPACK_UNROLL
    for (int u = 0; u < kAtOnce; ++u) source.load(pixels[u]);
    HOTPACK_UNROLL
    for (int u = 0; u < kAtOnce; ++u) {
      if (vector(u) < cuts.vectors()) store_vector(to + element(u), source.vector(pixels[u]));
    }
  }
  const Units singles = units_of(place, 1);
  for (std::uint64_t i = singles.first; i < cuts.singles(); i += singles.step)
    to[cuts.single(i)] = source.single(cuts.single(i));
}

// Converts interleaved pixels to planes that are a whole number of vectors. The vectors of all
// three planes then begin at the same pixels, so the bytes of these pixels are loaded only once.
template <class Element>
HOTPACK_HOST_DEVICE void split_lines(const ImageArgs& args, const ThreadPlace& place,
                                     const Row<Element>& row, const Lines& lines) {
  constexpr int kPixels = kVector<Element>;
  const Units units = units_of(place, 1);
  for (std::uint64_t vector = units.first; vector < row.pixels / kPixels; vector += units.step) {
    Neighbors<kPixels, 3> pixels;
    pixels.locate(lines, lines.template place_of<1>(vector * kPixels), 0);
    pixels.load(lines);
    pixels.finish(lines);
    store_split<Element>(args, pixels.strings()[0], row.to + vector * kPixels, row.pixels);
  }
}

// Converts pixels to planes, one plane after the other, because the planes may be aligned
// differently. After the first plane, the bytes of the record are in the cache.
template <class Element, int kPixelBytes>
HOTPACK_HOST_DEVICE void write_line_planes(const ImageArgs& args, const ThreadPlace& place,
                                           const Row<Element>& row, const Lines& lines) {
  const std::uint32_t channels = args.channels == 1 ? 1 : 3;
  HOTPACK_KEEP_LOOP
  for (std::uint32_t c = 0; c < channels; ++c) {
    write_line_run<Element>(place, row.to + c * row.pixels, row.pixels,
                            PlaneOfLines<Element, kPixelBytes>(args, lines, c));
  }
}

// Writes a row that is not resampled, from any order to any order.
template <class Element, bool kPlanes>
HOTPACK_HOST_DEVICE void write_lines(const ImageArgs& args, const ThreadPlace& place,
                                     const Row<Element>& row) {
  const Lines lines(args, row.entry, row.pixels);
  const bool from_planes = args.source_planes != 0;
  if (args.channels == 1 || (kPlanes && from_planes)) {
    write_line_planes<Element, 1>(args, place, row, lines);
  } else if constexpr (kPlanes) {
    if (row.pixels % kVector<Element> == 0) return split_lines<Element>(args, place, row, lines);
    write_line_planes<Element, 3>(args, place, row, lines);
  } else if (from_planes) {
    write_line_run<Element>(place, row.to, 3 * row.pixels, PixelsOfLines<Element, 3>(args, lines));
  } else {
    write_line_run<Element>(place, row.to, 3 * row.pixels, PixelsOfLines<Element, 1>(args, lines));
  }
}

// Takes the next kPixels pixels, and separates their channels.
template <int kPixels, class Source>
HOTPACK_HOST_DEVICE void take_planes(Walk<Source>& walk, Bytes<kPixels> (&planes)[3]) {
  HOTPACK_KEEP_LOOP
  for (int group = 0; group < kPixels / 4; ++group) {
    std::uint32_t word[3] = {};
    HOTPACK_UNROLL_FOR_SOURCE
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t pixel = walk.next();
      HOTPACK_UNROLL
      for (int c = 0; c < 3; ++c)
        word[c] = choose_bytes(word[c], pixel, 0x4321 + (static_cast<std::uint32_t>(c) << 12));
    }
    HOTPACK_UNROLL
    for (int c = 0; c < 3; ++c) append_word(planes[c], word[c]);
  }
}

// Writes resampled pixels to three planes.
template <class Element, class Source>
HOTPACK_HOST_DEVICE void write_planes(const ImageArgs& args, const ThreadPlace& place,
                                      const Row<Element>& row, Walk<Source> walk) {
  constexpr int kPixels = kVector<Element>;
  const Units units = units_of(place, 1);
  if (row.pixels % kPixels != 0) {
    for (std::uint64_t pixel = units.first; pixel < row.pixels; pixel += units.step) {
      walk.seek(pixel);
      const std::uint32_t bytes = walk.next();
      HOTPACK_UNROLL
      for (std::uint32_t c = 0; c < 3; ++c)
        row.to[pixel + c * row.pixels] = converted_byte<Element>(args, bytes >> 8 * c & 0xFF, c);
    }
    return;
  }
  for (std::uint64_t group = units.first; group < row.pixels / kPixels; group += units.step) {
    Bytes<kPixels> planes[3];
    walk.seek(group * kPixels);
    take_planes(walk, planes);
    HOTPACK_UNROLL
    for (std::uint32_t c = 0; c < 3; ++c) {
      store_vector(row.to + group * kPixels + c * row.pixels,
                   converted<Element, 0, 1>(args, planes[c], one_channel(args, c)));
    }
  }
}

// Returns kElements bytes of an interleaved output, from `element` on.
template <int kElements, int kChannels, class Source>
HOTPACK_HOST_DEVICE Bytes<kElements> take_elements(Walk<Source>& walk, std::uint64_t element) {
  Bytes<kElements> bytes;
  if constexpr (kChannels == 1) {
    walk.seek(element);
    HOTPACK_KEEP_LOOP
    for (int group = 0; group < kElements / 4; ++group) {
      std::uint32_t word = 0;
      HOTPACK_UNROLL_FOR_SOURCE
      for (int i = 0; i < 4; ++i) word = choose_bytes(word, walk.next(), 0x4321);
      append_word(bytes, word);
    }
  } else {
    // The elements of a vector may begin and end within a pixel. So the whole pixels that contain
    // them are collected at the end of a string of words, and then the bytes from the first element
    // on are taken.
    constexpr int kPixels = (kElements + 2 + 2) / 3, kWords = (3 * kPixels + 3) / 4;
    const std::uint64_t pixel = element / 3;
    const auto unwanted = static_cast<std::uint32_t>(element - 3 * pixel);
    Bytes<4 * kWords> whole;
    walk.seek(pixel);
    HOTPACK_UNROLL_FOR_SOURCE
    for (int i = 0; i < kPixels; ++i) append_pixel(whole, walk.next());
    HOTPACK_UNROLL
    for (int i = 0; i < kElements / 4; ++i) {
      bytes.word[i] =
          shifted(whole.word[i], whole.word[i + 1], 8 * (4 * kWords - 3 * kPixels + unwanted));
    }
  }
  return bytes;
}

// Writes resampled pixels with interleaved channels, or with one channel.
template <class Element, int kChannels, class Source>
HOTPACK_HOST_DEVICE void write_elements(const ImageArgs& args, const ThreadPlace& place,
                                        const Row<Element>& row, Walk<Source> walk) {
  constexpr int kElements = kVector<Element>;
  const Cuts<Element> cuts(row.to, kChannels * row.pixels);
  const Units units = units_of(place, 1);
  for (std::uint64_t vector = units.first; vector < cuts.vectors(); vector += units.step) {
    const std::uint64_t element = cuts.head() + vector * kElements;
    const Bytes<kElements> bytes = take_elements<kElements, kChannels>(walk, element);
    const Channels channels =
        kChannels == 1 ? one_channel(args, 0) : channels_from(args, mod3(element));
    store_vector(row.to + element, converted<Element, 0, 1>(args, bytes, channels));
  }
  for (std::uint64_t i = units.first; i < cuts.singles(); i += units.step) {
    const std::uint64_t element = cuts.single(i);
    const std::uint32_t c = kChannels == 1 ? 0 : mod3(element);
    walk.seek(kChannels == 1 ? element : element / 3);
    row.to[element] = converted_byte<Element>(args, walk.next() >> 8 * c & 0xFF, c);
  }
}

template <class Element, bool kPlanes, int kChannels, class Source>
HOTPACK_HOST_DEVICE void write_from(const ImageArgs& args, const ThreadPlace& place,
                                    const Row<Element>& row, const Window& window) {
  const Walk<Source> walk(args, row.entry, window);
  if constexpr (kPlanes && kChannels == 3) {
    write_planes<Element>(args, place, row, walk);
  } else {
    write_elements<Element, kChannels>(args, place, row, walk);
  }
}

template <class Element, bool kPlanes, int kChannels>
HOTPACK_HOST_DEVICE void write_resampled(const ImageArgs& args, const ThreadPlace& place,
                                         const Row<Element>& row) {
  const Window window = window_of(args, row.entry);
  if (window.width == 2 * std::int64_t{args.width} &&
      window.height == 2 * std::int64_t{args.height}) {
    write_from<Element, kPlanes, kChannels, Halved<kChannels>>(args, place, row, window);
  } else {
    write_from<Element, kPlanes, kChannels, Linear<kChannels>>(args, place, row, window);
  }
}

HOTPACK_HOST_DEVICE inline bool is_resampled(const ImageArgs& args, const RowEntry& entry) {
  return (entry.flags & kRowResample) != 0 &&
         (entry.width != args.width || entry.height != args.height);
}

template <class Element, bool kPlanes>
HOTPACK_HOST_DEVICE void write_row(const ImageArgs& args, const ThreadPlace& place,
                                   const Row<Element>& row) {
  const std::uint32_t channels = args.channels == 1 ? 1 : 3;
  if ((row.entry.flags & kRowValid) == 0) return write_blank(place, row, channels * row.pixels);
  const bool from_planes = args.source_planes != 0;
  if (is_straight(args, row.entry)) {
    const std::uint64_t line_bytes =
        std::uint64_t{static_cast<std::uint32_t>(args.width)} * (from_planes ? 1 : channels);
    const std::uint8_t* const from =
        args.records + row.entry.image + static_cast<std::uint32_t>(row.entry.y) * line_bytes;
    if (channels == 1 || from_planes == kPlanes)
      return write_run<Element, kPlanes>(args, place, row, from);
    if constexpr (kPlanes) {
      const bool aligned =
          (reinterpret_cast<std::uintptr_t>(from) | row.pixels) % kVector<Element> == 0;
      if (aligned) return write_split(args, place, row, from);
    }
  }
  if (!is_resampled(args, row.entry)) return write_lines<Element, kPlanes>(args, place, row);
  if (channels == 1) return write_resampled<Element, kPlanes, 1>(args, place, row);
  write_resampled<Element, kPlanes, 3>(args, place, row);
}

}  // namespace hotpack::device::image

namespace hotpack::device {

// The body of the kernels. kPlanes: the output is [channels,height,width].
template <class Element, bool kPlanes>
HOTPACK_HOST_DEVICE void expand_images(const ImageArgs& args, const ThreadPlace& place) {
  const std::uint64_t pixels = std::uint64_t{static_cast<std::uint32_t>(args.width)} *
                               static_cast<std::uint32_t>(args.height);
  for (std::uint64_t row = place.block_y; row < args.row_count; row += place.grid_y) {
    std::uint8_t* const to = static_cast<std::uint8_t*>(args.out) + row * args.row_bytes;
    image::write_row<Element, kPlanes>(
        args, place, {args.rows[row], reinterpret_cast<typename Element::Bits*>(to), pixels});
  }
}

}  // namespace hotpack::device
