#include "geometry/weighted_sums.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/fenced_memory.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::geometry;
using namespace hotpack::test;

namespace {

constexpr std::array kKernels{Kernel::triangle, Kernel::cubic, Kernel::lanczos};

std::vector<std::uint8_t> noise(std::size_t count, std::mt19937& random) {
  std::vector<std::uint8_t> samples(count);
  const bool extremes = random() % 2 == 0;  // black and white overshoot most
  for (std::uint8_t& sample : samples)
    sample = static_cast<std::uint8_t>(extremes ? random() % 2 * 255 : random());
  return samples;
}

// The weighted sum of inputs, of which sample_at(k) is number k of the window.
template <class SampleAt>
std::uint8_t plain_sum(const AxisWeights::Window& window, const SampleAt& sample_at) {
  std::int64_t sum = std::int64_t{1} << (kWeightBits - 1);
  for (int k = 0; k < window.count; ++k)
    sum += std::int64_t{sample_at(k)} * std::int64_t{window.weights[k]};
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kWeightBits, 0, 255));
}

AxisRange any_range(std::mt19937& random) {
  const auto up_to = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  AxisRange range{kKernels[random() % 3], up_to(random() % 2 == 0 ? 6 : 90), 0, 0, 0};
  range.target = up_to(random() % 2 == 0 ? 6 : 90);
  range.count = up_to(range.target);
  range.first = up_to(range.target - range.count + 1) - 1;
  return range;
}

void require_columns(ColumnSummer& summer, const AxisRange& range, int channels,
                     std::mt19937& random) {
  AxisWeights weights;
  weights.update(range);
  const std::size_t row_bytes = static_cast<std::size_t>(range.source * channels);
  const int height = 3;
  const FencedMemory in(noise(row_bytes * height, random), Against::high_fence);
  FencedMemory out(static_cast<std::size_t>(range.count * channels), Against::high_fence);
  summer.update(range, weights, channels);
  INFO(range.source << " to " << range.target << ", " << range.count << " from " << range.first
                    << ", " << channels << " channels");
  for (int y = 0; y < height; ++y) {
    const ConstPixels source{in.bytes().data(), range.source, height, channels, row_bytes};
    summer.sum(source, y, reinterpret_cast<std::uint8_t*>(out.data()));
    for (int i = 0; i < range.count * channels; ++i) {
      const AxisWeights::Window window = weights.window(i / channels);
      const auto sample_at = [&](int k) {
        return source.row(y)[(window.first + k) * channels + i % channels];
      };
      REQUIRE(out.bytes()[static_cast<std::size_t>(i)] == plain_sum(window, sample_at));
    }
  }
}

}  // namespace

TEST_CASE("sums of columns equal plain sums on every vector target") {
  std::mt19937 random(61);
  for_each_vector_target([&] {
    ColumnSummer summer;
    for (int round = 0; round < 300; ++round)
      require_columns(summer, any_range(random), round % 2 == 0 ? 1 : 3, random);
  });
}

TEST_CASE("sums of rows equal plain sums on every vector target") {
  std::mt19937 random(62);
  for_each_vector_target([&] {
    RowSummer summer;
    for (int round = 0; round < 100; ++round) {
      AxisWeights weights;
      const AxisRange range = any_range(random);
      weights.update(range);
      const std::size_t count = 1 + random() % 200;
      const FencedMemory in(noise(count * static_cast<std::size_t>(range.source), random),
                            Against::high_fence);
      FencedMemory out(count, Against::high_fence);
      const AxisWeights::Window window = weights.window(0);
      const auto row = [&](int k) {
        return in.bytes().data() + static_cast<std::size_t>(window.first + k) * count;
      };
      summer.rows().clear();
      for (int k = 0; k < window.count; ++k) summer.rows().push_back(row(k));
      summer.sum(window, reinterpret_cast<std::uint8_t*>(out.data()), count);
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(out.bytes()[i] == plain_sum(window, [&](int k) { return row(k)[i]; }));
    }
  });
}
