// What one thread of a label kernel does. A block works on batch row block_y, then on every
// grid_y-th row after it; within a row, threads take every n-th item, where n is the number of all
// threads.
//
// For host and device. The result equals that of expand::LabelExpander, whatever the size of the
// launch. A thread needs only its ThreadPlace: there is no shared memory and no waiting. In the
// forms index, bits, and one_hot with channels last, the elements of a row are one run, of which a
// thread writes aligned blocks of 16 bytes. In one_hot with channels first, a thread writes the
// same pixels of every plane.
#pragma once

#include <cstdint>
#include <cstring>

#include "device/kernels/label_args.hpp"
#include "device/kernels/label_rows.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::device {

inline constexpr std::uint32_t kBlockBytes = 16;  // of one store

struct alignas(kBlockBytes) StoreBlock {
  std::uint32_t words[4];
};

template <class T>
inline constexpr std::uint32_t kPerBlock = kBlockBytes / sizeof(T);

// Precondition: `at` is aligned to 16.
HOTPACK_HOST_DEVICE inline void store_block(std::uint8_t* at, const StoreBlock& block) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<uint4*>(at) =
      make_uint4(block.words[0], block.words[1], block.words[2], block.words[3]);
#else
  expect_aligned<kBlockBytes>(at);
  std::memcpy(at, block.words, kBlockBytes);
#endif
}

template <class T>
HOTPACK_HOST_DEVICE inline void store_element(std::uint8_t* at, std::uint64_t i, T value) {
  expect_aligned<sizeof(T)>(at);
  reinterpret_cast<T*>(at)[i] = value;
}

// Stores element i in a block of words. Precondition: the words contain the elements before i, and
// zeros after them.
template <class T>
HOTPACK_HOST_DEVICE inline void set_element(std::uint32_t* words, std::uint32_t i, T value) {
  if constexpr (sizeof(T) == 8) {
    words[2 * i] = static_cast<std::uint32_t>(value);
    words[2 * i + 1] = static_cast<std::uint32_t>(value >> 32);
  } else {
    constexpr std::uint32_t kPerWord = 4 / sizeof(T);
    words[i / kPerWord] |= std::uint32_t{value} << 8 * sizeof(T) * (i % kPerWord);
  }
}

// Stores the next element in a block of kWords words without an index: shifts the words down and
// puts the element at the end. When all elements of the block are stored, the first one is at its
// beginning.
template <class T, std::uint32_t kWords>
HOTPACK_HOST_DEVICE inline void push_element(std::uint32_t* words, T value) {
  constexpr std::uint32_t kWhole = sizeof(T) / 4, kPart = 8 * sizeof(T) % 32;
  if constexpr (kWhole == 0) {
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w + 1 < kWords; ++w)
      words[w] = words[w] >> kPart | words[w + 1] << (32 - kPart);
    words[kWords - 1] = words[kWords - 1] >> kPart | std::uint32_t{value} << (32 - kPart);
  } else {
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w + kWhole < kWords; ++w) words[w] = words[w + kWhole];
    words[kWords - kWhole] = static_cast<std::uint32_t>(value);
    if constexpr (kWhole == 2) words[kWords - 1] = static_cast<std::uint32_t>(value >> 32);
  }
}

// The output of a row, and its division into aligned blocks of 16 bytes.
struct FlatRow {
  std::uint8_t* out = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t blocks = 0;       // number of blocks that contain an element of the row
  std::uint32_t lead = 0;         // number of elements of the first block that precede the row
  std::uint32_t first_whole = 0;  // the first block that lies within the row: 0 or 1
  std::uint64_t whole = 0;        // number of blocks that lie within the row
};

