// The options that `pack` and `check` share, from their text to PackOptions.
//
// CLI11 writes into PackArguments, which must live as long as the parser. Failure: values of a
// wrong form are refused while parsing (CLI::ValidationError), contradictions by `pack`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/report.hpp"
#include "settings/options.hpp"

namespace hotpack::cli {

struct PackArguments {
  pipeline::PackOptions options;
};

// Inputs, pairing, labels, geometry, images, storage: all that determines the samples and their
// bytes.
void add_sample_options(CLI::App& command, PackArguments& arguments);
// Output, partitions, errors, resuming: what only packing needs.
void add_writing_options(CLI::App& command, PackArguments& arguments);

// True for `--preset list`, which asks for preset_list() in place of a run.
[[nodiscard]] bool wants_preset_list(const PackArguments& arguments);
[[nodiscard]] Report preset_list();

// "268435456", "256MiB", "1GB", "64M": bytes; binary units with an i, or of one letter, whatever
// the case. Absent for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace hotpack::cli
