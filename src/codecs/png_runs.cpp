#include "codecs/png_runs.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/png_filters.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kRun = 16;  // bytes that are compared and copied at a time
constexpr std::size_t kSlow = 8;  // bytes that are decoded one by one before the next comparison

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
  // With nothing added, Paeth repeats the row above while it agrees in the pixel before, and
  // repeats that pixel while the row above stays the same.
  bool take_run() {
    if (size_ - at_ < kRun || load(in_ + at_) != Chunk{}) return false;
    if (std::memcmp(out_ + at_ - kPixelBytes, above_ + at_ - kPixelBytes, kPixelBytes) == 0) {
      std::memcpy(out_ + at_, above_ + at_, kRun);
    } else if (load(above_ + at_) == load(above_ + at_ - kPixelBytes)) {
      repeat_left();
    } else {
      return false;
    }
    at_ += kRun;
    return true;
  }

  void repeat_left() {
    std::uint8_t pixels[kRun + kPixelBytes];
    std::memcpy(pixels, out_ + at_ - kPixelBytes, kPixelBytes);
    for (std::size_t i = 0; i < kRun; ++i) pixels[kPixelBytes + i] = pixels[i];
    std::memcpy(out_ + at_, pixels + kPixelBytes, kRun);
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
