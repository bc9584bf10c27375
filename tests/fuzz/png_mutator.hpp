// Mutates PNG files by their structure: chunks, fields, the deflate stream, filters. Corrects the
// checksums, so that readers continue.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "fuzz/deflate_maker.hpp"
#include "fuzz/random.hpp"

namespace hotpack::fuzz {

inline void put_be32(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

inline std::uint32_t be32(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

struct Chunk {
  std::array<std::uint8_t, 4> type{};
  Bytes data;
  bool sound = true;  // its checksum

  [[nodiscard]] bool is(std::string_view name) const {
    return std::memcmp(type.data(), name.data(), 4) == 0;
  }
};

inline Chunk chunk_of(std::string_view name, Bytes data) {
  Chunk chunk;
  std::memcpy(chunk.type.data(), name.data(), 4);
  chunk.data = std::move(data);
  return chunk;
}

class PngMutator {
 public:
  explicit PngMutator(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Bytes run(const std::uint8_t* file, std::size_t size) {
    parse(file, size);
    const std::size_t changes = random_.percent(70) ? 1 : random_.between(2, 4);
    for (std::size_t i = 0; i < changes; ++i) change();
    if (random_.percent(20)) split_pixels();
    Bytes built = build();
    if (random_.percent(2)) scramble(built, random_);
    return built;
  }

 private:
  void parse(const std::uint8_t* file, std::size_t size) {
    chunks_.clear();
    tail_.clear();
    std::size_t at = 8;
    while (at + 12 <= size && be32(file + at) <= size - at - 12) {
      const std::size_t length = be32(file + at);
      Chunk chunk;
      std::copy_n(file + at + 4, 4, chunk.type.begin());
      chunk.data.assign(file + at + 8, file + at + 8 + length);
      chunk.sound = crc(chunk) == be32(file + at + 8 + length);
      chunks_.push_back(std::move(chunk));
      at += length + 12;
    }
    if (at < size && size - at < 64) tail_.assign(file + at, file + size);
    if (chunks_.empty() || !chunks_.front().is("IHDR") || chunks_.front().data.size() != 13)
      start_anew();
  }

  void start_anew() {
    chunks_ = {chunk_of("IHDR", {0, 0, 0, 4, 0, 0, 0, 3, 8, 0, 0, 0, 0}), chunk_of("IEND", {})};
    pixels_anew();
  }

  [[nodiscard]] static std::uint32_t crc(const Chunk& chunk) {
    const uLong head = crc32(0, chunk.type.data(), 4);
    return static_cast<std::uint32_t>(
        crc32(head, chunk.data.empty() ? chunk.type.data() : chunk.data.data(),
              static_cast<uInt>(chunk.data.size())));
  }

  [[nodiscard]] Bytes build() const {
    Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    for (const Chunk& chunk : chunks_) {
      put_be32(file, static_cast<std::uint32_t>(chunk.data.size()));
      file.insert(file.end(), chunk.type.begin(), chunk.type.end());
      file.insert(file.end(), chunk.data.begin(), chunk.data.end());
      put_be32(file, crc(chunk) ^ (chunk.sound ? 0U : 1U));
    }
    file.insert(file.end(), tail_.begin(), tail_.end());
    return file;
  }

  void change() {
    const std::size_t what = random_.below(100);
    if (what < 30) return change_stream();
    if (what < 50) return set_stream(DeflateMaker(random_).make());
    if (what < 65) return pixels_anew();
    if (what < 72) return change_head_of_stream();
    if (what < 77) return change_ends_of_stream();
    if (what < 90) return change_chunks();
    if (what < 96) return change_header();
    Chunk& chunk = chunks_[random_.below(chunks_.size())];
    if (random_.percent(30))
      chunk.sound = !chunk.sound;
    else
      scramble(chunk.data, random_);
  }

  // ---- the coded pixels ----

  [[nodiscard]] Bytes stream() const {
    Bytes all;
    for (const Chunk& chunk : chunks_)
      if (chunk.is("IDAT")) all.insert(all.end(), chunk.data.begin(), chunk.data.end());
    return all;
  }

  void put_stream(Bytes coded) {
    const auto first = std::find_if(chunks_.begin(), chunks_.end(),
                                    [](const Chunk& chunk) { return chunk.is("IDAT"); });
    const auto at =
        first == chunks_.end() ? chunks_.end() - (chunks_.back().is("IEND") ? 1 : 0) : first;
    const auto index = at - chunks_.begin();
    std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.is("IDAT"); });
    chunks_.insert(chunks_.begin() + index, chunk_of("IDAT", std::move(coded)));
  }

  // A zlib stream of these deflated bytes, with the checksum of their contents and a header for
  // an image of that many bytes.
  void set_stream(const Bytes& deflated, bool keep_size = false) {
    static thread_local LenientReader reader;
    const auto text = reader.read(deflated.data(), deflated.size());
    Bytes coded{0x78, 0x9C};
    const std::size_t size = text.whole && random_.percent(97) ? text.coded : deflated.size();
    coded.insert(coded.end(), deflated.begin(),
                 deflated.begin() + static_cast<std::ptrdiff_t>(size));
    put_be32(coded, static_cast<std::uint32_t>(
                        adler32(1, text.bytes.data(), static_cast<uInt>(text.bytes.size()))));
    put_stream(std::move(coded));
    // Sometimes the stream has more bytes than the image.
    if (!keep_size)
      fit_header(random_.percent(15) ? random_.below(text.bytes.size() + 1) : text.bytes.size());
  }

  void change_stream() {
    Bytes coded = stream();
    if (coded.size() < 7) return pixels_anew();
    Bytes deflated(coded.begin() + 2, coded.end() - 4);
    const std::size_t times = random_.between(1, 3);
    for (std::size_t i = 0; i < times; ++i) {
      // Most is decided in the first bytes, which describe the code.
      if (random_.percent(50)) {
        const std::size_t bit = random_.below(std::min<std::size_t>(deflated.size(), 80) * 8);
        deflated[bit / 8] = static_cast<std::uint8_t>(deflated[bit / 8] ^ 1U << bit % 8);
      } else {
        scramble(deflated, random_);
      }
      if (deflated.empty()) return pixels_anew();
    }
    set_stream(deflated, random_.percent(10));
  }

  void change_head_of_stream() {
    Bytes coded = stream();
    if (coded.size() < 2) return pixels_anew();
    coded[0] = static_cast<std::uint8_t>(random_.percent(80) ? random_.below(16) << 4 | 8
                                                             : random_.byte());
    coded[1] =
        random_.percent(80) ? static_cast<std::uint8_t>(random_.below(8) << 5) : random_.byte();
    if (random_.percent(90))
      coded[1] = static_cast<std::uint8_t>((coded[1] & 0xE0) +
                                           (31 - (coded[0] * 256U + (coded[1] & 0xE0U)) % 31) % 31);
    put_stream(std::move(coded));
  }

  void change_ends_of_stream() {
    Bytes coded = stream();
    if (coded.empty()) return pixels_anew();
    const std::size_t cut = random_.below(std::min<std::size_t>(coded.size(), 9));
    if (random_.percent(40))
      coded.resize(coded.size() - cut);
    else if (random_.percent(50))
      coded.back() ^= 1;
    else
      coded.insert(coded.end(), random_.between(1, 5), random_.byte());
    put_stream(std::move(coded));
  }

  void split_pixels() {
    const Bytes coded = stream();
    std::vector<Chunk> parts;
    for (std::size_t at = 0; at < coded.size();) {
      const std::size_t size =
          random_.percent(15) ? 0 : random_.between(1, random_.percent(50) ? coded.size() : 6);
      const std::size_t end = std::min(coded.size(), at + size);
      parts.push_back(chunk_of("IDAT", Bytes(coded.begin() + static_cast<std::ptrdiff_t>(at),
                                             coded.begin() + static_cast<std::ptrdiff_t>(end))));
      at = end;
      if (parts.size() > 20) break;
    }
    if (parts.empty() || random_.percent(20)) parts.push_back(chunk_of("IDAT", {}));
    put_stream({});
    const auto first = std::find_if(chunks_.begin(), chunks_.end(),
                                    [](const Chunk& chunk) { return chunk.is("IDAT"); });
    const auto index = first - chunks_.begin();
    chunks_.erase(first);
    chunks_.insert(chunks_.begin() + index, parts.begin(), parts.end());
    if (random_.percent(10)) chunks_.insert(chunks_.begin() + index + 1, some_chunk());
  }

  // ---- rows and header ----

  void pixels_anew() {
    static constexpr std::uint8_t kTypes[] = {0, 2, 3, 0, 2, 4, 6};
    // Some have rows that are decoded together: eight or more of 24 pixels or more.
    const std::size_t large = random_.percent(3) ? 120 : random_.percent(30) ? 60 : 12;
    const std::uint8_t type = kTypes[random_.below(random_.percent(95) ? 5 : 7)];
    const std::size_t width = random_.between(1, large),
                      height = random_.between(1, large == 60 ? 20 : large);
    const std::size_t row = 1 + width * (type == 2 ? 3 : type == 4 ? 2 : type == 6 ? 4 : 1);
    Bytes rows(row * height);
    const std::size_t kind = random_.below(5);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = kind == 0   ? 0
                : kind == 1 ? random_.byte()
                : kind == 2 ? static_cast<std::uint8_t>(i / 7)
                : kind == 3 ? static_cast<std::uint8_t>(random_.below(4))
                            : static_cast<std::uint8_t>(random_.percent(4) ? random_.byte() : 0);
    for (std::size_t y = 0; y < height; ++y)
      rows[y * row] = static_cast<std::uint8_t>(random_.below(random_.percent(1) ? 7 : 5));
    Bytes coded{0x78, 0x9C};
    const Bytes deflated = deflate_somehow(rows, random_);
    coded.insert(coded.end(), deflated.begin(), deflated.end());
    put_be32(coded,
             static_cast<std::uint32_t>(adler32(1, rows.data(), static_cast<uInt>(rows.size()))));
    put_stream(std::move(coded));
    set_header(width, height, type);
  }

  // Width and height for so many bytes of rows.
  void fit_header(std::size_t size) {
    if (size < 2) return;
    std::size_t height = 1;
    for (int i = 0; i < 4; ++i) {
      const std::size_t tried = random_.between(1, std::min<std::size_t>(size / 2, 20));
      if (size % tried == 0 && size / tried > 1) height = tried;
    }
    const std::size_t row = size / height - 1;
    const bool rgb = row % 3 == 0 && random_.percent(60);
    set_header(rgb ? row / 3 : row, height, rgb ? 2 : random_.percent(30) ? 3 : 0);
  }

  void set_header(std::size_t width, std::size_t height, std::uint8_t type) {
    Bytes header;
    put_be32(header, static_cast<std::uint32_t>(width));
    put_be32(header, static_cast<std::uint32_t>(height));
    header.insert(header.end(), {8, type, 0, 0, 0});
    chunks_.front() = chunk_of("IHDR", header);
    if (random_.percent(95))
      std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.is("PLTE"); });
    if (type == 3 && random_.percent(97)) chunks_.insert(chunks_.begin() + 1, palette());
  }

