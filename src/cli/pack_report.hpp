// What `pack` and `check` tell at their end: plan, problems, summary, as text or JSON.
//
// Pure functions from a report to text; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "format/json.hpp"
#include "pack/pack.hpp"

namespace hotpack::cli {

// Several lines, each ending in a newline.
[[nodiscard]] std::string plan_text(const pipeline::PlanSummary& plan);
// Of a whole run: what was planned or packed, set by set. `seconds` is what the run took.
[[nodiscard]] std::string plan_text(const pipeline::PackRun& run);
[[nodiscard]] std::string summary_text(const pipeline::PackRun& run, double seconds);
// Classes with their shares of pixels (or samples), one per line; nothing when unlabelled.
[[nodiscard]] std::string classes_text(const Schema& schema, const Statistics& statistics);
[[nodiscard]] format::Json classes_json(const Schema& schema, const Statistics& statistics);
// Unusual but accepted things, one per line.
[[nodiscard]] std::string remarks_text(const pipeline::DiagnosticCounts& remarks);
// One JSON object. The members of a set stand at the top where there is one set without a name, else in the list `sets`.
[[nodiscard]] std::string report_json(const pipeline::PackRun& run, double seconds);
// A line of a summary: a name, its text in a column of its own, a newline.
[[nodiscard]] std::string line(std::string_view name, const std::string& text);

}  // namespace hotpack::cli
