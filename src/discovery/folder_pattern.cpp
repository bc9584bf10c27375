#include "discovery/folder_pattern.hpp"

#include <algorithm>
#include <regex>

#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

// Alternatives of regular expressions; case does not matter.
constexpr std::string_view kImagesWords =
    "images?|imgs?|img[_-]?dir|jpegimages|photos?|pictures?|pics|frames|inputs?|rgb|(?:images?|"
    "imgs?)[_-](?:prepped|png|jpg|rgb)|"
    "(?:raw|original|color|rgb)[_-]?(?:images?|imgs?)|originals?";
constexpr std::string_view kLabelsWords =
    "labels?|masks?|annotations?|annots?|anns?|ann[_-]?dir|gts?|ground[_-]?truths?|targets?|segs?|"
    "segmentations?|seg[_-]?maps?|trimaps?|"
    "semantic|semantics|stuffthingmaps|labell?ed|1st[_-]manual|(?:annotations?|masks?|labels?)[_-]("
    "?:prepped|png|images?|maps?)|"
    "(?:segmentation|semantic|label|gt|mask)[_-]?(?:masks?|maps?|labels?|images?)|label[_-]images[_"
    "-]semantic|"
    "segmentationclass(?:png|aug|context|raw)?";

bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

const std::regex& words_expression(std::string_view words) {
  static const std::regex images(std::string(kImagesWords),
                                 std::regex::ECMAScript | std::regex::icase);
  static const std::regex labels(std::string(kLabelsWords),
                                 std::regex::ECMAScript | std::regex::icase);
  return words == kImagesWords ? images : labels;
}

class ImageSearch : public TreeVisitor {
 public:
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& below, std::uint64_t) override {
    const FileKind kind = describe_name(below).kind;
    if (kind == FileKind::unsupported) found = ImageFiles::unsupported;
    if (kind == FileKind::image) found = ImageFiles::readable;
    return kind != FileKind::image;
  }
  bool unusable(const Unusable& entry) override {
    return entry.is_folder || file(entry.below, 0);
  }  // reported by the code that packs the folder
  ImageFiles found = ImageFiles::none;
};

}  // namespace

FolderPattern::FolderPattern(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    parts_.push_back(compile(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

FolderPattern::Part FolderPattern::compile(std::string_view text) {
  Part part;
  std::size_t groups = 0;
  std::string expression;
  while (!text.empty()) {
    if (take(text, "{split}")) {
      part.split_group = ++groups;
      expression += "((?:" + std::string(usual_split_names()) + ")[0-9]*)";
    } else if (take(text, "{images}")) {
      part.word_group = ++groups;
      expression += "(" + std::string(kImagesWords) + ")";
    } else if (take(text, "{labels}")) {
      part.word_group = ++groups;
      expression += "(" + std::string(kLabelsWords) + ")";
    } else if (take(text, "{-}")) {
      expression += "[ _.-]?";
    } else {
      expression += text.front() == '.' ? "\\." : std::string(1, text.front());
      text.remove_prefix(1);
    }
  }
  part.expression = std::regex(expression, std::regex::ECMAScript | std::regex::icase);
  return part;
}

// Returns true if the name matches the part. If so, sets split and word of `folder`.
bool FolderPattern::match(const Part& part, const std::string& name, FoundFolder& folder) {
  std::smatch found;
  if (!std::regex_match(name, found, part.expression)) return false;
  if (part.split_group > 0) folder.split = found[part.split_group];
  if (part.word_group > 0) folder.word = found[part.word_group];
  return true;
}

Result<std::vector<FoundFolder>> FolderPattern::find(const std::string& root) const {
  std::vector<FoundFolder> found{{root, "", ""}};
  for (const Part& part : parts_) {
    std::vector<FoundFolder> deeper;
    for (const FoundFolder& folder : found) {
      HOTPACK_ASSIGN(const FolderContent content, read_folder(folder.path));
      for (const std::string& name : content.folders) {
        FoundFolder next{path_below(folder.path, name), folder.split, folder.word};
        if (match(part, name, next)) deeper.push_back(std::move(next));
      }
    }
    found = std::move(deeper);
  }
  return found;
}

bool is_images_word(std::string_view name) {
  return std::regex_match(std::string(name), words_expression(kImagesWords));
}
bool is_labels_word(std::string_view name) {
  return std::regex_match(std::string(name), words_expression(kLabelsWords));
}

Result<ImageFiles> image_files_below(const std::string& folder) {
  ImageSearch search;
  HOTPACK_TRY(walk_tree(folder, search));
  return search.found;
}

}  // namespace hotpack::pipeline
