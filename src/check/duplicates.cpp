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
  return {path_of(copy), "the same bytes as " + path_of(original) + std::string(more)};
}

Finding finding_of(std::string kind, std::string title, const Sightings& sightings, std::uint64_t of, std::string advice) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.severity = Severity::warning;
  finding.title = std::move(title);
  finding.count = sightings.count;
  finding.of = of;
  finding.examples = sightings.examples;
  finding.advice = std::move(advice);
  return finding;
}

// What the groups of equal images show.
class Groups {
 public:
  Groups(std::size_t split_count, const PathOf& path_of) : within_(split_count), images_(split_count), path_of_(path_of) {}

  void count_image(Place place) { ++images_[place.split]; }

  // Equal images in the order of splits and samples, at least two: one image of each split is an original there, the others are copies.
  template <class Files>
  void add(const Files& group) {
    std::map<std::uint32_t, Place> originals;
    for (const auto& file : group) {
      const auto [original, first] = originals.emplace(file.place.split, file.place);
      if (!first) within_[file.place.split].add(copy_of(path_of_, file.place, original->second));
      if (file.label != group.front().label) conflicts_.add(copy_of(path_of_, file.place, group.front().place, ", with another label"));
      for (const auto& [split, place] : originals)
        if (split != file.place.split) between_[{split, file.place.split}].add(copy_of(path_of_, file.place, place));
    }
  }

  void tell(const std::vector<std::string>& names, Findings& findings) const {
    for (const auto& [pair, sightings] : between_) {
      const auto& [from, to] = pair;
      findings.add(finding_of("duplicate-between-splits",
                              share_text(sightings.count, images_[to], "image", "images") + " of '" + names[to] + "' " +
                                  (sightings.count == 1 ? "is" : "are") + " in '" + names[from] + "' too",
                              sightings, images_[to], "take them out of one of the two: a model is judged by what it was trained on"));
    }
    for (std::size_t split = 0; split < within_.size(); ++split) {
      if (within_[split].count == 0) continue;
      findings.add(finding_of("duplicate-image",
                              share_text(within_[split].count, images_[split], "image", "images") +
                                  (names[split].empty() ? "" : " of '" + names[split] + "'") +
                                  (within_[split].count == 1 ? " is a copy of another" : " are copies of others"),
                              within_[split], images_[split], "remove the copies, unless they are meant to weigh more"));
    }
    if (conflicts_.count > 0)
      findings.add(
          finding_of("conflicting-labels",
                     counted_text(conflicts_.count, "copy of an image has", "copies of images have") + " another label than the image",
                     conflicts_, 0, "keep the right label of each, and remove the other sample"));
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sightings> between_;
  std::vector<Sightings> within_;
  Sightings conflicts_;
  std::vector<std::uint64_t> images_;
  const PathOf& path_of_;
};

}  // namespace

void Duplicates::finish(const std::vector<std::string>& split_names, const PathOf& path_of, Findings& findings) {
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
    return std::tuple(a.image, a.place.split, a.place.sample) < std::tuple(b.image, b.place.split, b.place.sample);
  });
  Groups groups(split_names.size(), path_of);
  std::vector<std::span<const File>> equal;
  for (auto begin = files_.begin(); begin != files_.end();) {
    const auto end = std::find_if(begin, files_.end(), [&](const File& file) { return file.image != begin->image; });
    for (auto file = begin; file != end; ++file) groups.count_image(file->place);
    if (end - begin > 1) equal.emplace_back(begin, end);
    begin = end;
  }
  // The first examples are the first samples, not the smallest hashes.
  std::sort(equal.begin(), equal.end(), [](const auto& a, const auto& b) {
    return std::tie(a.front().place.split, a.front().place.sample) < std::tie(b.front().place.split, b.front().place.sample);
  });
  for (const auto& group : equal) groups.add(group);
  groups.tell(split_names, findings);
}

}  // namespace hotpack::pipeline
