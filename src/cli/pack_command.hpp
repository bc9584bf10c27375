// Makes command lines of `pack` from the options of another command.
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

// Returns `hotpack pack` with every option that was given to `command`, on the line or in a
// configuration file, and that `pack` has too. Values are quoted for a shell. Options about
// messages are left out. If no output was given, `-o packed` is added.
[[nodiscard]] std::string pack_command_line(const CLI::App& command);

// A given option, quoted for a shell.
struct GivenOption {
  std::vector<std::string> names;  // --output, -o
  std::string words;               // " -o 'my packs'"
  bool about_labels = false;       // the option says how label files are read
};

// Returns the options given to `command` that `pack` has too, except those that name or pair
// inputs.
[[nodiscard]] std::vector<GivenOption> options_to_keep(const CLI::App& command,
                                                       const CLI::App& pack);

// Adds the options `given` to the commands that an error proposes, so that the user need not type
// them again. Such a command, `hotpack pack … -o OUT`, ends its line. An option that the command
// sets itself is not added.
[[nodiscard]] std::string with_given_options(std::string_view text,
                                             std::span<const GivenOption> given);

}  // namespace hotpack::cli
