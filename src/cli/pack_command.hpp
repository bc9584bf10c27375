// The command line of a pack, made from the options that another command was given.
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

// `hotpack pack` with every option of `command` that was given and that `pack` has too, also those of a configuration file; quoted for a
// shell. Options about messages stay out; `-o packed` is added where no output was named.
[[nodiscard]] std::string pack_command_line(const CLI::App& command);

// An option that was given, in the words of a shell.
struct GivenOption {
  std::vector<std::string> names;  // --output, -o
  std::string words;               // " -o 'my packs'"
  bool about_labels = false;       // how label files are read
};

// Options of `command` that `pack` has and that hold whatever the inputs are: none that names inputs or pairs them.
[[nodiscard]] std::vector<GivenOption> options_to_keep(const CLI::App& command, const CLI::App& pack);

// The commands of an error's text, `hotpack pack … -o OUT` at the end of a line, with `given` where the command does not say otherwise: so
// what was said once need not be said again.
[[nodiscard]] std::string with_given_options(std::string_view text, std::span<const GivenOption> given);

}  // namespace hotpack::cli
