#include "discovery/layout_pattern.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/path_pattern.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostExamined = 64;  // folders for {*}

// Alternatives of regular expressions; case does not matter.
constexpr std::string_view kImagesWords =
    "images?|imgs?|img[_-]?dir|jpegimages|photos?|pictures?|pics|frames|inputs?|rgb|"
    "(?:images?|imgs?)[_-](?:prepped|png|jpg|rgb)|"
    "(?:raw|original|color|rgb)[_-]?(?:images?|imgs?)|originals?";
constexpr std::string_view kLabelsWords =
    "labels?|labs?|masks?|annotations?|annots?|anns?|ann[_-]?dir|gts?|ground[_-]?truths?|targets?|"
    "segs?|segmentations?|seg[_-]?maps?|trimaps?|semantic|semantics|stuffthingmaps|labell?ed|"
    "1st[_-]manual|(?:annotations?|masks?|labels?)[_-](?:prepped|png|images?|maps?)"
    "|"
    "(?:segmentation|semantic|label|gt|mask)[_-]?(?:masks?|maps?|labels?|images?)|"
    "label[_-]images[_-]semantic|segmentationclass(?:png|aug|context|raw)?";

bool take(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

std::regex ignoring_case(const std::string& text) {
  return std::regex(text, std::regex::ECMAScript | std::regex::icase);
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

LayoutPattern::LayoutPattern(std::string_view text) : text_(text) {
  bool folders = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    const std::string_view part = text.substr(0, end);
    folders = folders && part.find("{*}") == part.npos && part.find("{n}") == part.npos;
    folders_ += folders ? 1 : 0;
    parts_.push_back(compile(part));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

LayoutPattern::Part LayoutPattern::compile(std::string_view text) {
  Part part;
  part.text = text;
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
    } else if (take(text, "{*}")) {
      expression += ".+";
    } else if (take(text, "{n}")) {
      expression += "[0-9]+";
    } else if (take(text, "{")) {
      part.split_group = ++groups;
      const std::size_t end = text.find('}');
      expression += "(" + std::string(text.substr(0, end)) + ")";
      text.remove_prefix(end + 1);
    } else {
      expression += literal_pattern(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }
  part.name = ignoring_case(expression);
  return part;
}

// Returns true if the name matches the part. If so, sets split and word of `folder`.
bool LayoutPattern::Part::match(const std::string& entry, FoundFolder& folder) const {
  std::smatch found;
  if (!std::regex_match(entry, found, name)) return false;
  if (split_group > 0) folder.split = found[split_group];
  if (word_group > 0) folder.word = found[word_group];
  return true;
}

Result<std::vector<FoundFolder>> LayoutPattern::find(const std::string& root) const {
  std::vector<FoundFolder> found{{root, "", "", ""}};
  for (std::size_t i = 0; i < folders_; ++i) {
    std::vector<FoundFolder> deeper;
    for (const FoundFolder& folder : found) {
      HOTPACK_ASSIGN(const FolderContent content, read_folder(folder.path));
      for (const std::string& name : content.folders) {
        FoundFolder next{path_below(folder.path, name), folder.split, folder.word, ""};
        if (parts_[i].match(name, next)) deeper.push_back(std::move(next));
      }
    }
    found = std::move(deeper);
  }
  if (folders_ == parts_.size()) return found;
  std::vector<FoundFolder> with_files;
  for (const FoundFolder& base : found) HOTPACK_TRY(add_words(base, base, folders_, with_files));
  return with_files;
}

Status LayoutPattern::add_words(const FoundFolder& base, const FoundFolder& place,
                                std::size_t depth, std::vector<FoundFolder>& found) const {
  HOTPACK_ASSIGN(const FolderContent content, read_folder(place.path));
  const Part& part = parts_[depth];
  const auto is_known = [&](const FoundFolder& folder) {
    return std::any_of(found.begin(), found.end(), [&](const FoundFolder& known) {
      return known.path == base.path && known.word == folder.word;
    });
  };
  if (depth + 1 == parts_.size()) {
    for (const std::string& name : content.files) {
      FoundFolder folder{base.path, place.split, place.word, ""};
      const FileName file = describe_name(name);
      if (file.kind != FileKind::image || is_known(folder) ||
          !part.match(name.substr(0, file.stem_length), folder))
        continue;
      folder.expression = expression(folder.word);
      found.push_back(std::move(folder));
    }
    return {};
  }
  std::size_t examined = 0;
  for (const std::string& name : content.folders) {
    FoundFolder next{path_below(place.path, name), place.split, place.word, ""};
    if (!part.match(name, next) || ++examined > kMostExamined) continue;
    HOTPACK_TRY(add_words(base, next, depth + 1, found));
    if (part.word_group == 0 && is_known(next)) return {};
  }
  return {};
}

std::string LayoutPattern::expression(const std::string& word) const {
  std::string all = "^";
  for (std::size_t i = folders_; i < parts_.size(); ++i) {
    std::string_view text = parts_[i].text;
    while (!text.empty()) {
      if (take(text, "{*}")) {
        all += "([^/]+)";
      } else if (take(text, "{n}")) {
        all += "([0-9]+)";
      } else if (take(text, "{images}") || take(text, "{labels}")) {
        all += literal_pattern(word);
      } else {
        all += literal_pattern(text.substr(0, 1));
        text.remove_prefix(1);
      }
    }
    all += i + 1 < parts_.size() ? "/" : "\\.[^./]+$";
  }
  return all;
}

bool is_images_word(std::string_view name) {
  static const std::regex words = ignoring_case(std::string(kImagesWords));
  return std::regex_match(std::string(name), words);
}
bool is_labels_word(std::string_view name) {
  static const std::regex words = ignoring_case(std::string(kLabelsWords));
  return std::regex_match(std::string(name), words);
}

Result<ImageFiles> image_files_below(const std::string& folder) {
  ImageSearch search;
  HOTPACK_TRY(walk_tree(folder, search));
  return search.found;
}

}  // namespace hotpack::pipeline
