#include "discovery/class_folders.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "discovery/layout_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"

namespace hotpack::pipeline {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kMostNames = 4;          // of classes in a message
constexpr std::size_t kMostSuggestions = 4;    // of folders of classes
constexpr std::string_view kCopies = "thumb";  // small copies of images: "thumbs", "thumbnails"

std::string parent_of(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash);
}

class Finder {
 public:
  explicit Finder(const FolderSurvey& survey) : survey_(survey) {}

  ClassFolders find(const std::set<std::string>& paired) {
    for (const std::string& folder : survey_.all_folders())
      if (holds_classes(folder) && !is_paired(folder, paired) && !is_of_labels(folder) &&
          !are_of_two_kinds(folder))
        classes_[folder] = classes_in(folder);
    add_single_classes();
    ClassFolders found;
    found.sure = !classes_.empty();
    for (const auto& [folder, names] : classes_)
      found.sure =
          found.sure && look_at(survey_.root, survey_.images_below(folder)).label_like == 0;
    std::set<std::string> done;
    for (const auto& [folder, names] : classes_)
      if (!done.contains(folder) && found.suggestions.size() < kMostSuggestions)
        found.suggestions.push_back(suggestion(folder, done));
    // Sequences rather than classes.
    if (done.size() < classes_.size()) found.suggestions.clear();
    return found;
  }

 private:
  [[nodiscard]] bool has_images(const std::string& folder) const {
    return !survey_.at(folder).images.empty();
  }

  // The folders in one that hold images, without small copies.
  [[nodiscard]] Names classes_in(const std::string& folder) const {
    Names names = survey_.children(folder);
    std::erase_if(names,
                  [](const std::string& name) { return lowered(name).starts_with(kCopies); });
    return names;
  }

  [[nodiscard]] bool holds_classes(const std::string& folder) const {
    const Names names = classes_in(folder);
    std::set<std::string> within;  // the folders that hold the images
    for (const std::string& name : names) {
      const std::string path = joined(folder, name);
      const Names deeper = survey_.children(path);
      if (!has_images(path) && (deeper.size() != 1 || !has_images(joined(path, deeper[0]))))
        return false;
      within.insert(has_images(path) ? "" : deeper[0]);
    }
    const bool splits = std::all_of(names.begin(), names.end(), usual_split_name);
    return names.size() > 1 && (within.size() == 1 || within.contains("")) && !splits;
  }

  static bool is_paired(const std::string& folder, const std::set<std::string>& paired) {
    return std::any_of(paired.begin(), paired.end(), [&](const std::string& other) {
      return is_within(folder, other) || parent_of(other) == folder;
    });
  }

  [[nodiscard]] bool is_of_labels(const std::string& folder) const {
    bool images = false, labels = false, label_like = false;
    Names paths{folder};
    for (const std::string& name : survey_.children(folder)) paths.push_back(joined(folder, name));
    for (const std::string& path : paths) {
      const bool named = has_word(path == folder ? path : last_part(path), is_labels_word);
      if (path != folder && is_images_word(last_part(path))) return true;
      images = images || (path != folder && has_word(last_part(path), is_images_word));
      labels = labels || named;
      label_like =
          label_like || (named && look_at(survey_.root, survey_.images_below(path)).label_like > 0);
    }
    return (images && labels) || label_like;
  }

  // True if photographs and images that look like labels lie together, or in folders of their own.
  [[nodiscard]] bool are_of_two_kinds(const std::string& folder) const {
    constexpr std::size_t kMostLooks = 16;  // folders that are examined
    bool photographs = false, label_like = false;
    std::size_t looked = 0;
    for (const std::string& name : classes_in(folder)) {
      if (looked++ == kMostLooks) break;
      const Looks looks = look_at(survey_.root, survey_.images_below(joined(folder, name)));
      if (looks.both()) return true;
      photographs = photographs || looks.photographs > 0;
      label_like = label_like || looks.label_like > 0;
    }
    return photographs && label_like;
  }

  // Adds splits with one class next to splits that also have this class.
  void add_single_classes() {
    const std::map<std::string, Names> all = classes_;
    for (const auto& [folder, names] : all)
      for (const std::string& sibling : survey_.children(parent_of(folder))) {
        const std::string path = joined(parent_of(folder), sibling);
        const Names own = survey_.children(path);
        if (usual_split_name(sibling) && usual_split_name(last_part(folder)) && own.size() == 1 &&
            has_images(joined(path, own[0])) &&
            std::find(names.begin(), names.end(), own[0]) != names.end())
          classes_[path] = own;
      }
  }

  // `done` receives the folders that the command packs.
  Suggestion suggestion(const std::string& folder, std::set<std::string>& done) const {
    const std::string split = split_in(folder);
    std::string options;
    std::set<std::string> splits;
    for (const auto& [other, names] : classes_) {
      const std::string own = split_in(other);
      if (other != folder && (split.empty() || own.empty() || splits.contains(own))) continue;
      splits.insert(own);
      done.insert(other);
      options +=
          (options.empty() ? "" : " ") + option(other) + " " + value_option("--key-prefix", own);
    }
    const bool whole = are_splits(parent_of(folder));
    const std::string place = whole ? parent_of(folder) : folder;
    if (whole || splits.size() > 1)
      options = (whole ? option(place) : options) + " --split folder";
    else
      options = option(folder);
    return {"If each folder" + (place.empty() ? "" : " in " + quoted_text(place)) +
                " is a class (" + quoted_list_text(classes_.at(folder), kMostNames) + ")",
            whole_command(options)};
  }

  // True if all folders in one are splits with classes, or hold images directly, and one of the
  // splits has classes.
  [[nodiscard]] bool are_splits(const std::string& folder) const {
    const Names names = survey_.children(folder);
    return !classes_.contains(folder) &&
           std::all_of(names.begin(), names.end(), [&](const std::string& name) {
             const std::string path = joined(folder, name);
             return usual_split_name(name) &&
                    (classes_.contains(path) || survey_.children(path).empty());
           });
  }

  [[nodiscard]] std::string option(const std::string& folder) const {
    std::string text = "--image-folders " +
                       shell_path(folder.empty() ? survey_.root : path_below(survey_.root, folder));
    for (const std::string& name : survey_.children(folder))
      if (lowered(name).starts_with(kCopies)) text += " --exclude " + shell_word(name);
    return text;
  }

  const FolderSurvey& survey_;
  std::map<std::string, Names> classes_;  // by folder
};

}  // namespace

ClassFolders find_class_folders(const FolderSurvey& survey, const std::set<std::string>& paired) {
  return Finder(survey).find(paired);
}

}  // namespace hotpack::pipeline
