// The file of --skipped: which samples are not in the data set, and why. One line per sample: key, file and reason, separated by tabs.
//
// Pure but for the writing; thread-safe. Failure: `usage` for a path that cannot be such a file, `io`.
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

// Control characters become '?': a name cannot add rows or columns.
[[nodiscard]] std::string skipped_line(std::string_view key, std::string_view path, std::string_view reason);

// Refuses, before anything is packed, a path in a folder that does not exist, inside the output folder, or of something else than a
// regular file.
[[nodiscard]] Status check_skipped_path(const RunOptions& options);

// Writes the file, if one was asked for: `lines` of this run, then the samples that shards kept from earlier runs lack.
[[nodiscard]] Status write_skipped_file(const RunOptions& options, const Plan& plan, const SampleList& list,
                                        const std::vector<std::optional<writer::FinishedShard>>& kept, std::string lines);

}  // namespace hotpack::pipeline
