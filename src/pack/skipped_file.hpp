// The --skipped file: the samples that the data set lacks, one line each with key, file and reason,
// separated by tabs.
//
// Thread-safe. Failure: `usage` for a path that cannot be such a file, `io`.
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

// Control characters become '?', so that a name cannot add rows or columns.
[[nodiscard]] std::string skipped_line(std::string_view key, std::string_view path,
                                       std::string_view reason);

// Refuses, before anything is packed, a path in a missing folder or in the output folder, or of
// anything but a regular file.
[[nodiscard]] Status check_skipped_path(const RunOptions& options);

// Writes the file, if --skipped is given: the `lines` of this run, then the samples that kept
// shards of earlier runs lack.
[[nodiscard]] Status write_skipped_file(
    const RunOptions& options, const Plan& plan, const SampleList& list,
    const std::vector<std::optional<writer::FinishedShard>>& kept, std::string lines);

}  // namespace hotpack::pipeline
