// Reports the result of `pack`. Other reports use parts of it, too.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "cli/report.hpp"
#include "pack/pack.hpp"

namespace hotpack::cli {

// Reports the result of a run, or its plan with --dry-run. Without splits, the JSON object itself
// has the members of the data set; with splits, each element of `sets` has them. The text makes
// sense only for runs that were neither refused nor stopped.
[[nodiscard]] Report pack_report(const pipeline::PackRun& run, double seconds);
// Describes unusual but accepted inputs, one kind per line.
[[nodiscard]] std::string remarks_text(const pipeline::DiagnosticCounts& remarks);

// Adds the numbers of files in the input folders that are not packed.
void add_excluded_files(Report& report, std::uint64_t orphans, std::uint64_t others);
// Returns a text such as "24, 2 skipped".
[[nodiscard]] std::string samples_text(std::uint64_t records, std::uint64_t skipped);
// Add the classes with their shares of pixels (or of samples), and the ignored pixels: as lines, or
// as JSON members. A pack without labels gets no lines.
void add_class_lines(Report& report, const Schema& schema, const Statistics& statistics);
void add_class_members(Report& report, const Schema& schema, const Statistics& statistics);
// Adds the commands to run next on a finished pack.
void add_next_line(Report& report, const std::string& output);

}  // namespace hotpack::cli
