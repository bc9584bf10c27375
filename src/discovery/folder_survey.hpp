// Lists what the folders of an unknown layout hold, for messages and proposals.
//
// Reads names; some functions also read the headers of a few images. Thread-safe. Failure: `io` for
// a root that cannot be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct SurveyedFolder {
  std::vector<std::string> images;               // names of PNG and JPEG files, in byte order
  std::map<std::string, std::uint64_t> formats;  // files of each format: "JPEG", ".csv"
};

struct FolderSurvey {
  std::string root;
  // By path below the root, "" for the root. Folders without files are left out.
  std::map<std::string, SurveyedFolder> folders;

  // True if a file is an image that hotpack reads.
  [[nodiscard]] bool has_images() const;
  // "  'train_img': 3 JPEG, 64x48\n", one line per folder, for the first folders. Reads headers.
  [[nodiscard]] std::string text() const;
  // The names of the folders directly in `folder` with images at any depth, in byte order.
  [[nodiscard]] std::vector<std::string> children(const std::string& folder) const;
  // All folders with images at any depth: those of fewer levels first, then in byte order.
  [[nodiscard]] std::vector<std::string> all_folders() const;
  // The paths of images below `folder`.
  [[nodiscard]] std::vector<std::string> images_below(const std::string& folder) const;
};

// Counts of images: photographs are JPEG or have colors, the others are gray or have a palette. A
// PNG whose header cannot be read does not count.
struct Looks {
  std::size_t photographs = 0, label_like = 0;
  bool jpeg = false;  // one is a JPEG
  std::string sizes;  // "64x48 and others"; empty if no header can be read
  [[nodiscard]] bool both() const { return photographs > 0 && label_like > 0; }
};

// Reads the headers of a few of these files below `root`.
[[nodiscard]] Looks look_at(const std::string& root, const std::vector<std::string>& files);

// The path of a name in a folder below a root; either may be empty.
[[nodiscard]] std::string joined(const std::string& folder, const std::string& name);
// True if a path is this folder, or lies in it; all paths lie in "".
[[nodiscard]] bool is_within(const std::string& path, const std::string& folder);

[[nodiscard]] Result<FolderSurvey> survey_folders(const std::string& root);

}  // namespace hotpack::pipeline