  void change_header() {
    Bytes& header = chunks_.front().data;
    if (header.size() != 13 || random_.percent(5)) return scramble(header, random_);
    const std::size_t at = random_.percent(50)   ? random_.between(8, 12)
                           : random_.percent(50) ? 3
                                                 : 7;
    header[at] = random_.percent(60) ? static_cast<std::uint8_t>(random_.below(9)) : random_.byte();
  }

  // ---- chunks ----

  Chunk palette() {
    const std::size_t size = random_.percent(90) ? 3 * random_.between(1, 256) : random_.below(780);
    return chunk_of("PLTE", Bytes(size, random_.byte()));
  }

  Chunk some_chunk() {
    static constexpr std::string_view kTypes[] = {
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "tEXt", "zTXt",
        "iTXt", "bKGD", "pHYs", "sBIT", "sPLT", "hIST", "tIME", "eXIf", "acTL", "fcTL", "fdAT",
        "cICP", "oFFs", "pCAL", "sCAL", "sTER", "abCd", "abcd", "ABCD", "vpAg", "CgBI"};
    Chunk chunk = random_.percent(15) ? palette()
                                      : chunk_of(kTypes[random_.below(std::size(kTypes))],
                                                 Bytes(random_.below(40)));
    for (std::uint8_t& byte : chunk.data) byte = random_.byte();
    if (random_.percent(15)) chunk.type[random_.below(4)] = random_.byte();
    chunk.sound = !random_.percent(5);
    return chunk;
  }

