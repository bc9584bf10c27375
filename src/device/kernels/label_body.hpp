// What one thread of a label kernel does. A batch row is block_y's (and every grid_y-th after it); within it threads stride.
//
// For host and device; the same bytes as expand::LabelExpander, however large the launch. A thread's work depends on its place alone: no
// shared memory, no waiting. Forms index, bits and one_hot with channels last are one flat run of elements, and a thread owns aligned
// blocks of 16 bytes of it; with channels first it owns the same pixels of every plane.
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
  *reinterpret_cast<uint4*>(at) = make_uint4(block.words[0], block.words[1], block.words[2], block.words[3]);
#else
  std::memcpy(at, block.words, kBlockBytes);
#endif
}

template <class T>
HOTPACK_HOST_DEVICE inline void store_element(std::uint8_t* at, std::uint64_t i, T value) {
  reinterpret_cast<T*>(at)[i] = value;
}

// Elements enter a block one after another; after kPerBlock of them the first is at its beginning.
template <class T>
HOTPACK_HOST_DEVICE inline void push(StoreBlock& block, T value) {
  if constexpr (sizeof(T) == 8) {
    block.words[0] = block.words[2];
    block.words[1] = block.words[3];
    block.words[2] = static_cast<std::uint32_t>(value);
    block.words[3] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
  } else {
    constexpr std::uint32_t kBits = 8 * sizeof(T);
    std::uint64_t pair = static_cast<std::uint32_t>(value);
    if constexpr (kBits < 32) pair &= (1U << kBits) - 1;
    HOTPACK_UNROLL
    for (int i = 3; i >= 0; --i) {
      // Each word gives its lowest element to the one before it.
      pair = pair << 32 | block.words[i];
      block.words[i] = static_cast<std::uint32_t>(pair >> kBits);
      pair &= kBits < 32 ? (std::uint64_t{1} << kBits) - 1 : ~std::uint32_t{0};
    }
  }
}

// The bytes of a row's output, and its place among aligned blocks.
struct FlatRow {
  std::uint8_t* out = nullptr;
  std::uint64_t elements = 0;
  std::uint32_t lead = 0;  // elements by which it begins after a multiple of 16 bytes
};

template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline FlatRow flat_row(const LabelArgs& args, std::uint32_t row, std::uint64_t elements) {
  std::uint8_t* const out = static_cast<std::uint8_t*>(args.out) + row * args.row_bytes;
  return {out, elements, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(out) % kBlockBytes / sizeof(T))};
}

// A block's elements: `count` of them from `begin` on; fewer than a block has only at the row's ends.
struct FlatPart {
  std::uint64_t begin = 0;
  std::uint32_t count = 0;
};

template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline FlatPart flat_part(const FlatRow& row, std::uint64_t block) {
  const std::uint64_t first = block * kPerBlock<T>, end = first + kPerBlock<T>;
  const std::uint64_t begin = first < row.lead ? row.lead : first;
  const std::uint64_t finish = end < row.lead + row.elements ? end : row.lead + row.elements;
  return {begin - row.lead, static_cast<std::uint32_t>(finish - begin)};
}

template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t flat_blocks(const FlatRow& row) {
  return (row.lead + row.elements + kPerBlock<T> - 1) / kPerBlock<T>;
}

// A thread's first item of a row, and how far it is to its next one.
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t first_item(const ThreadPlace& place) {
  return std::uint64_t{place.block_x} * place.block_threads + place.thread;
}
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint64_t item_stride(const ThreadPlace& place) {
  return std::uint64_t{place.grid_x} * place.block_threads;
}

// ---- form index

// T: the unsigned type of the element's size.
template <class T, std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline T index_element(const LabelArgs& args, const std::uint8_t* vector) {
  const std::uint32_t id = id_of<kStored>(args, vector);
  return static_cast<T>(id < static_cast<std::uint32_t>(args.classes) ? std::int64_t{id} : args.ignore_index);
}

