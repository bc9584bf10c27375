#include "gpu/acceptance/batches.hpp"

#include "support/catch.hpp"

using namespace hotpack::gpu;

TEST_CASE("a stream that waits for every batch as long is idle all the same") {
  // Steps of 1 ms, kernels of 0.2 ms, and each batch 0.8 ms late.
  CHECK(idle_share({10 * 1.0e-3, 10 * 1.0e-3, 10}, 0.2e-3) == Approx(0.4));
}

TEST_CASE("a stream that only runs kernels between steps is not idle") {
  CHECK(idle_share({10 * 0.2e-3, 10 * 1.0e-3, 10}, 0.2e-3) == Approx(0).margin(1e-9));
  CHECK(idle_share({10 * 0.19e-3, 10 * 1.0e-3, 10}, 0.2e-3) ==
        0);  // quicker than they were measured
  CHECK(idle_share({}, 0) == 0);
}
