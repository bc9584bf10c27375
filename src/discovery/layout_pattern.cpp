#include "discovery/layout_pattern.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "files/file_kind.hpp"
#include "files/key_text.hpp"

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

PathPattern compiled(const std::string& expression) {
  return PathPattern::compile(expression, "known layout", {.caseless = true, .whole = true})
      .value();
}

// For parts that are folders. {split} and what stands for it have a group, and so do the words.
const std::vector<Placeholder>& folder_placeholders() {
  static const std::string split = "((?:" + std::string(usual_split_names()) + ")[0-9]*)",
                           images = "(" + std::string(kImagesWords) + ")",
                           labels = "(" + std::string(kLabelsWords) + ")";
  static const std::vector<Placeholder> all{
      {"{split}", split}, {"{TR|TE}", "(TR|TE)"}, {"{images}", images}, {"{labels}", labels},
      {"{-}", "[ _.-]?"}, {"{_v2}", "(?:_v2)?"},  {"{*}", ".+"},        {"{n}", "[0-9]+"}};
  return all;
}

bool matches(const PathPattern& pattern, std::string_view text) {
  const auto found = pattern.match(text);
  return found.ok() && !found->empty();
}

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
  const std::size_t split = std::min(text.find("{split}"), text.find("{TR|TE}"));
  const std::size_t word = std::min(text.find("{images}"), text.find("{labels}"));
  Part part{std::string(text), compiled(placeholder_pattern(text, folder_placeholders()))};
  if (split != text.npos) part.split_group = word < split ? 2 : 1;
  if (word != text.npos) part.word_group = split < word ? 2 : 1;
  return part;
}

// Returns true if the name matches the part. If so, sets split and word of `folder`.
bool LayoutPattern::Part::match(const std::string& entry, FoundFolder& folder) const {
  const auto found = name.match(entry);
  if (!found.ok() || found->empty()) return false;
  if (split_group > 0) folder.split = *(*found)[split_group];
  if (word_group > 0) folder.word = *(*found)[word_group];
  return true;
}

std::vector<FoundFolder> LayoutPattern::find(const FolderSurvey& survey,
                                             const std::string& base) const {
  std::vector<FoundFolder> found{{base, "", "", ""}};
  for (std::size_t i = 0; i < folders_; ++i) {
    std::vector<FoundFolder> deeper;
    for (const FoundFolder& folder : found)
      for (const std::string& name : survey.at(folder.path).folders) {
        FoundFolder next{joined(folder.path, name), folder.split, folder.word, ""};
        if (parts_[i].match(name, next)) deeper.push_back(std::move(next));
      }
    found = std::move(deeper);
  }
  if (folders_ == parts_.size()) return found;
  std::vector<FoundFolder> with_files;
  for (const FoundFolder& folder : found) add_words(survey, folder, folder, folders_, with_files);
  return with_files;
}

void LayoutPattern::add_words(const FolderSurvey& survey, const FoundFolder& base,
                              const FoundFolder& place, std::size_t depth,
                              std::vector<FoundFolder>& found) const {
  const SurveyedFolder& content = survey.at(place.path);
  const Part& part = parts_[depth];
  const auto is_known = [&](const FoundFolder& folder) {
    return std::any_of(found.begin(), found.end(), [&](const FoundFolder& known) {
      return known.path == base.path && known.word == folder.word;
    });
  };
  if (depth + 1 == parts_.size()) {
    for (const std::string& name : content.images) {
      FoundFolder folder{base.path, place.split, place.word, ""};
      if (is_known(folder) || !part.match(name.substr(0, describe_name(name).stem_length), folder))
        continue;
      folder.expression = expression(folder.word);
      found.push_back(std::move(folder));
    }
    return;
  }
  std::size_t examined = 0;
  for (const std::string& name : content.folders) {
    FoundFolder next{joined(place.path, name), place.split, place.word, ""};
    if (!part.match(name, next) || ++examined > kMostExamined) continue;
    add_words(survey, base, next, depth + 1, found);
    if (part.word_group == 0 && is_known(next)) return;
  }
}

std::string LayoutPattern::expression(const std::string& word) const {
  const std::string literal = literal_pattern(word);
  const std::array placeholders{Placeholder{"{*}", "([^/]+)"}, Placeholder{"{n}", "([0-9]+)"},
                                Placeholder{"{images}", literal}, Placeholder{"{labels}", literal}};
  std::string all = "^";
  for (std::size_t i = folders_; i < parts_.size(); ++i)
    all += placeholder_pattern(parts_[i].text, placeholders) +
           (i + 1 < parts_.size() ? "/" : "\\.[^./]+$");
  return all;
}

bool is_images_word(std::string_view name) {
  static const PathPattern words = compiled(std::string(kImagesWords));
  return matches(words, name);
}
bool is_labels_word(std::string_view name) {
  static const PathPattern words = compiled(std::string(kLabelsWords));
  return matches(words, name);
}

std::set<std::string> words_of(std::string_view path) {
  std::set<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.insert(std::exchange(word, ""));
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool upper = std::isupper(static_cast<unsigned char>(path[i])) != 0;
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(path[i - 1])) != 0;
    if (std::string_view("/_-. ").find(path[i]) != std::string_view::npos || (upper && after_lower))
      finish();
    if (std::string_view("/_-. ").find(path[i]) == std::string_view::npos)
      word += lowered(path.substr(i, 1));
  }
  finish();
  return words;
}

bool has_word(std::string_view path, bool (*is_word)(std::string_view)) {
  const std::set<std::string> words = words_of(path);
  return is_word(last_part(path)) || std::any_of(words.begin(), words.end(), is_word);
}

std::string split_in(std::string_view path) {
  for (const std::string& word : words_of(path))
    if (usual_split_name(word)) return word;
  return {};
}

}  // namespace hotpack::pipeline
