#include "limit/labels.hpp"

#define HWY_COMPILE_ONLY_STATIC  // for this processor
#include <hwy/highway.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace limit {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::FixedTag<std::uint8_t, 16> kBlock;

std::uint32_t packed(const std::uint8_t* color) {
  return color[0] | std::uint32_t{color[1]} << 8 | std::uint32_t{color[2]} << 16;
}

int center(int i, int source, int target) {
  return static_cast<int>((2 * std::int64_t{i} + 1) * source / (2 * std::int64_t{target}));
}

}  // namespace

std::vector<Color> read_colors(const std::string& path) {
  std::ifstream file(path);
  std::vector<Color> colors;
  for (std::string line; std::getline(file, line);) {
    unsigned r = 0, g = 0, b = 0;
    if (std::sscanf(line.c_str(), "%*[^,],%u,%u,%u", &r, &g, &b) == 3)
      colors.push_back({static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                        static_cast<std::uint8_t>(b)});
  }
  return colors;
}

Labeler::Labeler(std::vector<Color> colors, std::size_t class_count, Storage storage)
    : colors_(std::move(colors)),
      class_count_(class_count),
      pixel_bytes_(storage == Storage::index  ? 1
                   : storage == Storage::bits ? (class_count + 7) / 8
                                              : class_count),
      storage_(storage) {
  if (class_count > 16) throw std::runtime_error("more than 16 classes");
  find_hash();
}

// Tries factors until every color has a slot of its own.
void Labeler::find_hash() {
  bool perfect = false;
  while (!perfect) {
    factor_ = factor_ * 1664525u + 1013904223u;
    ids_.fill(kNoClass);
    perfect = true;
    for (std::size_t c = 0; c < colors_.size(); ++c) {
      std::uint8_t& id = ids_[slot(packed(colors_[c].data()))];
      perfect = perfect && id == kNoClass;
      id = static_cast<std::uint8_t>(c);
    }
  }
}

// Colors come in runs: a vector of bytes is compared with the one a pixel further.
void Labeler::ids_of_colors(const std::uint8_t* colors, int pixels, std::uint8_t* ids) const {
  const hn::ScalableTag<std::uint8_t> d;
  const int compared = static_cast<int>(hn::Lanes(d)) / 3;
  for (int x = 0; x < pixels;) {
    const std::uint8_t* pixel = colors + 3 * x;
    const std::uint32_t color = packed(pixel);
    const std::size_t at = slot(color);
    const bool known = ids_[at] != kNoClass && packed(colors_[ids_[at]].data()) == color;
    const auto id = hn::Set(d, known ? ids_[at] : kNoClass);
    const auto differ = hn::Ne(hn::LoadU(d, pixel), hn::LoadU(d, pixel + 3));
    const auto first = hn::FindFirstTrue(d, differ);
    hn::StoreU(id, d, ids + x);  // one or more pixels; the next ones overwrite the rest
    x += first < 0 ? compared : 1 + static_cast<int>(first) / 3;
  }
}

void Labeler::encode(const std::uint8_t* ids, int pixels, std::uint8_t* out) const {
  if (storage_ == Storage::index) {
    std::memcpy(out, ids, static_cast<std::size_t>(pixels));
  } else if (storage_ == Storage::bits) {
    alignas(16) static constexpr std::uint8_t kBits[32] = {1, 2, 4, 8, 16, 32, 64, 128, 0,  0,  0,
                                                           0, 0, 0, 0, 0,  0,  0,  0,   0,  0,  0,
                                                           0, 0, 1, 2, 4,  8,  16, 32,  64, 128};
    const auto low = hn::Load(kBlock, kBits), high = hn::Load(kBlock, kBits + 16);
    for (int x = 0; x < pixels; x += 16) {
      const auto sixteen = hn::LoadU(kBlock, ids + x);
      const auto first = hn::TableLookupBytesOr0(low, sixteen);
      if (pixel_bytes_ == 1) {
        hn::StoreU(first, kBlock, out + x);
        continue;
      }
      const auto second = hn::TableLookupBytesOr0(high, sixteen);
      hn::StoreU(hn::InterleaveLower(kBlock, first, second), kBlock, out + 2 * x);
      hn::StoreU(hn::InterleaveUpper(kBlock, first, second), kBlock, out + 2 * x + 16);
    }
  } else {
    alignas(16) std::array<std::uint8_t, 17 * 16> vectors{};
    for (std::size_t c = 0; c < class_count_; ++c) vectors[17 * c] = 1;
    for (int x = 0; x < pixels; ++x, out += pixel_bytes_)
      std::memcpy(out, vectors.data() + 16 * std::min<std::size_t>(ids[x], 16), 16);
  }
}

void Labeler::update_columns(int source, int target) {
  if (source == source_ && target == target_) return;
  source_ = source, target_ = target;
  columns_.clear(), sixteens_.clear();
  close_ = true;
  for (int x = 0; x < target; ++x) {
    columns_.push_back(center(x, source, target));
    if (x % 16 == 0) sixteens_.push_back({columns_.back(), {}});
    const int place = columns_.back() - sixteens_.back().offset;
    close_ = close_ && place < 16;
    sixteens_.back().places[x % 16] = static_cast<std::uint8_t>(place);
  }
}

void Labeler::pick_columns(const std::uint8_t* ids, std::uint8_t* out) const {
  if (!close_) {
    for (std::size_t x = 0; x < columns_.size(); ++x) out[x] = ids[columns_[x]];
    return;
  }
  for (const Sixteen& sixteen : sixteens_) {
    const auto found = hn::LoadU(kBlock, ids + sixteen.offset);
    hn::StoreU(hn::TableLookupBytes(found, hn::LoadU(kBlock, sixteen.places)), kBlock, out);
    out += 16;
  }
}

void Labeler::count(const std::uint8_t* ids, int pixels, std::uint64_t times,
                    std::array<std::uint64_t, 16>& counts) const {
  const hn::ScalableTag<std::uint8_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d)), whole = pixels / lanes * lanes;
  for (std::size_t c = 0; c < class_count_; ++c) {
    const auto id = hn::Set(d, static_cast<std::uint8_t>(c));
    std::size_t found = 0;
    for (int x = 0; x < whole; x += lanes)
      found += hn::CountTrue(d, hn::Eq(hn::LoadU(d, ids + x), id));
    for (int x = whole; x < pixels; ++x) found += ids[x] == c;
    counts[c] += found * times;
  }
}

void Labeler::convert(const Image& label, int width, int height, std::uint8_t* out,
                      std::array<std::uint64_t, 16>& counts) {
  update_columns(label.width, width);
  std::uint8_t* source_ids = source_ids_.reserve(static_cast<std::size_t>(label.width));
  std::uint8_t* row_ids = row_ids_.reserve(static_cast<std::size_t>(width));
  const std::size_t row_bytes = static_cast<std::size_t>(width) * pixel_bytes_;
  for (int y = 0; y < height;) {
    const int from = center(y, label.height, height);
    const std::uint8_t* ids = label.row(from);
    if (label.channels == 3) {
      ids_of_colors(label.row(from), label.width, source_ids);
      ids = source_ids;
    }
    if (label.width != width) {
      pick_columns(ids, row_ids);
      ids = row_ids;
    }
    encode(ids, width, out);
    int times = 1;
    for (; y + times < height && center(y + times, label.height, height) == from; ++times)
      std::memcpy(out + static_cast<std::size_t>(times) * row_bytes, out, row_bytes);
    count(ids, width, static_cast<std::uint64_t>(times), counts);
    y += times;
    out += static_cast<std::size_t>(times) * row_bytes;
  }
}

}  // namespace limit