template <class T, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void index_block(const LabelArgs& args, const LabelRow& row, const FlatRow& flat, const FlatPart& part) {
  StoreBlock block{};
  if (const PixelRun run = find_run(args, row, part.begin, part.count); run.first != nullptr) {
    HOTPACK_UNROLL
    for (std::uint32_t i = 0; i < kPerBlock<T>; ++i) push<T>(block, index_element<T, kStored>(args, run.first + i * run.step));
  } else {
    for (std::uint32_t i = 0; i < kPerBlock<T>; ++i) {
      push<T>(block, index_element<T, kStored>(args, find_pixel(args, row, part.begin + i)));
    }
  }
  store_block(flat.out + part.begin * sizeof(T), block);
}

template <class T, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void index_row(const LabelArgs& args, const ThreadPlace& place, std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat = flat_row<T>(args, index, pixels_of(args));
  const std::uint64_t blocks = flat_blocks<T>(flat);
  for (std::uint64_t b = first_item(place); b < blocks; b += item_stride(place)) {
    const FlatPart part = flat_part<T>(flat, b);
    if (part.count == kPerBlock<T>) {
      index_block<T, kStored>(args, row, flat, part);
      continue;
    }
    for (std::uint64_t p = part.begin; p < part.begin + part.count; ++p) {
      store_element<T>(flat.out, p, index_element<T, kStored>(args, find_pixel(args, row, p)));
    }
  }
}

// ---- form bits

template <std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint8_t bits_element(const LabelArgs& args, const LabelRow& row, std::uint64_t element) {
  const std::uint64_t pixel = divide(element, static_cast<std::uint32_t>(args.channels), args.channel_reciprocal);
  const auto group = static_cast<std::uint32_t>(element - pixel * static_cast<std::uint32_t>(args.channels));
  return static_cast<std::uint8_t>(bits_of<kStored>(args, find_pixel(args, row, pixel), group));
}

