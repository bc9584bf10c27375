// The exit codes of the command, all in one place.
#pragma once

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
// Returns the name of the code in the JSON of --json.
[[nodiscard]] constexpr const char* name_of_exit(int code) {
  switch (code) {
    case kExitData:
      return "data";
    case kExitUsage:
      return "usage";
    case kExitIo:
      return "io";
    case kExitDamaged:
      return "damaged";
    default:
      return "internal";
  }
}
[[nodiscard]] inline int exit_code_of(const Error& error) { return exit_code_of(error.code); }

}  // namespace hotpack::cli
