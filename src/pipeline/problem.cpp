#include "pipeline/problem.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

namespace {

struct KindText {
  std::string_view name;
  std::string_view one, many;  // titles
  std::string_view advice;
  std::string_view options;
};

constexpr std::string_view kSkipOrphans = "--orphans skip";
constexpr std::string_view kSkipErrors = "--on-error skip";

constexpr std::array<KindText, kProblemKinds> kTexts{{
    {"orphan-image", "image without a label", "images without a label", "add the labels, or leave these images out with --orphans skip",
     kSkipOrphans},
    {"orphan-label", "label without an image", "labels without an image", "add the images, or leave these labels out with --orphans skip",
     kSkipOrphans},
    {"duplicate-key", "file that shares a key", "files that share a key",
     "rename or remove one of each, or tell the folders apart with --key-prefix", ""},
    {"unsupported-file", "picture of a format that hotpack does not read", "pictures of a format that hotpack does not read",
     "convert them to PNG or JPEG, or leave them out with --orphans skip", kSkipOrphans},
    {"unusable-name", "file name that cannot be a key", "file names that cannot be keys", "rename the files: names must be UTF-8", ""},
    {"missing-file", "entry of a list that names no file", "entries of a list that name no file",
     "mend the list, say where its paths begin with --root and --strip-prefix, or leave these entries out with --orphans skip",
     kSkipOrphans},
    {"no-class-folder", "picture in no class folder", "pictures in no class folder",
     "move them into the folder of their class, or out of the input", ""},
    {"unknown-folder", "image in a folder that is no class", "images in folders that are no class",
     "add the folders to --classes, or move them out of the input", ""},
    {"unreadable-header", "file that is not a readable picture", "files that are not readable pictures",
     "replace them, or leave them out with --on-error skip", kSkipErrors},
    {"too-large", "picture beyond --max-pixels", "pictures beyond --max-pixels",
     "raise --max-pixels if they are meant, or leave them out with --on-error skip", kSkipErrors},
    {"damaged-picture", "damaged or truncated picture", "damaged or truncated pictures",
     "replace them, or leave them out with --on-error skip", kSkipErrors},
    {"size-mismatch", "image and label of different sizes", "images and labels of different sizes",
     "mend them, or say which way to bring them together with --size-mismatch",
     "--size-mismatch resize-label|--size-mismatch each-to-target|--size-mismatch crop-min|--on-error skip"},
    {"orientation", "image whose EXIF orientation may or may not fit the label",
     "images whose EXIF orientation may or may not fit the label", "say --exif apply or --exif ignore", "--exif apply|--exif ignore"},
    {"label-form", "label of another form than it is read as", "labels of another form than they are read as",
     "say how labels are to be read with --label-kind, or leave these out with --on-error skip", kSkipErrors},
    {"ambiguous-label", "label that may hold colours or ids", "labels that may hold colours or ids",
     "one --label-kind holds for all labels; --on-error skip does not settle it", "--label-kind index|--label-kind color"},
    {"unknown-value", "label with colours or ids that no class has", "labels with colours or ids that no class has",
     "add them to the classes, or say --unknown ignore or --unknown CLASS; many different values are a sign of an interpolated or lossy "
     "label",
     "--unknown ignore|--on-error skip"},
    {"class-file", "class file that cannot be used", "class files that cannot be used",
     "mend the class file: CSV name,r,g,b, or one name a line", ""},
    {"open-question", "question about all labels that only you can answer", "questions about all labels that only you can answer",
     "answer it with the option named, or take the odd files out; --on-error skip does not settle it", ""},
}};

constexpr std::array kNeverSkipped = {
    ProblemKind::orphan_image,    ProblemKind::orphan_label, ProblemKind::duplicate_key,   ProblemKind::unsupported_file,
    ProblemKind::unusable_name,   ProblemKind::missing_file, ProblemKind::no_class_folder, ProblemKind::unknown_folder,
    ProblemKind::ambiguous_label, ProblemKind::class_file,   ProblemKind::open_question,
};

const KindText& text_of(ProblemKind kind) { return kTexts[static_cast<std::size_t>(kind)]; }

// A line feed in a file's name would tear the report.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  return line;
}

}  // namespace

std::string_view problem_title(ProblemKind kind, std::uint64_t count) { return count == 1 ? text_of(kind).one : text_of(kind).many; }
std::string_view problem_name(ProblemKind kind) { return text_of(kind).name; }
std::string_view problem_advice(ProblemKind kind) { return text_of(kind).advice; }
std::string_view problem_options(ProblemKind kind) { return text_of(kind).options; }

bool problem_is_skippable(ProblemKind kind) { return std::find(kNeverSkipped.begin(), kNeverSkipped.end(), kind) == kNeverSkipped.end(); }

void ProblemLog::add(Problem problem) {
  Group& group = groups_[static_cast<std::size_t>(problem.kind)];
  ++group.count;
  ++count_;
  if (group.examples.size() == kExamples) return;
  group.examples.push_back({problem.kind, one_line(problem.path), one_line(problem.detail)});
}

void ProblemLog::append(const ProblemLog& later) {
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    for (const Problem& example : later.groups_[kind].examples)
      if (groups_[kind].examples.size() < kExamples) groups_[kind].examples.push_back(example);
    groups_[kind].count += later.groups_[kind].count;
  }
  count_ += later.count_;
}

std::uint64_t ProblemLog::forget(ProblemKind kind) {
  const std::uint64_t forgotten = std::exchange(groups_[static_cast<std::size_t>(kind)], {}).count;
  count_ -= forgotten;
  return forgotten;
}

std::string ProblemLog::text() const {
  std::string text;
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    const Group& group = groups_[kind];
    if (group.count == 0) continue;
    text += std::to_string(group.count) + " " + std::string(problem_title(static_cast<ProblemKind>(kind), group.count)) + ":\n";
    for (const Problem& example : group.examples) text += "    " + example.text() + "\n";
    if (group.count > group.examples.size()) text += "    … and " + std::to_string(group.count - group.examples.size()) + " more\n";
    text += "  what to do: " + std::string(kTexts[kind].advice) + "\n";
  }
  return text;
}

}  // namespace hotpack::pipeline
