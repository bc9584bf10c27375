#include "expand/image_expander.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "reference_half.hpp"
#include "support/catch.hpp"
#include "support/fenced_memory.hpp"
#include "support/reference_resize.hpp"
#include "support/vector_targets.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace hotpack;
using namespace hotpack::expand;
using namespace hotpack::test;
using reference::Image;

namespace {

constexpr std::size_t kGuard = 192;
constexpr std::byte kGuardByte{0xA5};

// An image and its record in either layout. The memory has exactly the size of the bytes.
struct Record {
  Image image;
  std::vector<std::uint8_t> hwc, chw;

  Record(int width, int height, int channels) : image(width, height, channels) {
    std::mt19937 random(static_cast<unsigned>(width * 1000 + height * 10 + channels));
    for (std::uint8_t& sample : image.samples) sample = static_cast<std::uint8_t>(random());
    hwc = image.samples;
    for (int c = 0; c < channels; ++c) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) chw.push_back(image.at(x, y, c));
      }
    }
  }
  [[nodiscard]] ImageView view(AxisOrder layout) const {
    return {layout == AxisOrder::channels_last ? hwc : chw,
            {image.height, image.width, image.channels, layout}};
  }
};

// The pixels that the placement shows, one by one.
Image shown(const Image& record, const Placement& placement) {
  const SampleCrop& box = placement.box;
  Image cut(box.width, box.height, record.channels);
  for (int y = 0; y < box.height; ++y) {
    for (int x = 0; x < box.width; ++x) {
      for (int c = 0; c < record.channels; ++c)
        cut.at(x, y, c) = record.at(box.x + x, box.y + y, c);
    }
  }
  const int width = static_cast<int>(placement.output.width),
            height = static_cast<int>(placement.output.height);
  const std::uint8_t black[3] = {};
  const Image upright = placement.resample ? reference::linear(cut, width, height)
                                           : reference::placed(cut, 0, 0, width, height, black);
  Image out(width, height, record.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int u = box.flip_horizontal ? width - 1 - x : x,
                v = box.flip_vertical ? height - 1 - y : y;
      for (int c = 0; c < record.channels; ++c) out.at(x, y, c) = upright.at(u, v, c);
    }
  }
  return out;
}

float normalized(const ImageOutput& output, std::uint8_t value, int channel) {
  const float scaled = static_cast<float>(value) / 255.0f;
  if (output.mean.empty()) return scaled;
  const float centered = scaled - output.mean[static_cast<std::size_t>(channel)];
  return centered / output.std[static_cast<std::size_t>(channel)];
}

void append(std::vector<std::byte>& bytes, const void* value, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(value);
  bytes.insert(bytes.end(), first, first + size);
}

void append_element(std::vector<std::byte>& bytes, const ImageOutput& output, std::uint8_t value,
                    int channel) {
  const float single = normalized(output, value, channel);
  if (output.dtype == ElementType::u8) {
    append(bytes, &value, 1);
  } else if (output.dtype == ElementType::f32) {
    append(bytes, &single, 4);
  } else {
    const std::uint16_t bits =
        output.dtype == ElementType::f16 ? reference::half(single) : reference::bfloat16(single);
    append(bytes, &bits, 2);
  }
}

std::vector<std::byte> expected(const Image& image, const ImageOutput& output) {
  std::vector<std::byte> bytes;
  const bool last = output.layout == AxisOrder::channels_last;
  const int pixels = image.width * image.height, channels = image.channels;
  for (int i = 0; i < pixels * channels; ++i) {
    const int pixel = last ? i / channels : i % pixels, channel = last ? i % channels : i / pixels;
    append_element(bytes, output, image.at(pixel % image.width, pixel / image.width, channel),
                   channel);
  }
  return bytes;
}

bool all_guard(const std::byte* first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i] != kGuardByte) return false;
  }
  return true;
}

// Expands to an address `shift` bytes after a cache line, between guards, with exactly the
// requested scratch.
std::vector<std::byte> expanded(const ImageExpander& expander, const ImageView& record,
                                const Placement& placement, std::size_t shift, Stores stores) {
  const std::size_t size = expander.row_bytes(placement.output);
  const std::size_t scratch_size =
      expander.scratch_bytes({record.shape.width, record.shape.height}, placement.output);
  Scratch scratch;
  scratch.reserve(scratch_size + kGuard);
  auto* const scratch_begin = reinterpret_cast<std::byte*>(scratch.data());
  std::fill_n(scratch_begin, scratch_size + kGuard, kGuardByte);  // an earlier record left bytes
  std::vector<std::byte> memory(size + 3 * kGuard, kGuardByte);
  std::byte* const out =
      memory.data() + kGuard + (bytes_to_line(memory.data() + kGuard) + shift) % kLineBytes;
  expander.expand(record, placement, scratch, out, stores);
  store_fence();
  CHECK(all_guard(memory.data(), static_cast<std::size_t>(out - memory.data())));
  CHECK(
      all_guard(out + size, static_cast<std::size_t>(memory.data() + memory.size() - out) - size));
  CHECK(all_guard(scratch_begin + scratch_size, kGuard));
  return {out, out + size};
}