template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline FlatRow flat_row(const LabelArgs& args, std::uint32_t row,
                                                          std::uint64_t elements) {
  FlatRow flat;
  flat.out = static_cast<std::uint8_t*>(args.out) + row * args.row_bytes;
  flat.elements = elements;
  flat.lead = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(flat.out) % kBlockBytes /
                                         sizeof(T));
  flat.blocks = (flat.lead + elements + kPerBlock<T> - 1) / kPerBlock<T>;
  flat.first_whole = flat.lead == 0 ? 0 : 1;
  const std::uint64_t end = (flat.lead + elements) / kPerBlock<T>;
  flat.whole = end > flat.first_whole ? end - flat.first_whole : 0;
  return flat;
}

// The elements of a batch row that are in one block of 16 bytes: `count` elements from number
// `begin` on. Only the first and the last block of the row may contain fewer elements than fit.
template <class Number>
struct FlatPart {
  Number begin = 0;
  std::uint32_t count = 0;
};

template <class T, class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline FlatPart<Number> flat_part(const FlatRow& row,
                                                                    Number block) {
  const Number first = block * kPerBlock<T> - row.lead;
  if (block - row.first_whole < static_cast<Number>(row.whole)) return {first, kPerBlock<T>};
  const Number begin = block == 0 ? 0 : first;
  const auto elements = static_cast<Number>(row.elements),
             end = static_cast<Number>(first + kPerBlock<T>);
  return {begin, static_cast<std::uint32_t>((end < elements ? end : elements) - begin)};
}

template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint8_t* address_of(const FlatRow& row,
                                                                  Number element,
                                                                  std::uint32_t element_bytes) {
  return row.out + static_cast<std::uint64_t>(element) * element_bytes;
}

// The first item of a row that a thread works on, and the distance to its next item.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t first_item(const ThreadPlace& place) {
  return std::uint64_t{place.block_x} * place.block_threads + place.thread;
}
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t item_stride(const ThreadPlace& place) {
  return std::uint64_t{place.grid_x} * place.block_threads;
}

// Calls walk(number) with a 0 whose type walk() should use for indices. The type has 32 bits if
// that suffices for the elements of the batch row and for the indices that threads reach after
// them, else 64.
template <class Walk>
HOTPACK_HOST_DEVICE inline void with_number(const FlatRow& row, const ThreadPlace& place,
                                            const Walk& walk) {
  if (row.elements + 64 * item_stride(place) < std::uint64_t{1} << 32) {
    walk(std::uint32_t{0});
  } else {
    walk(std::uint64_t{0});
  }
}

// ---- form ids

// T is the unsigned type that has the size of an element.
template <class T, std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline T index_element(const LabelArgs& args,
                                                         const std::uint8_t* vector) {
  const std::uint32_t id = id_of<kStored>(args, vector);
  return static_cast<T>(id < static_cast<std::uint32_t>(args.classes) ? std::int64_t{id}
                                                                      : args.ignore_index);
}

template <class T, std::int32_t kStored, class Number>
HOTPACK_HOST_DEVICE inline void index_block(const LabelArgs& args, const LabelRow& row,
                                            Number first, std::uint8_t* to) {
  StoreBlock block{};
  for_pixels<kPerBlock<T>>(
      args, row, first,
      [&](std::uint32_t i, const std::uint8_t* vector) {
        set_element<T>(block.words, i, index_element<T, kStored>(args, vector));
      },
      [&](const std::uint8_t* vector) {
        push_element<T, 4>(block.words, index_element<T, kStored>(args, vector));
      });
  store_block(to, block);
}

template <class T, std::int32_t kStored, class Number>
HOTPACK_HOST_DEVICE inline void index_blocks(const LabelArgs& args, const LabelRow& row,
                                             const FlatRow& flat, const ThreadPlace& place) {
  const auto blocks = static_cast<Number>(flat.blocks),
             stride = static_cast<Number>(item_stride(place));
  for (auto b = static_cast<Number>(first_item(place)); b < blocks; b += stride) {
    const FlatPart<Number> part = flat_part<T, Number>(flat, b);
    std::uint8_t* const to = address_of(flat, part.begin, sizeof(T));
    if (part.count == kPerBlock<T>) {
      index_block<T, kStored, Number>(args, row, part.begin, to);
      continue;
    }
    HOTPACK_ROLL
    for (std::uint32_t i = 0; i < part.count; ++i) {
      store_element<T>(
          to, i, index_element<T, kStored>(args, find_pixel<Number>(args, row, part.begin + i)));
    }
  }
}

