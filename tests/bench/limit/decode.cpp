#include "limit/decode.hpp"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <turbojpeg.h>

#include <cstring>
#include <stdexcept>

#include "limit/defilter.hpp"

namespace limit {
namespace {

constexpr std::size_t kSignature = 8, kChunkFrame = 12, kHeaderAt = 16;
constexpr std::size_t kZlibHeader = 2, kZlibEnd = 4;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool is_chunk(const std::uint8_t* chunk, const char* type) {
  return std::memcmp(chunk + 4, type, 4) == 0;
}

template <class Use>
void for_each_data_chunk(File file, const Use& use) {
  for (std::size_t at = kSignature; at + kChunkFrame <= file.size();) {
    const std::uint8_t* chunk = file.data() + at;
    const std::size_t size = big_endian(chunk);
    if (is_chunk(chunk, "IDAT")) use(file.subspan(at + 8, size));
    if (is_chunk(chunk, "IEND")) return;
    at += size + kChunkFrame;
  }
}

}  // namespace

bool is_png(File file) { return file.size() > kHeaderAt && file[0] == 0x89 && file[1] == 'P'; }

struct Decoder::Handles {
  tjhandle jpeg = tjInitDecompress();
  libdeflate_decompressor* deflate = libdeflate_alloc_decompressor();
  inflate_state isal;

  ~Handles() {
    tjDestroy(jpeg);
    libdeflate_free_decompressor(deflate);
  }
};

Decoder::Decoder() : handles_(std::make_unique<Handles>()) {}
Decoder::~Decoder() = default;

PngParts Decoder::parts(File file) {
  const std::uint8_t* header = file.data() + kHeaderAt;
  PngParts parts{static_cast<int>(big_endian(header)),
                 static_cast<int>(big_endian(header + 4)),
                 header[9] == 2 ? 3 : 1,
                 {}};
  if (header[8] != 8 || header[9] > 3 || header[12] != 0)
    throw std::runtime_error("a PNG of 8 bits, gray, RGB or palette is needed");
  std::size_t count = 0, size = 0;
  for_each_data_chunk(file, [&](File data) {
    parts.coded = data;
    size += data.size();
    ++count;
  });
  if (count > 1) {
    std::uint8_t* joined = coded_.reserve(size);
    parts.coded = {joined, size};
    for_each_data_chunk(file, [&](File data) {
      std::memcpy(joined, data.data(), data.size());
      joined += data.size();
    });
  }
  if (size < kZlibHeader + kZlibEnd) throw std::runtime_error("a PNG without pixels");
  parts.coded = parts.coded.subspan(kZlibHeader, size - kZlibHeader - kZlibEnd);
  return parts;
}

const std::uint8_t* Decoder::inflate(const PngParts& parts, Inflater inflater) {
  const std::size_t size =
      static_cast<std::size_t>(parts.height) *
      (static_cast<std::size_t>(parts.width) * static_cast<std::size_t>(parts.channels) + 1);
  std::uint8_t* filtered = filtered_.reserve(size);
  bool good = false;
  if (inflater == Inflater::isal) {
    inflate_state& state = handles_->isal;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_DEFLATE;
    state.next_in = const_cast<std::uint8_t*>(parts.coded.data());
    state.avail_in = static_cast<std::uint32_t>(parts.coded.size());
    state.next_out = filtered;
    state.avail_out = static_cast<std::uint32_t>(size);
    good = isal_inflate_stateless(&state) == ISAL_DECOMP_OK;
  } else {
    good = libdeflate_deflate_decompress(handles_->deflate, parts.coded.data(), parts.coded.size(),
                                         filtered, size, nullptr) == LIBDEFLATE_SUCCESS;
  }
  if (!good) throw std::runtime_error("cannot inflate a PNG");
  return filtered;
}

Image Decoder::png(File file, Inflater inflater) {
  const PngParts found = parts(file);
  const std::uint8_t* filtered = inflate(found, inflater);
  const Image image = image_in(pixels_, found.width, found.height, found.channels);
  undo_filters(filtered, image);
  return image;
}

Image Decoder::jpeg(File file, Target target) {
  int width = 0, height = 0, sampling = 0, colors = 0;
  if (tjDecompressHeader3(handles_->jpeg, file.data(), file.size(), &width, &height, &sampling,
                          &colors) != 0)
    throw std::runtime_error(tjGetErrorStr2(handles_->jpeg));
  int scale = target.width > 0 ? 8 : 1;
  const auto scaled = [&](int side) { return (side + scale - 1) / scale; };
  while (scale > 1 && (scaled(width) < 2 * target.width || scaled(height) < 2 * target.height))
    scale /= 2;
  const Image image = image_in(pixels_, scaled(width), scaled(height), 3);
  if (tjDecompress2(handles_->jpeg, file.data(), file.size(), image.data, image.width,
                    static_cast<int>(image.row_bytes), image.height, TJPF_RGB,
                    TJFLAG_ACCURATEDCT) != 0)
    throw std::runtime_error(tjGetErrorStr2(handles_->jpeg));
  return image;
}

}  // namespace limit