// A block that lies in the record as it is, but for bits that are no class.
HOTPACK_HOST_DEVICE inline void copy_bits(const LabelArgs& args, const std::uint8_t* from, std::uint32_t group, std::uint8_t* to) {
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

template <std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void bits_block(const LabelArgs& args, const LabelRow& row, std::uint64_t begin, std::uint8_t* to) {
  const auto groups = static_cast<std::uint32_t>(args.channels);
  std::uint64_t pixel = divide(begin, groups, args.channel_reciprocal);
  auto group = static_cast<std::uint32_t>(begin - pixel * groups);
  if constexpr (kStored == kStoredBits) {
    if (row.one_line && row.shown_width != 0) return copy_bits(args, row.window + begin, group, to);
  }
  StoreBlock block{};
  const std::uint8_t* vector = find_pixel(args, row, pixel);
  for (std::uint32_t i = 0; i < kBlockBytes; ++i) {
    push<std::uint8_t>(block, static_cast<std::uint8_t>(bits_of<kStored>(args, vector, group)));
    if (++group != groups || i + 1 == kBlockBytes) continue;
    group = 0;
    vector = find_pixel(args, row, ++pixel);
  }
  store_block(to, block);
}

template <std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void bits_row(const LabelArgs& args, const ThreadPlace& place, std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat = flat_row<std::uint8_t>(args, index, pixels_of(args) * static_cast<std::uint32_t>(args.channels));
  const std::uint64_t blocks = flat_blocks<std::uint8_t>(flat);
  for (std::uint64_t b = first_item(place); b < blocks; b += item_stride(place)) {
    const FlatPart part = flat_part<std::uint8_t>(flat, b);
    if (part.count == kBlockBytes) {
      bits_block<kStored>(args, row, part.begin, flat.out + part.begin);
      continue;
    }
    for (std::uint64_t e = part.begin; e < part.begin + part.count; ++e) {
      store_element<std::uint8_t>(flat.out, e, bits_element<kStored>(args, row, e));
    }
  }
}

// ---- form one_hot, channels last

// Whether each of a block's elements is a one, as bits.
template <class T, std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline std::uint32_t ones_of(const LabelArgs& args, const LabelRow& row, const FlatPart& part) {
  const auto channels = static_cast<std::uint32_t>(args.channels);
  std::uint64_t pixel = divide(part.begin, channels, args.channel_reciprocal);
  auto channel = static_cast<std::uint32_t>(part.begin - pixel * channels);
  std::uint32_t ones = 0;
  for (std::uint32_t i = 0; i < part.count; ++pixel) {
    const std::uint32_t count = smaller(part.count - i, channels - channel);
    ones |= channels_from<kStored, kPerBlock<T>>(args, find_pixel(args, row, pixel), channel, count) << i;
    i += count;
    channel = 0;
  }
  return ones;
}

// The block whose elements are such bits times `one`.
template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline StoreBlock block_of_ones(std::uint32_t ones, std::uint32_t one) {
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

template <class T>
HOTPACK_HOST_DEVICE inline void store_ones(const LabelArgs& args, const FlatRow& flat, const FlatPart& part, std::uint32_t ones) {
  if (part.count == kPerBlock<T>) return store_block(flat.out + part.begin * sizeof(T), block_of_ones<T>(ones, args.one));
  for (std::uint32_t i = 0; i < part.count; ++i) store_element<T>(flat.out, part.begin + i, static_cast<T>((ones >> i & 1) * args.one));
}

template <class T, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void last_row(const LabelArgs& args, const ThreadPlace& place, std::uint32_t index) {
  const LabelRow row = label_row(args, index);
  const FlatRow flat = flat_row<T>(args, index, pixels_of(args) * static_cast<std::uint32_t>(args.channels));
  const std::uint64_t blocks = flat_blocks<T>(flat), stride = item_stride(place);
  std::uint64_t b = first_item(place);
  // Two at a time: the loads of both are under way before a store waits for either.
  for (; b + stride < blocks; b += 2 * stride) {
    const FlatPart one = flat_part<T>(flat, b), other = flat_part<T>(flat, b + stride);
    const std::uint32_t ones = ones_of<T, kStored>(args, row, one), others = ones_of<T, kStored>(args, row, other);
    store_ones<T>(args, flat, one, ones);
    store_ones<T>(args, flat, other, others);
  }
  if (b >= blocks) return;
  const FlatPart part = flat_part<T>(flat, b);
  store_ones<T>(args, flat, part, ones_of<T, kStored>(args, row, part));
}

// ---- form one_hot, channels first

// A byte of each of kCount pixels.
template <std::uint32_t kCount>
struct PixelBytes {
  std::uint32_t words[(kCount + 3) / 4];
};

template <std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void set_byte(PixelBytes<kCount>& bytes, std::uint32_t i, std::uint32_t value) {
  if (i % 4 == 0) {
    bytes.words[i / 4] = value;
  } else {
    bytes.words[i / 4] |= value << 8 * (i % 4);
  }
}

// kCount elements of a plane from bits `bit` of bytes: kCount is a block's, or 1.
template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_bit(std::uint8_t* at, const PixelBytes<kCount>& bytes, std::uint32_t bit, std::uint32_t one) {
  if constexpr (kCount == 1) {
    store_element<T>(at, 0, static_cast<T>((bytes.words[0] >> bit & 1) * one));
  } else {
    StoreBlock block;
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 1) {
        block.words[w] = bytes.words[w] >> bit & 0x01010101;
      } else if constexpr (sizeof(T) == 2) {
        const std::uint32_t two = bytes.words[w / 2] >> (16 * (w % 2) + bit);
        block.words[w] = ((two & 1) | (two & 0x100) << 8) * one;
      } else {
        block.words[w] = (bytes.words[0] >> (8 * w + bit) & 1) * one;
      }
    }
    store_block(at, block);
  }
}

