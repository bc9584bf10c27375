#include "preview/canvas.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace hotpack::preview {

namespace {

constexpr std::size_t kChannels = 3;

std::size_t bytes_of_rows(int rows, int width) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * kChannels;
}

}  // namespace

Canvas::Canvas(Extent size, RgbColor background) : size_{size.width, 0}, background_(background) {
  grow(size.height);
}

ConstPixels Canvas::image() const {
  return {pixels_.data(), size_.width, size_.height, kChannels, bytes_of_rows(1, size_.width)};
}

void Canvas::grow(int rows) {
  const int top = size_.height;
  size_.height += rows;
  pixels_.resize(bytes_of_rows(size_.height, size_.width));
  fill({0, top, size_.width, rows}, background_);
}

std::uint8_t* Canvas::pixel(int x, int y) {
  return pixels_.data() + bytes_of_rows(y, size_.width) + static_cast<std::size_t>(x) * kChannels;
}

Region Canvas::clipped(Region area) const {
  const int left = std::clamp(area.x, 0, size_.width),
            right = std::clamp(area.x + area.width, left, size_.width);
  const int top = std::clamp(area.y, 0, size_.height),
            bottom = std::clamp(area.y + area.height, top, size_.height);
  return {left, top, right - left, bottom - top};
}

void Canvas::fill(Region area, RgbColor color) { hatch(area, color, color, 1); }

void Canvas::frame(Region area, RgbColor color, int thickness) {
  fill({area.x, area.y, area.width, thickness}, color);
  fill({area.x, area.y + area.height - thickness, area.width, thickness}, color);
  fill({area.x, area.y, thickness, area.height}, color);
  fill({area.x + area.width - thickness, area.y, thickness, area.height}, color);
}

void Canvas::hatch(Region area, RgbColor one, RgbColor other, int stripe) {
  const Region inside = clipped(area);
  for (int y = inside.y; y < inside.y + inside.height; ++y) {
    std::uint8_t* out = pixel(inside.x, y);
    for (int x = inside.x; x < inside.x + inside.width; ++x, out += kChannels) {
      const RgbColor& color = on_stripe(x, y, stripe) ? one : other;
      std::copy(color.begin(), color.end(), out);
    }
  }
}

void Canvas::place(ConstPixels image, int x, int y) {
  const Region inside = clipped({x, y, image.width, image.height});
  for (int row = inside.y; row < inside.y + inside.height; ++row) {
    const std::uint8_t* from =
        image.row(row - y) + static_cast<std::size_t>(inside.x - x) * kChannels;
    if (inside.width > 0) std::memcpy(pixel(inside.x, row), from, bytes_of_rows(1, inside.width));
  }
}

void Canvas::write(std::u32string_view text, int x, int y, RgbColor color, int size) {
  for (const char32_t character : text) {
    const Glyph& glyph = font_.glyph(character, size);
    ink(glyph, x + glyph.left, y + baseline(size) - glyph.top, color);
    x += glyph.advance;
  }
}

void Canvas::ink(const Glyph& glyph, int x, int y, RgbColor color) {
  const Region inside = clipped({x, y, glyph.width, glyph.height});
  for (int row = inside.y; row < inside.y + inside.height; ++row) {
    const std::uint8_t* coverage = glyph.coverage.data() + (row - y) * glyph.width + (inside.x - x);
    std::uint8_t* out = pixel(inside.x, row);
    for (int column = 0; column < inside.width; ++column, out += kChannels) {
      for (std::size_t c = 0; c < kChannels; ++c)
        out[c] = static_cast<std::uint8_t>(
            (coverage[column] * color[c] + (255 - coverage[column]) * out[c] + 127) / 255);
    }
  }
}

}  // namespace hotpack::preview
