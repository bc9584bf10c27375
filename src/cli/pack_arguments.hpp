// The options that `pack` and `check` share, from their text to PackOptions.
//
// PackArguments keeps what CLI11 writes into; it must live as long as the parser. Failure: values of a wrong form are refused while
// parsing (CLI::ValidationError), contradictions by `pack/prepare`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "settings/options.hpp"

namespace hotpack::cli {

struct PackArguments {
  pipeline::PackOptions options;
};

// Inputs, pairing, labels, geometry, images, storage: everything that decides about samples and their bytes.
void add_sample_options(CLI::App& command, PackArguments& arguments);
// Shards, errors, resuming: what only packing needs. -o among them.
void add_writing_options(CLI::App& command, PackArguments& arguments);

// Whether `--preset list` asks for the presets rather than for a run, and the answer.
[[nodiscard]] bool wants_preset_list(const PackArguments& arguments);
[[nodiscard]] std::string preset_list_text();
[[nodiscard]] std::string preset_list_json();  // {"presets":[{"name":…,"about":…},…]}

// "268435456", "256MiB", "1GB", "64M": bytes; binary units with an i, or of one letter, whatever the case. Absent for anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace hotpack::cli
