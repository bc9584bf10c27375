#include "samples/mask_pattern.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::string_view kKey = "{key}";
constexpr std::string_view kClass = "{class}";

bool occurs_once(std::string_view text, std::string_view word) {
  const std::size_t first = text.find(word);
  return first != std::string_view::npos && text.find(word, first + 1) == std::string_view::npos;
}

// Keeps the files whose key is (or is not) in `keys`.
void keep_keys(FileList& list, const std::set<std::string, std::less<>>& keys, bool among) {
  for (FoundFile& file : list.files)
    if (keys.contains(list.key(file)) != among) file.key_length = 0;
  drop_keyless(list);
}

bool has_key(const FileList& sorted, const std::string& key) {
  const auto found = std::lower_bound(
      sorted.files.begin(), sorted.files.end(), std::string_view(key),
      [&](const FoundFile& file, std::string_view wanted) { return sorted.key(file) < wanted; });
  return found != sorted.files.end() && sorted.key(*found) == key;
}

}  // namespace

Result<MaskPattern> MaskPattern::parse(const std::string& text) {
  const std::string option = "--mask-per-class '" + text + "': ";
  if (!occurs_once(text, kKey) || !occurs_once(text, kClass))
    return usage_error(
        option + "must hold {key} and {class} once each, such as {key}_{class} or {class}/{key}");
  MaskPattern pattern;
  const std::size_t key = text.find(kKey);
  const std::size_t name = text.find(kClass);
  pattern.key_first_ = key < name;
  const std::size_t first = std::min(key, name);
  const std::size_t first_end = first + (pattern.key_first_ ? kKey : kClass).size();
  const std::size_t second = std::max(key, name);
  pattern.before_ = text.substr(0, first);
  pattern.between_ = text.substr(first_end, second - first_end);
  pattern.after_ = text.substr(second + (pattern.key_first_ ? kClass : kKey).size());
  if (pattern.between_.empty())
    return usage_error(
        option + "text between {key} and {class} must show where one ends and the other begins");
  return pattern;
}

std::vector<MaskPattern::Match> MaskPattern::matches(std::string_view stem) const {
  std::vector<Match> found;
  if (stem.size() < before_.size() + after_.size() || !stem.starts_with(before_) ||
      !stem.ends_with(after_))
    return found;
  const std::string_view middle =
      stem.substr(before_.size(), stem.size() - before_.size() - after_.size());
  for (std::size_t at = middle.find(between_); at != std::string_view::npos;
       at = middle.find(between_, at + 1)) {
    const std::string_view first = middle.substr(0, at);
    const std::string_view second = middle.substr(at + between_.size());
    const Match match = key_first_ ? Match{first, second} : Match{second, first};
    if (!match.key.empty() && !match.name.empty() && match.name.find('/') == std::string_view::npos)
      found.push_back(match);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Match& a, const Match& b) { return a.key.size() > b.key.size(); });
  return found;
}

void key_masks(FileList& masks, const FileList& images, const MaskPattern& pattern) {
  for (FoundFile& mask : masks.files) {
    const std::string& prefix = masks.roots[mask.root].key_prefix;
    const std::vector<MaskPattern::Match> ways = pattern.matches(masks.stem(mask));
    const auto fits = [&](const MaskPattern::Match& way) {
      return has_key(images, prefix + std::string(way.key));
    };
    const auto way = std::find_if(ways.begin(), ways.end(), fits);
    mask.key_length = 0;
    if (ways.empty()) continue;
    const std::string key = prefix + std::string(way != ways.end() ? way->key : ways.front().key);
    mask.key = masks.arena.add(key);
    mask.key_length = static_cast<std::uint16_t>(key.size());
  }
}

namespace {

using Keys = std::set<std::string, std::less<>>;

std::string with_prefix(const FileList& list, const FoundFile& file, std::string_view key) {
  return list.roots[file.root].key_prefix + std::string(key);
}

// Returns the keys of those files that are images and not masks. The name of a mask is longer than
// that of its image; so files are examined in the order of the lengths of their names, and each
// image comes before its masks.
Keys keys_of_images(const FileList& files, const MaskPattern& pattern) {
  std::vector<FoundFile> by_length = files.files;
  std::stable_sort(by_length.begin(), by_length.end(), [](const FoundFile& a, const FoundFile& b) {
    return a.key_length < b.key_length;
  });
  Keys keys;
  for (const FoundFile& file : by_length) {
    const std::vector<MaskPattern::Match> ways = pattern.matches(files.stem(file));
    const bool is_mask = std::any_of(ways.begin(), ways.end(), [&](const MaskPattern::Match& way) {
      return keys.contains(with_prefix(files, file, way.key));
    });
    if (!is_mask) keys.emplace(files.key(file));
  }
  return keys;
}

// Fails if a file may be a mask as well as an image. Of the files img, img_1 and img_1_car, img_1
// may be a mask of img with class 1, or an image with the mask img_1_car. If several images have a
// mask of class 1, img_1 counts as a mask.
Status check_masks_are_none(const FileList& files, const Keys& images, const MaskPattern& pattern) {
  std::map<std::string, std::string, std::less<>>
      owned;  // a key that a file may belong to, with the file
  std::map<std::string, std::uint64_t, std::less<>> images_with;
  std::vector<std::pair<const FoundFile*, std::string>> masks;  // with their classes
  for (const FoundFile& file : files.files) {
    const std::vector<MaskPattern::Match> ways = pattern.matches(files.stem(file));
    for (const MaskPattern::Match& way : ways)
      owned.try_emplace(with_prefix(files, file, way.key), files.path(file));
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const MaskPattern::Match& each) {
      return images.contains(with_prefix(files, file, each.key));
    });
    if (way == ways.end() || images.contains(files.key(file))) continue;
    ++images_with[std::string(way->name)];
    masks.emplace_back(&file, way->name);
  }
  for (const auto& [file, name] : masks) {
    const auto own = owned.find(files.key(*file));
    if (own == owned.end() || images_with[name] > 1) continue;
    return data_error("may be a mask of class '" + name +
                          "', of which no other image has a mask, or an image, of which " +
                          quoted_text(own->second) +
                          " would be a mask. Put images and masks into two folders for "
                          "--images and --labels, or give the suffix of images with "
                          "--image-suffix",
                      files.path(*file));
  }
  return {};
}

}  // namespace

Status part_masks(FileList& images, FileList& masks, const MaskPattern& pattern) {
  const Keys keys = keys_of_images(images, pattern);
  HOTPACK_TRY(check_masks_are_none(images, keys, pattern));
  keep_keys(masks, keys, false);
  keep_keys(images, keys, true);
  return {};
}

}  // namespace hotpack::pipeline
