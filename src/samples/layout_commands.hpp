// Makes command lines that pack a data set in a certain way: complete, quoted, ready to paste. Each
// is a line that begins with "hotpack ", which the terminal does not break.
//
// Reads no image; pack_command() checks whether lists are empty. Thread-safe; cannot fail.
#pragma once

#include <string>
#include <vector>

#include "samples/layout.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// "hotpack pack OPTIONS -o OUT"
[[nodiscard]] std::string whole_command(const std::string& options);
// "--label-suffix _L", quoted; "--label-suffix=-mask", for a value that looks like an option.
[[nodiscard]] std::string value_option(const std::string& option, const std::string& value);
// Returns the options that name the input folders, as the user gave them: the folder of a data set,
// or --images and --labels with their prefixes.
[[nodiscard]] std::string input_options(const InputOptions& input);
// Returns the command that packs a layout. It names folders, splits and lists explicitly, so that
// nothing needs to be detected, and ends with the options `more`.
[[nodiscard]] std::string pack_command(const Layout& layout, const std::string& more = {});
// The command that packs one split of a layout as a data set without splits.
[[nodiscard]] std::string split_command(const Layout& layout, const SplitFolders& split,
                                        const std::string& more = {});
// "--split ratio:train=80,val=20" as it was given; empty if no --split was given.
[[nodiscard]] std::string split_option(const SplitOptions& split);
// "--pair-regex IMAGE LABEL"
[[nodiscard]] std::string regex_option(const std::string& image, const std::string& label);
// "leaves out the split 'test', which has no labels", as pack_command() does; empty if none is.
[[nodiscard]] std::string left_out_text(const Layout& layout);

// A command that an error proposes, and a line about it.
struct Suggestion {
  std::string about;  // "if each folder is a class"; may be empty
  std::string command;
};
[[nodiscard]] std::string suggestions_text(const std::vector<Suggestion>& suggestions);
// The commands for what several label files of an image can become. `options` name the input.
[[nodiscard]] std::string merging_commands(const std::string& options);

}  // namespace hotpack::pipeline
