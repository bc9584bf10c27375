// Checks the paths of the files that `preview` writes. It may replace only files that it made.
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

// To call before anything is drawn. Refuses a name without the ending, and an existing file that
// `preview` did not make, unless `force` is set.
[[nodiscard]] Status check_preview_path(const std::string& path, const PreviewFile& kind,
                                        bool force);

}  // namespace hotpack::cli
