#include "discovery/pairings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "discovery/layout_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/listed_path.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Texts = std::vector<std::string>;
using Words = std::set<std::string>;

constexpr std::size_t kMostFolders = 96;  // that are compared; of more, none
constexpr std::size_t kMostFiles = 200'000;
constexpr std::size_t kMostForms = 6;     // of names in one folder
constexpr std::size_t kMostMembers = 32;  // pairs of folders in a command
constexpr std::size_t kMostSuggestions = 4;
constexpr std::size_t kExamples = 3;
constexpr std::size_t kLeastPercent = 95;
constexpr std::string_view kDigits = "0123456789";

// ---- texts

Words common(const Words& a, const Words& b) {
  Words both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

Words without(const Words& a, const Words& b) {
  Words rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

bool has_word(const Words& words, bool (*is_word)(std::string_view)) {
  return std::any_of(words.begin(), words.end(), is_word);
}

// The folders of a path.
Words parts_of(std::string_view path) {
  Words parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.emplace(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// ".png" if all files have this extension; otherwise "".
std::string extension_of(const Texts& files) {
  const std::string extension = files[0].substr(files[0].rfind('.'));
  const auto has = [&](const std::string& file) { return file.ends_with(extension); };
  return std::all_of(files.begin(), files.end(), has) ? extension : "";
}

// ---- files of one form

// Files below a folder whose paths are `before`, a key and `after`: "rgb_", "0001", ".png". Without
// both, all files: their keys are their paths without extension.
struct Part {
  // marked: files with and without a word of labels in one folder: "x.png", "x_mask_1.png"
  enum class Form { marked, whole, number, fixed, folder, several } form = Form::whole;
  std::string folder, before, after;
  Texts keys;   // sorted, each once
  Texts files;  // paths below the root
  Looks looks;

  [[nodiscard]] std::string place() const { return joined(folder, before + after); }
  // "{key}_mask.png"; empty for all files. Keys may begin with the text in front of them.
  [[nodiscard]] std::string pattern(bool with_before) const {
    return after.empty() ? "" : (with_before ? before : "") + "{key}" + after;
  }
};

struct NamedFile {
  std::string below, folder, name;  // the path, the folder and the name below the part's folder
};

// Collects the parts of one folder.
class Parts {
 public:
  Parts(const FolderSurvey& survey, std::string folder) : folder_(std::move(folder)) {
    const std::size_t start = folder_.empty() ? 0 : folder_.size() + 1;
    for (const FolderSurvey::Entry* entry : survey.within(folder_)) {
      const std::string& place = entry->first;
      const std::string inner = place.size() > start ? place.substr(start) : "";
      for (const std::string& name : entry->second.images)
        files_.push_back({joined(place, name), inner, name});
    }
  }

  std::vector<Part> find() {
    if (files_.size() > kMostFiles) return {};
    for (const NamedFile& file : files_)
      add(Part::Form::whole, "", "", joined(file.folder, stem(file.name)), file);
    finish();
    for (const NamedFile& file : files_)
      add(Part::Form::marked,
          has_word(words_of(stem(file.name)), is_labels_word) ? "mask" : "image", "",
          joined(file.folder, stem(file.name)), file);
    finish();
    add_names();
    finish();
    for (const NamedFile& file : files_) {
      const std::size_t slash = file.folder.rfind('/');
      add(Part::Form::folder, "", "/" + std::string(last_part(file.folder)) + "/*",
          slash == std::string::npos ? "" : file.folder.substr(0, slash), file);
    }
    finish();
    return std::move(parts_);
  }

 private:
  static std::string stem(const std::string& name) {
    return name.substr(0, describe_name(name).stem_length);
  }

  // Parts by the names of files: "rgb_{key}.png", "{key}_mask.png", "{key}/rgb.png" and, of
  // numbered files in a folder per sample, "{key}/mask_*.png".
  void add_names() {
    std::set<std::string> starts;
    bool inside = false;
    for (const NamedFile& file : files_) {
      const std::size_t first = stem(file.name).find_first_of(kDigits);
      if (first != std::string::npos) starts.insert(file.name.substr(0, first));
      inside = inside || !file.folder.empty();
    }
    for (const NamedFile& file : files_) {
      const std::string name = stem(file.name);
      const std::size_t first = name.find_first_of(kDigits);
      if (first == std::string::npos) {
        add(Part::Form::fixed, "", "/" + file.name, file.folder, file);
        continue;
      }
      if (inside && starts.size() > 1) continue;
      const std::size_t last = name.find_last_of(kDigits) + 1;
      const std::string before = inside ? "" : name.substr(0, first);
      add(Part::Form::number, before, file.name.substr(last),
          joined(file.folder, name.substr(before.size(), last - before.size())), file);
    }
    finish();
    for (const NamedFile& file : files_) {
      const std::string name = stem(file.name);
      const std::size_t first = name.find_first_of(kDigits);
      if (first != std::string::npos)
        add(Part::Form::several, "",
            "/" + name.substr(0, first) + "*" + file.name.substr(name.find_last_of(kDigits) + 1),
            file.folder, file);
    }
  }

  void add(Part::Form form, const std::string& before, const std::string& after, std::string key,
           const NamedFile& file) {
    if (key.empty()) return;
    Part& part = found_[{form, before, after}];
    part.form = form, part.folder = folder_, part.before = before, part.after = after;
    part.keys.push_back(std::move(key));
    part.files.push_back(file.below);
  }

  void finish() {
    if (found_.size() <= kMostForms)
      for (auto& [form, part] : found_) {
        std::sort(part.keys.begin(), part.keys.end());
        const auto end = std::unique(part.keys.begin(), part.keys.end());
        // Two files of one key are no problem only if they are the masks of an image.
        const bool several = end != part.keys.end();
        part.keys.erase(end, part.keys.end());
        if ((part.keys.size() > 1 || part.form == Part::Form::whole) &&
            (!several || part.form >= Part::Form::folder))
          parts_.push_back(std::move(part));
      }
    found_.clear();
  }

  std::string folder_;
  std::vector<NamedFile> files_;
  std::map<std::tuple<Part::Form, std::string, std::string>, Part> found_;
  std::vector<Part> parts_;
};

std::size_t count_common(const Texts& a, const Texts& b) {
  Texts both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

bool is_most(std::size_t count, std::size_t of) { return count * 100 >= of * kLeastPercent; }

// ---- pairs

struct Pair {
  const Part* images = nullptr;
  const Part* labels = nullptr;
  Affix affix;           // by which the names of labels are longer
  std::string several;   // "_" if the labels of an image have its key, this text and another
  bool classes = false;  // this text is the class of a mask
  std::size_t pairs = 0;
  int evidence = 0;
  std::size_t likeness = 0;  // common words of the paths
  std::string name, shape;   // what differs between pairs of a data set, and the rest
};

bool may_pair(const Part& images, const Part& labels) {
  using Form = Part::Form;
  if (images.files.size() > images.keys.size()) return false;
  if (images.folder == labels.folder) {
    if (images.form == Form::marked || labels.form == Form::marked)
      return images.form == labels.form && images.before != "mask";
    if (images.form == Form::whole || images.form == Form::several) return false;
    return labels.form == images.form ||
           (images.form <= Form::fixed && labels.form <= Form::fixed) ||
           (images.form == Form::fixed && labels.form == Form::several);
  }
  const bool apart =
      !is_within(images.folder, labels.folder) && !is_within(labels.folder, images.folder);
  return images.form == labels.form &&
         (images.form == Form::number || (apart && images.form == Form::whole));
}

// Signs that `labels` are the labels of `images`; less than 1 if they cannot be.
int evidence_of(const Part& images, const Part& labels) {
  const Words image_words = words_of(images.place()), label_words = words_of(labels.place());
  const Words own_images = without(image_words, label_words),
              own_labels = without(label_words, image_words);
  const bool named =
                 has_word(own_labels, is_labels_word) || is_labels_word(last_part(labels.folder)),
             images_named =
                 has_word(own_images, is_images_word) || is_images_word(last_part(images.folder));
  const bool images_are_labels =
      has_word(own_images, is_labels_word) ||
      (has_word(image_words, is_labels_word) && images.folder != labels.folder &&
       !has_word(own_labels, is_labels_word));
  if (images_are_labels || images.looks.both() || labels.looks.both()) return 0;
  if (labels.looks.photographs > 0 && (!named || (labels.looks.jpeg && !images_named))) return 0;
  return (named ? 3 : 0) + (images_named ? 2 : 0) + (labels.looks.label_like > 0 ? 3 : 0) +
         (images.looks.photographs > 0 ? 1 : -3);
}

// Divides the paths of a pair into a name that differs between pairs, and a shape.
void name_pair(Pair& pair) {
  const std::string images = pair.images->folder, labels = pair.labels->folder;
  std::string name = split_in(images);
  Words replaced{name};
  if (name.empty() || name != split_in(labels)) {
    std::size_t end = 0;
    const std::string a = images + "/", b = labels + "/";
    for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
      if (a[i] == '/') end = i;
    name = images.substr(0, end);
    replaced = parts_of(lowered(name));
    if (name.empty()) {
      replaced = common(words_of(images.substr(0, images.find('/'))), words_of(labels));
      for (const std::string& word : replaced) name += (name.empty() ? "" : "_") + word;
    }
  }
  pair.name = name;
  for (const std::string& text : {images, labels}) {
    std::string rest = lowered(text);
    Texts longest(replaced.begin(), replaced.end());
    std::stable_sort(longest.begin(), longest.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::string& word : longest)
      for (std::size_t at = rest.find(word); !word.empty() && at != std::string::npos;
           at = rest.find(word, at + 2))
        rest.replace(at, word.size(), "{}");
    pair.shape += rest + "\n";
  }
  pair.shape += pair.images->before + "\n" + pair.images->after + "\n" + pair.labels->before +
                "\n" + pair.labels->after + "\n" + pair.affix.text + pair.several;
}

class Finder {
 public:
  explicit Finder(const FolderSurvey& survey) : survey_(survey) {
    const Texts folders = survey.all_folders();
    if (folders.size() > kMostFolders) return;  // a command for some of them would lose the others
    for (const std::string& folder : folders)
      for (Part& part : Parts(survey, folder).find()) {
        part.looks = look_at(survey.root, part.files);
        parts_.push_back(std::move(part));
      }
  }

  Pairings find() {
    find_pairs();
    keep_outer();
    keep_alike();
    std::map<std::string, std::vector<const Pair*>> groups;
    for (const Pair& pair : pairs_) groups[pair.shape].push_back(&pair);
    std::vector<std::vector<const Pair*>> sorted;
    sorted.reserve(groups.size());
    for (auto& [shape, group] : groups) sorted.push_back(std::move(group));
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return std::pair(a.front()->evidence, a.size()) > std::pair(b.front()->evidence, b.size());
    });
    Pairings found{masks_per_class(), {}};
    const bool complete = std::all_of(sorted.begin(), sorted.end(), [](const auto& group) {
      return group.size() <= kMostMembers;
    });
    for (const auto& group : sorted)
      if (complete && found.suggestions.size() < kMostSuggestions)
        found.suggestions.push_back(suggestion(group));
    for (const Pair& pair : pairs_)
      found.folders.insert({pair.images->folder, pair.labels->folder});
    return found;
  }

 private:
  void find_pairs() {
    for (const Part& images : parts_)
      for (const Part& labels : parts_) {
        if (&images == &labels || !may_pair(images, labels)) continue;
        Pair pair;
        pair.images = &images, pair.labels = &labels;
        pair.pairs = count_common(images.keys, labels.keys);
        if (pair.pairs == 0 && images.form == Part::Form::whole &&
            images.keys.size() == labels.keys.size())
          find_affix(pair);
        if (images.form <= Part::Form::whole && images.keys.size() < labels.keys.size())
          find_several(pair);
        if (!is_most(pair.pairs, images.keys.size()) ||
            (pair.several.empty() && !is_most(pair.pairs, labels.keys.size())))
          continue;
        const std::string split = split_in(images.folder), other = split_in(labels.folder);
        pair.evidence = evidence_of(images, labels);
        if (pair.evidence < 1 || pair.evidence <= evidence_of(labels, images) ||
            (!split.empty() && !other.empty() && split != other) ||
            !is_most(labels.files.size(), matching_files(labels, images)))
          continue;
        pair.likeness = common(words_of(images.folder), words_of(labels.folder)).size();
        name_pair(pair);
        pairs_.push_back(std::move(pair));
      }
  }

  // Counts the files that match the pattern of `labels`.
  [[nodiscard]] std::size_t matching_files(const Part& labels, const Part& images) const {
    if (labels.after.empty()) return labels.files.size();
    const Texts files = survey_.images_below(labels.folder);
    const std::string before = labels.before == images.before ? "" : labels.before;
    return static_cast<std::size_t>(
        std::count_if(files.begin(), files.end(), [&](const std::string& file) {
          return below(labels, file).starts_with(before) && file.ends_with(labels.after);
        }));
  }

  // Finds several labels of an image: "7_0", "7_1" of "7". Each must begin with the key of an
  // image.
  static void find_several(Pair& pair) {
    const Texts& keys = pair.images->keys;
    Words labeled, rests;
    for (const std::string& label : pair.labels->keys) {
      std::size_t end = label.size();
      do end = label.find_last_of("_-. ", end - 1);
      while (end != std::string::npos && end > 0 &&
             !std::binary_search(keys.begin(), keys.end(), label.substr(0, end)));
      if (end == std::string::npos || end == 0) return;
      labeled.insert(label.substr(0, end));
      rests.insert(label.substr(end));
    }
    std::string start = *rests.begin();
    const std::string& last = *rests.rbegin();
    start.erase(std::mismatch(start.begin(), start.end(), last.begin(), last.end()).first,
                start.end());
    if (!rests.contains(start)) start.erase(start.find_last_of("_-. ") + 1);
    if (start.empty() || !is_most(labeled.size(), keys.size())) return;
    pair.pairs = labeled.size(), pair.several = start;
    pair.classes = pair.images->form == Part::Form::whole &&
                   std::all_of(rests.begin(), rests.end(), [](const std::string& rest) {
                     return rest.find_first_of(kDigits) == std::string::npos;
                   });
  }

  static void find_affix(Pair& pair) {
    const SortedNames images(pair.images->keys.begin(), pair.images->keys.end()),
        labels(pair.labels->keys.begin(), pair.labels->keys.end());
    for (Affix& affix : likely_affixes(images, labels))
      if (const auto count = count_affixed(images, labels, affix); count > pair.pairs)
        pair.pairs = count, pair.affix = std::move(affix);
  }

  // Removes pairs of folders that lie within those of another pair, and those of a form of names if
  // the same folders pair as a whole.
  void keep_outer() {
    const std::vector<Pair> all = pairs_;
    std::erase_if(pairs_, [&](const Pair& pair) {
      return std::any_of(all.begin(), all.end(), [&](const Pair& outer) {
        const bool same = outer.images->folder == pair.images->folder &&
                          outer.labels->folder == pair.labels->folder;
        return is_within(pair.images->folder, outer.images->folder) &&
               is_within(pair.labels->folder, outer.labels->folder) &&
               (same ? outer.images->form < pair.images->form && outer.several.empty()
                     : outer.images->form == Part::Form::marked ||
                           (outer.images->after == pair.images->after &&
                            outer.labels->after == pair.labels->after));
      });
    });
  }

  // Removes pairs across sequences whose files have the same names: those whose labels have a
  // partner with more words in common.
  void keep_alike() {
    const std::vector<Pair> all = pairs_;
    std::erase_if(pairs_, [&](const Pair& pair) {
      return std::any_of(all.begin(), all.end(), [&](const Pair& other) {
        return other.likeness > pair.likeness && other.labels == pair.labels;
      });
    });
  }

  // If all folders in one hold labels of the same images: the folders may be classes.
  [[nodiscard]] std::vector<Suggestion> masks_per_class() const {
    std::map<std::pair<std::string, std::string>, Texts> folders;
    for (const Pair& pair : pairs_)
      if (pair.labels->form == Part::Form::whole && pair.affix.text.empty() &&
          pair.several.empty() && pair.labels->folder.find('/') != std::string::npos)
        folders[{pair.images->folder, folder_of(pair.labels->folder)}].emplace_back(
            last_part(pair.labels->folder));
    std::vector<Suggestion> found;
    for (const auto& [sides, names] : folders)
      if (names.size() > 1 && names.size() == survey_.children(sides.second).size() &&
          !std::any_of(names.begin(), names.end(), usual_split_name))
        found.push_back({"If the folders in " + quoted_text(sides.second) +
                             " hold the masks of a class each (" +
                             quoted_list_text(names, kMostForms) + ")",
                         whole_command("--images " + shell_path(survey_.path(sides.first)) +
                                       " --labels " + shell_path(survey_.path(sides.second)) +
                                       " --mask-per-class '{class}/{key}'")});
    return found;
  }

  [[nodiscard]] Suggestion suggestion(const std::vector<const Pair*>& group) const {
    const Pair& first = *group.front();
    std::size_t pairs = 0;
    bool splits = group.size() > 1;
    std::string options;
    std::set<std::string> used;
    for (const Pair* pair : group) {
      for (const Part* part : {pair->images, pair->labels})
        used.insert(part->files.begin(), part->files.end());
      pairs += pair->pairs;
      splits = splits && usual_split_name(pair->name);
      options += (options.empty() ? "--images " : " --images ") + value(*pair->images, *pair) +
                 " --labels " + value(*pair->labels, *pair);
      if (group.size() > 1) options += " " + value_option("--key-prefix", prefix_of(pair->name));
    }
    if (group.size() == 1) splits = begins_with_splits(*first.images);
    if (splits) options += " --split folder";
    if (first.classes)
      options += " --mask-per-class " + shell_word("{key}" + first.several + "{class}");
    if (!first.affix.text.empty() && !first.affix.in_front)
      options += " " + value_option("--label-suffix", first.affix.text);
    const bool several =
        !first.several.empty() || first.labels->files.size() > first.labels->keys.size();
    const std::string about =
        place_text(*first.labels, first) + " holds the labels of " +
        place_text(*first.images, first) + (group.size() > 1 ? ", and so on" : "") + " (" +
        counted_text(pairs, "pair") +
        (first.classes ? ", a mask per class"
         : several     ? ", several masks of an image, which are merged"
                       : "") +
        examples(first) + ")" +
        survey_.left_out_text([&](const std::string& file) { return used.contains(file); });
    return {"If " + about, whole_command(options)};
  }

  // The pattern in the value of --images or --labels; empty for a folder.
  static std::string pattern_of(const Part& part, const Pair& pair) {
    if (&part == pair.labels && pair.affix.in_front) return pair.affix.text + "{key}.*";
    if (&part == pair.labels && !pair.several.empty() && !pair.classes)
      return "{key}" + pair.several + "*" + extension_of(part.files);
    return part.pattern(pair.images->before != pair.labels->before);
  }

  // The value of --images or --labels.
  [[nodiscard]] std::string value(const Part& part, const Pair& pair) const {
    const std::string pattern = pattern_of(part, pair);
    return shell_path(pattern.empty() ? survey_.path(part.folder)
                                      : path_below(survey_.path(part.folder), pattern));
  }

  // The folders of a name, joined by '-', since a prefix is one folder of the keys.
  static std::string prefix_of(const std::string& name) {
    std::string prefix;
    for (std::string_view rest = name; !rest.empty();) {
      const std::string part(rest.substr(0, rest.find('/')));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      if (prefix != part) prefix += (prefix.empty() ? "" : "-") + part;
    }
    return prefix;
  }

  static std::string place_text(const Part& part, const Pair& pair) {
    const std::string place =
        joined(part.folder, pair.affix.text.empty() ? pattern_of(part, pair) : "");
    return quoted_text(place.empty() ? "." : place);
  }

  // True if the keys begin with names of splits.
  static bool begins_with_splits(const Part& part) {
    return std::all_of(part.keys.begin(), part.keys.end(), [](const std::string& key) {
      const std::size_t slash = key.find('/');
      return slash != std::string::npos && usual_split_name(key.substr(0, slash));
    });
  }

  static std::string examples(const Pair& pair) {
    std::string text;
    std::size_t count = 0;
    for (const std::string& image : pair.images->files) {
      const std::string* label = label_of(pair, image);
      if (label == nullptr || count++ == kExamples) continue;
      text += (count == 1 ? ": " : ", ") + quoted_text(below(*pair.images, image)) + " with " +
              quoted_text(below(*pair.labels, *label));
      if (count == kExamples) break;
    }
    return text;
  }

  static const std::string* label_of(const Pair& pair, const std::string& image) {
    const std::string own = key_of(*pair.images, image),
                      key = pair.affix.in_front ? pair.affix.text + own : own + pair.affix.text;
    for (const std::string& label : pair.labels->files)
      if (const std::string other = key_of(*pair.labels, label);
          pair.several.empty() ? other == key : other.starts_with(own + pair.several))
        return &label;
    return nullptr;
  }

  static std::string below(const Part& part, const std::string& file) {
    return file.substr(part.folder.empty() ? 0 : part.folder.size() + 1);
  }

  static std::string key_of(const Part& part, const std::string& file) {
    const std::string path = below(part, file);
    if (part.after.empty())
      return path.substr(
          0, path.size() - last_part(path).size() + describe_name(last_part(path)).stem_length);
    std::size_t end = path.size() - part.after.size();
    if (const std::size_t star = part.after.find('*'); star != std::string::npos)
      end = path.rfind(part.after.substr(0, star));
    return path.substr(part.before.size(), end - part.before.size());
  }

  const FolderSurvey& survey_;
  std::vector<Part> parts_;
  std::vector<Pair> pairs_;
};

}  // namespace

Pairings find_pairings(const FolderSurvey& survey) { return Finder(survey).find(); }

}  // namespace hotpack::pipeline