template <class T, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void index_row(const LabelArgs& args, const ThreadPlace& place,
                                          std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat = flat_row<T>(args, index, pixels_of(args));
  with_number(flat, place, [&]<class Number>(Number) {
    index_blocks<T, kStored, Number>(args, row, flat, place);
  });
}

// ---- form bits

// The pixel of an element, and the element's channel (or byte) in this pixel.
template <class Number>
struct ChannelPlace {
  Number pixel = 0;
  std::uint32_t channel = 0;
};

template <class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline ChannelPlace<Number> channel_of(const LabelArgs& args,
                                                                         Number element) {
  const auto channels = static_cast<std::uint32_t>(args.channels);
  const Number pixel = divide(element, channels, args.channel_reciprocal);
  return {pixel, static_cast<std::uint32_t>(element - pixel * channels)};
}

template <std::int32_t kStored, class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint8_t bits_element(const LabelArgs& args,
                                                                   const LabelRow& row,
                                                                   Number element) {
  const ChannelPlace<Number> at = channel_of(args, element);
  return static_cast<std::uint8_t>(
      bits_of<kStored>(args, find_pixel(args, row, at.pixel), at.channel));
}

// Copies a block that the record contains unchanged, except for bits that belong to no class.
HOTPACK_HOST_DEVICE inline void copy_bits(const LabelArgs& args, const std::uint8_t* from,
                                          std::uint32_t group, std::uint8_t* to) {
  StoreBlock block;
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < 4; ++w) block.words[w] = load_bytes(from + 4 * w, 4);
  if (args.classes % 8 != 0) {
    const std::uint32_t beyond = 0xFF & ~low_bits(static_cast<std::uint32_t>(args.classes) % 8);
    const auto groups = static_cast<std::uint32_t>(args.channels);
    HOTPACK_UNROLL
    for (std::uint32_t i = 0; i < kBlockBytes; ++i) {
      const bool last = ++group == groups;
      if (last) block.words[i / 4] &= ~(beyond << 8 * (i % 4));
      if (last) group = 0;
    }
  }
  store_block(to, block);
}

template <std::int32_t kStored, class Number>
HOTPACK_HOST_DEVICE inline void bits_block(const LabelArgs& args, const LabelRow& row, Number begin,
                                           std::uint8_t* to) {
  ChannelPlace<Number> at = channel_of(args, begin);
  if constexpr (kStored == kStoredBits) {
    if (row.one_line && row.shown_width != 0)
      return copy_bits(args, row.window + begin, at.channel, to);
  }
  StoreBlock block{};
  const std::uint8_t* vector = find_pixel(args, row, at.pixel);
  HOTPACK_ROLL
  for (std::uint32_t i = 0; i < kBlockBytes; ++i) {
    push_element<std::uint8_t, 4>(
        block.words, static_cast<std::uint8_t>(bits_of<kStored>(args, vector, at.channel)));
    if (++at.channel != static_cast<std::uint32_t>(args.channels) || i + 1 == kBlockBytes) continue;
    at.channel = 0;
    vector = find_pixel(args, row, ++at.pixel);
  }
  store_block(to, block);
}

