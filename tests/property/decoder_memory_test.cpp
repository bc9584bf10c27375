// Makes every single allocation fail while an image is decoded, also inside libjpeg, libpng and
// zlib. This must be reported as lack of memory, never as a damaged image, which --on-error skip
// would leave out.

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

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

bool fails() {
  if (!armed) return false;
  const int number = allocations++;
  return lasting ? number >= failing_at : number == failing_at;
}

}  // namespace

// The allocator of glibc, by its internal name.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
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

}  // namespace

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
