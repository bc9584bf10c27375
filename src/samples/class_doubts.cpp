#include "samples/class_doubts.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "samples/layout_commands.hpp"
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::size_t kNamed = 3;

struct ClassFolder {
  Names folders;  // in lower case
  std::uint64_t images = 0, direct = 0;
  std::string folder, prefix;  // of a first image: its root, and the prefix of its keys
};

std::map<std::string, ClassFolder, std::less<>> folders_of(std::span<SampleList* const> splits) {
  std::map<std::string, ClassFolder, std::less<>> classes;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) {
      if (sample.class_name == kNoClass) continue;
      ClassFolder& found = classes[list->class_names[sample.class_name]];
      const Root& root = list->images.roots[sample.image.root];
      if (found.images++ == 0) found.folder = root.folder, found.prefix = root.key_prefix;
      std::string_view below = list->images.below(sample.image);
      below.remove_prefix(below.find('/') + 1);
      const std::size_t end = below.find('/');
      if (end == std::string_view::npos)
        ++found.direct;
      else if (!usual_split_name(below.substr(0, end)))
        found.folders.emplace(lowered(below.substr(0, end)));
    }
  return classes;
}

// Class folders may hold a few images of their own, such as an overview.
std::string deeper_classes(std::span<SampleList* const> splits, const InputOptions& input) {
  constexpr std::uint64_t kOneIn = 4;
  const auto classes = folders_of(splits);
  if (classes.size() < 2) return "";
  Names common = classes.begin()->second.folders;
  std::uint64_t images = 0, direct = 0;
  std::vector<std::string> names;
  for (const auto& [name, found] : classes) {
    const Names& own = found.folders;
    std::erase_if(common, [&own](const std::string& each) { return !own.contains(each); });
    images += found.images;
    direct += found.direct;
    names.push_back(name);
  }
  if (common.size() < 2 || direct * kOneIn > images) return "";
  const auto& [name, first] = *classes.begin();
  const bool of_split =
      input.split.method == SplitOptions::Method::folder && input.key_prefixes.empty();
  const std::string prefix =
      (of_split ? std::string(last_part(first.folder)) + "/" : first.prefix) + name;
  return "the class folders " + quoted_list_text(names, kNamed) + " hold the same folders (" +
         quoted_list_text({common.begin(), common.end()}, kNamed) +
         "): if these are the classes, give each class folder in an option, with a prefix for its "
         "keys, such as --image-folders " +
         shell_path(path_below(first.folder, name)) + " " + value_option("--key-prefix", prefix);
}

bool has_key(std::span<SampleList* const> splits, std::string_view key) {
  return std::any_of(splits.begin(), splits.end(), [&](const SampleList* list) {
    const auto at = std::lower_bound(
        list->samples.begin(), list->samples.end(), key,
        [&](const Sample& sample, std::string_view text) { return list->key(sample) < text; });
    return at != list->samples.end() && list->key(*at) == key;
  });
}

std::string labels_among(std::span<SampleList* const> splits) {
  constexpr std::uint64_t kOneIn = 3;
  std::uint64_t images = 0, labels = 0;
  std::string first;
  Names words;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) {
      ++images;
      const std::string_view key = list->key(sample);
      const std::string_view ending = label_ending(key);
      if (ending.empty() || !has_key(splits, key.substr(0, key.size() - ending.size()))) continue;
      if (labels++ == 0) first = list->image_path(sample);
      const std::size_t number = ending.find_first_of("_-. ", 1);
      words.insert(number == std::string_view::npos
                       ? std::string(ending) + ".*"
                       : std::string(ending.substr(0, number + 1)) + "*");
    }
  if (labels == 0 || labels * kOneIn < images) return "";
  std::string text = counted_text(labels, "image looks", "images look") +
                     " like labels of others, such as " + quoted_text(first) +
                     ": leave them out with";
  for (const std::string& word : words) text += " --exclude " + shell_word("*" + word);
  return text;
}

}  // namespace

std::vector<std::string> class_doubts(std::span<SampleList* const> splits,
                                      const InputOptions& input) {
  std::vector<std::string> doubts{deeper_classes(splits, input), labels_among(splits)};
  std::erase(doubts, "");
  return doubts;
}

}  // namespace hotpack::pipeline
