#include "codecs/png_filters.hpp"

#include <cstring>

namespace hotpack::codecs {

namespace {

std::uint8_t sum(unsigned a, unsigned b) { return static_cast<std::uint8_t>(a + b); }

void undo_up(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
             std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = sum(in[i], above[i]);
}

void undo_sub(const std::uint8_t* in, std::uint8_t* out, std::size_t size, std::size_t step) {
  std::memcpy(out, in, step);
  for (std::size_t i = step; i < size; ++i) out[i] = sum(in[i], out[i - step]);
}

void undo_average(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                  std::size_t size, std::size_t step) {
  for (std::size_t i = 0; i < step; ++i) out[i] = sum(in[i], above[i] / 2u);
  for (std::size_t i = step; i < size; ++i)
    out[i] = sum(in[i], (above[i] + unsigned{out[i - step]}) / 2u);
}

void undo_paeth(const std::uint8_t* in, const std::uint8_t* above, std::uint8_t* out,
                std::size_t size, std::size_t step) {
  for (std::size_t i = 0; i < step; ++i) out[i] = sum(in[i], above[i]);
  for (std::size_t i = step; i < size; ++i)
    out[i] = sum(in[i], paeth(out[i - step], above[i], above[i - step]));
}

}  // namespace

void undo_filter(std::uint8_t filter, const std::uint8_t* in, const std::uint8_t* above,
                 std::uint8_t* out, std::size_t size, std::size_t pixel_bytes) {
  if (filter == 0) std::memcpy(out, in, size);
  if (filter == 1) undo_sub(in, out, size, pixel_bytes);
  if (filter == 2) undo_up(in, above, out, size);
  if (filter == 3) undo_average(in, above, out, size, pixel_bytes);
  if (filter == 4) undo_paeth(in, above, out, size, pixel_bytes);
}

}  // namespace hotpack::codecs
