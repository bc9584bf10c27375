// Messages that `pack` and `plan` share.
//
// For the main thread.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "pack/pack_report.hpp"

namespace hotpack::cli {

// Prints each line of `text` as a message. `about`, unless empty, names the split in every line.
void say_lines(Terminal& terminal, pipeline::Level level, const std::string& text,
               const std::string& about = {});

// Prints why the inputs were refused, and returns the exit code.
[[nodiscard]] int refuse(CommandContext& context, const pipeline::PackRun& run, double seconds);

// Prints the warnings about one data set.
void warn_of_set(CommandContext& context, const pipeline::PackReport& set);

}  // namespace hotpack::cli
