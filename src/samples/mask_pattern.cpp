#include "samples/mask_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

const NamePattern& pattern_of(std::span<const NamePattern> patterns, const FoundFile& file) {
  return patterns[patterns.size() == 1 ? 0 : file.root];
}

std::string with_prefix(const FileList& list, const FoundFile& file,
                        const NamePattern::Match& match) {
  return list.roots[file.root].key_prefix + std::string(match.key);
}

}  // namespace

Result<std::string> key_masks(FileList& masks, const FileList& images,
                              std::span<const NamePattern> patterns, KeyFolding folding) {
  const FoldedKeys keys(images, images.files, folding);
  std::uint64_t unclear = 0;
  std::string first;
  for (FoundFile& mask : masks.files) {
    HOTPACK_ASSIGN(const auto ways, pattern_of(patterns, mask).matches(masks, mask));
    mask.key_length = 0;
    if (ways.empty()) continue;
    std::vector<std::string> fitting;
    for (const NamePattern::Match& way : ways)
      if (const FoundFile* const image = keys.find(with_prefix(masks, mask, way)))
        if (fitting.empty() || fitting.back() != images.key(*image))
          fitting.emplace_back(images.key(*image));
    if (fitting.size() > 1 && unclear++ == 0)
      first = quoted_text(masks.path(mask)) + " may belong to '" + fitting[0] + "' or '" +
              fitting[1] + "'";
    set_key(masks, mask, fitting.empty() ? with_prefix(masks, mask, ways.front()) : fitting[0]);
  }
  return unclear == 0 ? ""
                      : counted_text(unclear, "file fits", "files fit") +
                            " several images by the pattern, and the longest key counts: " + first;
}

Status part_masks(FileList& images, FileList& masks, const NamePattern& pattern) {
  // The name of a mask is longer than that of its image: each image comes before its masks.
  std::vector<FoundFile> by_length = images.files;
  std::ranges::stable_sort(by_length, {}, &FoundFile::key_length);
  std::set<std::string, std::less<>> keys;                              // of images
  std::map<std::string, const FoundFile*, std::less<>> owned;           // by the key of an owner
  std::vector<std::pair<const FoundFile*, std::string_view>> of_class;  // masks and their classes
  for (const FoundFile& file : by_length) {
    HOTPACK_ASSIGN(const auto ways, pattern.matches(images, file));
    const auto way = std::ranges::find_if(ways, [&](const NamePattern::Match& each) {
      return keys.contains(with_prefix(images, file, each));
    });
    for (const NamePattern::Match& each : ways)
      owned.try_emplace(with_prefix(images, file, each), &file);
    if (way == ways.end())
      keys.emplace(images.key(file));
    else
      of_class.emplace_back(&file, way->name);
  }
  // A file img_flip between img and img_flip_car may be a mask of img with class flip, or an image
  // with the mask img_flip_car. It is a mask if it has another format than all images.
  const auto is_image = [&](const FoundFile& file) { return keys.contains(images.key(file)); };
  const auto is_jpeg = [&](const FoundFile& file) {
    return describe_name(images.text(file)).is_jpeg;
  };
  std::set<bool> formats;
  for (const FoundFile& file : images.files)
    if (is_image(file)) formats.insert(is_jpeg(file));
  for (const auto& [mask, name] : of_class) {
    const auto own = owned.find(images.key(*mask));
    if (own == owned.end() || !formats.contains(is_jpeg(*mask))) continue;
    return data_error("may be a mask of class '" + std::string(name) + "', or an image, of which " +
                          quoted_text(images.path(*own->second)) +
                          " would be a mask. Put images and masks into two folders for "
                          "--images and --labels, or give the suffix of images with "
                          "--image-suffix",
                      images.path(*mask));
  }
  std::erase_if(masks.files, is_image);
  std::erase_if(images.files, [&](const FoundFile& file) { return !is_image(file); });
  return {};
}

}  // namespace hotpack::pipeline
