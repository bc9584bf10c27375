#include "codecs/png_plain.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "codecs/png_chunks.hpp"
#include "codecs/png_filters.hpp"

namespace hotpack::codecs {

namespace {

constexpr std::size_t kSlack = 8;  // readable bytes behind a buffer, for undo_filter

// The chunk at `at`; absent where the file ends too early or a critical chunk's checksum is wrong.
std::optional<PngChunk> sound_chunk(std::span<const std::byte> file, std::size_t at) {
  auto chunk = png_chunk(file, at);
  if (chunk && chunk->is_critical() && !chunk->checksum_holds()) return std::nullopt;
  return chunk;
}

bool is_plain(const PictureInfo& info, std::span<const std::byte> file) {
  constexpr std::size_t kInterlace = kPngSignatureBytes + 8 + 12;  // in IHDR
  const bool kind = info.kind == PixelKind::gray || info.kind == PixelKind::rgb || info.kind == PixelKind::palette;
  return kind && info.bit_depth == 8 && file.size() > kInterlace && file[kInterlace] == std::byte{0};
}

bool has_valid_filters(const std::uint8_t* rows, std::size_t coded_row, std::size_t height) {
  for (std::size_t y = 0; y < height; ++y)
    if (rows[y * coded_row] > kLastFilter) return false;
  return true;
}

}  // namespace

struct PlainPng::Inflater {
  Inflater() : libdeflate(libdeflate_alloc_decompressor()) {
    if (libdeflate == nullptr) throw std::bad_alloc();
  }
  ~Inflater() { libdeflate_free_decompressor(libdeflate); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // True when `coded` is one zlib stream, whole and of exactly `size` bytes, its checksum right.
  [[nodiscard]] bool inflate(std::span<const std::byte> coded, std::uint8_t* into, std::size_t size) const {
    std::size_t read = 0, written = 0;
    return libdeflate_zlib_decompress_ex(libdeflate, coded.data(), coded.size(), into, size, &read, &written) == LIBDEFLATE_SUCCESS &&
           read == coded.size() && written == size;
  }

  libdeflate_decompressor* libdeflate;
};

PlainPng::PlainPng() : inflater_(std::make_unique<Inflater>()) {}
PlainPng::~PlainPng() = default;
PlainPng::PlainPng(PlainPng&&) noexcept = default;
PlainPng& PlainPng::operator=(PlainPng&&) noexcept = default;

// The contents of the IDAT chunks; absent where the order of chunks is not IHDR, PLTE?, IDAT…, IEND (ancillary ones anywhere between).
std::optional<std::span<const std::byte>> PlainPng::collect(std::span<const std::byte> file, std::span<const std::byte>& palette) {
  std::vector<std::span<const std::byte>> parts;
  std::size_t total = 0;
  bool closed = false;  // a chunk of another type came after an IDAT
  for (std::size_t at = kPngSignatureBytes;;) {
    const auto chunk = sound_chunk(file, at);
    if (!chunk) return std::nullopt;
    if (chunk->type == "IDAT") {
      if (closed) return std::nullopt;
      parts.push_back(chunk->data);
      total += chunk->data.size();
    } else {
      closed = closed || !parts.empty();
      if (chunk->type == "IEND") break;
      const bool first = at == kPngSignatureBytes;
      if (first != (chunk->type == "IHDR")) return std::nullopt;
      if (chunk->type == "PLTE") {
        if (!parts.empty() || !palette.empty() || chunk->data.empty() || chunk->data.size() % 3 != 0 || chunk->data.size() > 768)
          return std::nullopt;
        palette = chunk->data;
      } else if (!first && chunk->is_critical()) {
        return std::nullopt;  // a critical chunk that nobody knows
      }
    }
    at = chunk->end;
  }
  if (parts.size() == 1) return parts.front();
  std::byte* const joined = coded_.reserve(std::max<std::size_t>(1, total));
  std::size_t at = 0;
  for (const auto& part : parts) {
    if (!part.empty()) std::memcpy(joined + at, part.data(), part.size());
    at += part.size();
  }
  return std::span<const std::byte>(joined, total);
}

bool PlainPng::read(std::span<const std::byte> file, const PictureInfo& info, std::uint8_t* rows, std::size_t row_bytes,
                    std::span<const std::byte>& palette) {
  palette = {};
  if (!is_plain(info, file)) return false;
  const auto coded = collect(file, palette);
  if (!coded || (palette.empty() == (info.kind == PixelKind::palette))) return false;
  const std::size_t pixel_bytes = info.kind == PixelKind::rgb ? 3 : 1;
  const std::size_t size = static_cast<std::size_t>(info.width) * pixel_bytes, height = static_cast<std::size_t>(info.height);
  auto* const inflated = inflated_.reserve_as<std::uint8_t>((size + 1) * height + kSlack);
  std::memset(inflated + (size + 1) * height, 0, kSlack);
  if (!inflater_->inflate(*coded, inflated, (size + 1) * height) || !has_valid_filters(inflated, size + 1, height)) return false;
  auto* const zeros = zeros_.reserve_as<std::uint8_t>(size + kSlack);
  std::memset(zeros, 0, size + kSlack);
  const std::uint8_t* above = zeros;
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* const in = inflated + y * (size + 1);
    std::uint8_t* const out = rows + y * row_bytes;
    undo_filter(in[0], in + 1, above, out, size, pixel_bytes);
    above = out;
  }
  return true;
}

}  // namespace hotpack::codecs
