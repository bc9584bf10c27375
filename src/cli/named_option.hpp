// Finds the option that an error message is about.
//
// Plain values and pure functions; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace hotpack::cli {

// An option of the given command; argument names such as "PACK" are names, too.
struct NamedOption {
  std::vector<std::string> names;  // the first is the usual one: --output, -o
  bool given = false;
};
[[nodiscard]] std::vector<NamedOption> named_options(const CLI::App& root);

// Returns the usual name of the option that an error message is about: the one with which it begins
// or, else, the first one in it that was given. Commands that the message proposes do not count.
// Returns an unknown option as it was typed, and an empty text if no option is found.
[[nodiscard]] std::string option_in(std::string_view message, std::span<const NamedOption> options);

}  // namespace hotpack::cli
