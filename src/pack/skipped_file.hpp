// Writes the --skipped file. It lists the samples that the data set lacks, one per line: key, file
// and reason, separated by tabs.
//
// Thread-safe. Failure: `usage` for a path that must not be written; `io`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "pack/plan.hpp"
#include "settings/options.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

// Returns one line. Control characters become '?', so that a name cannot add rows or columns.
[[nodiscard]] std::string skipped_line(std::string_view key, std::string_view path,
                                       std::string_view reason);

// To call before anything is packed. Refuses a path in a missing folder or in the output folder,
// and an existing path that is not a file of skipped samples.
[[nodiscard]] Status check_skipped_path(const RunOptions& options);

// If --skipped is given, writes the file: the `lines` of this run, then the samples that are
// missing from kept shards of earlier runs.
[[nodiscard]] Status write_skipped_file(
    const RunOptions& options, const Plan& plan, const SampleList& list,
    const std::vector<std::optional<writer::FinishedShard>>& kept, std::string lines);

}  // namespace hotpack::pipeline
