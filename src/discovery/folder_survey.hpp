// Lists the folders below a root with the names of their files: what detection and its questions
// look at instead of the disk.
//
// Reads names; some functions also read the headers of a few images. Thread-safe. Failure: `io` for
// a folder that cannot be read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

// The kind of images in a folder: PNG and JPEG files are readable.
enum class ImageFiles { none, unsupported, readable };

struct SurveyedFolder {
  std::vector<std::string> folders, images, others;  // names in byte order; images are readable
  [[nodiscard]] std::uint64_t image_files() const;   // also those of formats that are not read
};

struct FolderSurvey {
  std::string root;
  std::map<std::string, SurveyedFolder> folders;  // by path below the root, "" for the root

  // The path of what lies below the root, and the reverse.
  [[nodiscard]] std::string path(const std::string& below) const;
  [[nodiscard]] std::string below(const std::string& path) const;
  [[nodiscard]] const SurveyedFolder& at(
      const std::string& folder) const;  // empty if there is none
  // The images in `folder` at any depth.
  [[nodiscard]] ImageFiles kind_of(const std::string& folder) const;
  [[nodiscard]] std::uint64_t count_images(const std::string& folder) const;
  // "  'train_img': 3 JPEG, 64x48\n", one line per folder, for the first folders with files in
  // `folder`. Reads headers.
  [[nodiscard]] std::string text(const std::string& folder = "") const;
  // The names of the folders directly in `folder` with readable images at any depth.
  [[nodiscard]] std::vector<std::string> children(const std::string& folder) const;
  // All folders with readable images at any depth: those of fewer levels first, then in byte order.
  [[nodiscard]] std::vector<std::string> all_folders() const;
  // The paths of readable images below `folder`.
  [[nodiscard]] std::vector<std::string> images_below(const std::string& folder) const;
  // "; leaves out 3 images, such as 'a/x.png'": those that are not used. Empty if all are.
  [[nodiscard]] std::string left_out_text(
      const std::function<bool(const std::string&)>& is_used) const;
  // The folder and all within it, by path.
  using Entry = std::pair<const std::string, SurveyedFolder>;
  [[nodiscard]] std::vector<const Entry*> within(const std::string& folder) const;
};

// Counts of images: photographs are JPEG or have colors, the others are gray or have a palette. A
// PNG whose header cannot be read does not count.
struct Looks {
  std::size_t photographs = 0, label_like = 0;
  bool jpeg = false;    // one is a JPEG
  std::string sizes;    // "64x48 and others"; empty if no header can be read
  std::string example;  // the first file that looks like a label
  [[nodiscard]] bool both() const { return photographs > 0 && label_like > 0; }
};

// Reads the headers of a few of these files below `root`, or with these paths if it is "".
[[nodiscard]] Looks look_at(const std::string& root, const std::vector<std::string>& files);

// The path of a name in a folder below a root; either may be empty.
[[nodiscard]] std::string joined(const std::string& folder, const std::string& name);
// True if a path is this folder, or lies in it; all paths lie in "".
[[nodiscard]] bool is_within(const std::string& path, const std::string& folder);

[[nodiscard]] Result<FolderSurvey> survey_folders(const std::string& root);

}  // namespace hotpack::pipeline
