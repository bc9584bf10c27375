// Problems of input data, grouped for people by ProblemLog.
//
// A bad sample is data for the report, not an error of the program. ProblemLog keeps counts and the
// first examples of each kind, so its memory does not depend on the number of samples. Not
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
  duplicate_key,      // two images, or two labels, with one key
  twin_file,          // the same in one folder: the names differ only in the extension
  unsupported_file,   // an image of a format that hotpack does not read
  unusable_name,      // a file name that cannot be a key
  missing_file,       // a file or key that a list names and that does not exist
  unopenable_file,    // a file that cannot be opened, a link to nowhere, a FIFO
  no_class_folder,    // an image next to the class folders
  unknown_folder,     // an image in a folder that is no class
  unreadable_header,  // not an image, or an invalid header
  too_large,          // beyond --max-pixels
  damaged_image,      // the pixels cannot be decoded completely
  size_mismatch,      // image and label differ in size
  orientation,  // EXIF orientation, and it is unclear whether the label was drawn before or after
                // it
  label_form,   // a label file whose form does not fit the way labels are read
  ambiguous_label,  // a label that may hold colors or ids: it is unclear how all labels are read,
                    // so it is never skipped
  unknown_value,    // a color or id that no class has
  class_file,       // a class file that cannot be used
  open_question,    // a question about all labels that only the user can answer, so it is never
                    // skipped
  count_
};
inline constexpr std::size_t kProblemKinds = static_cast<std::size_t>(ProblemKind::count_);

// "image without a label" for one, "images without a label" for several.
[[nodiscard]] std::string_view problem_title(ProblemKind kind, std::uint64_t count);
[[nodiscard]] std::string_view problem_name(ProblemKind kind);    // "orphan-image", for JSON
[[nodiscard]] std::string_view problem_advice(ProblemKind kind);  // what to do
// The same after --on-error skip has left out such samples: without the advice to use it.
[[nodiscard]] std::string_view advice_once_skipped(ProblemKind kind);
[[nodiscard]] std::string_view problem_options(
    ProblemKind
        kind);  // the options that settle it, "--exif apply|--exif ignore"; empty: none does
// True if --on-error skip leaves out such samples; problems with names, pairs and classes stop
// every pack.
[[nodiscard]] bool problem_is_skippable(ProblemKind kind);

struct Problem {
  ProblemKind kind = ProblemKind::damaged_image;
  std::string path;    // the file
  std::string detail;  // what was found
  [[nodiscard]] std::string text() const { return path.empty() ? detail : path + ": " + detail; }
};

class ProblemLog {
 public:
  static constexpr std::size_t kExamples = 5;
  struct Group {
    std::uint64_t count = 0;
    std::vector<Problem>
        examples;  // the first kExamples by path and detail, numbers in them by their value
  };

  void add(Problem problem);
  void append(const ProblemLog& later);
  void append(const ProblemLog& later, ProblemKind kind);  // of this kind alone
  // Empties a group that options have settled; returns its count.
  std::uint64_t forget(ProblemKind kind);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const Group& group(ProblemKind kind) const {
    return groups_[static_cast<std::size_t>(kind)];
  }
  // Several lines: for each kind the count, examples and advice. Empty without problems.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string skipped_text() const;  // after --on-error skip has left them out

 private:
  [[nodiscard]] std::string text(std::string_view (*advice)(ProblemKind)) const;
  static void keep_example(Group& group, Problem problem);

  std::array<Group, kProblemKinds> groups_{};
  std::uint64_t count_ = 0;
};

}  // namespace hotpack::pipeline
