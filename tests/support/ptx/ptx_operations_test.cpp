#include "support/ptx/ptx_operations.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace hotpack::test::ptx {
std::span<const CompiledKernel> sample_kernels();  // sample.ptx
}

using namespace hotpack::test::ptx;
using hotpack::device::ThreadPlace;

namespace {

// The value of 16 bits with so many of them for the exponent and the fraction. No NaN; the next
// number after the greatest for an infinity.
double value_of(U16 bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1,
            exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(bits & ((1 << fraction_bits) - 1), -fraction_bits);
  const double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return (bits & 0x8000) != 0 ? -size : size;
}

// Every number of 16 bits, the middle between neighbors and what is next to it.
void check_rounding(U16 (*rounded)(F32), int exponent_bits, int fraction_bits) {
  const auto infinity = static_cast<U16>(((1 << exponent_bits) - 1) << fraction_bits);
  int wrong = 0;
  for (U16 low = 0; low < infinity; ++low) {
    const auto high = static_cast<U16>(low + 1);
    const double below = value_of(low, exponent_bits, fraction_bits),
                 above = value_of(high, exponent_bits, fraction_bits);
    const auto middle = static_cast<F32>((below + above) / 2);
    if (std::isinf(middle)) continue;  // bfloat16: a single has no more room there
    REQUIRE(double{middle} == (below + above) / 2);
    const U16 even = low % 2 == 0 ? low : high;
    for (const int sign : {0, 0x8000}) {
      const auto of = [&](double value) {
        return rounded(static_cast<F32>(sign != 0 ? -value : value)) ^ sign;
      };
      wrong += of(below) == low ? 0 : 1;
      wrong += of(double{middle}) == even ? 0 : 1;
      wrong += of(double{std::nextafter(middle, 0.0F)}) == low ? 0 : 1;
      wrong += of(double{std::nextafter(middle, HUGE_VALF)}) == high ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(rounded(HUGE_VALF) == infinity);
  CHECK(rounded(-HUGE_VALF) == (infinity | 0x8000));
  CHECK(rounded(std::nanf("")) == 0x7FFF);
}

const CompiledKernel& sample(const std::string& name) {
  for (const CompiledKernel& kernel : sample_kernels()) {
    if (name == kernel.name) return kernel;
  }
  FAIL("sample.ptx has no " << name);
  return sample_kernels()[0];
}

template <class T>
struct Parameters {
  void* out;
  T a, b, c;
};

// The results of the kernel `integers` of sample.ptx.
std::array<U32, 40> integers(U32 a, U32 b, U32 c) {
  alignas(16) std::array<U32, 40> results = {};
  const Parameters<U32> parameters{results.data(), a, b, c};
  ThreadPlace place;
  place.thread = 3, place.block_threads = 7, place.block_y = 5, place.grid_y = 9;
  sample("integers").thread(reinterpret_cast<U64>(&parameters), place);
  return results;
}

std::array<U32, 20> floats(F32 x, F32 y, F32 z) {
  alignas(16) std::array<U32, 20> results = {};
  const Parameters<F32> parameters{results.data(), x, y, z};
  sample("floats").thread(reinterpret_cast<U64>(&parameters), {});
  return results;
}

void note_place(U64 places, const ThreadPlace& place) {
  reinterpret_cast<std::vector<ThreadPlace>*>(places)->push_back(place);
}

// What a child says that runs this, and how it ends.
template <class Action>
std::string last_words(const Action& action) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    action();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string words;
  std::array<char, 512> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;)
    words.append(part.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return words + (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? "aborted" : "ended");
}

}  // namespace

TEST_CASE("singles become halves by rounding to nearest even") { check_rounding(half_of, 5, 10); }
TEST_CASE("singles become bfloat16 by rounding to nearest even") {
  check_rounding(bfloat16_of, 8, 7);
}

TEST_CASE("a translated kernel computes with integers as PTX defines") {
  const auto got = integers(0xF1E2D3C4, 0x8899AABB, 0x0000B412);
  CHECK(got[0] == 0xFFBBD3E2);  // bytes 2 and 1 of a, 0 of b, the sign of 3 of a
  CHECK(got[1] == (0x8899AABBU << 18 | 0xF1E2D3C4U >> 14));
  CHECK(got[2] == 0x8899AABB);  // clamped to 32
  CHECK(got[3] == (0xF1E2D3C4U >> 18 & 0xFF));
  CHECK(got[4] == static_cast<U32>(static_cast<S32>(0xF1E2D3C4U << 6) >> 24));
  CHECK(got[5] == ((0x8899AABBU & ~(0xFFU << 18)) | 0xC4U << 18));
  CHECK(got[6] == (0xF1E2D3C4U ^ (0x8899AABBU | 0x0000B412U)));
  CHECK(got[7] == 0xB412U + 0xF1U * static_cast<U32>(-0x78) + 0xE2U * static_cast<U32>(-0x67) +
                      0xD3U * static_cast<U32>(-0x56) + 0xC4U * static_cast<U32>(-0x45));
  CHECK(got[8] == static_cast<U32>(0xF1E2D3C4ULL * 0x8899AABBULL >> 32) + 0xB412);
  const S64 product = S64{static_cast<S32>(0xF1E2D3C4)} * S64{static_cast<S32>(0x8899AABB)};
  CHECK(got[10] == static_cast<U32>(product >> 32));
  CHECK(got[11] == static_cast<U32>(product));
  CHECK(got[12] == 0xFFFFFFFF);
  CHECK(got[13] == 0);
  CHECK(got[14] == 4);
  CHECK(got[16] == 31);
  CHECK(got[17] == 0);
  CHECK(got[18] == 17);
  CHECK(got[19] == 0x23CB478F);
  CHECK(got[20] == 0x8899AABB);
  CHECK(got[21] == 0xF1E2D3C4);
  CHECK(got[22] == 0xF1E2D3C4 - 0x8899AABB);
  CHECK(got[23] == 0);
  CHECK(got[24] == 0);
  CHECK(got[25] == 0xFFFFFFC4);
  CHECK(got[26] == 0xFFFFD3C4);
  CHECK(got[27] == 0x0E1D2C3C);
  CHECK(got[28] == 0xD3C4F1E2);
  CHECK(got[29] == 4);
  CHECK(got[30] == 'o');
  CHECK(got[31] == 0xF1E2BBC4);
  CHECK(got[32] == 12);
  CHECK(got[36] == 3);
  CHECK(got[37] == 5);
  CHECK(got[38] == 7);
  CHECK(got[39] == 9);
}

TEST_CASE("a translated kernel takes branches and guards by its operands") {
  CHECK(integers(1, 2, 0)[14] == 1);
  CHECK(integers(2, 1, 0)[14] == 4);
  CHECK(integers(1, 0x80000000, 0)[14] == (2 | 4));
  for (const U32 c : {0U, 1U, 2U, 3U}) CHECK(integers(1, 1, c)[32] == 10 + c);
  CHECK(integers(0, 1, 0)[16] == 0xFFFFFFFF);
  CHECK(integers(300, 1, 0)[24] == 255);
}

TEST_CASE("bytes are chosen by nibbles and may be filled with their sign") {
  CHECK(permuted(0x33221100, 0x77665544, 0x7531) == 0x77553311);
  CHECK(permuted(0x33221100, 0x77665544, 0x0246) == 0x00224466);
  CHECK(permuted(0x00008000, 0, 0x0098) == 0x0000FF00);
  CHECK(shifted_right(U32{1} << 31, 31) == 1);
  CHECK(shifted_right(U64{1} << 63, 64) == 0);
  CHECK(shifted_left(U16{0xFFFF}, 15) == 0x8000);
  CHECK(inserted<U64>(1, 0, 63, 1) == U64{1} << 63);
  CHECK(left_to_highest_bit(U32{1}) == 31);
  CHECK(quotient(U32{7}, U32{0}) == 0xFFFFFFFF);
}

TEST_CASE("a translated kernel computes with singles as PTX defines") {
  const F32 x = 1.0F + 0x1p-12F, y = 1.0F + 0x1p-12F, z = -1.0F - 0x1p-11F;
  auto got = floats(x, y, z);
  CHECK(float_of(got[0]) == 0x1p-24F);  // one rounding
  CHECK(float_of(got[1]) == 0);         // two
  CHECK(float_of(got[2]) == 0);
  got = floats(-2.5F, 1.0F, 0);
  CHECK(got[4] == static_cast<U32>(-2));
  CHECK(got[5] == static_cast<U32>(-2));  // to even
  CHECK(got[6] == static_cast<U32>(-3));
  CHECK(got[7] == 0);
  CHECK(got[8] == 0xC0203F80);
  CHECK(got[9] == 0xC1003C00);
  CHECK(got[10] == 0xC100);
  CHECK(float_of(got[11]) == static_cast<F32>(-2.5 * (1.0 / 3)));
  CHECK(float_of(got[12]) == -2.5F);
  CHECK(float_of(got[13]) == 1.0F);
  CHECK(float_of(got[14]) == 2.5F);
  CHECK(float_of(got[15]) == 2.5F);
  CHECK(got[16] == 1);
  CHECK(got[17] == 1);
  CHECK(got[18] == 0);
  CHECK(float_of(got[19]) == -0.4F);
  got = floats(std::nanf(""), 1e10F, 0);
  CHECK(got[4] == 0);
  CHECK(float_of(got[12]) == 1e10F);
  CHECK(got[16] == 1);
  CHECK(got[17] == 0);
  CHECK(got[18] == 1);
  CHECK(floats(3e9F, 1, 0)[4] == 0x7FFFFFFF);
  CHECK(floats(-3e9F, 1, 0)[6] == 0x80000000);
}

TEST_CASE("a launch runs every thread once and the last one first") {
  std::vector<ThreadPlace> places;
  launch<note_place>(&places, {2, 3, 4});
  REQUIRE(places.size() == 24);
  CHECK(places.front().thread == 3);
  CHECK(places.front().block_y == 2);
  CHECK(places.back().thread + places.back().block_x + places.back().block_y == 0);
}

TEST_CASE("an access that would trap on a device ends the process with its line") {
  alignas(16) static const std::array<unsigned char, 32> bytes = {};
  const auto load_at = [](std::size_t offset) {
    return last_words([=] {
      const void* const from = bytes.data() + offset;
      sample("wide_load").thread(reinterpret_cast<U64>(&from), {});
    });
  };
  CHECK(load_at(0) == "ended");
  CHECK(load_at(16) == "ended");
  const std::string words = load_at(8);
  CHECK(words.find("wide_load (sample.ptx:") != std::string::npos);
  CHECK(words.find("16 bytes at 0x") != std::string::npos);
  CHECK(words.find("misaligned address") != std::string::npos);
  CHECK(words.ends_with("aborted"));
  static constexpr Origin kOrigin{"k", "f"};
  const U64 parameters = 64;
  CHECK(last_words([&] { parameter<8, 24>(parameters, parameters + 16, kOrigin, 1); }) == "ended");
  CHECK(last_words([&] {
          parameter<8, 24>(parameters, parameters + 24, kOrigin, 1);
        }).find("8 bytes at 24 of the parameters") < 20);
  CHECK(last_words([&] {
          parameter<8, 24>(parameters, parameters - 8, kOrigin, 1);
        }).ends_with("aborted"));
}
