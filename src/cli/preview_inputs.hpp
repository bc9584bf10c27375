// The samples of inputs before they are packed, for `preview`.
#pragma once

#include <memory>
#include <string>

#include "cli/preview_source.hpp"
#include "cli/terminal.hpp"
#include "settings/options.hpp"

namespace hotpack::cli {

// Gathers the samples and decides what their labels mean, as `pack` does; says what was decided.
// `options` and `terminal` outlive the source.
[[nodiscard]] Result<std::unique_ptr<PreviewSource>> open_inputs(
    const pipeline::PackOptions& options, Terminal& terminal);

// True if the path is a folder that neither is a pack nor holds packs.
[[nodiscard]] bool is_unpacked_folder(const std::string& path);

}  // namespace hotpack::cli