// The ids of kCount pixels; for elements of one byte as two strings of bytes, which are compared four at a time.
template <class T, std::uint32_t kCount>
struct PixelIds {
  static constexpr bool kPacked = sizeof(T) == 1 && kCount > 1;
  PixelBytes<kPacked ? kCount : 1> low, high;
  std::uint32_t ids[kPacked ? 1 : kCount];

  HOTPACK_HOST_DEVICE void set(std::uint32_t i, std::uint32_t id) {
    if constexpr (kPacked) {
      set_byte(low, i, id & 255);
      set_byte(high, i, id >> 8);
    } else {
      ids[i] = id;
    }
  }
};

// kCount elements of plane `id`.
template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_equal(std::uint8_t* at, const PixelIds<T, kCount>& ids, std::uint32_t id, std::uint32_t one) {
  if constexpr (kCount == 1) {
    store_element<T>(at, 0, static_cast<T>(ids.ids[0] == id ? one : 0));
  } else {
    StoreBlock block;
    HOTPACK_UNROLL
    for (std::uint32_t w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 1) {
        const std::uint32_t low = (id & 255) * 0x01010101, high = (id >> 8) * 0x01010101;
        block.words[w] = bytes_set((ids.low.words[w] ^ low) | (ids.high.words[w] ^ high)) ^ 0x01010101;
      } else if constexpr (sizeof(T) == 2) {
        block.words[w] = (ids.ids[2 * w] == id ? one : 0) | (ids.ids[2 * w + 1] == id ? one << 16 : 0);
      } else {
        block.words[w] = ids.ids[w] == id ? one : 0;
      }
    }
    store_block(at, block);
  }
}

// Which classes a thread writes of its pixels: groups of 8, cut by block_z; the last one has the ignored channel too.
struct PlaneChunk {
  std::uint32_t first_group = 0;
  std::uint32_t end_group = 0;
  bool ignored = false;
};

[[nodiscard]] HOTPACK_HOST_DEVICE inline PlaneChunk plane_chunk(const LabelArgs& args, const ThreadPlace& place) {
  const std::uint64_t groups = (static_cast<std::uint32_t>(args.classes) + 7) / 8;
  return {static_cast<std::uint32_t>(groups * place.block_z / place.grid_z),
          static_cast<std::uint32_t>(groups * (place.block_z + std::uint64_t{1}) / place.grid_z),
          args.ignore_channel != 0 && place.block_z + 1 == place.grid_z};
}

// Pixels of a row, and where their elements of the first plane are.
struct PlanePart {
  std::uint64_t pixel = 0;
  std::uint8_t* out = nullptr;
  std::uint64_t plane_bytes = 0;
};

template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void first_of_ids(const LabelArgs& args, const LabelRow& row, const PlanePart& part, const PlaneChunk& chunk) {
  PixelIds<T, kCount> ids;
  const PixelRun run = find_run(args, row, part.pixel, kCount);
  HOTPACK_UNROLL
  for (std::uint32_t i = 0; i < kCount; ++i) ids.set(i, id_of<kStoredIndex>(args, find_in_run(args, row, run, part.pixel, i)));
  const auto classes = static_cast<std::uint32_t>(args.classes);
  const std::uint32_t first = 8 * chunk.first_group;
  const std::uint32_t end = chunk.ignored ? classes + 1 : smaller(classes, 8 * chunk.end_group);
  std::uint8_t* at = part.out + first * part.plane_bytes;
  for (std::uint32_t id = first; id < end; ++id, at += part.plane_bytes) store_equal<T, kCount>(at, ids, id, args.one);
}

template <std::uint32_t kCount, std::int32_t kStored>
[[nodiscard]] HOTPACK_HOST_DEVICE inline PixelBytes<kCount> group_of(const LabelArgs& args, const LabelRow& row, const PixelRun& run,
                                                                     std::uint64_t pixel, std::uint32_t group) {
  PixelBytes<kCount> bytes;
  HOTPACK_UNROLL
  for (std::uint32_t i = 0; i < kCount; ++i) {
    set_byte(bytes, i, bits_of<kStored>(args, find_in_run(args, row, run, pixel, i), group));
  }
  return bytes;
}

