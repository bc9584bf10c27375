// The command line of `pack`, made from the options of another command.
//
// Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace hotpack::cli {

// `hotpack pack` with every given option of `command` that `pack` has too, including those of a
// configuration file, quoted for a shell. Options about messages are left out; `-o packed` is added
// if no output was given.
[[nodiscard]] std::string pack_command_line(const CLI::App& command);

// A given option, quoted for a shell.
struct GivenOption {
  std::vector<std::string> names;  // --output, -o
  std::string words;               // " -o 'my packs'"
  bool about_labels = false;       // how label files are read
};

// Given options of `command` that `pack` has too, except those that name or pair inputs.
[[nodiscard]] std::vector<GivenOption> options_to_keep(const CLI::App& command,
                                                       const CLI::App& pack);

// Adds `given` to the commands in an error's text, `hotpack pack … -o OUT` at the end of a line,
// unless a command sets the option itself: the user need not type it again.
[[nodiscard]] std::string with_given_options(std::string_view text,
                                             std::span<const GivenOption> given);

}  // namespace hotpack::cli
