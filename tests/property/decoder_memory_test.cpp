// Makes every single allocation fail while an image is decoded, also inside libjpeg, libpng and
// zlib. This must be reported as lack of memory, never as a damaged image, which --on-error skip
// would leave out. Also compares what is allocated with the estimate of decode_memory.hpp.

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "codecs/decode_memory.hpp"
#include "codecs/decoder.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

using namespace hotpack;
using codecs::Decoder;

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> lasting{false};  // after the first failure, all later allocations fail
std::atomic<int> allocations{0};   // since it was armed
std::atomic<int> failing_at{0};
std::atomic<std::size_t> allocated{0};  // bytes

bool fails(std::size_t size) {
  allocated += size;
  if (!armed) return false;
  const int number = allocations++;
  return lasting ? number >= failing_at : number == failing_at;
}

}  // namespace

// The allocator of glibc, by its internal name.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* malloc(std::size_t size) { return fails(size) ? nullptr : __libc_malloc(size); }
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(size) ? nullptr : __libc_memalign(alignment, size);
}

namespace {

enum class Outcome { good, no_memory, other };

template <class Image>
Outcome outcome_of(const Result<Image>& result) {
  if (result.ok()) return Outcome::good;
  return result.error().code == ErrorCode::io ? Outcome::no_memory : Outcome::other;
}

template <class Work>
Outcome run_failing(const Work& work, int at, bool for_good) {
  allocations = 0;
  failing_at = at;
  lasting = for_good;
  armed = true;
  Outcome outcome = Outcome::no_memory;
  try {
    outcome = work();
  } catch (const std::bad_alloc&) {  // there was no memory even for the error's text
  }
  armed = false;
  return outcome;
}

// Fails each allocation in turn: only this one, and this one with all later ones.
template <class Work>
int count_refusals(const Work& work) {
  int refusals = 0;
  for (const bool for_good : {false, true}) {
    for (int at = 0; at < 2000; ++at) {
      CAPTURE(at, for_good);
      const Outcome outcome = run_failing(work, at, for_good);
      const bool reached = allocations > at;
      REQUIRE(outcome != Outcome::other);
      refusals += outcome == Outcome::no_memory;
      if (!reached) break;
    }
  }
  return refusals;
}

std::vector<test::Bytes> images() {
  const auto smooth = test::smooth_samples(45, 35, 3);
  const auto gray = test::smooth_samples(45, 35, 1);
  std::vector<test::Bytes> files{test::make_rgb_png(45, 35, smooth),
                                 test::make_gray_png(45, 35, gray)};
  const std::vector<std::uint16_t> wide(45 * 35, 7), colors(45 * 35 * 3, 7);
  files.push_back(test::make_png(
      {.width = 45, .height = 35, .color = test::PngColor::gray, .bit_depth = 16}, wide));
  files.push_back(test::make_png({.width = 45, .height = 35, .interlaced = true}, colors));
  for (const bool progressive : {false, true})
    files.push_back(
        test::make_jpeg({.width = 45, .height = 35, .progressive = progressive}, smooth));
  files.push_back(
      test::make_jpeg({.width = 45, .height = 35, .color = test::JpegColor::gray}, gray));
  return files;
}

constexpr int kWidth = 400, kHeight = 300;

std::vector<test::Bytes> images_of_all_kinds() {
  using test::JpegColor, test::JpegSpec, test::PngColor;
  std::vector<test::Bytes> files;
  for (const auto& [color, depth] : {std::pair{PngColor::gray, 1},
                                     {PngColor::gray, 8},
                                     {PngColor::gray, 16},
                                     {PngColor::rgb, 8},
                                     {PngColor::rgb, 16},
                                     {PngColor::palette, 2},
                                     {PngColor::palette, 8},
                                     {PngColor::gray_alpha, 8},
                                     {PngColor::gray_alpha, 16},
                                     {PngColor::rgba, 8}})
    for (const bool interlaced : {false, true}) {
      test::PngSpec spec{kWidth, kHeight, color, depth, interlaced, {}};
      if (color == PngColor::palette) spec.palette.resize(std::size_t{1} << depth);
      files.push_back(
          test::make_png(spec, test::noise_samples(kWidth, kHeight, test::channels_of(color),
                                                   static_cast<std::uint16_t>((1U << depth) - 1))));
    }
  for (JpegSpec spec :
       {JpegSpec{}, JpegSpec{.color = JpegColor::gray}, JpegSpec{.color = JpegColor::ycck},
        JpegSpec{.progressive = true}, JpegSpec{.separate_scans = true},
        JpegSpec{.color = JpegColor::ycck, .progressive = true}}) {
    spec.width = kWidth;
    spec.height = kHeight;
    const int channels = spec.color == JpegColor::gray ? 1 : spec.color == JpegColor::ycck ? 4 : 3;
    files.push_back(test::make_jpeg(spec, test::smooth_samples(kWidth, kHeight, channels)));
  }
  return files;
}

// The estimate must cover what was allocated, apart from rows, tables and the state of codecs, and
// must not be many times as much.
void check_estimate(std::uint64_t estimate) {
  constexpr std::uint64_t kSlack = 256 << 10;
  CHECK(allocated <= estimate + kSlack);
  CHECK(estimate <= 4 * allocated);
}

}  // namespace

TEST_CASE("the estimate of memory covers what decoding an image allocates") {
  for (const test::Bytes& file : images_of_all_kinds()) {
    const codecs::ImageInfo info = codecs::probe(file, true).value().info;
    for (const codecs::ImageOptions& options : {codecs::ImageOptions{},
                                                {.channels = 1},
                                                {.blend = RgbColor{1, 2, 3}},
                                                {.jpeg_denominator = 4}}) {
      CAPTURE(pixel_kind_name(info.kind), info.bit_depth, info.multi_pass, options.channels,
              options.jpeg_denominator);
      Decoder decoder;
      allocated = 0;
      const bool decoded = decoder.decode_image(file, options).ok();
      check_estimate(image_memory(file.size(), info, options));
      REQUIRE(decoded);
    }
  }
}

TEST_CASE("the estimate of memory covers what decoding a label allocates") {
  for (const test::Bytes& file : images_of_all_kinds()) {
    const codecs::ImageInfo info = codecs::probe(file, true).value().info;
    if (info.kind == codecs::PixelKind::rgb && info.bit_depth == 16) continue;  // refused
    CAPTURE(format_name(info.format), pixel_kind_name(info.kind), info.bit_depth, info.multi_pass);
    Decoder decoder;
    allocated = 0;
    const bool decoded = decoder.decode_label(file, kWidth * kHeight).ok();
    check_estimate(codecs::label_memory(file.size(), info));
    REQUIRE(decoded);
  }
}

TEST_CASE("lack of memory while an image is decoded is not damage") {
  for (const test::Bytes& file : images()) {
    CAPTURE(file.size());
    REQUIRE(Decoder().decode_image(file, {}).ok());
    CHECK(count_refusals([&] { return outcome_of(Decoder().decode_image(file, {})); }) > 4);
    CHECK(count_refusals([&] { return outcome_of(Decoder().decode_label(file, 1 << 20)); }) > 4);
    Decoder kept;
    (void)run_failing([&] { return outcome_of(kept.decode_image(file, {})); }, 2, true);
    CHECK(kept.decode_image(file, {}).ok());  // memory is available again
  }
}