// A record and its row, both next to the same fence.
class FencedExpansion {
 public:
  FencedExpansion(const ImageView& record, std::size_t row_bytes, Against side)
      : stored_(record.bytes, side),
        row_(row_bytes, side),
        record_{stored_.bytes(), record.shape} {}

  [[nodiscard]] bool gives(const std::vector<std::byte>& wanted, const ImageExpander& expander,
                           const Placement& placement, Scratch& scratch, Stores stores) {
    std::memset(row_.data(), 0xA5, wanted.size());
    expander.expand(record_, placement, scratch, row_.data(), stores);
    store_fence();
    return std::memcmp(row_.data(), wanted.data(), wanted.size()) == 0;
  }

 private:
  FencedMemory stored_, row_;
  ImageView record_;
};

// All vector instructions, both kinds of stores and several alignments give `wanted`, and touch
// nothing outside of record and row.
void check_everywhere(const ImageExpander& expander, const ImageView& record,
                      const Placement& placement, const std::vector<std::byte>& wanted) {
  Scratch scratch;
  scratch.reserve(
      expander.scratch_bytes({record.shape.width, record.shape.height}, placement.output));
  FencedExpansion low(record, wanted.size(), Against::low_fence),
      high(record, wanted.size(), Against::high_fence);
  const std::size_t element = element_bytes(expander.output().dtype);
  for_each_vector_target([&] {
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      for (const std::size_t shift : {std::size_t{0}, element, 5 * element, std::size_t{32}}) {
        CAPTURE(stores == Stores::streaming, shift);
        const std::vector<std::byte> got = expanded(expander, record, placement, shift, stores);
        REQUIRE(std::memcmp(got.data(), wanted.data(), wanted.size()) == 0);
      }
      for (FencedExpansion* const fenced : {&low, &high}) {
        CAPTURE(stores == Stores::streaming, fenced == &high);
        REQUIRE(fenced->gives(wanted, expander, placement, scratch, stores));
      }
    }
  });
}

ImageOutput output_of(ElementType type, AxisOrder order, int channels) {
  ImageOutput output{type, order, {}, {}};
  if (type == ElementType::u8) return output;
  output.mean =
      channels == 3 ? std::vector<float>{0.485f, 0.456f, 0.406f} : std::vector<float>{0.449f};
  output.std =
      channels == 3 ? std::vector<float>{0.229f, 0.224f, 0.225f} : std::vector<float>{0.226f};
  return output;
}

constexpr ElementType kTypes[] = {ElementType::u8, ElementType::f32, ElementType::f16,
                                  ElementType::bf16};
constexpr AxisOrder kOrders[] = {AxisOrder::channels_last, AxisOrder::channels_first};

// Every type, order and layout.
void check_all_forms(const Record& record, const Placement& placement) {
  const int channels = record.image.channels;
  const Image image = shown(record.image, placement);
  for (const ElementType type : kTypes) {
    for (const AxisOrder order : kOrders) {
      const ImageOutput output = output_of(type, order, channels);
      const ImageExpander expander = ImageExpander::make(output, channels).value();
      const std::vector<std::byte> wanted = expected(image, output);
      REQUIRE(expander.row_bytes(placement.output) == wanted.size());
      for (const AxisOrder layout : {AxisOrder::channels_last, AxisOrder::channels_first}) {
        CAPTURE(element_name(type), order == AxisOrder::channels_first,
                layout == AxisOrder::channels_first);
        check_everywhere(expander, record.view(layout), placement, wanted);
      }
    }
  }
}

SampleCrop box_of(int x, int y, int width, int height, bool flip_horizontal = false,
                  bool flip_vertical = false) {
  return {x, y, width, height, flip_horizontal, flip_vertical};
}

struct Size {
  int width, height;
};

}  // namespace

