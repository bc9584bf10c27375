// Finds out whether a command line that is refused, or not parsed yet, asks for JSON.
//
// Plain values and pure functions; thread-safe.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace hotpack::cli {

struct JsonWishes {
  bool result = false;    // --json
  bool messages = false;  // --progress json
};

// Reads the arguments as they were typed. Those after "--" do not count.
[[nodiscard]] JsonWishes typed_json_wishes(std::span<const std::string> arguments);
// Reads the options that the parser knows when it refuses the line, also from a configuration file.
[[nodiscard]] JsonWishes given_json_wishes(const CLI::App& command);

}  // namespace hotpack::cli
