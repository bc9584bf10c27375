// Handles keys that look equal but differ in bytes: in upper and lower case, or in Unicode form
// (macOS writes "é" as two characters).
//
// To fold a key means to remove such differences. Pure functions, except for the lists they change;
// thread-safe. Cannot fail: in text that is not UTF-8, only leading zeros are folded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/file_list.hpp"
#include "files/file_set.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Returns a form that is the same for all texts that the folding treats as equal.
[[nodiscard]] std::string folded(std::string_view text, KeyFolding folding);

struct FoldingAdvice {
  std::string difference;  // how the two keys differ: "upper and lower case only"
  std::string option;      // what makes them equal: "--fold case"
};
// Returns nothing if no folding makes the two equal. The option of the advice includes `given`, the
// folding that the user has already chosen.
[[nodiscard]] std::optional<FoldingAdvice> folding_advice(std::string_view a, std::string_view b,
                                                          KeyFolding given);

// Two names of the input that are probably one, such as classes 'Cat' and 'cat'.
struct SimilarNames {
  std::string first, second;
  std::string difference;  // "upper and lower case only", "blanks only"
};
// Returns the first two different names that fold to the same text if blanks are left out too;
// nothing if there are none.
[[nodiscard]] std::optional<SimilarNames> similar_names(const std::vector<std::string>& names);

// Finds a file of a list by a key, or by one that folds to the same text.
class FoldedKeys {
 public:
  // `files` are those of `list`, sorted by key, or with a folding any files of it; both must
  // outlive this. Of keys that fold to the same text, the first counts.
  FoldedKeys(const FileList& list, std::span<const FoundFile> files, KeyFolding folding);
  [[nodiscard]] const FoundFile* find(std::string_view key) const;  // nullptr: none

 private:
  const FileList& list_;
  KeyFolding folding_;
  std::unordered_map<std::string, const FoundFile*> by_key_;
};

// Gives a file of the list another key.
void set_key(FileList& list, FoundFile& file, const std::string& key);

// Gives each label the key of the image whose key folds to the same text; keys of images stay
// unchanged. If the keys of two images fold to the same text, this is a problem.
void fold_keys(FileSet& set, KeyFolding folding, ProblemLog& problems);

}  // namespace hotpack::pipeline
