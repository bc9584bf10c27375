// The devices of this machine as hotpack reports them.

#include <string>

#include "gpu/acceptance/stage.hpp"
#include "gpu/bench_pack.hpp"
#include "gpu/machine.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

GPU_CASE(devices_told) {
  const Machine machine;
  const CudaInfo info = require(cuda_info());
  check(info.driver_version >= device::Driver::kOldestVersion, "the driver's version");
  check(!info.devices.empty(), "a device");
  for (const CudaDevice& told : info.devices) {
    check(!told.name.empty() && told.major > 0,
          "name and capability of device " + std::to_string(told.ordinal));
    check(told.free_bytes <= told.memory_bytes, "memory of device " + std::to_string(told.ordinal));
    if (told.ordinal == machine.ordinal())
      check(told.free_bytes > 0, "free memory of the device in use");  // of others it may be 0
  }
  check(info.kernels.find("sm_") != std::string::npos || stand_in(),
        "the kernels: " + info.kernels);
}

// Runs the whole benchmark, with little to measure.
GPU_CASE(devices_bench) {
  const Machine machine;
  const TempFolder folder;
  write_bench_pack(folder.path(),
                   {.records = 64, .width = 64, .height = 64, .classes = 12, .per_shard = 40});
  bench::BenchOptions options;
  options.batch = 8;
  options.seconds = 0.02;
  const std::string path = folder.path();
  const auto report = require(run_acceptance({&path, 1}, options, 0));
  check(report.bandwidths.bus > 0 && report.bandwidths.memory > 0 && report.bandwidths.gather > 0,
        "limits are measured");
  for (const AcceptanceRow& row : report.rows)
    check(!row.measured() || row.limit > 0, "a figure has a limit: " + row.name);
  check(report.rows.size() >= 20, "there are rows of all kinds");
}

}  // namespace hotpack::gpu
