#include "codecs/png_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "codecs/png_session.hpp"
#include "codecs/sample_rows.hpp"

namespace hotpack::codecs {
namespace {

bool has_alpha_channel(PixelKind kind) {
  return kind == PixelKind::gray_alpha || kind == PixelKind::rgba;
}
bool is_gray(PixelKind kind) { return kind == PixelKind::gray || kind == PixelKind::gray_alpha; }

// Makes libpng convert the pixels of a photo to 8 bits per channel without alpha, or to palette
// indices of one byte each.
void set_image_transforms(png_structp png, const ImageInfo& info, Depth16 depth16) {
  if (info.bit_depth == 16) (depth16 == Depth16::shift ? png_set_strip_16 : png_set_scale_16)(png);
  if (has_alpha_channel(info.kind)) png_set_strip_alpha(png);
  if (info.bit_depth < 8)
    (info.kind == PixelKind::palette ? png_set_packing : png_set_expand_gray_1_2_4_to_8)(png);
}

// Makes libpng convert the pixels of a photo that will be blended: from any stored form to RGBA of
// 8 bits, or to palette indices of one byte each. libpng compares the color of a tRNS chunk before
// it reduces 16 bits to 8, as the result requires.
void set_blend_transforms(png_structp png, const ImageInfo& info, Depth16 depth16) {
  if (info.kind == PixelKind::palette) return png_set_packing(png);
  png_set_expand(png);
  if (is_gray(info.kind)) png_set_gray_to_rgb(png);
  if (info.bit_depth == 16) (depth16 == Depth16::shift ? png_set_strip_16 : png_set_scale_16)(png);
}

// Makes libpng return the values of a label as stored: one per byte, or one per 16-bit word in the
// machine's byte order.
void set_label_transforms(png_structp png, const ImageInfo& info) {
  if (info.bit_depth < 8) png_set_packing(png);
  if (info.bit_depth == 16) png_set_swap(png);
}

// The first pixel whose index is beyond the palette; `found` is false if there is none.
struct StrayIndex {
  bool found = false;
  int x = 0;
  int y = 0;
  int index = 0;

  void look(const png_byte* row, int width, int row_number, std::size_t colors) {
    const std::size_t pixels = static_cast<std::size_t>(width);
    if (found || largest(row, pixels) < colors) return;
    const png_byte* at = std::find_if(
        row, row + pixels, [colors](png_byte index_here) { return index_here >= colors; });
    *this = {true, static_cast<int>(at - row), row_number, *at};
  }

