#include "check/duplicates.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace hotpack::pipeline {

namespace {

using Place = Duplicates::Place;
using PathOf = std::function<std::string(Place)>;

Evidence copy_of(const PathOf& path_of, Place copy, Place original, std::string_view more = "") {
  return {path_of(copy), "the same bytes as '" + path_of(original) + "'" + std::string(more)};
}

// Turns groups of equal images into diagnostics.
class Groups {
 public:
  Groups(std::size_t split_count, const PathOf& path_of)
      : within_(split_count), images_(split_count), path_of_(path_of) {}

  void count_image(Place place) { ++images_[place.split]; }

  // Adds a group of at least two equal images, sorted by split and sample. In each split, the first
  // image of the group counts as the original and the others as copies.
  template <class Files>
  void add(const Files& group) {
    std::map<std::uint32_t, Place> originals;
    for (const auto& file : group) {
      const auto [original, first] = originals.emplace(file.place.split, file.place);
      if (!first) within_[file.place.split].add(copy_of(path_of_, file.place, original->second));
      if (file.label != group.front().label)
        conflicts_.add(
            copy_of(path_of_, file.place, group.front().place, ", but its label differs"));
      for (const auto& [split, place] : originals)
        if (split != file.place.split)
          between_[{split, file.place.split}].add(copy_of(path_of_, file.place, place));
    }
  }

  void report(const std::vector<std::string>& names, Diagnostics& diagnostics) const {
    for (const auto& [pair, occurrences] : between_) {
      const auto& [from, to] = pair;
      diagnostics.add(make_diagnostic(
          "duplicate-between-splits", Severity::warning,
          share_text(occurrences.count, images_[to], "image", "images") + " of '" + names[to] +
              "' " + (occurrences.count == 1 ? "is" : "are") + " in '" + names[from] + "' too",
          occurrences, images_[to],
          "remove these images from one of the two splits; otherwise the model is tested on images "
          "that it "
          "was trained on"));
    }
    for (std::size_t split = 0; split < within_.size(); ++split) {
      if (within_[split].count == 0) continue;
      diagnostics.add(make_diagnostic(
          "duplicate-image", Severity::warning,
          share_text(within_[split].count, images_[split], "image", "images") +
              (names[split].empty() ? "" : " of '" + names[split] + "'") +
              (within_[split].count == 1 ? " is a copy of another" : " are copies of others"),
          within_[split], images_[split],
          "remove the copies, unless these images should count more than others"));
    }
    if (conflicts_.count > 0)
      diagnostics.add(make_diagnostic(
          "conflicting-labels", Severity::warning,
          counted_text(conflicts_.count, "copy of an image has", "copies of images have") +
              " a label other than that of the image",
          conflicts_, 0, "keep the sample with the right label, and remove the other samples"));
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, Occurrences> between_;
  std::vector<Occurrences> within_;
  Occurrences conflicts_;
  std::vector<std::uint64_t> images_;
  const PathOf& path_of_;
};

}  // namespace

void Duplicates::finish(const std::vector<std::string>& split_names, const PathOf& path_of,
                        Diagnostics& diagnostics) {
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
    return std::tuple(a.image, a.place.split, a.place.sample) <
           std::tuple(b.image, b.place.split, b.place.sample);
  });
  Groups groups(split_names.size(), path_of);
  std::vector<std::span<const File>> equal;
  for (auto begin = files_.begin(); begin != files_.end();) {
    const auto end = std::find_if(begin, files_.end(),
                                  [&](const File& file) { return file.image != begin->image; });
    for (auto file = begin; file != end; ++file) groups.count_image(file->place);
    if (end - begin > 1) equal.emplace_back(begin, end);
    begin = end;
  }
  // Examples come in the order of samples, not of hashes.
  std::sort(equal.begin(), equal.end(), [](const auto& a, const auto& b) {
    return std::tie(a.front().place.split, a.front().place.sample) <
           std::tie(b.front().place.split, b.front().place.sample);
  });
  for (const auto& group : equal) groups.add(group);
  groups.report(split_names, diagnostics);
}

}  // namespace hotpack::pipeline
