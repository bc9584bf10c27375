#include "codecs/png_filters.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack::codecs;

namespace {

// The specification's text, byte by byte.
std::vector<std::uint8_t> by_definition(int filter, const std::vector<std::uint8_t>& in,
                                        const std::vector<std::uint8_t>& above, std::size_t size,
                                        std::size_t step) {
  std::vector<std::uint8_t> out(size);
  for (std::size_t i = 0; i < size; ++i) {
    const int a = i < step ? 0 : out[i - step], b = above[i], c = i < step ? 0 : above[i - step];
    const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
    const int predictors[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
    out[i] = static_cast<std::uint8_t>(in[i] + predictors[filter]);
  }
  return out;
}

}  // namespace

TEST_CASE("filters are undone as the specification says") {
  std::mt19937 random(7);
  for (const std::size_t step : {1u, 3u}) {
    for (int round = 0; round < 400; ++round) {
      const std::size_t size = step * (1 + random() % 40);
      std::vector<std::uint8_t> in(size), above(size);
      for (auto& value : in) value = static_cast<std::uint8_t>(random());
      for (auto& value : above) value = static_cast<std::uint8_t>(round % 4 == 0 ? 0 : random());
      for (std::uint8_t filter = 0; filter <= kLastFilter; ++filter) {
        const auto truth = by_definition(filter, in, above, size, step);
        std::vector<std::uint8_t> out(size);
        undo_filter(filter, in.data(), above.data(), out.data(), size, step);
        REQUIRE(out == truth);
      }
    }
  }
}
