// The report of the acceptance benchmark as text and JSON.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "gpu/acceptance/report.hpp"

namespace hotpack::gpu {

// The device, its limits, and a table: each figure next to its limit, their ratio next to its
// target.
[[nodiscard]] std::string acceptance_text(const AcceptanceReport& report);
// One line of JSON and a newline: "report": "hotpack-gpu-acceptance/1". Bytes, seconds, and
// operations per second.
[[nodiscard]] std::string acceptance_json(const AcceptanceReport& report);

}  // namespace hotpack::gpu
