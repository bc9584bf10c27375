// The exit codes of the command, all in one place.
#pragma once

#include <array>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

inline constexpr int kExitGood = 0;   // warnings allowed
inline constexpr int kExitData = 1;   // input data refused or samples skipped
inline constexpr int kExitUsage = 2;  // an argument or a configuration is wrong
inline constexpr int kExitIo = 3;  // missing or unreadable path, failed read, full disk, no memory
inline constexpr int kExitDamaged = 4;  // a pack is damaged, foreign or newer
inline constexpr int kExitUnread =
    141;  // the reader of stdout closed it early (128 + SIGPIPE); nothing else failed
inline constexpr int kExitInternal = 70;  // a bug in hotpack (EX_SOFTWARE)

[[nodiscard]] constexpr int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::busy:
      return kExitUsage;
    case ErrorCode::data:
      return kExitData;
    case ErrorCode::io:
    case ErrorCode::timeout:
    case ErrorCode::cancelled:
      return kExitIo;
    case ErrorCode::damaged:
      return kExitDamaged;
    case ErrorCode::internal:
      return kExitInternal;
  }
  return kExitInternal;
}
[[nodiscard]] inline int exit_code_of(const Error& error) { return exit_code_of(error.code); }

// Returns the word of the code in the JSON of --json.
[[nodiscard]] constexpr std::string_view word_of(ErrorCode code) {
  constexpr std::array<std::string_view, 8> kWords{"usage",    "data",    "io",        "damaged",
                                                   "internal", "timeout", "cancelled", "busy"};
  return kWords[static_cast<std::size_t>(code)];
}

// An exit code as `hotpack --help=json` lists it.
struct ExitCode {
  int code;
  std::string_view text;
};
inline constexpr std::array<ExitCode, 7> kExitCodes{{
    {kExitGood, "success; there may be warnings"},
    {kExitData, "input data refused, or samples skipped"},
    {kExitUsage,
     "wrong usage, an output folder that contains a pack made with other options, or a file in "
     "the output folder that hotpack did not write"},
    {kExitIo, "a path is missing or unreadable, a read or write failed, or the disk is full"},
    {kExitDamaged, "a pack is damaged, was not written by hotpack, or has a newer format"},
    {kExitInternal, "a bug in hotpack"},
    {kExitUnread, "the program that reads stdout ended early; the work of the command succeeded"},
}};

}  // namespace hotpack::cli
