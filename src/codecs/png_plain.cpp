#include "codecs/png_plain.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "codecs/png_chunks.hpp"
#include "codecs/png_filters.hpp"
#include "codecs/png_unfilter.hpp"
#include "codecs/strict_inflate.hpp"

namespace hotpack::codecs {

namespace {

// Images that compress better than this mostly consist of runs. Only speed depends on it.
constexpr std::size_t kRunsRatio = 12;
static_assert(kWavefrontSlack <= kInflateSlack);
// Files with longer chunks are left to libpng, which warns of them or, in some versions, refuses
// them. IDAT chunks may be as long as their pixels need.
constexpr std::size_t kLongestChunk = 8'000'000;

// True if libpng accepts the type: four letters, the third of them in upper case.
bool is_usual_type(std::string_view type) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_letter = [&](char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); };
  return is_letter(type[0]) && is_letter(type[1]) && is_upper(type[2]) && is_letter(type[3]);
}

// Returns the chunk at offset `at`. Returns nothing if the file ends too early, if the checksum of
// a critical chunk is wrong, or if libpng might object to the chunk. `coded_bytes` is the size of
// all filtered rows.
std::optional<PngChunk> sound_chunk(std::span<const std::byte> file, std::size_t at,
                                    std::size_t coded_bytes) {
  auto chunk = png_chunk(file, at);
  if (!chunk || !is_usual_type(chunk->type)) return std::nullopt;
  const std::size_t longest =
      chunk->type == "IDAT" ? std::max(kLongestChunk, coded_bytes) : kLongestChunk;
  if (chunk->data.size() > longest || (chunk->is_critical() && !chunk->checksum_holds()))
    return std::nullopt;
  return chunk;
}

// Returns true if the image is gray, RGB or palette with 8 bits and not interlaced, with the usual
// compression and filter. Reads the data of IHDR, which follow the signature, the chunk's length
// and its type.
bool is_plain(const ImageInfo& info, std::span<const std::byte> file) {
  constexpr std::size_t kIhdr = kPngSignatureBytes + 8, kCompression = kIhdr + 10,
                        kFilter = kIhdr + 11, kInterlace = kIhdr + 12;
  const bool kind = info.kind == PixelKind::gray || info.kind == PixelKind::rgb ||
                    info.kind == PixelKind::palette;
  if (!kind || info.bit_depth != 8 || file.size() <= kInterlace) return false;
  return file[kCompression] == std::byte{0} && file[kFilter] == std::byte{0} &&
         file[kInterlace] == std::byte{0};
}

bool has_valid_filters(const std::uint8_t* rows, std::size_t coded_row, std::size_t height) {
  for (std::size_t y = 0; y < height; ++y)
    if (rows[y * coded_row] > kLastFilter) return false;
  return true;
}

}  // namespace

PlainPng::PlainPng() : inflate_(std::make_unique<StrictInflate>()) {}
PlainPng::~PlainPng() = default;
PlainPng::PlainPng(PlainPng&&) noexcept = default;
PlainPng& PlainPng::operator=(PlainPng&&) noexcept = default;

// Returns the data of all IDAT chunks, joined: the compressed rows. `coded_bytes` is their size
// after decompression. Returns nothing if the chunks are not in the order IHDR, PLTE?, IDAT…, IEND;
// ancillary chunks may stand anywhere between.
std::optional<std::span<const std::byte>> PlainPng::collect(std::span<const std::byte> file,
                                                            std::size_t coded_bytes,
                                                            std::span<const std::byte>& palette) {
  std::vector<std::span<const std::byte>> parts;
  std::size_t total = 0;
  bool closed = false;  // a chunk of another type came after an IDAT
  for (std::size_t at = kPngSignatureBytes;;) {
    const auto chunk = sound_chunk(file, at, coded_bytes);
    if (!chunk) return std::nullopt;
    if (chunk->type == "IDAT") {
      if (closed) return std::nullopt;
      parts.push_back(chunk->data);
      total += chunk->data.size();
    } else {
      closed = closed || !parts.empty();
      if (chunk->type == "IEND") {
        if (!chunk->data.empty()) return std::nullopt;
        break;
      }
      const bool first = at == kPngSignatureBytes;
      if (first != (chunk->type == "IHDR")) return std::nullopt;
      if (chunk->type == "PLTE") {
        if (!parts.empty() || !palette.empty() || chunk->data.empty() ||
            chunk->data.size() % 3 != 0 || chunk->data.size() > 768)
          return std::nullopt;
        palette = chunk->data;
      } else if (!first && chunk->is_critical()) {
        return std::nullopt;  // an unknown critical chunk
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

bool PlainPng::read(std::span<const std::byte> file, const ImageInfo& info, std::uint8_t* rows,
                    std::size_t row_bytes, std::span<const std::byte>& palette) {
  palette = {};
  if (!is_plain(info, file)) return false;
  const std::size_t pixel_bytes = info.kind == PixelKind::rgb ? 3 : 1;
  const std::size_t size = static_cast<std::size_t>(info.width) * pixel_bytes,
                    height = static_cast<std::size_t>(info.height);
  const auto coded = collect(file, (size + 1) * height, palette);
  if (!coded || (palette.empty() == (info.kind == PixelKind::palette))) return false;
  auto* const inflated = inflated_.reserve_as<std::uint8_t>((size + 1) * height + kInflateSlack);
  if (!inflate_->run(*coded, inflated, (size + 1) * height) ||
      !has_valid_filters(inflated, size + 1, height))
    return false;
  auto* const zeros = zeros_.reserve_as<std::uint8_t>(size + kWavefrontSlack);
  std::memset(zeros, 0, size + kWavefrontSlack);
  const Content content =
      coded->size() < size * height / kRunsRatio ? Content::runs : Content::varied;
  undo_filters({inflated, rows, size, row_bytes, pixel_bytes}, height, content, zeros);
  return true;
}

}  // namespace hotpack::codecs
