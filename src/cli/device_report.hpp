// What a measurement of the way to a device found, as text and JSON.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "bench/device_report.hpp"

namespace hotpack::cli {

// The device, its limits, and a table: each figure next to its limit, their ratio next to its target.
[[nodiscard]] std::string device_text(const bench::DeviceReport& report);
// One line of JSON and a newline: "report": "hotpack-device-bench/1". Bytes, seconds, and operations per second.
[[nodiscard]] std::string device_json(const bench::DeviceReport& report);

}  // namespace hotpack::cli
