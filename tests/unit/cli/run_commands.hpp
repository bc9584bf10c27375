// Command lines run in this process, and their results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "captured.hpp"
#include "cli/command.hpp"

struct Ran {
  int code = -1;
  std::string output;
  std::string messages;
};

// Runs `hotpack ARGUMENTS…` with these commands only.
inline Ran run_commands(std::span<const hotpack::cli::AddCommand> commands,
                        const std::vector<std::string>& arguments) {
  std::vector<const char*> words{"hotpack"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  const Captured output, messages;
  const int code =
      hotpack::cli::run_command_line(commands, static_cast<int>(words.size()), words.data(),
                                     {output.descriptor(), messages.descriptor()});
  return {code, output.text(), messages.text()};
}
