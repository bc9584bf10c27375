// Problems of input data, grouped for a report.
//
// A bad sample is not an error of the program but data for its report. ProblemLog keeps counts and
// the first examples of each kind, so its memory does not depend on the number of samples. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::pipeline {

enum class ProblemKind {
  orphan_image,       // an image without label
  orphan_label,       // a label without image
  duplicate_key,      // two images, or two labels, with the same key
  listed_twice,       // a table names an image twice
  twin_file,          // the same within one folder: the names differ only in the extension
  unsupported_file,   // an image of a format that hotpack does not read
  unusable_name,      // a file name that cannot be a key
  missing_file,       // a list names a file or key that does not exist
  unopenable_file,    // a file that cannot be opened, or a broken link, or a FIFO
  no_class_folder,    // an image next to the class folders, not in one
  unknown_folder,     // an image in a folder that is not a class
  unreadable_header,  // the file is not an image, or its header is invalid
  too_large,          // beyond --max-pixels, or of too many tiles
  damaged_image,      // the pixels cannot be decoded completely
  size_mismatch,      // image and label differ in size
  exchanged_sides,    // the width and height of the label are those of the image, exchanged
  orientation,  // the image has an EXIF orientation, and it is unclear whether the label was drawn
                // on the stored or on the turned image
  label_orientation,  // a label with an EXIF orientation, by which labels are not turned
  label_form,         // a label file whose form does not fit the way labels are read
  ambiguous_label,    // a label that may hold colors or ids: it is unclear how all labels are read,
                      // so it is never skipped
  unknown_value,      // a color or id that no class has
  exchanged_colors,   // all unknown colors are those of classes with red and blue exchanged
  class_file,         // a class file that cannot be used
  open_question,      // a question about all labels that only the user can answer, so it is never
                      // skipped
  count_
};
inline constexpr std::size_t kProblemKinds = static_cast<std::size_t>(ProblemKind::count_);

// Returns "image without a label" for one, "images without a label" for several.
[[nodiscard]] std::string_view problem_title(ProblemKind kind, std::uint64_t count);
[[nodiscard]] std::string_view problem_name(ProblemKind kind);    // "orphan-image", for JSON
[[nodiscard]] std::string_view problem_advice(ProblemKind kind);  // what to do
// The same without the advice to use --on-error skip, for samples that it has already left out.
[[nodiscard]] std::string_view advice_once_skipped(ProblemKind kind);
[[nodiscard]] std::string_view problem_options(
    ProblemKind
        kind);  // the options that solve it, "--exif apply|--exif ignore"; empty if none does
// Returns true if --on-error skip leaves out samples with this kind of problem. Other kinds
// (problems with names, pairs and classes) always stop the pack.
[[nodiscard]] bool problem_is_skippable(ProblemKind kind);

struct Problem {
  ProblemKind kind = ProblemKind::damaged_image;
  std::string path;    // the file
  std::string detail;  // what was found
  // The option that solves this problem of one file, such as "--fold case"; empty if none is known.
  std::string option = {};
  [[nodiscard]] std::string text() const { return path.empty() ? detail : path + ": " + detail; }
};

class ProblemLog {
 public:
  static constexpr std::size_t kExamples = 5;
  struct Group {
    std::uint64_t count = 0;
    std::vector<Problem>
        examples;  // the first kExamples, sorted by path and detail, with numbers by value
  };

  void add(Problem problem);
  void append(const ProblemLog& later);
  void append(const ProblemLog& later, ProblemKind kind);  // appends only problems of this kind
  // Removes the problems of a kind, because options have solved them. Returns how many there were.
  std::uint64_t forget(ProblemKind kind);
  // Appends a text to the first example of a kind. Precondition: there is one.
  void extend_first(ProblemKind kind, std::string_view text) {
    groups_[static_cast<std::size_t>(kind)].examples.front().detail += text;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const Group& group(ProblemKind kind) const {
    return groups_[static_cast<std::size_t>(kind)];
  }
  // Returns lines with the count, examples and advice of each kind. Empty without problems.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string skipped_text()
      const;  // the same for samples that --on-error skip left out

 private:
  [[nodiscard]] std::string text(std::string_view (*advice)(ProblemKind)) const;
  static void keep_example(Group& group, Problem problem);

  std::array<Group, kProblemKinds> groups_{};
  std::uint64_t count_ = 0;
};

}  // namespace hotpack::pipeline
