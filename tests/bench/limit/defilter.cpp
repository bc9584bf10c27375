#include "limit/defilter.hpp"

#define HWY_COMPILE_ONLY_STATIC  // for this processor
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace limit {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Block = hn::FixedTag<std::uint8_t, 16>;
using BlockVector = hn::Vec<Block>;
constexpr Block kBlock;
constexpr int kLag = 2;

enum Filter : std::uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

// One of the rows that are processed together.
struct Row {
  const std::uint8_t* in;
  std::uint8_t* out;
  int width;  // 0: there is no such row
};

// Predicts bytes; all operands are vectors with a pixel of each row.
template <class D>
class Predictor {
 public:
  using V = hn::Vec<D>;

  explicit Predictor(D d, const std::uint8_t* filter_of_lane) : d_(d) {
    const V filters = hn::Load(d, filter_of_lane);
    const auto mask = [&](Filter filter) {
      return hn::VecFromMask(d, hn::Eq(filters, hn::Set(d, filter)));
    };
    sub_ = mask(kSub), up_ = mask(kUp), average_ = mask(kAverage), paeth_ = mask(kPaeth);
  }

  V predict(V left, V above, V corner) const {
    const V chosen = hn::Or(hn::And(paeth_, paeth(left, above, corner)),
                            hn::And(average_, average(left, above)));
    return hn::Or(chosen, hn::Or(hn::And(sub_, left), hn::And(up_, above)));
  }

 private:
  V average(V left, V above) const {
    const V odd = hn::And(hn::Xor(left, above), hn::Set(d_, std::uint8_t{1}));
    return hn::Sub(hn::AverageRound(left, above), odd);
  }

  // The corner is between both neighbors, or the result is the neighbor on the other side. Between
  // them, a neighbor wins if it is at least twice as far from the corner as the other one is.
  V paeth(V left, V above, V corner) const {
    const V low = hn::Min(left, above), high = hn::Max(left, above);
    const V to_high = hn::SaturatedSub(high, corner), to_low = hn::SaturatedSub(corner, low);
    const auto take_low = hn::Eq(hn::Max(hn::SaturatedAdd(to_high, to_high), to_low), to_low);
    const auto take_high = hn::Eq(hn::Max(hn::SaturatedAdd(to_low, to_low), to_high), to_high);
    return hn::IfThenElse(take_low, low, hn::IfThenElse(take_high, high, corner));
  }

  D d_;
  V sub_, up_, average_, paeth_;
};

// 16 bytes of each of N rows as one vector and back.
template <class D>
auto join(D d, const BlockVector* blocks) {
  if constexpr (sizeof(hn::Vec<D>) == 16) {
    return blocks[0];
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, join(half, blocks + sizeof(hn::Vec<D>) / 32), join(half, blocks));
  }
}

template <class D>
void split([[maybe_unused]] D d, hn::Vec<D> v, BlockVector* blocks) {
  if constexpr (sizeof(hn::Vec<D>) == 16) {
    blocks[0] = v;
  } else {
    const hn::Half<D> half;
    split(half, hn::LowerHalf(half, v), blocks);
    split(half, hn::UpperHalf(half, v), blocks + sizeof(hn::Vec<D>) / 32);
  }
}

// Pixels [x, x + count) of a row; those beyond its ends are zero.
BlockVector load_pixels(const Row& row, int x, int count, int pixel_bytes) {
  if (x >= 0 && x + count <= row.width) return hn::LoadU(kBlock, row.in + x * pixel_bytes);
  alignas(16) std::array<std::uint8_t, 16> bytes{};
  const int first = std::clamp(-x, 0, count), last = std::clamp(row.width - x, 0, count);
  if (first < last)
    std::memcpy(bytes.data() + first * pixel_bytes, row.in + (x + first) * pixel_bytes,
                static_cast<std::size_t>((last - first) * pixel_bytes));
  return hn::Load(kBlock, bytes.data());
}

