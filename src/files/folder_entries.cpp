#include "files/folder_entries.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/error.hpp"
#include "files/file_kind.hpp"

namespace hotpack::pipeline {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

Result<FolderEntries> FolderEntries::read(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (!open) return io_error("cannot read the input folder", folder, errno);
  FolderEntries entries;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    if (!is_junk(entry->d_name)) entries.add(entry->d_name, entry->d_type);
  }
  if (errno != 0) return io_error("cannot read the input folder", folder, errno);
  entries.sort();
  return entries;
}

void FolderEntries::add(std::string_view name, unsigned char type) {
  Entry entry{};
  entry.start = text_.size() & ((std::uint64_t{1} << 40) - 1);
  entry.length = name.size() & 0xFFFF;
  entry.type = type;
  entries_.push_back(entry);
  text_.append(name);
}

void FolderEntries::sort() {
  const std::string_view text = text_;
  const auto name_of = [&](const Entry& entry) { return text.substr(entry.start, entry.length); };
  std::sort(entries_.begin(), entries_.end(),
            [&](const Entry& a, const Entry& b) { return name_of(a) < name_of(b); });
}

}  // namespace hotpack::pipeline
