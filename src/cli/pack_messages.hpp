// Messages that `pack` and `plan` share.
//
// For the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "pack/pack_report.hpp"

namespace hotpack::cli {

// Prints each line of `text` as a message. `about`, unless empty, names the split in every line.
void say_lines(Terminal& terminal, pipeline::Level level, const std::string& text,
               const std::string& about = {});

// Prints why the inputs were refused, and returns the exit code.
[[nodiscard]] int refuse(CommandContext& context, const pipeline::PackRun& run, double seconds);

// Prints the warnings about data sets: one that all of them have once, without the name of a split.
void warn_of_sets(CommandContext& context, const std::vector<pipeline::PackReport>& sets);

}  // namespace hotpack::cli
