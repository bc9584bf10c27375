#include "files/key_finder.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

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

template <class Text>
std::vector<std::uint32_t> sorted_order(std::size_t count, Text text) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return text(a) < text(b); });
  return order;
}

template <class Text>
std::vector<std::uint32_t> equal_in(const std::vector<std::uint32_t>& order,
                                    std::string_view wanted, Text text) {
  auto found =
      std::lower_bound(order.begin(), order.end(), wanted,
                       [&](std::uint32_t i, std::string_view word) { return text(i) < word; });
  std::vector<std::uint32_t> equal;
  for (; found != order.end() && text(*found) == wanted; ++found) equal.push_back(*found);
  return equal;
}

}  // namespace

std::vector<std::uint32_t> KeyFinder::find(std::string_view word) {
  const auto before = [&](const FoundFile& file, std::string_view key) {
    return list_.key(file) < key;
  };
  for (const std::string_view key : {word, without_extension(word)}) {
    const auto found = std::lower_bound(list_.files.begin(), list_.files.end(), key, before);
    if (found != list_.files.end() && list_.key(*found) == key)
      return {static_cast<std::uint32_t>(found - list_.files.begin())};
  }
  for (const std::string_view stem : {word, without_extension(word)})
    if (std::vector<std::uint32_t> found = find_stem(stem); !found.empty()) return found;
  return word.find('/') == std::string_view::npos ? find_name(without_extension(word))
                                                  : std::vector<std::uint32_t>();
}

std::vector<std::uint32_t> KeyFinder::find_path(const std::string& path) {
  return find_end(normal_path(path));
}

std::vector<std::uint32_t> KeyFinder::find_end(std::string_view path) {
  if (folders_.empty())
    for (const Root& root : list_.roots) folders_.push_back(normal_path(root.folder) + "/");
  std::vector<std::uint32_t> found;
  for (std::size_t root = 0; root < folders_.size(); ++root) {
    const std::string_view folder = folders_[root];  // ends with '/'
    for (std::size_t at = 0; at < folder.size(); at = folder.find('/', at) + 1) {
      const std::string_view end = folder.substr(at);
      if (!path.starts_with(end)) continue;
      for (const std::uint32_t file : find_stem(without_extension(path.substr(end.size()))))
        if (list_.files[file].root == root) found.push_back(file);
    }
  }
  return found;
}

std::vector<std::uint32_t> KeyFinder::find_folder(std::string_view folder) const {
  std::vector<std::uint32_t> found;
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty()) return found;
  const std::string beginning = std::string(folder) + "/";
  auto file =
      std::lower_bound(list_.files.begin(), list_.files.end(), beginning,
                       [&](const FoundFile& a, const std::string& b) { return list_.key(a) < b; });
  for (; file != list_.files.end() && list_.key(*file).starts_with(beginning); ++file)
    found.push_back(static_cast<std::uint32_t>(file - list_.files.begin()));
  return found;
}

std::vector<std::uint32_t> KeyFinder::find_stem(std::string_view stem) {
  const auto text = [&](std::uint32_t i) { return list_.stem(list_.files[i]); };
  if (!by_stem_) by_stem_ = sorted_order(list_.files.size(), text);
  return equal_in(*by_stem_, stem, text);
}

std::vector<std::uint32_t> KeyFinder::find_name(std::string_view name) {
  const auto text = [&](std::uint32_t i) { return last_part(list_.key(list_.files[i])); };
  if (!by_name_) by_name_ = sorted_order(list_.files.size(), text);
  return equal_in(*by_name_, name, text);
}

}  // namespace hotpack::pipeline
