#include "codecs/png_writer.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/sample_rows.hpp"

namespace hotpack::codecs {
namespace {

constexpr std::size_t kMaxColors = 256;

// The picture as libpng wants it described.
struct Description {
  int width = 0;
  int height = 0;
  int color_type = PNG_COLOR_TYPE_GRAY;
  int bit_depth = 8;
  std::span<const png_color> palette = {};
};

// One PNG file being written to memory. Errors leave libpng by longjmp, so nothing inside guarded() owns anything.
class PngOutput {
 public:
  PngOutput() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngOutput() { png_destroy_write_struct(&png_, &info_); }
  PngOutput(const PngOutput&) = delete;
  PngOutput& operator=(const PngOutput&) = delete;

  template <class Sample>
  [[nodiscard]] Status write(const Description& what, const PictureView<const Sample>& picture) {
    return guarded([&] {
      write_header(what);
      for (int y = 0; y < what.height; ++y) png_write_row(png_, reinterpret_cast<png_const_bytep>(picture.row(y)));
      png_write_end(png_, nullptr);
    });
  }

  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class Body>
  [[nodiscard]] Status guarded(const Body& body) {
    if (png_ == nullptr || info_ == nullptr) return data_error("not enough memory to write a PNG");
    if (setjmp(png_jmpbuf(png_)) != 0) return data_error("cannot write a PNG: " + std::string(message_));
    body();
    return {};
  }

  void write_header(const Description& what) {
    png_set_write_fn(png_, this, on_write, nullptr);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(what.width), static_cast<png_uint_32>(what.height), what.bit_depth, what.color_type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!what.palette.empty()) png_set_PLTE(png_, info_, what.palette.data(), static_cast<int>(what.palette.size()));
    png_write_info(png_, info_);
    if (what.bit_depth == 16) png_set_swap(png_);  // PNG is big-endian
  }

  // Must not let an exception through libpng, nor leave a handler by longjmp.
  [[nodiscard]] bool append(const png_byte* data, std::size_t size) noexcept {
    try {
      const auto* begin = reinterpret_cast<const std::byte*>(data);
      bytes_.insert(bytes_.end(), begin, begin + size);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  static void on_write(png_structp png, png_bytep data, std::size_t size) {
    if (!static_cast<PngOutput*>(png_get_io_ptr(png))->append(data, size)) png_error(png, "not enough memory");
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& output = *static_cast<PngOutput*>(png_get_error_ptr(png));
    std::snprintf(output.message_, sizeof output.message_, "%s", text);
    png_longjmp(png, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  std::vector<std::byte> bytes_;
  char message_[256] = {};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

template <class Sample>
Result<std::vector<std::byte>> encode(const Description& what, const PictureView<const Sample>& picture) {
  PngOutput output;
  HOTPACK_TRY(output.write(what, picture));
  return output.take();
}

template <class Sample>
Status check_view(const PictureView<const Sample>& picture) {
  if (picture.data == nullptr || picture.width < 1 || picture.height < 1) return internal_error("there is no picture to write as PNG");
  return {};
}

Status check_indices(const ConstPicture& indices, std::size_t colors) {
  for (int y = 0; y < indices.height; ++y) {
    const std::size_t most = largest(indices.row(y), static_cast<std::size_t>(indices.width));
    if (most >= colors) {
      return internal_error("palette index " + std::to_string(most) + " has no colour; there are " + std::to_string(colors));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> encode_png(ConstPicture picture) {
  HOTPACK_TRY(check_view(picture));
  const int channels = picture.channels;
  if (channels != 1 && channels != 3 && channels != 4) return internal_error("a PNG is written from 1, 3 or 4 channels");
  const int color_type = channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
  return encode({.width = picture.width, .height = picture.height, .color_type = color_type}, picture);
}

Result<std::vector<std::byte>> encode_png16(ConstIds picture) {
  HOTPACK_TRY(check_view(picture));
  if (picture.channels != 1) return internal_error("a 16-bit PNG is written from 1 channel");
  return encode({.width = picture.width, .height = picture.height, .bit_depth = 16}, picture);
}

Result<std::vector<std::byte>> encode_png_palette(ConstPicture indices, std::span<const RgbColor> palette) {
  HOTPACK_TRY(check_view(indices));
  if (indices.channels != 1) return internal_error("a palette PNG is written from 1 channel");
  if (palette.empty() || palette.size() > kMaxColors) return internal_error("a PNG palette has 1 to 256 colours");
  HOTPACK_TRY(check_indices(indices, palette.size()));
  std::array<png_color, kMaxColors> colors{};
  std::transform(palette.begin(), palette.end(), colors.begin(), [](const RgbColor& c) { return png_color{c[0], c[1], c[2]}; });
  return encode({.width = indices.width,
                 .height = indices.height,
                 .color_type = PNG_COLOR_TYPE_PALETTE,
                 .palette = std::span<const png_color>(colors).first(palette.size())},
                indices);
}

}  // namespace hotpack::codecs