// May write beyond the last pixel, into the slack or where the row's next pixels come.
void store_pixels(BlockVector pixels, const Row& row, int x, int count, int pixel_bytes) {
  if (x >= 0 && x + count <= row.width) {
    hn::StoreU(pixels, kBlock, row.out + x * pixel_bytes);
    return;
  }
  alignas(16) std::array<std::uint8_t, 16> bytes;
  hn::Store(pixels, kBlock, bytes.data());
  const int first = std::clamp(-x, 0, count), last = std::clamp(row.width - x, 0, count);
  if (first < last)
    std::memcpy(row.out + (x + first) * pixel_bytes, bytes.data() + first * pixel_bytes,
                static_cast<std::size_t>((last - first) * pixel_bytes));
}

// Pixels of 3 bytes, 4 per block: lanes of 4 bytes.
struct Rgb {
  static constexpr int kPixelBytes = 3, kSteps = 4;
#if HWY_TARGET <= HWY_AVX3
  using D = hn::FixedTag<std::uint8_t, 64>;
#elif HWY_TARGET == HWY_AVX2
  using D = hn::FixedTag<std::uint8_t, 32>;
#else
  using D = hn::FixedTag<std::uint8_t, 16>;
#endif
  using V = hn::Vec<D>;
  static constexpr int kLaneBytes = 4, kRows = sizeof(V) / kLaneBytes;
  using Steps = std::array<V, kSteps>;

  static BlockVector widened(BlockVector pixels) {
    alignas(16) static constexpr std::uint8_t kPlaces[16] = {0, 1, 2, 128, 3, 4,  5,  128,
                                                             6, 7, 8, 128, 9, 10, 11, 128};
    return hn::TableLookupBytesOr0(pixels, hn::Load(kBlock, kPlaces));
  }
  static BlockVector narrowed(BlockVector lanes) {
    alignas(16) static constexpr std::uint8_t kPlaces[16] = {0,  1,  2,  4,  5,   6,   8,   9,
                                                             10, 12, 13, 14, 128, 128, 128, 128};
    return hn::TableLookupBytesOr0(lanes, hn::Load(kBlock, kPlaces));
  }

