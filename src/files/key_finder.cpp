#include "files/key_finder.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "files/file_kind.hpp"

namespace hotpack::pipeline {

namespace {

// Removes the extension of an image; another dot in a name begins no extension.
std::string_view without_extension(std::string_view path) {
  const FileName name = describe_name(path);
  return name.kind == FileKind::image ? path.substr(0, name.stem_length) : path;
}

std::string normal_path(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
  std::string normal =
      (failure ? std::filesystem::path(path) : absolute).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

// Returns the files with a text. `order` is empty, or sorted by the texts.
template <class Text>
KeyFinder::Indices files_with(std::string_view wanted, KeyFinder::Indices& order, std::size_t count,
                              Text text_of) {
  if (order.empty()) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, text_of);
  }
  return {std::ranges::lower_bound(order, wanted, {}, text_of),
          std::ranges::upper_bound(order, wanted, {}, text_of)};
}

}  // namespace

KeyFinder::Indices KeyFinder::find(std::string_view word, const std::string& path) {
  const std::string_view stem = without_extension(word);
  for (const std::string_view key : {word, stem})
    if (const FoundFile* const file = find_key(list_, key))
      return {static_cast<std::uint32_t>(file - list_.files.data())};
  Indices found = find_path(word);
  if (found.empty() && word.find('/') == word.npos)
    found = files_with(stem, by_name_, list_.files.size(),
                       [&](std::uint32_t i) { return last_part(list_.key(list_.files[i])); });
  return found.empty() && !path.empty() ? find_path(normal_path(path)) : found;
}

KeyFinder::Indices KeyFinder::find_stem(std::string_view stem) {
  return files_with(stem, by_stem_, list_.files.size(),
                    [&](std::uint32_t i) { return list_.stem(list_.files[i]); });
}

KeyFinder::Indices KeyFinder::find_path(std::string_view path) {
  if (folders_.empty())
    for (const Root& root : list_.roots) folders_.push_back(normal_path(root.folder) + "/");
  Indices found = find_stem(path);
  path = without_extension(path);
  if (found.empty()) found = find_stem(path);
  if (!found.empty()) return found;
  for (std::size_t root = 0; root < folders_.size(); ++root) {
    const std::string_view folder = folders_[root];  // ends with '/'
    for (std::size_t at = 0; at < folder.size(); at = folder.find('/', at) + 1) {
      const std::string_view end = folder.substr(at);
      if (!path.starts_with(end)) continue;
      for (const std::uint32_t file : find_stem(path.substr(end.size())))
        if (list_.files[file].root == root) found.push_back(file);
    }
  }
  return found;
}

KeyFinder::Indices KeyFinder::find_beginning(std::string_view beginning) const {
  const auto key_of = [&](const FoundFile& file) { return list_.key(file); };
  Indices found;
  for (auto file = std::ranges::lower_bound(list_.files, beginning, {}, key_of);
       file != list_.files.end() && list_.key(*file).starts_with(beginning); ++file)
    found.push_back(static_cast<std::uint32_t>(file - list_.files.begin()));
  return found;
}

}  // namespace hotpack::pipeline
