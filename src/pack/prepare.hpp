// What is examined before anything is written: options that contradict each other, and the free space of the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "pack/pack.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Options that contradict each other, said before any folder is read. Code `usage`.
[[nodiscard]] Status check_options(const PackOptions& options);

// Free bytes of the file system that `folder` (or, where it does not exist yet, the nearest folder above) is on.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_at(const std::string& folder);

}  // namespace hotpack::pipeline
