// Opens the samples of inputs that are not packed yet, for `preview`.
#pragma once

#include <memory>
#include <string>

#include "cli/preview_source.hpp"
#include "cli/terminal.hpp"
#include "settings/options.hpp"

namespace hotpack::cli {

// Returns the samples of inputs that are not packed yet. Finds the samples and decides what their
// labels mean, as `pack` does, and prints that decision. `options` and `terminal` must outlive the
// source.
[[nodiscard]] Result<std::unique_ptr<PreviewSource>> open_inputs(
    const pipeline::PackOptions& options, Terminal& terminal);

// True if the path is a folder that neither is a pack nor holds packs.
[[nodiscard]] bool is_unpacked_folder(const std::string& path);

}  // namespace hotpack::cli
