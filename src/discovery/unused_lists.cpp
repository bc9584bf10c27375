#include "discovery/unused_lists.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/csv.hpp"
#include "base/try.hpp"
#include "discovery/class_file.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/text_lines.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::uint64_t kSurePercent = 90;
// The rest of a file is read only if half of its first lines name samples.
constexpr std::uint64_t kFirstLines = 100;
constexpr std::size_t kMostColumns = 16;

using Names = std::vector<std::string_view>;

// The last parts of the keys, and the folders in front of them.
Names names_of(const SampleList& samples) {
  Names names;
  for (const Sample& sample : samples.samples) {
    std::string_view key = samples.key(sample);
    names.push_back(last_part(key));
    key.remove_suffix(std::min(key.size(), names.back().size() + 1));
    if (!key.empty() && (names.size() < 2 || names[names.size() - 2] != last_part(key)))
      names.push_back(last_part(key));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The last part of a path, without an image's extension.
std::string_view name_in(std::string_view path) {
  const std::string_view last = path.substr(path.find_last_of("/\\") + 1);
  const FileName name = describe_name(last);
  return name.kind == FileKind::image || name.kind == FileKind::unsupported
             ? last.substr(0, name.stem_length)
             : last;
}

bool is_table(const std::string& name) {
  const std::string lower = lowered(name);
  return lower.ends_with(".csv") || lower.ends_with(".tsv");
}

bool is_text(const std::string& name) {
  const std::string lower = lowered(name);
  return lower.ends_with(".txt") || lower.ends_with(".lst") || is_table(name);
}

// Counts the line in the columns that name a sample. A name may hold spaces.
void count_names(std::string_view line, const Names& names, std::vector<std::uint64_t>& found) {
  const std::string_view ends = line.find_first_of("\t,;") == line.npos ? " " : "\t,;";
  for (std::size_t column = 0; column < kMostColumns; ++column) {
    const std::size_t end = std::min(line.find_first_of(ends), line.size());
    std::string_view field = trimmed(line.substr(0, end));
    if (field.size() > 1 && field.front() == '"') field = field.substr(1, field.size() - 2);
    if (found.size() == column) found.push_back(0);
    found[column] += std::binary_search(names.begin(), names.end(), name_in(field)) ? 1U : 0U;
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

// Counts the lines that name a sample in one column; nothing if few do.
std::optional<std::uint64_t> listed_samples(const std::string& path, const Names& names) {
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  if (failure || bytes > kMostBytes) return std::nullopt;
  const Result<std::string> text = read_list_text(path);
  if (!text.ok()) return std::nullopt;
  std::uint64_t lines = 0, found = 0;
  std::vector<std::uint64_t> columns;
  TextLines rest(*text);
  while (const std::optional<TextLine> line = rest.next()) {
    ++lines;
    count_names(line->text, names, columns);
    found = *std::max_element(columns.begin(), columns.end());
    if (lines == kFirstLines && found * 2 < lines) return std::nullopt;
  }
  // A table has one more line, its header.
  return found > 0 && (found + 1) * 100 >= lines * kSurePercent && found * 2 > lines
             ? std::optional(found)
             : std::nullopt;
}

// "train" of "train_list" and "my-train"; otherwise the whole name.
std::string split_of(std::string_view stem) {
  for (std::size_t begin = 0; begin < stem.size();) {
    const std::size_t end = std::min(stem.find_first_of("_-. ", begin), stem.size());
    if (usual_split_name(stem.substr(begin, end - begin)))
      return std::string(stem.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::string(stem);
}

Status add_lists_of(const std::string& folder, const Names& names, std::vector<UnusedList>& found) {
  HOTPACK_ASSIGN(const FolderContent content, read_folder(folder));
  for (const std::string& file : content.files) {
    if (!is_text(file) || is_class_file_name(file)) continue;
    const std::string path = path_below(folder, file);
    const std::optional<std::uint64_t> samples = listed_samples(path, names);
    if (!samples) continue;
    UnusedList list{path, split_of(std::string_view(file).substr(0, file.size() - 4)), *samples,
                    is_table(file)};
    const bool twice = std::any_of(found.begin(), found.end(), [&](const UnusedList& other) {
      return other.split == list.split;
    });
    if (!twice) found.push_back(std::move(list));
  }
  return {};
}

}  // namespace

Result<std::vector<UnusedList>> find_unused_lists(const std::string& root,
                                                  const SampleList& samples) {
  const Names names = names_of(samples);
  std::vector<UnusedList> found;
  HOTPACK_TRY(add_lists_of(root, names, found));
  for (const std::string_view place :
       {"splits", "split", "lists", "list", "folds", "ImageSets", "ImageSets/Segmentation"})
    if (const std::string folder = path_below(root, place); is_folder(folder))
      HOTPACK_TRY(add_lists_of(folder, names, found));
  return found;
}

}  // namespace hotpack::pipeline
