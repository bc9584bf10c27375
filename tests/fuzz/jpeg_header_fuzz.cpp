// probe() on the segments of a JPEG and its EXIF: the result does not depend on how the file
// arrives.
#include <cstdint>
#include <span>

#include "codecs/exif.hpp"
#include "codecs/image_info.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/jpeg_mutator.hpp"

namespace {

using hotpack::codecs::ImageInfo;
using hotpack::fuzz::expect;

bool same(const ImageInfo& a, const ImageInfo& b) {
  return a.width == b.width && a.height == b.height && a.kind == b.kind &&
         a.orientation == b.orientation && a.has_icc == b.has_icc &&
         a.more_images == b.more_images && a.multi_pass == b.multi_pass;
}

// A prefix may be too short, but never gives another result.
void try_prefixes(std::span<const std::byte> file,
                  const hotpack::Result<hotpack::codecs::Probe>& whole) {
  for (std::size_t size = file.size(); size > 0; size = size * 3 / 4) {
    const auto part = hotpack::codecs::probe(file.first(size), false);
    if (!part.ok()) {
      expect(!whole.ok(), "what a prefix shows to be wrong is wrong in the whole");
    } else if (!part->need_more) {
      expect(whole.ok() && same(part->info, whole->info),
             "a prefix that is enough tells what the whole tells");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const int orientation = hotpack::codecs::exif_orientation(file);
  expect(orientation >= 1 && orientation <= 8, "an orientation is one of eight");
  const auto whole = hotpack::codecs::probe(file, true);
  if (whole.ok()) {
    expect(!whole->need_more && whole->info.width > 0 && whole->info.height > 0,
           "a whole file needs no more");
    expect(whole->info.orientation >= 1 && whole->info.orientation <= 8,
           "an orientation is one of eight");
  } else {
    expect(!whole.error().message.empty(), "an error has words");
  }
  try_prefixes(file, whole);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return hotpack::fuzz::mutate_jpeg(data, size, most, seed);
}
