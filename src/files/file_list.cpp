#include "files/file_list.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"

namespace hotpack::pipeline {

namespace {

// With the longest prefix, a key still fits into kMostTextBytes.
constexpr std::size_t kMostCaptured = 16384;

// Keeps the files for which `keep(file)` is true, and counts the others in other_files. Returns how
// many these are.
template <class Keep>
std::uint64_t keep_files(FileList& list, Keep keep) {
  const std::uint64_t others =
      std::erase_if(list.files, [&](const FoundFile& file) { return !keep(file); });
  if (others > 0) list.files.shrink_to_fit();
  list.other_files += others;
  return others;
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

std::string path_below(const std::string& folder, std::string_view below) {
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(below);
}

std::vector<FileList> divide_files(FileList list, const std::vector<std::uint32_t>& part_of,
                                   std::size_t parts) {
  const std::vector<FoundFile> files = std::exchange(list.files, {});
  std::vector<FileList> divided(parts, list);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (part_of[i] != kNoPart) divided[part_of[i]].files.push_back(files[i]);
  return divided;
}

void sort_by_key(FileList& list) {
  const auto order = [&](const FoundFile& file) {
    return std::tuple(list.key(file), list.text(file), file.root);
  };
  // Folders are read in the order of names, which is that of most keys.
  if (!std::ranges::is_sorted(list.files, {}, order)) std::ranges::sort(list.files, {}, order);
}

const FoundFile* find_key(const FileList& list, std::string_view key) {
  const auto key_of = [&](const FoundFile& file) { return list.key(file); };
  const auto found = std::ranges::lower_bound(list.files, key, {}, key_of);
  return found != list.files.end() && list.key(*found) == key ? &*found : nullptr;
}

bool has_suffix(std::string_view stem, std::string_view suffix) {
  const bool whole_parts = suffix.find('/') != std::string_view::npos;
  return stem.ends_with(suffix) && (whole_parts ? stem : last_part(stem)).size() > suffix.size();
}

void strip_suffix(FileList& list, std::string_view suffix) {
  const auto named_so = std::ranges::find_if(
      list.files, [&](const FoundFile& file) { return last_part(list.key(file)) == suffix; });
  if (named_so != list.files.end() && list.named_as_suffix.empty())
    list.named_as_suffix = list.path(*named_so);
  list.without_suffix +=
      keep_files(list, [&](const FoundFile& file) { return has_suffix(list.key(file), suffix); });
  for (FoundFile& file : list.files)
    file.key_length = static_cast<std::uint16_t>(file.key_length - suffix.size());
}

void drop_suffix(FileList& list, std::string_view suffix) {
  keep_files(list, [&](const FoundFile& file) { return !has_suffix(list.key(file), suffix); });
}

void keep_format(FileList& list, bool jpeg) {
  keep_files(list,
             [&](const FoundFile& file) { return describe_name(list.text(file)).is_jpeg == jpeg; });
}

void drop_keyless(FileList& list) {
  list.other_files -= keep_files(list, [](const FoundFile& file) { return file.key_length > 0; });
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
