#include "cli/preview_files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/shell_word.hpp"
#include "base/try.hpp"
#include "preview/page.hpp"
#include "preview/sheet_file.hpp"

namespace hotpack::cli {

namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Result<bool> is_own_file(const std::string& path, const PreviewFile& kind) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  std::vector<std::byte> first(kind.mark_bytes);
  HOTPACK_ASSIGN(const std::size_t count, file.read_some(0, first));
  return kind.is_own(std::span(first).first(count));
}

}  // namespace

PreviewFile sheet_kind() {
  return {"-o", ".png", preview::kSheetMarkBytes, preview::is_sheet_file};
}
PreviewFile page_kind() { return {"--html", ".html", preview::kPageMark.size(), preview::is_page}; }

Status check_preview_path(const std::string& path, const PreviewFile& kind, bool force) {
  const std::string option(kind.option), ending(kind.ending);
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (fs::is_directory(status))
    return Error{ErrorCode::usage,
                 "is a folder; name a file with " + option + ", such as preview" + ending,
                 path,
                 {}};
  if (!lower_case(path).ends_with(ending)) {
    const PreviewFile other = ending == page_kind().ending ? sheet_kind() : page_kind();
    const bool swapped = lower_case(path).ends_with(other.ending);
    return Error{
        ErrorCode::usage,
        "a file name for " + option + " must end with " + ending +
            (swapped ? "; for this file, give " + std::string(other.option) + " " + shell_word(path)
                     : ""),
        path,
        {}};
  }
  if (!fs::exists(status) || force) return {};
  HOTPACK_ASSIGN(const bool own, is_own_file(path, kind));
  if (own) return {};
  return Error{ErrorCode::usage,
               "exists already and was not made by `hotpack preview`; --force replaces it",
               path,
               {}};
}

}  // namespace hotpack::cli
