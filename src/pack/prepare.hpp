// What is checked before anything is written: contradictory options, and free space for the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "pack/pack.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Refuses options that contradict each other, before any folder is read. Code `usage`.
[[nodiscard]] Status check_options(const PackOptions& options);

// Refuses contradictory options of the run alone, which `pack --plan` has.
[[nodiscard]] Status check_run_options(const RunOptions& run);

// Refuses folders and commands for finished shards that contradict each other.
[[nodiscard]] Status check_delivery(const RunOptions& run);
// Shards of several splits have the same names: the command of --on-shard must tell them apart.
[[nodiscard]] Status check_delivery_of_splits(const RunOptions& run,
                                              const std::vector<std::string>& splits);

// Returns the free bytes on the file system of `folder`. If the folder does not exist, uses the
// nearest folder above it that does. Returns nothing if the system does not say.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_at(const std::string& folder);

// Refuses to write `needed` bytes below `folder` if so many are not free. `exact` is false if fewer
// may be enough. Code `io`.
[[nodiscard]] Status check_free_space(const std::string& folder, std::uint64_t needed, bool exact);

}  // namespace hotpack::pipeline
