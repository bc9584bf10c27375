#include "codecs/png_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/png_filters.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kRun = 16;  // bytes that are compared and copied at a time
constexpr std::size_t kSlow = 4;  // bytes that are decoded one by one before the next comparison

struct Chunk {
  std::uint64_t low, high;
  bool operator==(const Chunk&) const = default;
};
static_assert(sizeof(Chunk) == kRun);

Chunk load(const std::uint8_t* at) {
  Chunk chunk;
  std::memcpy(&chunk, at, sizeof chunk);
  return chunk;
}

template <std::size_t kPixelBytes>
class RunRow {
 public:
  RunRow(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out, std::size_t size)
      : in_(in), above_(above), out_(out), size_(size) {}

  void undo() {
    for (; at_ < kPixelBytes; ++at_) out_[at_] = static_cast<std::uint8_t>(in_[at_] + above_[at_]);
    while (at_ < size_)
      if (!take_run()) take_pixels();
  }

 private:
  bool take_run() {
    if (size_ - at_ < 8) return false;
    std::uint64_t coded, up, before;
    std::memcpy(&coded, in_ + at_, 8);
    const std::size_t zeros = coded == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(coded)) / 8;
    if (zeros == 0) return false;
    if (std::memcmp(out_ + at_ - kPixelBytes, above_ + at_ - kPixelBytes, kPixelBytes) == 0) {
      if (zeros == 8 && size_ - at_ >= 32) { Chunk c = load(in_ + at_), d = load(in_ + at_ + 16);
        if (((c.low | c.high) | (d.low | d.high)) == 0) { std::memcpy(out_ + at_, above_ + at_, 32); at_ += 32; return true; } }
      std::memcpy(out_ + at_, above_ + at_, 8);
      at_ += zeros;
      return true;
    }
    std::memcpy(&up, above_ + at_, 8);
    std::memcpy(&before, above_ + at_ - kPixelBytes, 8);
    const std::uint64_t d = up ^ before;
    const std::size_t same = d == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(d)) / 8;
    if (same == 0) return false;
    const std::size_t n = std::min(zeros, same);
    if constexpr (kPixelBytes == 1) std::memset(out_ + at_, out_[at_ - 1], 8);
    else { std::uint8_t t[16]; std::memcpy(t, out_ + at_ - 3, 3); for (int i = 0; i < 8; ++i) t[3+i] = t[i]; std::memcpy(out_ + at_, t + 3, 8); }
    at_ += n;
    return true;
  }
  void take_pixels() {
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
