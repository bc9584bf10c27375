#include "geometry/antialias_weights.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::geometry;

namespace {

constexpr std::array kKernels{Kernel::triangle, Kernel::cubic, Kernel::lanczos};

}  // namespace

TEST_CASE("weight windows stay inside the axis, advance and sum to one") {
  AxisWeights weights;
  for (const Kernel kernel : kKernels) {
    for (const auto& [source, target] : {std::pair{1, 1},
                                         {1, 100},
                                         {100, 1},
                                         {7, 3},
                                         {3, 7},
                                         {1000, 999},
                                         {999, 1000},
                                         {4096, 10}}) {
      weights.update({kernel, source, target, 0, target});
      int first = 0, end = 0;
      for (int i = 0; i < target; ++i) {
        const AxisWeights::Window window = weights.window(i);
        REQUIRE((window.count >= 1 && window.count <= weights.longest()));
        REQUIRE((window.first >= first && window.first + window.count >= end &&
                 window.first + window.count <= source));
        first = window.first;
        end = window.first + window.count;
        std::int64_t sum = 0, magnitude = 0;
        for (int k = 0; k < window.count; ++k) {
          sum += window.weights[k];
          magnitude += std::abs(std::int64_t{window.weights[k]});
        }
        REQUIRE(std::abs(sum - (1 << 22)) <= window.count);
        REQUIRE(magnitude * 255 + (1 << 21) <=
                std::numeric_limits<std::int32_t>::max());  // no sum can overflow
      }
    }
  }
}
