// The result of `pack`, and the parts of it that other reports have too.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "cli/report.hpp"
#include "pack/pack.hpp"

namespace hotpack::cli {

// The result of a run, or its plan with --dry-run. The members of a set are those of the object if
// there is one set without a name, otherwise those of the elements of `sets`. The text is for runs
// that were neither refused nor stopped.
[[nodiscard]] Report pack_report(const pipeline::PackRun& run, double seconds);
// Unusual but accepted inputs, one kind per line.
[[nodiscard]] std::string remarks_text(const pipeline::DiagnosticCounts& remarks);

// Files of the input folders that are not packed.
void add_excluded_files(Report& report, std::uint64_t orphans, std::uint64_t others);
// "24, 2 skipped"
[[nodiscard]] std::string samples_text(std::uint64_t records, std::uint64_t skipped);
// Classes with their shares of pixels (or samples), and the ignored pixels; no lines without
// labels.
void add_class_lines(Report& report, const Schema& schema, const Statistics& statistics);
void add_class_members(Report& report, const Schema& schema, const Statistics& statistics);
// The commands to run next on a finished pack.
void add_next_line(Report& report, const std::string& output);

}  // namespace hotpack::cli
