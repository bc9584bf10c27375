// Lists what the folders of an unknown layout hold, for messages and proposals.
//
// Reads names, and the headers of a few images per folder. Thread-safe. Failure: `io` for a root
// that cannot be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

struct SurveyedFolder {
  std::vector<std::string> images;               // names of PNG and JPEG files, in byte order
  std::map<std::string, std::uint64_t> formats;  // files of each format: "JPEG", ".csv"
  // Facts from the first readable headers.
  std::string sizes;  // "64x48" or "64x48 and others"; empty if no header could be read
  // All are JPEG or have colors; all are gray or have a palette; some of both.
  bool photographs = false, label_like = false, mixed = false;
};

struct FolderSurvey {
  std::string root;
  // By path below the root, "" for the root. Folders without files are left out.
  std::map<std::string, SurveyedFolder> folders;

  // True if a file is an image that hotpack reads.
  [[nodiscard]] bool has_images() const;
  // "  'train_img': 3 JPEG, 64x48\n", one line per folder, for the first folders.
  [[nodiscard]] std::string text() const;
  // The names of the folders directly in `folder` with images at any depth, in byte order.
  [[nodiscard]] std::vector<std::string> children(const std::string& folder) const;
  // The images below `folder`: paths without extension, in byte order.
  [[nodiscard]] std::vector<std::string> stems(const std::string& folder) const;
  // Counts of folders below `folder` (itself included) whose images are photographs, look like
  // labels, or are some of both.
  struct Looks {
    std::size_t photographs = 0, label_like = 0, mixed = 0;
    // True if photographs lie next to files that look like labels.
    [[nodiscard]] bool both() const { return mixed > 0 || (photographs > 0 && label_like > 0); }
  };
  [[nodiscard]] Looks looks(const std::string& folder) const;
};

[[nodiscard]] Result<FolderSurvey> survey_folders(const std::string& root);

}  // namespace hotpack::pipeline