template <std::int32_t kStored, class Number>
HOTPACK_HOST_DEVICE inline void bits_blocks(const LabelArgs& args, const LabelRow& row,
                                            const FlatRow& flat, const ThreadPlace& place) {
  const auto blocks = static_cast<Number>(flat.blocks),
             stride = static_cast<Number>(item_stride(place));
  for (auto b = static_cast<Number>(first_item(place)); b < blocks; b += stride) {
    const FlatPart<Number> part = flat_part<std::uint8_t, Number>(flat, b);
    std::uint8_t* const to = address_of(flat, part.begin, 1);
    if (part.count == kBlockBytes) {
      bits_block<kStored, Number>(args, row, part.begin, to);
      continue;
    }
    HOTPACK_ROLL
    for (std::uint32_t i = 0; i < part.count; ++i) {
      store_element<std::uint8_t>(to, i, bits_element<kStored, Number>(args, row, part.begin + i));
    }
  }
}

template <std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void bits_row(const LabelArgs& args, const ThreadPlace& place,
                                         std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat = flat_row<std::uint8_t>(
      args, index, pixels_of(args) * static_cast<std::uint32_t>(args.channels));
  with_number(flat, place,
              [&]<class Number>(Number) { bits_blocks<kStored, Number>(args, row, flat, place); });
}

// ---- form one_hot, channels last

// Bit i is 1 if element i of the block is a one.
template <class T, std::int32_t kStored, class Number>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t ones_of(const LabelArgs& args,
                                                               const LabelRow& row,
                                                               const FlatPart<Number>& part) {
  const auto channels = static_cast<std::uint32_t>(args.channels);
  ChannelPlace<Number> at = channel_of(args, part.begin);
  std::uint32_t ones = 0;
  HOTPACK_ROLL
  for (std::uint32_t i = 0; i < part.count; ++at.pixel) {
    const std::uint32_t count = smaller(part.count - i, channels - at.channel);
    ones |= channels_from<kStored, kPerBlock<T>>(args, find_pixel(args, row, at.pixel), at.channel,
                                                 count)
            << i;
    i += count;
    at.channel = 0;
  }
  return ones;
}

// The block of elements that are `one` where the bit in `ones` is 1, and 0 elsewhere.
template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline StoreBlock block_of_ones(std::uint32_t ones,
                                                                  std::uint32_t one) {
  StoreBlock block;
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < 4; ++w) {
    const std::uint32_t bits = ones >> w * (4 / sizeof(T));
    if constexpr (sizeof(T) == 1) {
      block.words[w] = (bits & 15) * 0x00204081U & 0x01010101;  // a one of u8 is 1
    } else if constexpr (sizeof(T) == 2) {
      block.words[w] = ((bits & 1) | (bits & 2) << 15) * one;
    } else {
      block.words[w] = (bits & 1) * one;
    }
  }
  return block;
}

template <class T, class Number>
HOTPACK_HOST_DEVICE inline void store_ones(const LabelArgs& args, const FlatRow& flat,
                                           const FlatPart<Number>& part, std::uint32_t ones) {
  std::uint8_t* const to = address_of(flat, part.begin, sizeof(T));
  if (part.count == kPerBlock<T>) return store_block(to, block_of_ones<T>(ones, args.one));
  HOTPACK_ROLL
  for (std::uint32_t i = 0; i < part.count; ++i)
    store_element<T>(to, i, static_cast<T>((ones >> i & 1) * args.one));
}

template <class T, std::int32_t kStored, class Number>
HOTPACK_HOST_DEVICE inline void last_blocks(const LabelArgs& args, const LabelRow& row,
                                            const FlatRow& flat, const ThreadPlace& place) {
  const auto blocks = static_cast<Number>(flat.blocks),
             stride = static_cast<Number>(item_stride(place));
  auto b = static_cast<Number>(first_item(place));
  // Two blocks at a time: the loads of both overlap.
  for (; b + stride < blocks; b += 2 * stride) {
    const FlatPart<Number> one = flat_part<T, Number>(flat, b),
                           other = flat_part<T, Number>(flat, b + stride);
    const std::uint32_t ones = ones_of<T, kStored>(args, row, one),
                        others = ones_of<T, kStored>(args, row, other);
    store_ones<T>(args, flat, one, ones);
    store_ones<T>(args, flat, other, others);
  }
  if (b >= blocks) return;
  const FlatPart<Number> part = flat_part<T, Number>(flat, b);
  store_ones<T>(args, flat, part, ones_of<T, kStored>(args, row, part));
}

