#include "settings/problem.hpp"

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

constexpr std::string_view kSkipErrors = "--on-error skip";

constexpr std::array<KindText, kProblemKinds> kTexts{{
    {"orphan-image", "image without a label", "images without a label",
     "add the labels, or leave these images out: by name with --exclude GLOB, or all with "
     "--orphans "
     "skip; if labels have other names, say how names differ with --label-suffix or --pair-regex",
     ""},
    {"orphan-label", "label without an image", "labels without an image",
     "add the images, or leave these labels out: by name with --exclude GLOB, or all with "
     "--orphans "
     "skip",
     ""},
    {"duplicate-key", "file with the key of another file", "files with the keys of other files",
     "of files with the same key, rename or remove all but one; if they lie in different input "
     "folders, give each folder a --key-prefix",
     ""},
    {"listed-twice", "image that a table lists twice", "images that a table lists twice",
     "keep one line of each image, with the path of its label: a sample has one label", ""},
    {"twin-file", "file with the same name as another file, except for the ending",
     "files with the same names as other files, except for the endings",
     "rename or remove one file of each name, or name the files to pack in a --list file", ""},
    {"unsupported-file", "image of a format that hotpack does not read",
     "images of a format that hotpack does not read",
     "convert these images to PNG or JPEG, or leave them out: of folders with --exclude, such as "
     "--exclude '*.gif', of a table by removing their lines",
     ""},
    {"unusable-name", "file name that cannot be a key", "file names that cannot be keys",
     "rename the files: names must be UTF-8", ""},
    {"missing-file", "entry of a list that names no file", "entries of a list that name no file",
     "fix the list, set the base folder of its paths with --root or --strip-prefix, or leave these "
     "entries out with --orphans skip",
     ""},
    {"unopenable-file", "file that cannot be opened", "files that cannot be opened",
     "fix the links and permissions, or move these files out of the input; --on-error skip does "
     "not leave them out",
     ""},
    {"no-class-folder", "image in no class folder", "images in no class folder",
     "move these images into the folders of their classes, or leave them out with --exclude NAME",
     ""},
    {"unknown-folder", "image whose class is not known", "images whose classes are not known",
     "add the classes to --classes or --map, or remove the images from the input", ""},
    {"unreadable-header", "file that is not a readable image", "files that are not readable images",
     "replace these files, or leave them out with --on-error skip", kSkipErrors},
    {"too-large", "image that is too large", "images that are too large",
     "raise --max-pixels to pack these images, choose a larger --tile if there are too many "
     "tiles, or leave them out with --on-error skip",
     kSkipErrors},
    {"damaged-image", "damaged or truncated image", "damaged or truncated images",
     "replace the damaged files, or leave them out with --on-error skip", kSkipErrors},
    {"size-mismatch", "image and label of different sizes", "images and labels of different sizes",
     "replace the images or labels that are wrong. If each label shows the same scene as its image "
     "at another scale, or cut at the right and below, choose a --size-mismatch",
     kSkipErrors},
    {"exchanged-sides", "label whose width and height are exchanged",
     "labels whose width and height are exchanged",
     "save these labels with the width and height of their images; cv2.resize(label, (height, "
     "width)) and arrays in the order x, y exchange them",
     kSkipErrors},
    {"orientation", "image whose EXIF orientation may or may not fit the label",
     "images whose EXIF orientation may or may not fit the label",
     "choose --exif apply or --exif ignore", "--exif apply|--exif ignore"},
    {"label-orientation", "label with an EXIF orientation", "labels with an EXIF orientation",
     "hotpack does not turn labels: save these labels upright, without the tag, or give --exif "
     "ignore if images and labels fit each other as stored",
     "--exif ignore|--on-error skip"},
    {"label-form", "label whose form does not fit how labels are read",
     "labels whose forms do not fit how labels are read",
     "fix or replace these labels, choose another --label-kind, or leave these samples out with "
     "--on-error skip",
     kSkipErrors},
    {"ambiguous-label", "label that may hold colors or ids", "labels that may hold colors or ids",
     "choose one --label-kind for all labels; --on-error skip does not answer this question",
     "--label-kind index|--label-kind color"},
    {"unknown-value", "label with colors or ids that no class has",
     "labels with colors or ids that no class has",
     "add these colors or ids to the class table, or give --unknown ignore to ignore these pixels, "
     "--unknown CLASS to make them one class or, for colors that differ a little from those of the "
     "classes, --unknown nearest:D",
     "--unknown ignore|--on-error skip"},
    {"exchanged-colors", "label with red and blue exchanged", "labels with red and blue exchanged",
     "the colors are those of the class table with red and blue exchanged, as cv2.imwrite saves "
     "RGB: "
     "exchange them back in the labels, or in the class table",
     kSkipErrors},
    {"class-file", "class file that cannot be used", "class files that cannot be used",
     "fix the class file: CSV name,r,g,b, or one name per line", ""},
    {"open-question", "How are the labels to be read? hotpack cannot tell",
     "How are the labels to be read? hotpack cannot tell", "", ""},
}};

