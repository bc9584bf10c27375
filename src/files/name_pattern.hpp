// Patterns for the paths of input files, with {key}, {class} and *: those of --mask-per-class,
// --images and --labels.
//
// {key} stands for any text, {class} for text without '/', both for at least one character; *
// stands for any text without '/', also none. Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_list.hpp"
#include "files/path_pattern.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class NamePattern {
 public:
  // Matches every file; its path without extension is the key.
  NamePattern() = default;
  // Parses the pattern of --mask-per-class for paths without extension, such as "{key}_{class}" or
  // "{class}/{key}". Fails with code `usage` unless {key} and {class} occur once each and text
  // separates all placeholders.
  [[nodiscard]] static Result<NamePattern> of_masks(const std::string& text);
  // Parses a pattern for whole paths, such as "{key}/masks/*". Fails with code `usage` unless {key}
  // occurs, {class} does not, and text separates all placeholders. If {key} occurs several times,
  // all occurrences have the same text. `about` begins messages.
  [[nodiscard]] static Result<NamePattern> of_files(const std::string& text,
                                                    const std::string& about);

  struct Match {
    std::string_view key;
    std::string_view name;  // of the class; empty for a pattern without {class}
    bool operator==(const Match&) const = default;
  };
  // All matches of a path ("a_b_c" is class c of a_b, or class b_c of a), the longest key first;
  // text that cannot be a key is none. Fails with code `usage` if there are too many ways to try.
  [[nodiscard]] Result<std::vector<Match>> matches(std::string_view path) const;
  // The matches of the path of a file below its root.
  [[nodiscard]] Result<std::vector<Match>> matches(const FileList& list,
                                                   const SourceFile& file) const;

  // True if the path has a match, or if matches() fails, which reports it.
  [[nodiscard]] bool fits(std::string_view path) const;

  // True for a pattern that was parsed.
  [[nodiscard]] bool given() const { return pattern_.has_value(); }
  [[nodiscard]] bool has_star() const { return has_star_; }
  // True if * stands for a part of the file's name, so that several masks may have one class.
  [[nodiscard]] bool has_star_in_name() const { return has_star_in_name_; }

 private:
  static Result<NamePattern> parse(const std::string& text, const std::string& about);

  std::optional<PathPattern> pattern_;
  std::size_t key_group_ = 1, name_group_ = 0;  // 0: none
  bool has_star_ = false, has_star_in_name_ = false;
  bool whole_names_ = false;  // for paths with extension
};

// The folder of an option, and a pattern for the files below it.
struct PlacedPattern {
  std::string folder;
  NamePattern pattern;
};
// Divides the value of --images or --labels. A value with {key} or * that is not part of the name
// of a folder that exists is a pattern: the folder is the part before the first such placeholder
// that ends with '/', else ".". Any other value is a folder.
[[nodiscard]] Result<PlacedPattern> parse_placed_pattern(const std::string& value,
                                                         std::string_view option);

}  // namespace hotpack::pipeline
