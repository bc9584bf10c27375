// Writes the file of --skipped: a list of the samples that are missing from the data set, one per
// line with key, file and reason, separated by tabs.
//
// Thread-safe. Failure: `usage` for a path that must not be written; `io`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "pack/plan.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

// Returns one line. Control characters become '?', so that a name cannot add rows or columns.
[[nodiscard]] std::string skipped_line(std::string_view key, std::string_view path,
                                       std::string_view reason);

// Call this before anything is packed. Returns an error if the path is in a missing folder or in
// the output folder, or if a file exists there that is not a list of skipped samples.
[[nodiscard]] Status check_skipped_path(const RunOptions& options);

// If --skipped is given, writes the list: first `lines`, the samples that this run has skipped,
// then the samples that earlier runs have skipped, which are missing from the kept shards.
[[nodiscard]] Status write_skipped_file(
    const RunOptions& options, const Plan& plan, const SampleList& list,
    const std::vector<std::optional<writer::FinishedShard>>& kept, std::string lines);

}  // namespace hotpack::pipeline
