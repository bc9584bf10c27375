// Makes the report of `pack`, and parts of it that other reports use, too.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/report.hpp"
#include "pack/pack.hpp"

namespace hotpack::cli {

// Makes the report of a run or, with --dry-run, of its plan; the run took `seconds`. Without
// splits, the JSON object itself has the members that describe a data set; with splits, each
// element of `sets` has them. If the run was stopped, the text of the report must not be used.
[[nodiscard]] Report pack_report(const pipeline::PackRun& run, double seconds);
// Makes the JSON for a run that was refused: the members of error_json(), then those of
// pack_report(). It has no text.
[[nodiscard]] Report refused_report(const pipeline::PackRun& run, const Error& error,
                                    double seconds);
// Describes unusual but accepted inputs, one kind per line.
[[nodiscard]] std::string remarks_text(const pipeline::DiagnosticCounts& remarks);

// Adds the numbers of files in the input folders that are not packed.
void add_excluded_files(Report& report, std::uint64_t orphans, std::uint64_t others,
                        std::uint64_t excluded);
// Returns a text such as "24, 2 skipped (at most 5 accepted)".
[[nodiscard]] std::string samples_text(std::uint64_t records, std::uint64_t skipped,
                                       std::optional<std::uint64_t> accepted);
// The end of a message about skipped samples: what --accept-skips says to them, and the exit
// status if it is not 0.
[[nodiscard]] std::string acceptance_text(std::uint64_t skipped,
                                          std::optional<std::uint64_t> accepted);
// True if samples were skipped, and more than --accept-skips accepts.
[[nodiscard]] bool skips_too_many(std::uint64_t skipped, std::optional<std::uint64_t> accepted);
// The next two functions add the classes and the ignored pixels with their shares of all pixels (or
// of samples): the first as lines of text, the second as JSON members. For a pack without labels no
// lines are added.
void add_class_lines(Report& report, const Schema& schema, const Statistics& statistics);
void add_class_members(Report& report, const Schema& schema, const Statistics& statistics);
// Adds the commands to run next on a finished pack.
void add_next_line(Report& report, const std::string& output);

}  // namespace hotpack::cli
