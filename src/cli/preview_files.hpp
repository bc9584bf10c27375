// Checks the paths of the files that `preview` writes. `preview` may replace only files that it
// made itself.
//
// Thread-safe for different files. Failure: `usage` for a path that must not be written; `io`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

// A kind of file: its ending, and how to recognize from the first bytes that `preview` made it.
struct PreviewFile {
  std::string_view option;  // for messages
  std::string_view ending;
  std::size_t mark_bytes = 0;
  bool (*is_own)(std::span<const std::byte> first_bytes) = nullptr;
};
[[nodiscard]] PreviewFile sheet_kind();
[[nodiscard]] PreviewFile page_kind();

// Call this before anything is drawn. Fails if the path lacks the ending of `kind`, or if the file
// exists and was not made by `preview`. With `force`, any existing file is accepted.
[[nodiscard]] Status check_preview_path(const std::string& path, const PreviewFile& kind,
                                        bool force);

}  // namespace hotpack::cli