template <class T, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void last_row(const LabelArgs& args, const ThreadPlace& place,
                                         std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat =
      flat_row<T>(args, index, pixels_of(args) * static_cast<std::uint32_t>(args.channels));
  with_number(flat, place, [&]<class Number>(Number) {
    last_blocks<T, kStored, Number>(args, row, flat, place);
  });
}

// ---- form one_hot, channels first

// One byte for each of kCount pixels.
template <std::uint32_t kCount>
struct PixelBytes {
  static constexpr std::uint32_t kWords = (kCount + 3) / 4;
  std::uint32_t words[kWords] = {};
};

template <std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void set_byte(PixelBytes<kCount>& bytes, std::uint32_t i,
                                         std::uint32_t value) {
  set_element(bytes.words, i, static_cast<std::uint8_t>(value));
}

template <std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void push_byte(PixelBytes<kCount>& bytes, std::uint32_t value) {
  if constexpr (kCount == 1) {
    bytes.words[0] = value;
  } else {
    push_element<std::uint8_t, PixelBytes<kCount>::kWords>(bytes.words,
                                                           static_cast<std::uint8_t>(value));
  }
}

// Stores kCount elements of one class in its plane. They are made from bit number `bit` of each
// byte in `bytes`; `one` is the element for a 1. kCount is 1 or the number of elements in a block.
template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_bit(std::uint8_t* at, const PixelBytes<kCount>& bytes,
                                          std::uint32_t bit, std::uint32_t one) {
  if constexpr (kCount == 1) {
    store_element<T>(at, 0, static_cast<T>((bytes.words[0] >> bit & 1) * one));
  } else {
    StoreBlock block;
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w < 4; ++w) {
      const std::uint32_t set = bytes.words[w / sizeof(T)] >> bit & 0x01010101;
      if constexpr (sizeof(T) == 1) {
        block.words[w] = set;
      } else if constexpr (sizeof(T) == 2) {
        const std::uint32_t two = set >> 16 * (w % 2);
        block.words[w] = ((two & 0xFF) | (two & 0xFF00) << 8) * one;
      } else {
        block.words[w] = (set >> 8 * w & 0xFF) * one;
      }
    }
    store_block(at, block);
  }
}

// The ids of kCount pixels. If the elements T of the output tensor have one byte, the low bytes of
// all ids are stored next to each other in `low`, the high bytes in `high`. One operation on 32
// bits then compares four ids.
template <class T, std::uint32_t kCount>
struct PixelIds {
  static constexpr bool kPacked = sizeof(T) == 1 && kCount > 1;
  PixelBytes<kPacked ? kCount : 1> low, high;
  std::uint32_t ids[kPacked ? 1 : kCount] = {};

  HOTPACK_HOST_DEVICE void set(std::uint32_t i, std::uint32_t id) {
    if constexpr (kPacked) {
      set_byte(low, i, id & 255);
      set_byte(high, i, id >> 8);
    } else {
      ids[i] = id;
    }
  }
  HOTPACK_HOST_DEVICE void push(std::uint32_t id) {
    if constexpr (kPacked) {
      push_byte(low, id & 255);
      push_byte(high, id >> 8);
    } else {
      push_element<std::uint32_t, kCount>(ids, id);
    }
  }
};

