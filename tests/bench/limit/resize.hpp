// Resizes images with integers: linear as OpenCV 4.6 (INTER_LINEAR) to the bit, or area, which
// differs from OpenCV's floats by rounding alone.
//
// Ownership: a Resizer keeps tables and rows. Not thread-safe. Trusts its input.
#pragma once

#include <cstdint>
#include <vector>

#include "limit/image.hpp"

namespace limit {

class Resizer {
 public:
  // `out`: rows without gaps, and kSlack bytes. Area where both sides shrink, otherwise linear; a
  // copy if the size is equal.
  void resize(const Image& in, int width, int height, std::uint8_t* out);

 private:
  // Outputs between two inputs, `first` and the next one.
  struct LinearAxis {
    int source = 0, target = 0;
    std::vector<int> first;
    std::vector<std::int16_t> weights;  // two per output
    void update(int wanted_source, int wanted_target);
  };
  // Eight output samples of a row: bytes at two places, shuffled into pairs, times pairs of
  // weights.
  struct Pairs {
    std::int32_t offset[2];
    std::uint8_t places[2][16];
    std::int16_t weights[2][8];
  };
  // Outputs that are sums of `count` inputs from `first` on with the weight `middle`, one before
  // with `head`, one after with `tail`; in units of 1 / 2^14. Shrinks to 1/128 at
  // most.
  struct AreaAxis {
    struct Span {
      int first, count;
      std::int16_t head, middle, tail;
    };
    int source = 0, target = 0;
    std::vector<Span> spans;
    void update(int wanted_source, int wanted_target);
  };

  void linear(const Image& in, int width, int height, std::uint8_t* out);
  void area(const Image& in, int width, int height, std::uint8_t* out);
  void update_pairs(int channels);
  void update_taps();
  void stretch_row(const std::uint8_t* in, int channels, std::int16_t* out) const;
  void shrink_columns(const Image& in, const AreaAxis::Span& span, std::int16_t* out) const;
  void shrink_row(const std::int16_t* in, int channels, std::uint8_t* out) const;

  LinearAxis columns_, rows_;
  AreaAxis area_columns_, area_rows_;
  std::vector<Pairs> pairs_;
  int pairs_source_ = 0, pairs_target_ = 0, pairs_channels_ = 0;
  std::size_t taps_ = 0;
  std::vector<std::int16_t> tap_weights_;
  int taps_source_ = 0, taps_target_ = 0;
  Room stretched_[2], sums_;
};

}  // namespace limit
