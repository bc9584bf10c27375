#include "bench/device_stage.hpp"

#include "bench/device_batches.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::bench;

// With a device tests/gpu measures.
TEST_CASE("without a device a measurement says what is missing and what to do") {
  if (cuda_info().ok()) return;
  const TempFolder folder;
  test::write_pack(folder.path(), {}, test::tiny_records({}, 8), 4);
  const std::string& path = folder.path();
  const auto report = run_device_bench({&path, 1}, {}, 0);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::usage);
  CHECK_FALSE(report.error().message.empty());
  CHECK(report.error().message == cuda_info().error().message);
}

TEST_CASE("a stream that waits for every batch as long is idle all the same") {
  // Steps of 1 ms, kernels of 0.2 ms, and each batch 0.8 ms late.
  CHECK(idle_share({10 * 1.0e-3, 10 * 1.0e-3, 10}, 0.2e-3) == Approx(0.4));
}

TEST_CASE("a stream that only runs kernels between steps is not idle") {
  CHECK(idle_share({10 * 0.2e-3, 10 * 1.0e-3, 10}, 0.2e-3) == Approx(0).margin(1e-9));
  CHECK(idle_share({10 * 0.19e-3, 10 * 1.0e-3, 10}, 0.2e-3) == 0);  // quicker than they were measured
  CHECK(idle_share({}, 0) == 0);
}
