#include "bench/device_stage.hpp"

#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::bench;

// hotpack_gpu_check --bench measures a device.
TEST_CASE("without a device a bench of it reports what is missing") {
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

TEST_CASE("a stand-in is recognized by its device's name") {
  CHECK(is_real_device("NVIDIA H100 80GB HBM3"));
  CHECK_FALSE(is_real_device("hotpack fake device (no GPU)"));
}