  // Exchanges rows and steps within each block.
  static Steps transposed(const Steps& in) {
    const D d;
    const hn::Repartition<std::uint32_t, D> d32;
    const hn::Repartition<std::uint64_t, D> d64;
    const auto pair_low = [&](V a, V b) {
      return hn::BitCast(d64, hn::InterleaveLower(d32, hn::BitCast(d32, a), hn::BitCast(d32, b)));
    };
    const auto pair_high = [&](V a, V b) {
      return hn::BitCast(d64, hn::InterleaveUpper(d32, hn::BitCast(d32, a), hn::BitCast(d32, b)));
    };
    const auto low01 = pair_low(in[0], in[1]), low23 = pair_low(in[2], in[3]);
    const auto high01 = pair_high(in[0], in[1]), high23 = pair_high(in[2], in[3]);
    return {hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)),
            hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)),
            hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)),
            hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23))};
  }

  // Row 4j + i is block j of vector i.
  static Steps gather(const Row* rows, int step) {
    Steps vectors;
    for (int i = 0; i < kSteps; ++i) {
      std::array<BlockVector, kRows / 4> blocks;
      for (int j = 0; j < kRows / 4; ++j) {
        const int row = 4 * j + i;
        blocks[static_cast<std::size_t>(j)] =
            widened(load_pixels(rows[row], step - kLag * row, kSteps, kPixelBytes));
      }
      vectors[static_cast<std::size_t>(i)] = join(D(), blocks.data());
    }
    return transposed(vectors);
  }

  static void scatter(const Steps& steps, const Row* rows, int step) {
    const Steps vectors = transposed(steps);
    for (int i = 0; i < kSteps; ++i) {
      std::array<BlockVector, kRows / 4> blocks;
      split(D(), vectors[static_cast<std::size_t>(i)], blocks.data());
      for (int j = 0; j < kRows / 4; ++j) {
        const int row = 4 * j + i;
        store_pixels(narrowed(blocks[static_cast<std::size_t>(j)]), rows[row], step - kLag * row,
                     kSteps, kPixelBytes);
      }
    }
  }

  // Moves lanes up by one; `first` becomes lane 0.
  class Shift {
   public:
    Shift() {
      alignas(64) std::array<std::uint32_t, kRows> places{};
      for (std::uint32_t i = 1; i < kRows; ++i) places[i] = i - 1;
      places_.emplace(hn::SetTableIndices(D32(), places.data()));
    }
    V operator()(V lanes, V first) const {
      const D32 d32;
      const auto moved = hn::TableLookupLanes(hn::BitCast(d32, lanes), *places_);
      return hn::BitCast(D(), hn::IfThenElse(hn::FirstN(d32, 1), hn::BitCast(d32, first), moved));
    }

   private:
    using D32 = hn::Repartition<std::uint32_t, D>;
    struct Places {  // of a type that has no default
      using Type = decltype(hn::SetTableIndices(D32(), std::declval<const std::uint32_t*>()));
      alignas(64) unsigned char bytes[sizeof(Type)];
      void emplace(Type value) { std::memcpy(bytes, &value, sizeof value); }
      Type operator*() const {
        Type value;
        std::memcpy(&value, bytes, sizeof value);
        return value;
      }
    };
    Places places_;
  };

  // The pixel above lane 0 of each step, in lane 0.
  static Steps above(const Row& row, int step) {
    alignas(64) std::array<std::uint8_t, 64> bytes{};
    hn::Store(widened(load_pixels(row, step, kSteps, kPixelBytes)), kBlock, bytes.data());
    Steps firsts;
    for (std::size_t i = 0; i < kSteps; ++i) {
      std::uint32_t pixel;
      std::memcpy(&pixel, bytes.data() + 4 * i, 4);
      firsts[i] = hn::BitCast(D(), hn::Set(hn::Repartition<std::uint32_t, D>(), pixel));
    }
    return firsts;
  }
};

// Pixels of 1 byte, 16 per block: 16 rows.
struct Gray {
  static constexpr int kPixelBytes = 1, kSteps = 16;
  using D = Block;
  using V = BlockVector;
  static constexpr int kLaneBytes = 1, kRows = 16;
  using Steps = std::array<V, kSteps>;

  template <class T>
  static void interleave(Steps& vectors, std::size_t distance) {
    const hn::Repartition<T, D> d;
    Steps out;
    for (std::size_t i = 0; i < 16; i += 2 * distance)
      for (std::size_t k = 0; k < distance; ++k) {
        const auto a = hn::BitCast(d, vectors[i + k]),
                   b = hn::BitCast(d, vectors[i + distance + k]);
        out[i + 2 * k] = hn::BitCast(D(), hn::InterleaveLower(d, a, b));
        out[i + 2 * k + 1] = hn::BitCast(D(), hn::InterleaveUpper(d, a, b));
      }
    vectors = out;
  }

  // Vector i becomes byte i of every vector.
  static void transpose(Steps& vectors) {
    interleave<std::uint8_t>(vectors, 1);
    interleave<std::uint16_t>(vectors, 2);
    interleave<std::uint32_t>(vectors, 4);
    interleave<std::uint64_t>(vectors, 8);
  }

  static Steps gather(const Row* rows, int step) {
    Steps vectors;
    for (int row = 0; row < kRows; ++row)
      vectors[static_cast<std::size_t>(row)] =
          load_pixels(rows[row], step - kLag * row, kSteps, kPixelBytes);
    transpose(vectors);
    return vectors;
  }

  static void scatter(Steps steps, const Row* rows, int step) {
    transpose(steps);
    for (int row = 0; row < kRows; ++row)
      store_pixels(steps[static_cast<std::size_t>(row)], rows[row], step - kLag * row, kSteps,
                   kPixelBytes);
  }

