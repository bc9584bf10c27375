// What `pack` and `check` tell at their end: plan, problems, summary, as text or JSON.
//
// Pure functions from a report to text; thread-safe.
#pragma once

#include <string>

#include "pipeline/pack.hpp"

namespace hotpack::cli {

// Several lines, each ending in a newline.
[[nodiscard]] std::string plan_text(const pipeline::PlanSummary& plan);
[[nodiscard]] std::string summary_text(const pipeline::PackReport& report, const std::string& output, double seconds);
// Classes with their shares of pixels (or samples), one a line; nothing when unlabelled.
[[nodiscard]] std::string classes_text(const Schema& schema, const Statistics& statistics);
// Unusual but accepted things, one a line.
[[nodiscard]] std::string remarks_text(const pipeline::Remarks& remarks);
// One JSON object.
[[nodiscard]] std::string report_json(const pipeline::PackReport& report, const std::string& output, double seconds);

}  // namespace hotpack::cli
