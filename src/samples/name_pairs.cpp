#include "samples/name_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/shell_word.hpp"
#include "files/path_pattern.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kPairsPercent = 90;

using Names = std::vector<std::string_view>;
using Keys = std::set<std::string, std::less<>>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Names stems_of(const FileList& list) {
  Names names;
  for (const FoundFile& file : list.files) names.push_back(list.stem(file));
  return names;
}

// The text that all names begin and end with; it never splits a number.
struct Frame {
  std::string before, behind;
};

Frame frame_of(const Names& names) {
  std::string_view before = names.front(), behind = names.front();
  for (const std::string_view name : names) {
    const auto front = std::mismatch(before.begin(), before.end(), name.begin(), name.end()).first;
    before = before.substr(0, static_cast<std::size_t>(front - before.begin()));
    const auto back =
        std::mismatch(behind.rbegin(), behind.rend(), name.rbegin(), name.rend()).first;
    behind = behind.substr(behind.size() - static_cast<std::size_t>(back - behind.rbegin()));
  }
  while (!before.empty() && is_digit(before.back())) before.remove_suffix(1);
  while (!behind.empty() && is_digit(behind.front())) behind.remove_prefix(1);
  return {std::string(before), std::string(behind)};
}

// Absent if a name has no key or two names have the same key.
template <class KeyOf>
std::optional<Keys> keys_of(const Names& names, KeyOf key_of) {
  Keys keys;
  for (const std::string_view name : names) {
    const std::string key = key_of(name);
    if (key.empty() || !keys.insert(key).second) return std::nullopt;
  }
  return keys;
}

bool go_together(const std::optional<Keys>& a, const std::optional<Keys>& b) {
  if (!a || !b) return false;
  const auto both = static_cast<std::uint64_t>(std::count_if(
      a->begin(), a->end(), [&](const std::string& key) { return b->contains(key); }));
  return both > 0 && both * 100 >= std::min(a->size(), b->size()) * kPairsPercent;
}

std::string inner(std::string_view name, const Frame& frame) {
  if (name.size() <= frame.before.size() + frame.behind.size()) return {};
  return std::string(
      name.substr(frame.before.size(), name.size() - frame.before.size() - frame.behind.size()));
}

// The last number without leading zeros.
std::string number_of(std::string_view name) {
  while (!name.empty() && !is_digit(name.back())) name.remove_suffix(1);
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  name.remove_prefix(begin);
  while (name.size() > 1 && name.front() == '0') name.remove_prefix(1);
  return std::string(name);
}

std::string regex_of(const Frame& frame) {
  return shell_word("^" + literal_pattern(frame.before) + "(.+)" + literal_pattern(frame.behind) +
                    "\\.[^.]+$");
}

}  // namespace

std::string pair_regex_for(const FileList& images, const FileList& labels) {
  if (images.files.empty() || labels.files.empty()) return {};
  const Names image_names = stems_of(images), label_names = stems_of(labels);
  const Frame of_images = frame_of(image_names), of_labels = frame_of(label_names);
  const auto in_frame = [](const Frame& frame) {
    return [&frame](std::string_view name) { return inner(name, frame); };
  };
  if (go_together(keys_of(image_names, in_frame(of_images)),
                  keys_of(label_names, in_frame(of_labels))))
    return regex_of(of_images) + " " + regex_of(of_labels);
  if (!go_together(keys_of(image_names, number_of), keys_of(label_names, number_of))) return {};
  const std::string number = shell_word("^(?:.*[^0-9])?0*([0-9]+)[^0-9]*\\.[^.]+$");
  return number + " " + number;
}

}  // namespace hotpack::pipeline