constexpr std::array kNeverSkipped = {
    ProblemKind::orphan_image,     ProblemKind::orphan_label,    ProblemKind::duplicate_key,
    ProblemKind::unsupported_file, ProblemKind::unusable_name,   ProblemKind::missing_file,
    ProblemKind::no_class_folder,  ProblemKind::unknown_folder,  ProblemKind::ambiguous_label,
    ProblemKind::class_file,       ProblemKind::open_question,   ProblemKind::twin_file,
    ProblemKind::listed_twice,     ProblemKind::unopenable_file,
};

const KindText& text_of(ProblemKind kind) { return kTexts[static_cast<std::size_t>(kind)]; }

// Replaces line feeds, because one in a file name would break the report.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("\\n") : std::string(1, c);
  return line;
}

// True if the problem concerns all labels. The detail of such a problem may have several lines.
bool is_of_all_labels(ProblemKind kind) {
  return kind == ProblemKind::open_question || kind == ProblemKind::class_file;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_of(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

int compare_numbers(std::string_view a, std::string_view b) {
  const auto value = [](std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  if (value(a).size() != value(b).size()) return value(a).size() < value(b).size() ? -1 : 1;
  const int values = value(a).compare(value(b));
  return values != 0 ? values : a.compare(b);
}

// Compares two texts, numbers in them by value: "line 2" comes before "line 10".
int compare_naturally(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view number = digits_of(a), other = digits_of(b);
    if (!number.empty() && !other.empty()) {
      if (const int order = compare_numbers(number, other); order != 0) return order;
      a.remove_prefix(number.size()), b.remove_prefix(other.size());
    } else if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
    } else {
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  return a.empty() && b.empty() ? 0 : a.empty() ? -1 : 1;
}

}  // namespace

std::string_view problem_title(ProblemKind kind, std::uint64_t count) {
  return count == 1 ? text_of(kind).one : text_of(kind).many;
}
std::string_view problem_name(ProblemKind kind) { return text_of(kind).name; }
std::string_view problem_advice(ProblemKind kind) { return text_of(kind).advice; }
std::string_view problem_options(ProblemKind kind) { return text_of(kind).options; }

std::string_view advice_once_skipped(ProblemKind kind) {
  const std::string_view advice = problem_advice(kind);
  return advice.ends_with(kSkipErrors) ? advice.substr(0, advice.rfind(", or leave")) : advice;
}

bool problem_is_skippable(ProblemKind kind) {
  return std::find(kNeverSkipped.begin(), kNeverSkipped.end(), kind) == kNeverSkipped.end();
}

// Keeps the examples that come first in sorted order, whatever the order in which they were found.
void ProblemLog::keep_example(Group& group, Problem problem) {
  const auto place =
      std::upper_bound(group.examples.begin(), group.examples.end(), problem,
                       [](const Problem& a, const Problem& b) {
                         const int paths = compare_naturally(a.path, b.path);
                         return paths != 0 ? paths < 0 : compare_naturally(a.detail, b.detail) < 0;
                       });
  if (place == group.examples.end() && group.examples.size() == kExamples) return;
  group.examples.insert(place, std::move(problem));
  if (group.examples.size() > kExamples) group.examples.pop_back();
}

void ProblemLog::add(Problem problem) {
  Group& group = groups_[static_cast<std::size_t>(problem.kind)];
  ++group.count;
  ++count_;
  problem.path = one_line(problem.path);
  if (!is_of_all_labels(problem.kind)) problem.detail = one_line(problem.detail);
  keep_example(group, std::move(problem));
}

void ProblemLog::append(const ProblemLog& later) {
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind)
    append(later, static_cast<ProblemKind>(kind));
}

void ProblemLog::append(const ProblemLog& later, ProblemKind kind) {
  Group& group = groups_[static_cast<std::size_t>(kind)];
  const Group& added = later.group(kind);
  for (const Problem& example : added.examples) keep_example(group, example);
  group.count += added.count;
  count_ += added.count;
}

std::uint64_t ProblemLog::forget(ProblemKind kind) {
  const std::uint64_t forgotten = std::exchange(groups_[static_cast<std::size_t>(kind)], {}).count;
  count_ -= forgotten;
  return forgotten;
}

std::string ProblemLog::text() const { return text(problem_advice); }
std::string ProblemLog::skipped_text() const { return text(advice_once_skipped); }

std::string ProblemLog::text(std::string_view (*advice)(ProblemKind)) const {
  std::string text;
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    const Group& group = groups_[kind];
    if (group.count == 0) continue;
    const bool asks = static_cast<ProblemKind>(kind) == ProblemKind::open_question;
    text += (asks ? "" : std::to_string(group.count) + " ") +
            std::string(problem_title(static_cast<ProblemKind>(kind), group.count)) + ":\n";
    for (const Problem& example : group.examples) text += "    " + example.text() + "\n";
    if (group.count > group.examples.size())
      text += "    … and " + std::to_string(group.count - group.examples.size()) + " more\n";
    if (const std::string_view what = advice(static_cast<ProblemKind>(kind)); !what.empty())
      text += "  what to do: " + std::string(what) + "\n";
  }
  return text;
}

}  // namespace hotpack::pipeline
