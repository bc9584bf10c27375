#include "codecs/decoder.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/jpeg_reader.hpp"
#include "codecs/orientation.hpp"
#include "codecs/pixel_buffers.hpp"
#include "codecs/png_reader.hpp"

namespace hotpack::codecs {
namespace {

// Reads the header. Refuses files whose header cannot be read, and images that exceed max_pixels.
Result<ImageInfo> inspect(std::span<const std::byte> file, std::uint64_t max_pixels) {
  HOTPACK_ASSIGN(const Probe found, probe(file, true));
  HOTPACK_TRY(check_pixel_limit(found.info, max_pixels));
  return found.info;
}

Error out_of_memory(const ImageInfo& info) {
  return Error{ErrorCode::io,
               "not enough memory for an image of " + std::to_string(info.width) + "x" +
                   std::to_string(info.height) + "; use fewer jobs (-j) or lower --max-pixels",
               {},
               {}};
}

}  // namespace

struct Decoder::Impl {
  PixelBuffers buffers;
  JpegReader jpeg;
  JpegFlaw flaw;

  Result<ConstPixels> read_image(std::span<const std::byte> file, const ImageInfo& info,
                                 const ImageOptions& options) {
    HOTPACK_ASSIGN(const ConstPixels stored, read_stored(file, info, options));
    if (!options.apply_orientation || info.orientation == 1) return stored;
    return orient(stored, info.orientation, buffers.oriented);
  }

  Result<ConstPixels> read_stored(std::span<const std::byte> file, const ImageInfo& info,
                                  const ImageOptions& options) {
    if (info.format == FileFormat::png) return read_png_image(file, info, options, buffers);
    auto image = jpeg.read_image(
        file, info, {options.channels, options.jpeg_denominator, options.lenient}, buffers);
    if (image.ok()) flaw = jpeg.flaw();
    return image;
  }

  Result<RawLabel> read_label(std::span<const std::byte> file, const ImageInfo& info,
                              bool lenient) {
    if (info.format == FileFormat::png) return read_png_label(file, info, buffers);
    auto label = jpeg.read_label(file, info, lenient, buffers);
    if (label.ok()) flaw = jpeg.flaw();
    return label;
  }
};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

const JpegFlaw& Decoder::flaw() const { return impl_->flaw; }

Result<ConstPixels> Decoder::decode_image(std::span<const std::byte> file,
                                          const ImageOptions& options) {
  if (options.channels != 1 && options.channels != 3)
    return internal_error("an image is decoded to 1 or 3 channels");
  impl_->flaw = {};
  HOTPACK_ASSIGN(const ImageInfo info, inspect(file, options.max_pixels));
  try {
    return impl_->read_image(file, info, options);
  } catch (const std::bad_alloc&) {
    return out_of_memory(info);
  }
}

Result<RawLabel> Decoder::decode_label(std::span<const std::byte> file, std::uint64_t max_pixels,
                                       bool lenient) {
  impl_->flaw = {};
  HOTPACK_ASSIGN(const ImageInfo info, inspect(file, max_pixels));
  try {
    return impl_->read_label(file, info, lenient);
  } catch (const std::bad_alloc&) {
    return out_of_memory(info);
  }
}

}  // namespace hotpack::codecs
