#include "files/key_text.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"
#include "files/file_kind.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

bool valid_key(std::string_view key) {
  if (!is_utf8(key)) return false;
  while (true) {
    const std::size_t slash = key.find('/');
    const std::string_view part = key.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      return false;
    if (slash == std::string_view::npos) return true;
    key.remove_prefix(slash + 1);
  }
}

bool valid_key_prefix(std::string_view prefix) {
  constexpr std::size_t kMost = 16384;  // with the longest path, a key fits into 16 bits
  return prefix.empty() || (prefix.size() <= kMost && prefix.back() == '/' &&
                            valid_key(prefix.substr(0, prefix.size() - 1)));
}

std::string key_of_path(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  std::string key;
  for (const std::string_view part : parts) key.append(key.empty() ? "" : "/").append(part);
  return key;
}

bool valid_split_name(std::string_view name) {
  return valid_key(name) && name.find('/') == std::string_view::npos && !name.starts_with('.');
}

std::string_view usual_split_names() {
  return "train|training|trn|tra|trainval|train_extra|val|valid|validation|minival|test|testing|"
         "tst|"
         "testval|holdout|dev|eval|evaluation";
}

bool usual_split_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789") + 1;  // 0 without a letter
  const std::string word = "|" + lowered(name.substr(0, end)) + "|";
  return end > 0 && word.find('|', 1) + 1 == word.size() &&
         ("|" + std::string(usual_split_names()) + "|").find(word) != std::string::npos;
}

}  // namespace hotpack::pipeline
