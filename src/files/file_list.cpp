#include "files/file_list.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"

namespace hotpack::pipeline {

namespace {

// With the longest prefix, a key still fits into kMostTextBytes.
constexpr std::size_t kMostCaptured = 16384;

// A copy without files.
FileList empty_like(const FileList& list) {
  FileList empty;
  empty.roots = list.roots;
  empty.other_files = list.other_files;
  empty.without_suffix = list.without_suffix;
  empty.named_as_suffix = list.named_as_suffix;
  empty.annotation = list.annotation;
  empty.class_folders = list.class_folders;
  return empty;
}

// Copies a file to `to`, which has the roots of `from`.
FoundFile copy_file(const FileList& from, const FoundFile& file, FileList& to) {
  FoundFile copy = file;
  copy.text = to.arena.add(from.text(file));
  const bool key_in_text =
      file.key >= file.text && file.key + file.key_length <= file.text + file.text_length;
  copy.key = key_in_text ? copy.text + (file.key - file.text) : to.arena.add(from.key(file));
  return copy;
}

// Keeps the files for which `keep(file)` is true, and counts the others in other_files.
template <class Keep>
void keep_files(FileList& list, Keep keep) {
  const std::size_t before = list.files.size();
  std::size_t count = 0;
  for (FoundFile& file : list.files)
    if (keep(file)) list.files[count++] = file;
  if (count == before) return;
  list.files.resize(count);
  FileList kept = empty_like(list);
  kept.other_files += before - list.files.size();
  kept.files = std::move(list.files);
  kept.files.shrink_to_fit();
  for (FoundFile& file : kept.files) file = copy_file(list, file, kept);
  list = std::move(kept);
}

}  // namespace

std::uint64_t TextArena::add(std::string_view first, std::string_view second) {
  if (!text_ || text_.use_count() > 1)
    text_ = text_ ? std::make_shared<std::string>(*text_) : std::make_shared<std::string>();
  const std::uint64_t offset = text_->size();
  text_->append(first).append(second);
  return offset;
}

std::uint64_t TextArena::memory_bytes() const {
  return text_ ? text_->capacity() / static_cast<std::uint64_t>(text_.use_count()) : 0;
}

std::string_view FileList::below(const SourceFile& file) const {
  return text(file).substr(roots[file.root].key_prefix.size());
}

std::string_view FileList::stem(const SourceFile& file) const {
  const std::string_view path = below(file);
  return path.substr(0, describe_name(path).stem_length);
}

std::string FileList::path(const SourceFile& file) const {
  return path_below(roots[file.root].folder, below(file));
}

void release_files(FileList& list) { std::vector<FoundFile>().swap(list.files); }

std::string path_below(const std::string& folder, std::string_view below) {
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(below);
}

std::vector<FileList> divide_files(const FileList& list, const std::vector<std::uint32_t>& part_of,
                                   std::size_t parts) {
  std::vector<FileList> divided(parts, empty_like(list));
  std::vector<std::size_t> counts(parts);
  for (const std::uint32_t part : part_of)
    if (part != kNoPart) ++counts[part];
  const bool shares =
      std::accumulate(counts.begin(), counts.end(), std::size_t{0}) * 2 > list.files.size();
  for (std::size_t part = 0; part < parts; ++part) {
    divided[part].files.reserve(counts[part]);
    if (shares) divided[part].arena = list.arena;
  }
  for (std::size_t i = 0; i < list.files.size(); ++i) {
    if (part_of[i] == kNoPart) continue;
    FileList& part = divided[part_of[i]];
    part.files.push_back(shares ? list.files[i] : copy_file(list, list.files[i], part));
  }
  return divided;
}

void sort_by_key(FileList& list) {
  const auto before = [&](const FoundFile& a, const FoundFile& b) {
    const int order = list.key(a).compare(list.key(b));
    return order != 0 ? order < 0
                      : std::pair(list.text(a), a.root) < std::pair(list.text(b), b.root);
  };
  // Folders are read in the order of names, which is that of most keys.
  if (!std::is_sorted(list.files.begin(), list.files.end(), before))
    std::sort(list.files.begin(), list.files.end(), before);
}

const FoundFile* find_key(const FileList& list, std::string_view key) {
  const auto found = std::lower_bound(
      list.files.begin(), list.files.end(), key,
      [&](const FoundFile& file, std::string_view wanted) { return list.key(file) < wanted; });
  return found != list.files.end() && list.key(*found) == key ? &*found : nullptr;
}

bool has_suffix(std::string_view stem, std::string_view suffix) {
  const bool whole_parts = suffix.find('/') != std::string_view::npos;
  return stem.ends_with(suffix) && (whole_parts ? stem : last_part(stem)).size() > suffix.size();
}

void strip_suffix(FileList& list, std::string_view suffix) {
  const std::size_t before = list.files.size();
  keep_files(list, [&](FoundFile& file) {
    const bool keep = has_suffix(list.key(file), suffix);
    if (keep)
      file.key_length = static_cast<std::uint16_t>(file.key_length - suffix.size());
    else if (list.named_as_suffix.empty() && last_part(list.key(file)) == suffix)
      list.named_as_suffix = list.path(file);
    return keep;
  });
  list.without_suffix += before - list.files.size();
}

void drop_suffix(FileList& list, std::string_view suffix) {
  keep_files(list, [&](const FoundFile& file) { return !has_suffix(list.key(file), suffix); });
}

void keep_format(FileList& list, bool jpeg) {
  keep_files(list,
             [&](const FoundFile& file) { return describe_name(list.text(file)).is_jpeg == jpeg; });
}

void drop_keyless(FileList& list) {
  const std::uint64_t other_files = list.other_files;
  keep_files(list, [](const FoundFile& file) { return file.key_length > 0; });
  list.other_files = other_files;
}

Status capture_keys(FileList& list, const PathPattern& pattern, ProblemLog& problems) {
  std::vector<FoundFile> kept;
  for (FoundFile& file : list.files) {
    HOTPACK_ASSIGN(const std::optional<std::string> found, pattern.find_all(list.below(file)));
    if (found && (!valid_key(*found) || found->size() > kMostCaptured)) {
      problems.add({ProblemKind::unusable_name, list.path(file),
                    "the pattern captures '" + *found + "', which cannot be a key"});
      continue;
    }
    const std::string key = found ? list.roots[file.root].key_prefix + *found : std::string();
    file.key = list.arena.add(key);
    file.key_length = static_cast<std::uint16_t>(key.size());
    kept.push_back(file);
  }
  list.files = std::move(kept);
  return {};
}

}  // namespace hotpack::pipeline
