// The kernels' bodies on the host, where a whole loader would be too large or too slow.
#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "device/kernels/image.hpp"
#include "device/kernels/label.hpp"
#include "expand/value_map.hpp"
#include "support/catch.hpp"

namespace hotpack::device {
namespace {

// Address space for an output; only pages that are written take memory.
class LargeOutput {
 public:
  explicit LargeOutput(std::uint64_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~LargeOutput() { munmap(memory_, bytes_); }
  LargeOutput(const LargeOutput&) = delete;
  LargeOutput& operator=(const LargeOutput&) = delete;
  [[nodiscard]] void* get() const { return memory_; }
  template <class T>
  [[nodiscard]] T at(std::uint64_t element) const {
    return static_cast<const T*>(memory_)[element];
  }

 private:
  std::uint64_t bytes_;
  void* memory_;
};

void set_size(KernelArgs& args, std::int32_t side, std::int32_t channels) {
  args.row_count = 1;
  args.width = args.height = side;
  args.channels = channels;
  args.width_reciprocal = args.height_reciprocal = reciprocal_of(static_cast<std::uint32_t>(side));
  args.channel_reciprocal = reciprocal_of(static_cast<std::uint32_t>(channels));
}

// The thread of a launch that makes this item, and no other one.
ThreadPlace thread_of(std::uint64_t item) {
  return {static_cast<std::uint32_t>(item % 256),
          256,
          static_cast<std::uint32_t>(item / 256),
          0,
          0x7FFFFFFF,
          1};
}

}  // namespace

TEST_CASE("quotients by reciprocals are exact for any dividend") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto divisor = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1U;
    const std::uint64_t dividend = random() >> random() % 64;
    REQUIRE(divide(dividend, divisor, reciprocal_of(divisor)) == dividend / divisor);
    REQUIRE(divide(dividend / divisor * divisor, divisor, reciprocal_of(divisor)) ==
            dividend / divisor);
  }
}

TEST_CASE("bytes are normalized as by divisions for any mean and deviation") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int i = 0; i < 3000; ++i) {
    const float mean = uniform(random);
    const float std = uniform(random) * std::ldexp(1.0f, -static_cast<int>(random() % 20));
    const auto map = expand::make_value_map(ElementType::f16, {mean}, {std});
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const float single = map.singles[0][byte], own = normalized(byte, mean, std, 1.0f / std);
      REQUIRE(std::bit_cast<std::uint32_t>(own) == std::bit_cast<std::uint32_t>(single));
      REQUIRE(AsF16::of(own) == map.halves[0][byte]);
      REQUIRE(AsBf16::of(own) == expand::bfloat16_bits(single));
    }
  }
}

TEST_CASE("labels of more than 2^32 elements are reached") {
  constexpr std::int32_t kSide = 4096, kClasses = 256;  // 2^32 elements, in bytes of one-hot
  const std::uint64_t pixels = std::uint64_t{kSide} * kSide;
  const LargeOutput ids(pixels);
  auto* const stored = static_cast<std::uint8_t*>(ids.get());
  for (const std::uint64_t pixel : {std::uint64_t{0}, pixels / 2 + 5, pixels - 1})
    stored[pixel] = static_cast<std::uint8_t>(100 + pixel % 100);
  const RowEntry row{0, 0, kSide, kSide, 0, 0, kSide, kSide, kRowValid, 0};
  const LargeOutput out(pixels * kClasses);
  KernelArgs args;
  set_size(args, kSide, kClasses);
  args.rows = &row;
  args.records = stored;
  args.out = out.get();
  args.storage = kStoredIndex;
  args.vector_bytes = 1;
  args.classes = kClasses;
  for (const std::uint64_t pixel : {std::uint64_t{0}, pixels / 2 + 5, pixels - 1}) {
    const std::uint64_t id = 100 + pixel % 100, last = pixel * kClasses + id;
    expand<LabelRow<LabelKind::one_hot, std::uint8_t>, false>(args, thread_of(last / 16));
    CHECK(out.at<std::uint8_t>(last) == 1);
    CHECK(out.at<std::uint8_t>(last ^ 1) == 0);
  }
  for (const std::uint64_t pixel : {std::uint64_t{0}, pixels / 2 + 5, pixels - 1}) {
    expand<LabelRow<LabelKind::one_hot, std::uint8_t>, true>(args, thread_of(pixel / 16));
    CHECK(out.at<std::uint8_t>((100 + pixel % 100) * pixels + pixel) == 1);
    CHECK(out.at<std::uint8_t>(50 * pixels + pixel) == 0);
  }
}

TEST_CASE("images of more than 2^32 bytes are reached") {
  constexpr std::int32_t kSide = 32768;  // 3 · 2^30 elements, of four bytes each
  const std::uint64_t pixels = std::uint64_t{kSide} * kSide;
  const LargeOutput record(3 * pixels), out(12 * pixels);
  auto* const stored = static_cast<std::uint8_t*>(record.get());
  const std::uint64_t pixel = pixels - 3;
  for (std::uint64_t c = 0; c < 3; ++c)
    stored[3 * pixel + c] = static_cast<std::uint8_t>(51 * (c + 1));
  for (const std::uint32_t flags : {kRowValid, kRowValid | kRowFlipHorizontal | kRowFlipVertical}) {
    const RowEntry row{0, 0, kSide, kSide, 0, 0, kSide, kSide, flags, 0};
    KernelArgs args;
    set_size(args, kSide, 3);
    args.rows = &row;
    args.records = stored;
    args.out = out.get();
    for (int c = 0; c < 3; ++c) args.std[c] = args.reciprocal[c] = 1;
    const std::uint64_t at = flags == kRowValid ? pixel : pixels - 1 - pixel;
    expand<ImageRow<AsF32>, true>(args, thread_of(at / 4));
    for (std::uint64_t c = 0; c < 3; ++c)
      CHECK(out.at<float>(c * pixels + at) == static_cast<float>(51 * (c + 1)) / 255.0f);
    expand<ImageRow<AsF32>, false>(args, thread_of((3 * at + 2) / 4));
    CHECK(out.at<float>(3 * at + 2) == 153.0f / 255.0f);
  }
}

}  // namespace hotpack::device
