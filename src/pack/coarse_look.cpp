#include "pack/coarse_look.hpp"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace hotpack::pipeline {

namespace {

constexpr int kLast = kLookSide - 1;
constexpr int kLeastDeviation = 8;

struct Range {
  int begin = 0, end = 0;
};

// Pixels of a field along an axis. Fields overlap where the length is no multiple of 8: that keeps them symmetric.
Range range_of(int field, int length) {
  const std::int64_t whole = length;
  return {static_cast<int>(field * whole / kLookSide), static_cast<int>(((field + 1) * whole + kLookSide - 1) / kLookSide)};
}

std::uint64_t sum_of(const std::uint8_t* begin, const std::uint8_t* end) { return std::accumulate(begin, end, std::uint64_t{0}); }

std::uint8_t field_mean(ConstPixels image, Range columns, Range rows) {
  std::uint64_t sum = 0;
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t first = static_cast<std::size_t>(columns.begin) * channels, last = static_cast<std::size_t>(columns.end) * channels;
  for (int y = rows.begin; y < rows.end; ++y) sum += sum_of(image.row(y) + first, image.row(y) + last);
  const std::uint64_t count = (last - first) * static_cast<std::uint64_t>(rows.end - rows.begin);
  return static_cast<std::uint8_t>((sum + count / 2) / count);
}

struct Field {
  int x = 0, y = 0;
};

// Where a field of a copy lies in its original.
struct Making {
  std::string_view text;
  Field (*source)(int x, int y);
};

constexpr Making kMakings[] = {
    {"hardly differs",
     [](int x, int y) {
       return Field{x, y};
     }},
    {"flipped left to right",
     [](int x, int y) {
       return Field{kLast - x, y};
     }},
    {"flipped upside down",
     [](int x, int y) {
       return Field{x, kLast - y};
     }},
    {"turned by 180 degrees",
     [](int x, int y) {
       return Field{kLast - x, kLast - y};
     }},
    {"turned by 90 degrees to the right",
     [](int x, int y) {
       return Field{y, kLast - x};
     }},
    {"turned by 90 degrees to the left",
     [](int x, int y) {
       return Field{kLast - y, x};
     }},
    {"turned and flipped",
     [](int x, int y) {
       return Field{y, x};
     }},
    {"turned and flipped",
     [](int x, int y) {
       return Field{kLast - y, kLast - x};
     }},
};

int at(const CoarseLook& look, int x, int y) { return look[static_cast<std::size_t>(y) * kLookSide + static_cast<std::size_t>(x)]; }

bool fits(const CoarseLook& copy, const CoarseLook& original, const Making& making) {
  for (int y = 0; y < kLookSide; ++y) {
    for (int x = 0; x < kLookSide; ++x) {
      const Field source = making.source(x, y);
      if (std::abs(at(copy, x, y) - at(original, source.x, source.y)) > kFieldSlack) return false;
    }
  }
  return true;
}

// Twice the distance of a field from the middle of its axis.
int from_middle(int field) { return 2 * field - kLast; }

// How much brighter the fields become along an axis, of the plane that fits them best.
template <class Axis>
double slope_of(const CoarseLook& look, Axis axis) {
  int sum = 0, squares = 0;
  for (int y = 0; y < kLookSide; ++y) {
    for (int x = 0; x < kLookSide; ++x) {
      const int place = from_middle(axis(x, y));
      sum += place * at(look, x, y);
      squares += place * place;
    }
  }
  return static_cast<double>(sum) / squares;
}

}  // namespace

CoarseLook coarse_look(ConstPixels image) {
  CoarseLook look{};
  auto field = look.begin();
  for (int y = 0; y < kLookSide; ++y)
    for (int x = 0; x < kLookSide; ++x) *field++ = field_mean(image, range_of(x, image.width), range_of(y, image.height));
  return look;
}

int total_of(const CoarseLook& look) { return std::accumulate(look.begin(), look.end(), 0); }

bool is_distinct(const CoarseLook& look) {
  constexpr int kFields = kLookSide * kLookSide;
  const double mean = static_cast<double>(total_of(look)) / kFields;
  const double across = slope_of(look, [](int x, int) { return x; }), down = slope_of(look, [](int, int y) { return y; });
  double deviation = 0;
  for (int y = 0; y < kLookSide; ++y)
    for (int x = 0; x < kLookSide; ++x) deviation += std::abs(at(look, x, y) - mean - across * from_middle(x) - down * from_middle(y));
  return deviation >= kLeastDeviation * kFields;
}

std::optional<std::string_view> how_alike(const CoarseLook& copy, const CoarseLook& original) {
  for (const Making& making : kMakings)
    if (fits(copy, original, making)) return making.text;
  return std::nullopt;
}

}  // namespace hotpack::pipeline
