// Defines the options that `pack` and `check` share, and converts their text to PackOptions.
//
// CLI11 writes into PackArguments, which must live as long as the parser. Failure: parsing a value
// of a wrong form throws CLI::ValidationError. Options that contradict each other are refused
// later, by `pack` itself.
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

// Adds all options that determine the samples and their bytes: inputs, pairing, labels, geometry,
// images, storage; --io-threads and --max-memory.
void add_sample_options(CLI::App& command, PackArguments& arguments);
// Adds the options that only packing needs: output, partitions, errors, resuming.
void add_writing_options(CLI::App& command, PackArguments& arguments);
// Adds the options of `plan` after those of the samples.
void add_planning_options(CLI::App& command, PackArguments& arguments, std::string& output);

// True for `--preset list`: the command then prints preset_list() and does nothing else.
[[nodiscard]] bool wants_preset_list(const PackArguments& arguments);
[[nodiscard]] Report preset_list();

// Returns the number of bytes that `text` stands for: "268435456", "256MiB", "1GB", "64M". Units
// with an "i" (MiB) and units of one letter (M) are powers of 1024, others (MB) powers of 1000;
// upper and lower case mean the same. Returns nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Adds --accept-skips, as `pack` and `merge` have it.
void add_accepted_skips(CLI::App& command, std::optional<pipeline::AcceptedSkips>& accepted,
                        const std::string& text, const char* group);

}  // namespace hotpack::cli