TEST_CASE("Whole images equal the formula in every type, order and layout", "[expand]") {
  const auto size =
      GENERATE(Size{1, 1}, Size{7, 1}, Size{1, 7}, Size{3, 5}, Size{17, 19}, Size{64, 33},
               Size{65, 3}, Size{128, 24}, Size{211, 40}, Size{2500, 2});
  const int channels = GENERATE(1, 3);
  CAPTURE(size.width, size.height, channels);
  check_all_forms(Record(size.width, size.height, channels), identity({size.width, size.height}));
}

TEST_CASE("Flipped images equal the formula", "[expand]") {
  const auto size = GENERATE(Size{1, 1}, Size{5, 3}, Size{6, 2}, Size{7, 2}, Size{21, 2},
                             Size{22, 3}, Size{65, 3}, Size{130, 31});
  const int channels = GENERATE(1, 3);
  const bool horizontal = GENERATE(false, true), vertical = GENERATE(false, true);
  CAPTURE(size.width, size.height, channels, horizontal, vertical);
  Placement placement = identity({size.width, size.height});
  placement.box.flip_horizontal = horizontal;
  placement.box.flip_vertical = vertical;
  check_all_forms(Record(size.width, size.height, channels), placement);
}

TEST_CASE("Windows equal the formula, padded with black if they are smaller", "[expand]") {
  const int channels = GENERATE(1, 3);
  const bool flip = GENERATE(false, true);
  const Record record(67, 41, channels);
  const auto placement = GENERATE_COPY(
      Placement{box_of(0, 0, 1, 1, flip, flip), {1, 1}, false},         //
      Placement{box_of(66, 40, 1, 1, flip, flip), {3, 2}, false},       //
      Placement{box_of(0, 9, 67, 20, flip, false), {67, 20}, false},    // full rows
      Placement{box_of(3, 0, 33, 41, false, flip), {33, 41}, false},    //
      Placement{box_of(12, 7, 48, 30, flip, flip), {48, 30}, false},    //
      Placement{box_of(0, 0, 67, 41, flip, flip), {80, 41}, false},     //
      Placement{box_of(0, 0, 67, 41, flip, flip), {67, 50}, false},     // padded below only
      Placement{box_of(0, 0, 67, 41, flip, flip), {2000, 43}, false});  // wider than a band
  CAPTURE(channels, flip, placement.box.x, placement.output.width);
  check_all_forms(record, placement);
}

TEST_CASE("Resampled windows equal the fixed-point linear formula", "[expand]") {
  const int channels = GENERATE(1, 3);
  const bool flip = GENERATE(false, true);
  const Record record(67, 41, channels);
  const auto placement = GENERATE_COPY(
      Placement{box_of(0, 0, 67, 41, flip, false), {30, 50}, true},  //
      Placement{box_of(5, 6, 40, 30, false, flip), {20, 15}, true},  // halved
      Placement{box_of(5, 6, 40, 30, flip, flip), {40, 30}, true},   // the same size
      Placement{box_of(5, 6, 40, 30, flip, flip), {20, 30}, true},   //
      Placement{box_of(66, 40, 1, 1, flip, flip), {9, 5}, true},     // the last pixel alone
      Placement{box_of(65, 38, 2, 3, flip, flip), {64, 37}, true},   //
      Placement{box_of(0, 0, 67, 41, flip, flip), {1, 1}, true},     //
      Placement{box_of(20, 1, 47, 40, flip, flip), {160, 90}, true});
  CAPTURE(channels, flip, placement.box.width, placement.output.width);
  check_all_forms(record, placement);
}

TEST_CASE("Resampling equals the formula for random sizes", "[expand]") {
  std::mt19937 random(5);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  for (int i = 0; i < 150; ++i) {
    const Record record(1 + below(90), 1 + below(60), i % 2 == 0 ? 3 : 1);
    const int x = below(record.image.width), y = below(record.image.height);
    const Placement placement{
        box_of(x, y, 1 + below(record.image.width - x), 1 + below(record.image.height - y)),
        {1 + below(100), 1 + below(70)},
        true};
    const ImageOutput output{ElementType::u8, AxisOrder::channels_last, {}, {}};
    const ImageExpander expander = ImageExpander::make(output, record.image.channels).value();
    const std::vector<std::byte> wanted = expected(shown(record.image, placement), output);
    CAPTURE(placement.box.width, placement.box.height, placement.output.width,
            placement.output.height);
    check_everywhere(expander,
                     record.view(i % 3 == 0 ? AxisOrder::channels_first : AxisOrder::channels_last),
                     placement, wanted);
  }
}