template <std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void add_seen(PixelBytes<kCount>& seen, const PixelBytes<kCount>& bytes) {
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < (kCount + 3) / 4; ++w) seen.words[w] |= bytes.words[w];
}

template <class T, std::uint32_t kCount>
HOTPACK_HOST_DEVICE inline void store_unseen(std::uint8_t* at, PixelBytes<kCount> seen, std::uint32_t one) {
  HOTPACK_UNROLL
  for (std::uint32_t w = 0; w < (kCount + 3) / 4; ++w) seen.words[w] = bytes_set(seen.words[w]) ^ 0x01010101;
  store_bit<T, kCount>(at, seen, 0, one);
}

template <class T, std::uint32_t kCount, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void first_of_vectors(const LabelArgs& args, const LabelRow& row, const PlanePart& part,
                                                 const PlaneChunk& chunk) {
  const PixelRun run = find_run(args, row, part.pixel, kCount);
  const auto classes = static_cast<std::uint32_t>(args.classes);
  PixelBytes<kCount> seen{};
  std::uint8_t* at = part.out + std::uint64_t{8} * chunk.first_group * part.plane_bytes;
  for (std::uint32_t group = chunk.first_group; group < chunk.end_group; ++group) {
    const PixelBytes<kCount> bytes = group_of<kCount, kStored>(args, row, run, part.pixel, group);
    add_seen(seen, bytes);
    const std::uint32_t count = smaller(8, classes - 8 * group);
    for (std::uint32_t bit = 0; bit < count; ++bit, at += part.plane_bytes) store_bit<T, kCount>(at, bytes, bit, args.one);
  }
  if (!chunk.ignored) return;
  for (std::uint32_t group = 0; group < chunk.first_group; ++group) {
    add_seen(seen, group_of<kCount, kStored>(args, row, run, part.pixel, group));
  }
  store_unseen<T, kCount>(part.out + classes * part.plane_bytes, seen, args.one);
}

template <class T, std::uint32_t kCount, std::int32_t kStored>
HOTPACK_HOST_DEVICE inline void first_row(const LabelArgs& args, const ThreadPlace& place, std::uint32_t index) {
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

// All of a thread's rows, by `work(OfStorage, row)`.
template <class Work>
HOTPACK_HOST_DEVICE inline void for_rows(const LabelArgs& args, const ThreadPlace& place, const Work& work) {
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

// T: the unsigned type of the element's size.
template <class T>
HOTPACK_HOST_DEVICE inline void label_index_body(const LabelArgs& args, const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) { index_row<T, kStored>(args, place, row); });
}

HOTPACK_HOST_DEVICE inline void label_bits_body(const LabelArgs& args, const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) { bits_row<kStored>(args, place, row); });
}

template <class T>
HOTPACK_HOST_DEVICE inline void label_one_hot_last_body(const LabelArgs& args, const ThreadPlace& place) {
  for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) { last_row<T, kStored>(args, place, row); });
}

// Whether every plane of every row begins at a multiple of 16 bytes, so that pixels go a block at a time.
template <class T>
[[nodiscard]] HOTPACK_HOST_DEVICE inline bool planes_are_aligned(const LabelArgs& args) {
  return pixels_of(args) % kPerBlock<T> == 0;
}

template <class T>
HOTPACK_HOST_DEVICE inline void label_one_hot_first_body(const LabelArgs& args, const ThreadPlace& place) {
  if (planes_are_aligned<T>(args)) {
    for_rows(args, place,
             [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) { first_row<T, kPerBlock<T>, kStored>(args, place, row); });
  } else {
    for_rows(args, place, [&]<std::int32_t kStored>(OfStorage<kStored>, std::uint32_t row) { first_row<T, 1, kStored>(args, place, row); });
  }
}

}  // namespace hotpack::device
