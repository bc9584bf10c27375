// Finds folders by a pattern of the table of known layouts.
//
// A pattern is a path below the root: "{split}{-}{labels}", "{split}/{*}/masks_png/{*}". {split}
// is any usual name of a split, {images} and {labels} any usual name of a folder of images or
// labels, {-} nothing or one of space, '_', '-' and '.', {_v2} nothing or "_v2", {TR|TE} a split
// that has one of these names, {*} any text without '/', and {n} any digits. Upper and lower case
// are equal. The parts before the first {*} or {n} are folders. The others become a regular
// expression for the paths below these folders; what {*} and {n} match, joined by '/', is the key.
//
// Pure functions; thread-safe; cannot fail.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "discovery/folder_survey.hpp"
#include "files/path_pattern.hpp"

namespace hotpack::pipeline {

struct FoundFolder {
  std::string path;        // below the root of the survey
  std::string split;       // the text for {split}; empty if the pattern has none
  std::string word;        // the text for {images} or {labels}
  std::string expression;  // for paths below `path`; empty if the pattern consists of folders
};

class LayoutPattern {
 public:
  explicit LayoutPattern(std::string_view text);
  // Folders in `base` that match the pattern, in byte order: of a pattern with an expression, only
  // folders with a file that matches it.
  [[nodiscard]] std::vector<FoundFolder> find(const FolderSurvey& survey,
                                              const std::string& base) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string text;
    PathPattern name;
    std::size_t split_group = 0, word_group = 0;  // 0: none
    [[nodiscard]] bool match(const std::string& entry, FoundFolder& folder) const;
  };
  static Part compile(std::string_view text);
  // Adds the folders for each word in the paths of files below `base`, which matches the first
  // `depth` parts.
  void add_words(const FolderSurvey& survey, const FoundFolder& base, const FoundFolder& place,
                 std::size_t depth, std::vector<FoundFolder>& found) const;
  [[nodiscard]] std::string expression(const std::string& word) const;

  std::string text_;
  std::vector<Part> parts_;
  std::size_t folders_ = 0;  // how many of the parts are folders
};

// True if folders of images (of labels) often have this name.
[[nodiscard]] bool is_images_word(std::string_view name);
[[nodiscard]] bool is_labels_word(std::string_view name);

// The words of a path, in lower case: "gt", "color" of "GT_color"; "camera", "seg" of "CameraSeg".
[[nodiscard]] std::set<std::string> words_of(std::string_view path);
// True if this holds for the last part of a path or for one of its words.
[[nodiscard]] bool has_word(std::string_view path, bool (*is_word)(std::string_view));
// The word of a split in a path; empty if there is none.
[[nodiscard]] std::string split_in(std::string_view path);

}  // namespace hotpack::pipeline