namespace {

// One row of all 256 values in every channel.
Record all_values(int channels) {
  Record record(256, 1, channels);
  for (int x = 0; x < 256; ++x) {
    for (int c = 0; c < channels; ++c) record.image.at(x, 0, c) = static_cast<std::uint8_t>(x);
  }
  record.hwc = record.image.samples;
  for (std::size_t i = 0; i < record.chw.size(); ++i)
    record.chw[i] = static_cast<std::uint8_t>(i % 256);
  return record;
}

struct Normalization {
  float mean, std;
};

}  // namespace

TEST_CASE("All 256 values are exact for any mean and std", "[expand]") {
  // Ordinary values, then: no change; overflow in f16, in f32; subnormal in f16, in f32; a
  // negative std; ties of f16 and bf16 (y = x · 2^k + 1); a mean that cancels a value; a
  // subnormal mean; a huge one.
  const auto with = GENERATE(
      Normalization{0.485f, 0.229f}, Normalization{0.5f, 0.5f}, Normalization{0.0f, 1.0f},
      Normalization{0.1f, 1e-6f}, Normalization{0.1f, 1e-39f}, Normalization{0.3f, 1e5f},
      Normalization{0.3f, 3e38f}, Normalization{0.4f, -0.3f}, Normalization{-1.0f, 1.0f},
      Normalization{-2.0f, 1.0f / 4096}, Normalization{100.0f / 255.0f, 0.25f},
      Normalization{1e-40f, 0.5f}, Normalization{3e38f, 0.5f}, Normalization{0.0f, 1.0f / 255.0f});
  const ElementType type = GENERATE(ElementType::f32, ElementType::f16, ElementType::bf16);
  const AxisOrder order = GENERATE(AxisOrder::channels_last, AxisOrder::channels_first);
  CAPTURE(with.mean, with.std, element_name(type));
  const Record record = all_values(3);
  const ImageOutput output{type, order, {0.485f, with.mean, 0.406f}, {0.229f, with.std, 0.225f}};
  const ImageExpander expander = ImageExpander::make(output, 3).value();
  check_everywhere(expander, record.view(AxisOrder::channels_last), identity({256, 1}),
                   expected(record.image, output));
}

TEST_CASE("Floats without mean and std are x / 255", "[expand]") {
  const int channels = GENERATE(1, 3);
  const Record record = all_values(channels);
  const ImageOutput output{ElementType::f32, AxisOrder::channels_first, {}, {}};
  const ImageExpander expander = ImageExpander::make(output, channels).value();
  check_everywhere(expander, record.view(AxisOrder::channels_first), identity({256, 1}),
                   expected(record.image, output));
}

