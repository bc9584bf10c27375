// The argument of all kernels, and the body that they share: code that compiles for the device and
// for the host, where tests compare it with `expand`.
//
// A body depends on a Row, which finds and converts pixels: image.hpp and label.hpp have them.
// Fused multiply-add is used only where std::fma is written (nvcc runs with --fmad=false, the host
// compiler with -ffp-contract=off). After unrolling, all indices of arrays are constants, so no
// kernel needs a stack.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "loader/row_entry.hpp"

#if defined(__CUDACC__)
#define HOTPACK_DEVICE __host__ __device__ inline
#define HOTPACK_UNROLL _Pragma("unroll")
#define HOTPACK_ROLL _Pragma("unroll 1")
#else
#define HOTPACK_DEVICE inline
#define HOTPACK_UNROLL
#define HOTPACK_ROLL
#endif

namespace hotpack::device {

using loader::RowEntry, loader::kRowValid, loader::kRowFlipHorizontal, loader::kRowFlipVertical,
    loader::kRowResample;

inline constexpr std::int32_t kStoredBits = 0, kStoredOneHot = 1, kStoredIndex = 2;

struct KernelArgs {
  const RowEntry* rows = nullptr;         // row_count entries
  const std::uint8_t* records = nullptr;  // base address of RowEntry::image and RowEntry::label
  void* out = nullptr;                    // row_count rows of row_bytes, aligned to 16 bytes
  std::uint64_t row_bytes = 0;
  std::uint32_t row_count = 0;
  std::int32_t width = 0, height = 0;  // of the output; 1x1 for labels of whole images
  std::int32_t channels = 1;           // elements per pixel of the output
  std::uint64_t width_reciprocal = 0, height_reciprocal = 0, channel_reciprocal = 0;
  // Images.
  std::int32_t source_planes = 0;                       // 1: records are [channels,height,width]
  float mean[3] = {}, std[3] = {}, reciprocal[3] = {};  // 1 / std
  // Labels.
  std::uint32_t one = 1;          // the bits of a one of the output's type
  std::int64_t ignore_index = 0;  // of ids
  std::int32_t storage = kStoredBits;
  std::int32_t vector_bytes = 0;  // of a stored pixel
  std::int32_t classes = 0;
  std::int32_t of_image = 0;  // 1: labels of whole images, which have no windows and flips
};

// The position of the running thread in a launch.
struct ThreadPlace {
  std::uint32_t thread = 0, block_threads = 1, block_x = 0, block_y = 0, grid_x = 1, grid_y = 1;
};

// Returns ⌊(2^64 − 1) / divisor⌋, for divide().
HOTPACK_DEVICE std::uint64_t reciprocal_of(std::uint32_t divisor) {
  return ~std::uint64_t{0} / divisor;
}

// Returns ⌊dividend / divisor⌋. The upper half of dividend · reciprocal is this quotient or one
// less, because it differs from the exact quotient by less than 1.
HOTPACK_DEVICE std::uint64_t divide(std::uint64_t dividend, std::uint32_t divisor,
                                    std::uint64_t reciprocal) {
  __extension__ using Wide = unsigned __int128;
  const auto guess = static_cast<std::uint64_t>(static_cast<Wide>(dividend) * reciprocal >> 64);
  return guess + (dividend - guess * divisor >= divisor ? 1U : 0U);
}

// kBytes bytes in words; the first byte is the lowest of its word.
template <std::size_t kBytes>
struct Bytes {
  std::uint32_t word[(kBytes + 3) / 4] = {};
  HOTPACK_DEVICE std::uint32_t operator[](std::size_t i) const {
    return word[i / 4] >> 8 * (i % 4) & 0xFF;
  }
};

// Precondition: the address is a multiple of the largest power of two (≤ 16) that divides kBytes.
template <std::size_t kBytes>
HOTPACK_DEVICE Bytes<kBytes> load_bytes(const std::uint8_t* from) {
  constexpr std::size_t kAligned = kBytes % 16 == 0 ? 16 : kBytes & ~(kBytes - 1);
  Bytes<kBytes> bytes;
  std::memcpy(bytes.word, __builtin_assume_aligned(from, kAligned), kBytes);
  return bytes;
}

// 16 bytes of output. Elements of type T are appended one by one; there are kElements<T>.
using Vector = Bytes<16>;
template <class T>
inline constexpr std::size_t kElements = 16 / sizeof(T);

template <class T>
HOTPACK_DEVICE void append(Vector& vector, T value) {
  if constexpr (sizeof(T) == 8) {
    append(vector, static_cast<std::uint32_t>(value));
    append(vector, static_cast<std::uint32_t>(value >> 32));
  } else {
    HOTPACK_UNROLL for (int w = 0; w < 4; ++w) {
      const std::uint64_t next = w < 3 ? vector.word[w + 1] : value;
      vector.word[w] = static_cast<std::uint32_t>((next << 32 | vector.word[w]) >> 8 * sizeof(T));
    }
  }
}

// Stores the first `count` elements of a full vector: all at once if the address is aligned.
template <class T>
HOTPACK_DEVICE void store(T* to, Vector vector, std::uint64_t count) {
  if (count >= kElements<T> && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(to);
    std::memcpy(__builtin_assume_aligned(bytes, 16), vector.word, 16);
    return;
  }
  HOTPACK_ROLL for (std::uint64_t i = 0; i < count && i < kElements<T>; ++i) {
    to[i] = static_cast<T>(std::uint64_t{vector.word[1]} << 32 | vector.word[0]);
    append(vector, T{});
  }
}

// The pixels of an output in order, from any pixel on.
struct Walk {
  std::int32_t x, y;
  HOTPACK_DEVICE Walk(const KernelArgs& args, std::uint64_t pixel) {
    const auto width = static_cast<std::uint32_t>(args.width);
    const std::uint64_t line = divide(pixel, width, args.width_reciprocal);
    x = static_cast<std::int32_t>(pixel - line * width);
    y = static_cast<std::int32_t>(line);
  }
  HOTPACK_DEVICE void advance(const KernelArgs& args) {
    if (++x == args.width) x = 0, ++y;
  }
};

HOTPACK_DEVICE std::uint64_t pixels_of(const KernelArgs& args) {
  return std::uint64_t{static_cast<std::uint32_t>(args.width)} *
         static_cast<std::uint32_t>(args.height);
}

// True if kPixels pixels can be loaded at once: the row shows a whole record as it is, which has a
// multiple of kPixels pixels, from an aligned offset on.
template <std::size_t kPixels>
HOTPACK_DEVICE bool is_plain(const KernelArgs& args, const RowEntry& row, std::uint64_t offset) {
  return (row.flags & ~kRowResample) == kRowValid && row.width == args.width &&
         row.height == args.height && row.record_width == args.width &&
         row.record_height == args.height && pixels_of(args) % kPixels == 0 &&
         reinterpret_cast<std::uintptr_t>(args.records + offset) % 16 == 0;
}

// Writes the elements of a batch. A thread makes Vectors of Row::T: those of the same pixels in
// every plane, or with channels last, those of consecutive elements. A Row (image.hpp, label.hpp)
// has words of kPerWord channels: word(x, y, first) of one pixel, load_plain() of as many pixels as
// a Vector has elements, if they can be loaded at once. element(word, c) is channel c of a word.
template <class Row, bool kPlanes>
HOTPACK_DEVICE void expand(const KernelArgs& args, const ThreadPlace& place) {
  using T = typename Row::T;
  constexpr std::size_t kCount = kElements<T>;
  constexpr std::uint32_t kPerWord = Row::kPerWord;
  const auto channels = static_cast<std::uint32_t>(args.channels);
  const std::uint64_t pixels = pixels_of(args), count = kPlanes ? pixels : pixels * channels;
  HOTPACK_ROLL for (std::uint32_t number = place.block_y; number < args.row_count;
                    number += place.grid_y) {
    const RowEntry entry = args.rows[number];
    const Row row(args, entry);
    auto* const out =
        reinterpret_cast<T*>(static_cast<std::uint8_t*>(args.out) + number * args.row_bytes);
    std::uint64_t first = std::uint64_t{place.block_x} * place.block_threads + place.thread;
    HOTPACK_ROLL for (first *= kCount; first < count;
                      first += kCount * std::uint64_t{place.grid_x} * place.block_threads) {
      T* to = out + first;
      if constexpr (kPlanes) {
        HOTPACK_ROLL for (std::uint32_t c = 0; c < channels; c += kPerWord) {
          std::uint32_t words[kCount] = {};
          if (!row.load_plain(words, first, c)) {
            Walk at(args, first);
            HOTPACK_ROLL for (std::size_t i = 0; i < kCount; ++i, at.advance(args)) {
              HOTPACK_UNROLL for (std::size_t w = 0; w + 1 < kCount; ++w) words[w] = words[w + 1];
              words[kCount - 1] = row.word(at.x, at.y, c);
            }
          }
          HOTPACK_ROLL for (std::uint32_t i = 0; i < kPerWord && c + i < channels;
                            ++i, to += pixels) {
            Vector vector;
            HOTPACK_UNROLL for (std::size_t w = 0; w < kCount; ++w)
                append(vector, row.element(words[w], i));
            store(to, row.is_blank() ? Vector{} : vector, count - first);
          }
        }
      } else {
        const std::uint64_t pixel = divide(first, channels, args.channel_reciprocal);
        auto channel = static_cast<std::uint32_t>(first - pixel * channels);
        Walk at(args, pixel);
        Vector vector;
        std::uint32_t word = row.word(at.x, at.y, channel / kPerWord * kPerWord);
        HOTPACK_ROLL for (std::size_t i = 0; i < kCount; ++i) {
          append(vector, row.element(word, channel % kPerWord));
          ++channel;
          if (channel == channels) at.advance(args);
          if (channel == channels) channel = 0;
          if (channel % kPerWord == 0) word = row.word(at.x, at.y, channel);
        }
        store(to, row.is_blank() ? Vector{} : vector, count - first);
      }
    }
  }
}

}  // namespace hotpack::device
