// The command line of a pack, made from the options that another command was given.
//
// Pure; thread-safe.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace hotpack::cli {

// `hotpack pack` with every option of `command` that was given and that `pack` has too, also those of a configuration file; quoted for a
// shell. Options about messages stay out; `-o packed` is added where no output was named.
[[nodiscard]] std::string pack_command_line(const CLI::App& command);

}  // namespace hotpack::cli