// Stores kCount elements of plane `id`: `one` where the pixel has this id, else 0.
template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_equal(std::uint8_t* at, const PixelIds<T, kCount>& ids,
                                            std::uint32_t id, std::uint32_t one) {
  if constexpr (kCount == 1) {
    store_element<T>(at, 0, static_cast<T>(ids.ids[0] == id ? one : 0));
  } else {
    StoreBlock block;
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 1) {
        const std::uint32_t low = (id & 255) * 0x01010101, high = (id >> 8) * 0x01010101;
        block.words[w] =
            bytes_set((ids.low.words[w] ^ low) | (ids.high.words[w] ^ high)) ^ 0x01010101;
      } else if constexpr (sizeof(T) == 2) {
        block.words[w] =
            (ids.ids[2 * w] == id ? one : 0) | (ids.ids[2 * w + 1] == id ? one << 16 : 0);
      } else {
        block.words[w] = ids.ids[w] == id ? one : 0;
      }
    }
    store_block(at, block);
  }
}

// The classes that a thread writes for its pixels. Classes form groups of 8, which are divided
// among the values of block_z. The threads with the last value also write the ignored channel.
struct PlaneChunk {
  std::uint32_t first_group = 0;
  std::uint32_t end_group = 0;
  bool ignored = false;
};

[[nodiscard]] HOTPACK_HOST_DEVICE inline PlaneChunk plane_chunk(const LabelArgs& args,
                                                                const ThreadPlace& place) {
  const std::uint32_t groups =
      (static_cast<std::uint32_t>(args.classes) + 7) / 8;  // ≤ 2^13, and grid_z < 2^16
  return {groups * place.block_z / place.grid_z, groups * (place.block_z + 1) / place.grid_z,
          args.ignore_channel != 0 && place.block_z + 1 == place.grid_z};
}

// Pixels of a row, and the address of their elements in the first plane.
struct PlanePart {
  std::uint64_t pixel = 0;
  std::uint8_t* out = nullptr;
  std::uint64_t plane_bytes = 0;
};

template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void first_of_ids(const LabelArgs& args, const LabelRow& row,
                                             const PlanePart& part, const PlaneChunk& chunk) {
  PixelIds<T, kCount> ids;
  for_pixels<kCount>(
      args, row, part.pixel,
      [&](std::uint32_t i, const std::uint8_t* vector) {
        ids.set(i, id_of<kStoredIndex>(args, vector));
      },
      [&](const std::uint8_t* vector) { ids.push(id_of<kStoredIndex>(args, vector)); });
  const auto classes = static_cast<std::uint32_t>(args.classes);
  const std::uint32_t first = 8 * chunk.first_group;
  const std::uint32_t end = chunk.ignored ? classes + 1 : smaller(classes, 8 * chunk.end_group);
  std::uint8_t* at = part.out + first * part.plane_bytes;
  for (std::uint32_t id = first; id < end; ++id, at += part.plane_bytes)
    store_equal<T, kCount>(at, ids, id, args.one);
}

template <std::uint32_t kCount, std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline PixelBytes<kCount> group_of(const LabelArgs& args,
                                                                     const LabelRow& row,
                                                                     std::uint64_t pixel,
                                                                     std::uint32_t group) {
  PixelBytes<kCount> bytes;
  for_pixels<kCount>(
      args, row, pixel,
      [&](std::uint32_t i, const std::uint8_t* vector) {
        set_byte(bytes, i, bits_of<kStored>(args, vector, group));
      },
      [&](const std::uint8_t* vector) { push_byte(bytes, bits_of<kStored>(args, vector, group)); });
  return bytes;
}

template <std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void add_seen(PixelBytes<kCount>& seen,
                                         const PixelBytes<kCount>& bytes) {
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < PixelBytes<kCount>::kWords; ++w) seen.words[w] |= bytes.words[w];
}

template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_unseen(std::uint8_t* at, PixelBytes<kCount> seen,
                                             std::uint32_t one) {
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < PixelBytes<kCount>::kWords; ++w)
    seen.words[w] = bytes_set(seen.words[w]) ^ 0x01010101;
  store_bit<T, kCount>(at, seen, 0, one);
}

