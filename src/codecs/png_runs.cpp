#include "codecs/png_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/png_filters.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kLong = 32;  // bytes of a long run that are copied at a time
constexpr std::size_t kSlow = 4;   // bytes that are decoded one by one before the next comparison

std::uint64_t load(const std::uint8_t* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// How many bytes of a loaded word are zero before the first other one.
std::size_t leading_zeros(std::uint64_t word) {
  const int bits =
      std::endian::native == std::endian::little ? std::countr_zero(word) : std::countl_zero(word);
  return static_cast<std::size_t>(bits) / 8;
}

bool is_long_run(const std::uint8_t* at) {
  return (load(at) | load(at + kWord) | load(at + 2 * kWord) | load(at + 3 * kWord)) == 0;
}

template <std::size_t kPixelBytes>
class RunRow {
 public:
  RunRow(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size)
      : in_(in), above_(above), out_(out), size_(size) {}

  void undo() {
    for (; at_ < kPixelBytes; ++at_) out_[at_] = static_cast<std::uint8_t>(in_[at_] + above_[at_]);
    while (at_ < size_)
      if (!take_run()) take_bytes();
  }

 private:
  // Decodes bytes of a run and returns true. In a run, the coded bytes are zero, so each pixel
  // equals Paeth's prediction. If the pixel to the left equals the one above it, the row above is
  // repeated. If the row above does not change, the pixel to the left is repeated. Returns false if
  // the next bytes are not a run.
  bool take_run() {
    if (size_ - at_ < kWord) return false;
    const std::size_t zeros = leading_zeros(load(in_ + at_));
    if (zeros == 0) return false;
    if (std::memcmp(out_ + at_ - kPixelBytes, above_ + at_ - kPixelBytes, kPixelBytes) == 0) {
      copy_above(zeros);
      return true;
    }
    const std::size_t equal = leading_zeros(load(above_ + at_) ^ load(above_ + at_ - kPixelBytes));
    repeat_left();
    at_ += std::min(zeros, equal);
    return equal > 0;
  }

  void copy_above(std::size_t zeros) {
    if (zeros == kWord && size_ - at_ >= kLong && is_long_run(in_ + at_)) {
      std::memcpy(out_ + at_, above_ + at_, kLong);
      at_ += kLong;
    } else {
      std::memcpy(out_ + at_, above_ + at_, kWord);
      at_ += zeros;
    }
  }

  // Repeats the pixel before in the next bytes.
  void repeat_left() {
    std::uint8_t pixels[kPixelBytes + kWord];
    std::memcpy(pixels, out_ + at_ - kPixelBytes, kPixelBytes);
    for (std::size_t i = 0; i < kWord; ++i) pixels[kPixelBytes + i] = pixels[i];
    std::memcpy(out_ + at_, pixels + kPixelBytes, kWord);
  }

  void take_bytes() {
    const std::size_t end = std::min(size_, at_ + kSlow);
    for (; at_ < end; ++at_)
      out_[at_] = static_cast<std::uint8_t>(
          in_[at_] + paeth(out_[at_ - kPixelBytes], above_[at_], above_[at_ - kPixelBytes]));
  }

  const std::uint8_t* in_;
  const std::uint8_t* above_;
  std::uint8_t* out_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace

void undo_paeth_runs(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                     std::size_t size, std::size_t pixel_bytes) {
  if (pixel_bytes == 3) return RunRow<3>(in, above, out, size).undo();
  RunRow<1>(in, above, out, size).undo();
}

}  // namespace hotpack::codecs