  [[nodiscard]] Error error(std::size_t colors) const {
    return data_error("the PNG is damaged: pixel " + std::to_string(x) + "," + std::to_string(y) +
                      " has palette index " + std::to_string(index) + ", but the palette has " +
                      std::to_string(colors) + " colors; save the image again");
  }
};

std::vector<RgbColor> colors_of(std::span<const png_color> palette) {
  std::vector<RgbColor> colors;
  colors.reserve(palette.size());
  for (const png_color& color : palette) colors.push_back({color.red, color.green, color.blue});
  return colors;
}

// Returns the colors of a photo's palette. If the caller blends, they are blended over `behind`.
std::vector<RgbColor> seen_colors(const PngSession& session,
                                  const std::optional<RgbColor>& behind) {
  std::vector<RgbColor> colors = colors_of(session.palette());
  const std::span<const png_byte> alpha = session.palette_alpha();
  for (std::size_t i = 0; behind && i < std::min(colors.size(), alpha.size()); ++i) {
    for (std::size_t c = 0; c < 3; ++c) colors[i][c] = blend(colors[i][c], (*behind)[c], alpha[i]);
  }
  return colors;
}

// Returns the result for each of 256 indices: three bytes, or one for gray.
std::array<std::uint8_t, 768> palette_table(std::span<const RgbColor> palette, int channels) {
  std::array<std::uint8_t, 768> table{};
  std::uint8_t* entry = table.data();
  for (const RgbColor& color : palette) {
    if (channels == 3) {
      entry = std::copy_n(color.data(), 3, entry);
    } else {
      *entry++ = luma(color[0], color[1], color[2]);
    }
  }
  return table;
}

Status read_palette_image(PngSession& session, const std::optional<RgbColor>& behind,
                          const MutablePixels& image, Buffer& raw) {
  const std::vector<RgbColor> palette = seen_colors(session, behind);
  const auto table = palette_table(palette, image.channels);
  const auto look_up = image.channels == 3 ? look_up_rgb : look_up_gray;
  StrayIndex stray;
  HOTPACK_TRY(session.read_through(raw, [&](const png_byte* row, int y) {
    stray.look(row, image.width, y, palette.size());
    look_up(row, table.data(), image.row(y), static_cast<std::size_t>(image.width));
  }));
  if (stray.found) return stray.error(palette.size());
  return {};
}

Status read_blended_rows(PngSession& session, const RgbColor& behind, const MutablePixels& image,
                         Buffer& raw) {
  const auto blend_row = image.channels == 3 ? blend_to_rgb : blend_to_gray;
  return session.read_through(raw, [&](const png_byte* row, int y) {
    blend_row(row, behind, image.row(y), static_cast<std::size_t>(image.width));
  });
}

Status read_opaque_rows(PngSession& session, PixelKind kind, const MutablePixels& image,
                        Buffer& raw) {
  const int channels_read = is_gray(kind) ? 1 : 3;
  if (channels_read == image.channels) return session.read_into(image.data, image.row_bytes);
  const auto convert = image.channels == 3 ? replicate_gray : rgb_to_gray;
  return session.read_through(raw, [&](const png_byte* row, int y) {
    convert(row, image.row(y), static_cast<std::size_t>(image.width));
  });
}

// Decodes the rows of a photo into `image`. If `behind` is present, blends transparent pixels with
// this color. It is absent if alpha is dropped or the file has no transparency.
Status read_image_rows(PngSession& session, PixelKind kind, const std::optional<RgbColor>& behind,
                       const MutablePixels& image, Buffer& raw) {
  if (kind == PixelKind::palette) return read_palette_image(session, behind, image, raw);
  return behind ? read_blended_rows(session, *behind, image, raw)
                : read_opaque_rows(session, kind, image, raw);
}

Status read_rgba_label(PngSession& session, RawLabel& label, PixelBuffers& buffers) {
  const MutablePixels image = buffers.image(label.width, label.height, 3);
  label.rgb = image;
  std::uint8_t first = 0;
  return session.read_through(buffers.raw, [&](const png_byte* row, int y) {
    if (y == 0) first = row[3];
    label.alpha_varies |=
        drop_alpha(row, image.row(y), static_cast<std::size_t>(image.width), first);
  });
}

Status read_rgb_label(PngSession& session, RawLabel& label, PixelBuffers& buffers) {
  const MutablePixels image = buffers.image(label.width, label.height, 3);
  label.rgb = image;
  return session.read_into(image.data, image.row_bytes);
}

// Reads colors of 16 bits per channel.
Status read_wide_label(PngSession& session, PixelKind kind, RawLabel& label,
                       PixelBuffers& buffers) {
  const MutableIds image = buffers.ids(label.width, label.height, 3);
  label.wide_rgb = image;
  if (kind == PixelKind::rgb) return session.read_into(image.data, image.row_bytes);
  std::uint16_t first = 0;
  return session.read_through(buffers.raw, [&](const png_byte* row, int y) {
    // the buffer is aligned, and so is each row of 8-byte pixels
    const auto* samples = reinterpret_cast<const std::uint16_t*>(row);
    if (y == 0) first = samples[3];
    label.alpha_varies |=
        drop_alpha(samples, image.row(y), static_cast<std::size_t>(image.width), first);
  });
}

template <class Sample>
Status read_gray_alpha_label(PngSession& session, RawLabel& label, const MutableIds& ids,
                             Buffer& raw) {
  Sample first = 0;
  return session.read_through(raw, [&](const png_byte* row, int y) {
    // the buffer is aligned, and so is each row of 4-byte pixels
    const auto* samples = reinterpret_cast<const Sample*>(row);
    if (y == 0) first = samples[1];
    label.alpha_varies |=
        drop_gray_alpha(samples, ids.row(y), static_cast<std::size_t>(ids.width), first);
  });
}

Status read_sample_label(PngSession& session, PixelKind kind, RawLabel& label,
                         PixelBuffers& buffers) {
  const MutableIds ids = buffers.ids(label.width, label.height);
  label.samples = ids;
  if (kind == PixelKind::gray_alpha) {
    return label.bit_depth == 16
               ? read_gray_alpha_label<std::uint16_t>(session, label, ids, buffers.raw)
               : read_gray_alpha_label<std::uint8_t>(session, label, ids, buffers.raw);
  }
  if (label.bit_depth == 16) return session.read_into(ids.data, ids.row_bytes);
  return session.read_through(buffers.raw, [&](const png_byte* row, int y) {
    widen(row, ids.row(y), static_cast<std::size_t>(ids.width));
  });
}

Status read_label_rows(PngSession& session, PixelKind kind, RawLabel& label,
                       PixelBuffers& buffers) {
  const bool is_color = kind == PixelKind::rgb || kind == PixelKind::rgba;
  if (is_color && label.bit_depth == 16) return read_wide_label(session, kind, label, buffers);
  if (kind == PixelKind::rgb) return read_rgb_label(session, label, buffers);
  if (kind == PixelKind::rgba) return read_rgba_label(session, label, buffers);
  return read_sample_label(session, kind, label, buffers);
}

// Decodes a photo through the fast path (PlainPng) if its stored pixels have the requested channels
// (RGB or gray). Returns false if libpng must read the file.
bool read_plain_image(std::span<const std::byte> file, const ImageInfo& info,
                      const MutablePixels& image, PlainPng& plain) {
  const PixelKind wanted = image.channels == 3 ? PixelKind::rgb : PixelKind::gray;
  std::span<const std::byte> palette;
  return info.kind == wanted && plain.read(file, info, image.data, image.row_bytes, palette);
}

// Reads a label of 8-bit samples through the fast path. Returns false if libpng must read the file.
bool read_plain_label(std::span<const std::byte> file, const ImageInfo& info, RawLabel& label,
                      PixelBuffers& buffers) {
  std::span<const std::byte> palette;
  if (info.kind == PixelKind::rgb) {
    const MutablePixels image = buffers.image(label.width, label.height, 3);
    label.rgb = image;
    return buffers.plain.read(file, info, image.data, image.row_bytes, palette);
  }
  const std::size_t width = static_cast<std::size_t>(label.width),
                    height = static_cast<std::size_t>(label.height);
  auto* const samples = buffers.raw.reserve_as<std::uint8_t>(width * height);
  if (!buffers.plain.read(file, info, samples, width, palette)) return false;
  const MutableIds ids = buffers.ids(label.width, label.height);
  label.samples = ids;
  for (int y = 0; y < label.height; ++y)
    widen(samples + static_cast<std::size_t>(y) * width, ids.row(y), width);
  for (std::size_t i = 0; i < palette.size(); i += 3) {
    const auto at = [&](std::size_t c) { return std::to_integer<std::uint8_t>(palette[i + c]); };
    label.palette.push_back({at(0), at(1), at(2)});
  }
  return true;
}

RawLabel describe_label(const ImageInfo& info) {
  RawLabel label;
  label.width = info.width;
  label.height = info.height;
  label.bit_depth = info.bit_depth;
  label.form =
      std::to_string(info.bit_depth) + "-bit " + std::string(pixel_kind_name(info.kind)) + " PNG";
  label.is_palette = info.kind == PixelKind::palette;
  return label;
}

}  // namespace

Result<ConstPixels> read_png_image(std::span<const std::byte> file, const ImageInfo& info,
                                   const ImageOptions& options, PixelBuffers& buffers) {
  const MutablePixels image = buffers.image(info.width, info.height, options.channels);
  const std::optional<RgbColor> behind = info.has_alpha ? options.blend : std::nullopt;
  if (!behind && read_plain_image(file, info, image, buffers.plain)) return ConstPixels(image);
  PngSession session(file);
  const auto transparency = behind ? Transparency::wanted : Transparency::dropped;
  HOTPACK_TRY(session.start(info, transparency, [&](png_structp png) {
    (behind ? set_blend_transforms : set_image_transforms)(png, info, options.depth16);
  }));
  HOTPACK_TRY(read_image_rows(session, info.kind, behind, image, buffers.raw));
  return ConstPixels(image);
}

Result<RawLabel> read_png_label(std::span<const std::byte> file, const ImageInfo& info,
                                PixelBuffers& buffers) {
  if (RawLabel plain = describe_label(info); read_plain_label(file, info, plain, buffers))
    return plain;
  PngSession session(file);
  HOTPACK_TRY(session.start(info, Transparency::dropped,
                            [&](png_structp png) { set_label_transforms(png, info); }));
  RawLabel label = describe_label(info);
  if (label.is_palette) label.palette = colors_of(session.palette());
  HOTPACK_TRY(read_label_rows(session, info.kind, label, buffers));
  return label;
}

}  // namespace hotpack::codecs