  struct Shift {
    V operator()(V lanes, V first) const {
      return hn::IfThenElse(hn::FirstN(D(), 1), first, hn::ShiftLeftBytes<1>(D(), lanes));
    }
  };

  static Steps above(const Row& row, int step) {
    alignas(16) std::array<std::uint8_t, 16> bytes;
    hn::Store(load_pixels(row, step, kSteps, kPixelBytes), kBlock, bytes.data());
    Steps firsts;
    for (std::size_t i = 0; i < kSteps; ++i) firsts[i] = hn::Set(D(), bytes[i]);
    return firsts;
  }
};

// `before`: the finished row above the first one, as input.
template <class Pixel>
void undo_group(const Row* rows, const std::uint8_t* filters, const Row& before) {
  using V = typename Pixel::V;
  const typename Pixel::D d;
  alignas(64) std::array<std::uint8_t, 64> lanes{};
  for (int i = 0; i < Pixel::kRows * Pixel::kLaneBytes; ++i)
    lanes[static_cast<std::size_t>(i)] = filters[i / Pixel::kLaneBytes];
  const Predictor<typename Pixel::D> predictor(d, lanes.data());
  const typename Pixel::Shift shift;
  V left = hn::Zero(d), previous = hn::Zero(d), corner = hn::Zero(d);
  const int steps = rows[0].width + kLag * (Pixel::kRows - 1);
  for (int step = 0; step < steps; step += Pixel::kSteps) {
    typename Pixel::Steps pixels = Pixel::gather(rows, step);
    const typename Pixel::Steps firsts = Pixel::above(before, step);
    for (std::size_t i = 0; i < Pixel::kSteps; ++i) {
      const V above = shift(previous, firsts[i]);
      previous = left;
      left = hn::Add(pixels[i], predictor.predict(left, above, corner));
      corner = above;
      pixels[i] = left;
    }
    Pixel::scatter(pixels, rows, step);
  }
}

// Rows without a filter, or the difference to the row above: nothing depends on the left.
void undo_plain(const Row& row, std::uint8_t filter, const std::uint8_t* above, std::size_t size) {
  if (filter == kNone) {
    std::memcpy(row.out, row.in, size);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      row.out[i] = static_cast<std::uint8_t>(row.in[i] + above[i]);
  }
}

template <class Pixel>
void undo_all(const std::uint8_t* filtered, const Image& image, const std::uint8_t* zeros) {
  const std::size_t size = image.row_samples();
  const auto input = [&](int y) { return filtered + static_cast<std::size_t>(y) * (size + 1); };
  const std::uint8_t* above = zeros;
  for (int y = 0; y < image.height; y += Pixel::kRows) {
    const int count = std::min(Pixel::kRows, image.height - y);
    std::array<Row, Pixel::kRows> rows{};
    std::array<std::uint8_t, Pixel::kRows> filters{};
    bool plain = true;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rows[at] = {input(y + i) + 1, image.row(y + i), image.width};
      filters[at] = *input(y + i);
      plain = plain && (filters[at] == kNone || filters[at] == kUp);
    }
    if (!plain) undo_group<Pixel>(rows.data(), filters.data(), {above, nullptr, image.width});
    for (int i = 0; i < count; ++i) {
      if (plain)
        undo_plain(rows[static_cast<std::size_t>(i)], filters[static_cast<std::size_t>(i)], above,
                   size);
      above = image.row(y + i);
    }
  }
}

}  // namespace

void undo_filters(const std::uint8_t* filtered, const Image& image) {
  static thread_local Room room;
  const std::uint8_t* zeros = room.reserve(image.row_samples());
  std::memset(const_cast<std::uint8_t*>(zeros), 0, image.row_samples());
  image.channels == 3 ? undo_all<Rgb>(filtered, image, zeros)
                      : undo_all<Gray>(filtered, image, zeros);
}

}  // namespace limit
