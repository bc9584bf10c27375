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

// Returns a command line `hotpack pack …` with every option that the user gave to `command` and
// that `pack` has too, whether on the line or in a configuration file. Values are quoted for a
// shell. Options about messages are left out. If no output was given, `-o packed` is added.
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

// An error may propose commands: lines that end with `hotpack pack … -o OUT`. Returns `text` with
// the user's options `given` added to each such command, so that the user need not type them again.
// Does not add an option that the command contains already. `command` is "pack", or "plan" to
// propose commands of that with the same options.
[[nodiscard]] std::string with_given_options(std::string_view text,
                                             std::span<const GivenOption> given,
                                             std::string_view command = "pack");

}  // namespace hotpack::cli
