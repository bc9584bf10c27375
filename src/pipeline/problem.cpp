#include "pipeline/problem.hpp"

#include <utility>

namespace hotpack::pipeline {

namespace {

struct KindText {
  std::string_view name;
  std::string_view title;
  std::string_view advice;
};

constexpr std::array<KindText, kProblemKinds> kTexts{{
    {"orphan-image", "images without a label", "add the labels, or leave these images out with --orphans skip"},
    {"orphan-label", "labels without an image", "add the images, or leave these labels out with --orphans skip"},
    {"duplicate-key", "files that share a key", "rename or remove one of each, or tell the folders apart with --key-prefix"},
    {"unsupported-file", "pictures of a format that hotpack does not read",
     "convert them to PNG or JPEG, or leave them out with --orphans skip"},
    {"unusable-name", "file names that cannot be keys", "rename the files: names must be UTF-8"},
    {"no-class-folder", "pictures in no class folder", "move them into the folder of their class, or out of the input"},
    {"unknown-folder", "images in folders that are no class", "add the folders to --classes, or move them out of the input"},
    {"unreadable-header", "files that are not readable pictures", "replace them, or leave them out with --on-error skip"},
    {"too-large", "pictures beyond --max-pixels", "raise --max-pixels if they are meant, or leave them out with --on-error skip"},
    {"damaged-picture", "damaged or truncated pictures", "replace them, or leave them out with --on-error skip"},
    {"size-mismatch", "images and labels of different sizes", "mend them, or resize each on its own with --size-mismatch each-to-target"},
    {"orientation", "images whose EXIF orientation may or may not fit the label", "say --exif apply or --exif ignore"},
    {"label-form", "labels of another form than they are read as", "say how labels are to be read with --label-kind"},
    {"ambiguous-label", "labels that may hold colours or ids", "one --label-kind holds for all labels; --on-error skip does not settle it"},
    {"unknown-value", "labels with colours or ids that no class has",
     "add them to the classes, or say --unknown ignore or --unknown CLASS; many different values are a sign of an interpolated or lossy "
     "label"},
    {"class-file", "class files that cannot be used", "mend the class file: CSV name,r,g,b, or one name a line"},
}};

}  // namespace

std::string_view problem_title(ProblemKind kind) { return kTexts[static_cast<std::size_t>(kind)].title; }
std::string_view problem_name(ProblemKind kind) { return kTexts[static_cast<std::size_t>(kind)].name; }
std::string_view problem_advice(ProblemKind kind) { return kTexts[static_cast<std::size_t>(kind)].advice; }

void ProblemLog::add(Problem problem) {
  Group& group = groups_[static_cast<std::size_t>(problem.kind)];
  ++group.count;
  ++count_;
  if (group.examples.size() < kExamples) group.examples.push_back(std::move(problem));
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
    text += std::to_string(group.count) + " " + std::string(kTexts[kind].title) + ":\n";
    for (const Problem& example : group.examples) text += "    " + example.text() + "\n";
    if (group.count > group.examples.size()) text += "    … and " + std::to_string(group.count - group.examples.size()) + " more\n";
    text += "  what to do: " + std::string(kTexts[kind].advice) + "\n";
  }
  return text;
}

}  // namespace hotpack::pipeline