  void change_chunks() {
    const std::size_t at = random_.below(chunks_.size());
    const auto here = chunks_.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random_.below(8)) {
      case 0:
        if (chunks_.size() > 1) chunks_.erase(here);
        break;
      case 1:
        chunks_.insert(here, Chunk(*here));
        break;
      case 2:
        std::swap(*here, chunks_[random_.below(chunks_.size())]);
        break;
      case 3:
        here->type[random_.below(4)] ^=
            static_cast<std::uint8_t>(random_.percent(60) ? 0x20 : 1U << random_.below(8));
        break;
      case 4:
        tail_.assign(random_.below(20), random_.byte());
        break;
      default:
        chunks_.insert(
            chunks_.begin() + static_cast<std::ptrdiff_t>(random_.below(chunks_.size() + 1)),
            some_chunk());
    }
    if (chunks_.size() > 30) chunks_.resize(30);
    if (!chunks_.front().is("IHDR") && random_.percent(80)) start_anew();
  }

  Random random_;
  std::vector<Chunk> chunks_;
  Bytes tail_;
};

// For libFuzzer: mutates in place, at most `most` bytes; returns the new size.
inline std::size_t mutate_png(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed) {
  const Bytes mutated = PngMutator(seed).run(data, size);
  const std::size_t kept = std::min(mutated.size(), most);
  std::copy_n(mutated.begin(), kept, data);
  return kept;
}

}  // namespace hotpack::fuzz
