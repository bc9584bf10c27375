// The fast path for plain PNGs against libpng: libpng must read every file that the fast path
// reads, with the same pixels and palette.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/image_info.hpp"
#include "codecs/png_plain.hpp"
#include "codecs/png_session.hpp"
#include "fuzz/png_mutator.hpp"

namespace {

using hotpack::codecs::ImageInfo;
using hotpack::codecs::PixelKind;
using hotpack::codecs::PngSession;

[[noreturn]] void differ(const char* how) {
  std::fprintf(stderr, "the fast path and libpng differ: %s\n", how);
  std::abort();
}

struct Rows {
  std::vector<std::uint8_t> samples;
  std::vector<std::uint8_t> palette;
  bool operator==(const Rows&) const = default;
};

// libpng's result, called as hotpack does; ends the program if it refuses.
Rows read_with_libpng(std::span<const std::byte> file, const ImageInfo& info,
                      std::size_t row_bytes) {
  Rows rows;
  rows.samples.resize(row_bytes * static_cast<std::size_t>(info.height));
  PngSession session(file);
  auto status = session.start(info, hotpack::codecs::Transparency::dropped, [](png_structp) {});
  if (status.ok()) status = session.read_into(rows.samples.data(), row_bytes);
  if (!status.ok()) differ(status.error().message.c_str());
  if (info.kind == PixelKind::palette)
    for (const png_color& color : session.palette())
      rows.palette.insert(rows.palette.end(), {color.red, color.green, color.blue});
  return rows;
}

// Counts the files that the fast path accepted: a fuzzer without such files shows nothing.
// Printed at the end.
std::size_t taken_by_fast_path = 0;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return std::atexit([] {
    std::fprintf(stderr, "both readers took %zu files, and agreed\n", taken_by_fast_path);
  });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // a new one, because a large old buffer would hide writes beyond the end
  hotpack::codecs::PlainPng plain;
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const auto found = hotpack::codecs::probe(file, true);
  if (!found.ok() || found->info.format != hotpack::codecs::FileFormat::png) return 0;
  const ImageInfo& info = found->info;
  if (!hotpack::codecs::check_pixel_limit(info, 1 << 17).ok()) return 0;
  const std::size_t row_bytes =
      static_cast<std::size_t>(info.width) * (info.kind == PixelKind::rgb ? 3 : 1);
  Rows fast;
  fast.samples.resize(row_bytes * static_cast<std::size_t>(info.height));
  std::span<const std::byte> palette;
  if (!plain.read(file, info, fast.samples.data(), row_bytes, palette)) return 0;
  ++taken_by_fast_path;
  for (const std::byte b : palette) fast.palette.push_back(std::to_integer<std::uint8_t>(b));
  if (!(fast == read_with_libpng(file, info, row_bytes))) differ("pixels or palette");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return hotpack::fuzz::mutate_png(data, size, most, seed);
}
