#include "expand/value_map.hpp"

#include <bit>
#include <cmath>

#include "expand/half.hpp"

namespace hotpack::expand {
namespace {

// Computes ToTensor and Normalize of torchvision, operation by operation.
float normalized(std::size_t value, float mean, float std) {
  const float scaled = static_cast<float>(value) / 255.0f;
  const float centered = scaled - mean;
  return centered / std;
}

// Computes a / b with the reciprocal of b, as the vector kernels do.
float corrected_quotient(float a, float b, float reciprocal) {
  const float quotient = a * reciprocal;
  const float rest = std::fma(-quotient, b, a);
  return std::fma(rest, reciprocal, quotient);
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Returns true if least ≤ |value| ≤ most. Within the limits below, every product and remainder of a
// quotient is zero or a normal number: a remainder is a multiple of the units of its factors, 2^-83
// · 2^-43.
bool within(float value, float least, float most) {
  return std::abs(value) >= least && std::abs(value) <= most;
}
constexpr float kLeastStd = 0x1p-20f, kMostStd = 0x1p20f, kLeastCentered = 0x1p-40f,
                kMostCentered = 0x1p20f;

bool arithmetic_gives(const std::array<float, 256>& singles, float mean, float std) {
  if (!within(std, kLeastStd, kMostStd)) return false;
  for (std::size_t value = 0; value < singles.size(); ++value) {
    const float centered =
        corrected_quotient(static_cast<float>(value), 255.0f, kReciprocal255) - mean;
    if (centered != 0.0f && !within(centered, kLeastCentered, kMostCentered)) return false;
    if (!same_bits(corrected_quotient(centered, std, 1.0f / std), singles[value])) return false;
  }
  return true;
}

void fill_bytes(ValueMap& map, std::size_t channel) {
  for (std::size_t value = 0; value < 256; ++value) {
    const std::uint32_t bits = map.type == ElementType::f32
                                   ? std::bit_cast<std::uint32_t>(map.singles[channel][value])
                                   : std::uint32_t{map.halves[channel][value]};
    for (std::size_t byte = 0; byte < 4; ++byte)
      map.bytes[channel][byte][value] = static_cast<std::uint8_t>(bits >> 8 * byte);
  }
}

void fill_channel(ValueMap& map, std::size_t channel, float mean, float std) {
  for (std::size_t value = 0; value < 256; ++value) {
    const float single = normalized(value, mean, std);
    map.singles[channel][value] = single;
    map.halves[channel][value] =
        map.type == ElementType::bf16 ? bfloat16_bits(single) : half_bits(single);
  }
  fill_bytes(map, channel);
}

}  // namespace

ValueMap make_value_map(ElementType type, const std::vector<float>& mean,
                        const std::vector<float>& std) {
  ValueMap map;
  map.type = type;
  map.period = mean.size();
  map.arithmetic.exact = true;
  for (std::size_t c = 0; c < map.period; ++c) {
    fill_channel(map, c, mean[c], std[c]);
    map.arithmetic.exact =
        map.arithmetic.exact && arithmetic_gives(map.singles[c], mean[c], std[c]);
  }
  for (std::size_t lane = 0; lane < ValueMap::Arithmetic::kLanes; ++lane) {
    const std::size_t c = lane % map.period;
    map.arithmetic.mean[lane] = mean[c];
    map.arithmetic.std[lane] = std[c];
    map.arithmetic.reciprocal[lane] = 1.0f / std[c];
  }
  return map;
}

}  // namespace hotpack::expand