template <class T, std::uint32_t kCount, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void first_of_vectors(const LabelArgs& args, const LabelRow& row,
                                                 const PlanePart& part, const PlaneChunk& chunk) {
  const auto classes = static_cast<std::uint32_t>(args.classes);
  PixelBytes<kCount> seen;
  std::uint8_t* at = part.out + std::uint64_t{8} * chunk.first_group * part.plane_bytes;
  for (std::uint32_t group = chunk.first_group; group < chunk.end_group; ++group) {
    const PixelBytes<kCount> bytes = group_of<kCount, kStored>(args, row, part.pixel, group);
    add_seen(seen, bytes);
    const std::uint32_t count = smaller(8, classes - 8 * group);
    for (std::uint32_t bit = 0; bit < count; ++bit, at += part.plane_bytes)
      store_bit<T, kCount>(at, bytes, bit, args.one);
  }
  if (!chunk.ignored) return;
  for (std::uint32_t group = 0; group < chunk.first_group; ++group) {
    add_seen(seen, group_of<kCount, kStored>(args, row, part.pixel, group));
  }
  store_unseen<T, kCount>(part.out + classes * part.plane_bytes, seen, args.one);
}

template <class T, std::uint32_t kCount, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void first_row(const LabelArgs& args, const ThreadPlace& place,
                                          std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const PlaneChunk chunk = plane_chunk(args, place);
  const std::uint64_t pixels = pixels_of(args);
  std::uint8_t* const out = static_cast<std::uint8_t*>(args.out) + index * args.row_bytes;
  for (std::uint64_t i = first_item(place); i * kCount < pixels; i += item_stride(place)) {
    const PlanePart part{i * kCount, out + i * kCount * sizeof(T), pixels * sizeof(T)};
    if constexpr (kStored == kStoredIndex) {
      first_of_ids<T, kCount>(args, row, part, chunk);
    } else {
      first_of_vectors<T, kCount, kStored>(args, row, part, chunk);
    }
  }
}

// ---- the kernels

template <std::int32_t kStored>
struct OfStorage {};

// Calls `work(OfStorage, row)` for all rows of a thread.
template <class Work>
HOTPACK_HOST_DEVICE inline void for_rows(const LabelArgs& args, const ThreadPlace& place,
                                         const Work& work) {
  for (std::uint64_t row = place.block_y; row < args.row_count; row += place.grid_y) {
    const auto index = static_cast<std::uint32_t>(row);
    if (args.storage == kStoredBits) {
      work(OfStorage<kStoredBits>{}, index);
    } else if (args.storage == kStoredOneHot) {
      work(OfStorage<kStoredOneHot>{}, index);
    } else {
      work(OfStorage<kStoredIndex>{}, index);
    }
  }
}

// T is the unsigned type that has the size of an element.
template <class T>
HOTPACK_HOST_DEVICE inline void label_index_body(const LabelArgs& args, const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) {
    index_row<T, kStored>(args, place, row);
  });
}

HOTPACK_HOST_DEVICE inline void label_bits_body(const LabelArgs& args, const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) {
    bits_row<kStored>(args, place, row);
  });
}

template <class T>
HOTPACK_HOST_DEVICE inline void label_one_hot_last_body(const LabelArgs& args,
                                                        const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) {
    last_row<T, kStored>(args, place, row);
  });
}

// Returns true if every plane of every batch row begins at a multiple of 16 bytes. A thread then
// writes a block of pixels at a time, otherwise one pixel.
template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline bool planes_are_aligned(const LabelArgs& args) {
  return pixels_of(args) % kPerBlock<T> == 0;
}

template <class T>
HOTPACK_HOST_DEVICE inline void label_one_hot_first_body(const LabelArgs& args,
                                                         const ThreadPlace& place) {
  if (planes_are_aligned<T>(args)) {
    for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) {
      first_row<T, kPerBlock<T>, kStored>(args, place, row);
    });
  } else {
    for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) {
      first_row<T, 1, kStored>(args, place, row);
    });
  }
}

}  // namespace hotpack::device