namespace {

// A floating-point mode that the caller's thread may have.
struct FloatMode {
  const char* name;
  int rounding;
  bool flush;  // subnormals, to zero
};

// The register of modes, and its bits that flush subnormals; none where the test does not know
// them.
#if defined(__x86_64__)
constexpr std::uint64_t kFlush = 0x8040;  // flush to zero, denormals are zero
std::uint64_t float_control() { return _mm_getcsr(); }
void set_float_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
constexpr std::uint64_t kFlush = 1u << 24;  // FZ
std::uint64_t float_control() {
  std::uint64_t bits = 0;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
void set_float_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
constexpr std::uint64_t kFlush = 0;
std::uint64_t float_control() { return 0; }
void set_float_control(std::uint64_t) {}
#endif
constexpr bool kCanFlush = kFlush != 0;

// Sets a mode within a scope.
class WithFloatMode {
 public:
  explicit WithFloatMode(const FloatMode& mode) {
    std::fegetenv(&before_);
    std::fesetround(mode.rounding);
    if (mode.flush) set_float_control(float_control() | kFlush);
  }
  ~WithFloatMode() { std::fesetenv(&before_); }
  WithFloatMode(const WithFloatMode&) = delete;
  WithFloatMode& operator=(const WithFloatMode&) = delete;

  [[nodiscard]] static bool flushes() { return kCanFlush && (float_control() & kFlush) == kFlush; }

 private:
  std::fenv_t before_;
};

constexpr FloatMode kModes[] = {{"toward zero", FE_TOWARDZERO, false},
                                {"upward", FE_UPWARD, false},
                                {"downward", FE_DOWNWARD, false},
                                {"flushing", FE_TONEAREST, kCanFlush},
                                {"both", FE_TOWARDZERO, kCanFlush}};

// Values that depend on the mode: rounded, subnormal, and of subnormal arguments.
constexpr Normalization kDelicate[] = {
    {0.3f, 3e38f}, {1e-40f, 0.5f}, {0.0f, 1e-39f}, {0.485f, 0.229f}, {0.1f, 0.3f}};

}  // namespace

TEST_CASE("Images give the same elements in any floating-point mode", "[expand]") {
  const Record record = all_values(1);
  const ElementType type = GENERATE(ElementType::f32, ElementType::f16, ElementType::bf16);
  for (const Normalization& with : kDelicate) {
    const ImageOutput output{type, AxisOrder::channels_last, {with.mean}, {with.std}};
    const std::vector<std::byte> wanted = expected(record.image, output);
    for (const FloatMode& mode : kModes) {
      for_each_vector_target([&] {
        std::vector<std::byte> got(wanted.size());
        bool kept = false;
        Status status;
        {
          const WithFloatMode use(mode);
          status = expand_image(record.view(AxisOrder::channels_last), output, got);
          kept = std::fegetround() == mode.rounding && WithFloatMode::flushes() == mode.flush;
        }
        CAPTURE(mode.name, with.mean, with.std, element_name(type));
        REQUIRE(status.ok());
        CHECK(kept);  // the caller's mode is restored
        REQUIRE(got == wanted);
      });
    }
  }
}

TEST_CASE("An expander built in any floating-point mode gives the same elements", "[expand]") {
  const Record record = all_values(1);
  for (const Normalization& with : kDelicate) {
    const ImageOutput output{ElementType::f32, AxisOrder::channels_last, {with.mean}, {with.std}};
    const std::vector<std::byte> wanted = expected(record.image, output);
    for (const FloatMode& mode : kModes) {
      const auto made = [&] {
        const WithFloatMode use(mode);
        return ImageExpander::make(output, 1).value();
      }();
      for_each_vector_target([&] {
        std::vector<std::byte> got;
        {
          const WithFloatMode flushing({"flushing", FE_TONEAREST, kCanFlush});
          got = expanded(made, record.view(AxisOrder::channels_last), identity({256, 1}), 0,
                         Stores::cached);
        }
        CAPTURE(mode.name, with.mean, with.std);
        REQUIRE(got == wanted);
      });
    }
  }
}

TEST_CASE("A row without a sample is zero bytes", "[expand]") {
  const ImageExpander expander =
      ImageExpander::make(output_of(ElementType::f32, AxisOrder::channels_first, 3), 3).value();
  std::vector<std::byte> out(5 * 3 * 3 * 4 + 1, kGuardByte);
  expander.blank({5, 3}, out.data());
  CHECK(out.back() == kGuardByte);
  out.pop_back();
  CHECK(out == std::vector<std::byte>(out.size()));
}

namespace {

std::string refusal(const ImageOutput& output, int channels) {
  const auto made = ImageExpander::make(output, channels);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == ErrorCode::usage);
  return made.error().message;
}

}  // namespace

TEST_CASE("Impossible image outputs are refused with the option's name", "[expand]") {
  const auto last = AxisOrder::channels_last;
  const float infinite = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(refusal({ElementType::u8, last, {0.5f}, {0.5f}}, 1),
             ContainsSubstring("mean and std need a float type, but its type is u8"));
  CHECK_THAT(refusal({ElementType::u8, last, {}, {0.5f}}, 1), ContainsSubstring("u8"));
  CHECK_THAT(refusal({ElementType::f32, last, {0.5f}, {}}, 1),
             ContainsSubstring("mean is given without its std"));
  CHECK_THAT(refusal({ElementType::f32, last, {}, {0.5f}}, 1),
             ContainsSubstring("std is given without its mean"));
  CHECK_THAT(refusal({ElementType::f32, last, {0.5f}, {0.5f}}, 3),
             ContainsSubstring("mean has 1 value, but the images have 3 channels"));
  CHECK_THAT(refusal({ElementType::f16, last, {0.5f}, {0.5f, 0.5f, 0.5f}}, 1),
             ContainsSubstring("std has 3 values, but the images have 1 channel:"));
  CHECK_THAT(refusal({ElementType::f32, last, {0, 0, 0}, {1, 0, 1}}, 3),
             ContainsSubstring("std of channel 1 is 0"));
  CHECK_THAT(refusal({ElementType::f32, last, {0, 0, 0}, {1, 1, infinite}}, 3),
             ContainsSubstring("std of channel 2 is inf"));
  CHECK_THAT(refusal({ElementType::bf16, last, {nan}, {1}}, 1),
             ContainsSubstring("mean of channel 0 is nan"));
  CHECK_THAT(refusal({ElementType::i32, last, {}, {}}, 3),
             ContainsSubstring("type i32: choose u8, f32, f16 or bf16"));
  CHECK_THAT(refusal({ElementType::u8, last, {}, {}}, 2),
             ContainsSubstring("1 or 3 channels, not 2"));
}
