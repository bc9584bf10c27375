#include "samples/mask_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

// Keeps the files whose key is (or is not) in `keys`.
void keep_keys(FileList& list, const std::set<std::string, std::less<>>& keys, bool among) {
  for (FoundFile& file : list.files)
    if (keys.contains(list.key(file)) != among) file.key_length = 0;
  drop_keyless(list);
}

// Finds the key of an image by a text that is equal to it, or that folds to the same.
class ImageKeys {
 public:
  // Precondition: `images` sorted by key; they must outlive this.
  ImageKeys(const FileList& images, KeyFolding folding) : images_(images), folding_(folding) {
    if (!folding.any()) return;
    for (const FoundFile& image : images.files)
      by_folded_.try_emplace(folded(images.key(image), folding), images.key(image));
  }

  [[nodiscard]] std::optional<std::string_view> find(const std::string& text) const {
    if (folding_.any()) {
      const auto found = by_folded_.find(folded(text, folding_));
      return found == by_folded_.end() ? std::nullopt : std::optional(found->second);
    }
    const FoundFile* const found = find_key(images_, text);
    return found == nullptr ? std::nullopt : std::optional(images_.key(*found));
  }

 private:
  const FileList& images_;
  KeyFolding folding_;
  std::unordered_map<std::string, std::string_view> by_folded_;
};

void set_key(FileList& list, FoundFile& file, std::string_view key) {
  file.key = list.arena.add(key);
  file.key_length = static_cast<std::uint16_t>(key.size());
}

const NamePattern& pattern_of(std::span<const NamePattern> patterns, const FoundFile& file) {
  return patterns[patterns.size() == 1 ? 0 : file.root];
}

}  // namespace

Status key_images(FileList& images, std::span<const NamePattern> patterns) {
  for (FoundFile& image : images.files) {
    HOTPACK_ASSIGN(const auto ways, pattern_of(patterns, image).matches(images, image));
    image.key_length = 0;
    if (!ways.empty())
      set_key(images, image, images.roots[image.root].key_prefix + std::string(ways.front().key));
  }
  return {};
}

Result<std::string> key_masks(FileList& masks, const FileList& images,
                              std::span<const NamePattern> patterns, KeyFolding folding) {
  const ImageKeys keys(images, folding);
  std::uint64_t unclear = 0;
  std::string first;
  for (FoundFile& mask : masks.files) {
    const std::string& prefix = masks.roots[mask.root].key_prefix;
    HOTPACK_ASSIGN(const auto ways, pattern_of(patterns, mask).matches(masks, mask));
    mask.key_length = 0;
    if (ways.empty()) continue;
    std::vector<std::string> fitting;
    for (const NamePattern::Match& way : ways) {
      const auto found = keys.find(prefix + std::string(way.key));
      if (found && (fitting.empty() || fitting.back() != *found)) fitting.emplace_back(*found);
    }
    if (fitting.size() > 1 && unclear++ == 0)
      first = quoted_text(masks.path(mask)) + " may belong to '" + fitting[0] + "' or '" +
              fitting[1] + "'";
    set_key(masks, mask, fitting.empty() ? prefix + std::string(ways.front().key) : fitting[0]);
  }
  return unclear == 0 ? ""
                      : counted_text(unclear, "file fits", "files fit") +
                            " several images by the pattern, and the longest key counts: " + first;
}

namespace {

using Keys = std::set<std::string, std::less<>>;

std::string with_prefix(const FileList& list, const FoundFile& file, std::string_view key) {
  return list.roots[file.root].key_prefix + std::string(key);
}

// Returns the keys of those files that are images and not masks. The name of a mask is longer than
// that of its image; so files are examined in the order of the lengths of their names, and each
// image comes before its masks.
Result<Keys> keys_of_images(const FileList& files, const NamePattern& pattern) {
  std::vector<FoundFile> by_length = files.files;
  std::stable_sort(by_length.begin(), by_length.end(), [](const FoundFile& a, const FoundFile& b) {
    return a.key_length < b.key_length;
  });
  Keys keys;
  for (const FoundFile& file : by_length) {
    HOTPACK_ASSIGN(const std::vector<NamePattern::Match> ways, pattern.matches(files, file));
    const bool is_mask = std::any_of(ways.begin(), ways.end(), [&](const NamePattern::Match& way) {
      return keys.contains(with_prefix(files, file, way.key));
    });
    if (!is_mask) keys.emplace(files.key(file));
  }
  return keys;
}

// Fails if a file may be a mask as well as an image. Of the files img, img_1 and img_1_car, img_1
// may be a mask of img with class 1, or an image with the mask img_1_car. If several images have a
// mask of class 1, img_1 counts as a mask.
Status check_masks_are_none(const FileList& files, const Keys& images, const NamePattern& pattern) {
  std::map<std::string, std::string, std::less<>>
      owned;  // a key that a file may belong to, with the file
  std::map<std::string, std::uint64_t, std::less<>> images_with;
  std::vector<std::pair<const FoundFile*, std::string>> masks;  // with their classes
  for (const FoundFile& file : files.files) {
    HOTPACK_ASSIGN(const std::vector<NamePattern::Match> ways, pattern.matches(files, file));
    for (const NamePattern::Match& way : ways)
      owned.try_emplace(with_prefix(files, file, way.key), files.path(file));
    const auto way = std::find_if(ways.begin(), ways.end(), [&](const NamePattern::Match& each) {
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

Status part_masks(FileList& images, FileList& masks, const NamePattern& pattern) {
  HOTPACK_ASSIGN(const Keys keys, keys_of_images(images, pattern));
  HOTPACK_TRY(check_masks_are_none(images, keys, pattern));
  keep_keys(masks, keys, false);
  keep_keys(images, keys, true);
  return {};
}

}  // namespace hotpack::pipeline
