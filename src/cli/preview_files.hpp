// The files that `preview` writes, and which files it may replace: those it made itself.
//
// Thread-safe for different files. Failure: `usage` for a path that must not be written, `io`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack::cli {

// A kind of file: its ending, and how its own files are known by their first bytes.
struct PreviewFile {
  std::string_view option;  // for messages
  std::string_view ending;
  std::size_t mark_bytes = 0;
  bool (*is_own)(std::span<const std::byte> first_bytes) = nullptr;
};
[[nodiscard]] PreviewFile sheet_kind();
[[nodiscard]] PreviewFile page_kind();

// Before anything is drawn: the name has the ending, and what stands there is nothing, a file of
// this kind, or with `force` any file.
[[nodiscard]] Status check_preview_path(const std::string& path, const PreviewFile& kind,
                                        bool force);

}  // namespace hotpack::cli
