#include "expand/half.hpp"

#include <limits>
#include <random>

#include "reference_half.hpp"
#include "support/catch.hpp"

using namespace hotpack::expand;

namespace {

std::size_t wrong_roundings(float value) {
  std::size_t wrong = 0;
  for (const float signed_value : {value, -value}) {
    wrong += half_bits(signed_value) != reference::half(signed_value);
    wrong += bfloat16_bits(signed_value) != reference::bfloat16(signed_value);
  }
  return wrong;
}

}  // namespace

TEST_CASE("Halves, their midpoints and neighbors round to nearest, ties to even", "[expand]") {
  std::size_t wrong = 0;
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const auto value = static_cast<float>(reference::half_value(bits));
    const auto midpoint =
        static_cast<float>((reference::half_value(bits) + reference::half_value(bits + 1)) / 2);
    for (const float at : {value, midpoint}) {
      wrong += wrong_roundings(at) + wrong_roundings(std::nextafter(at, 0.0f)) +
               wrong_roundings(std::nextafter(at, 1e30f));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Singles of every size are rounded to bfloat16 and half", "[expand]") {
  std::mt19937 random(3);
  std::size_t wrong = 0;
  for (int i = 0; i < 50000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    for (const std::uint32_t near :
         {bits, bits & 0xFFFF8000, bits & 0xFFFF0000}) {  // the second kind are ties of bfloat16
      const auto value = std::bit_cast<float>(near);
      if (std::isfinite(value)) wrong += wrong_roundings(value);
    }
  }
  CHECK(wrong == 0);
  CHECK(wrong_roundings(std::numeric_limits<float>::max()) == 0);
  CHECK(wrong_roundings(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(wrong_roundings(std::numeric_limits<float>::infinity()) == 0);
}

TEST_CASE("NaN stays NaN", "[expand]") {
  for (const float nan :
       {std::numeric_limits<float>::quiet_NaN(), std::bit_cast<float>(0x7F800001u)}) {
    CHECK((half_bits(nan) & 0x7C00) == 0x7C00);
    CHECK((half_bits(nan) & 0x03FF) != 0);
    CHECK((bfloat16_bits(nan) & 0x7F80) == 0x7F80);
    CHECK((bfloat16_bits(nan) & 0x007F) != 0);
  }
}
