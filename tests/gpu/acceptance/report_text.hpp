// The report of the acceptance benchmark as text and JSON.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "gpu/acceptance/report.hpp"

namespace hotpack::gpu {

// Returns the report as text: the device, its limits, and a table with each figure next to its
// limit, and their ratio next to its target.
[[nodiscard]] std::string acceptance_text(const AcceptanceReport& report);
// Returns the report as one line of JSON and a newline: "report": "hotpack-gpu-acceptance/1".
// Numbers are in bytes, seconds, and operations per second.
[[nodiscard]] std::string acceptance_json(const AcceptanceReport& report);

}  // namespace hotpack::gpu
