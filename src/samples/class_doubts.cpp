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
#include "samples/suffix_rules.hpp"

namespace hotpack::pipeline {

namespace {

using Names = std::set<std::string, std::less<>>;

// Class folders may hold a few images of their own, such as an overview.
std::string deeper_classes(std::span<SampleList* const> splits) {
  constexpr std::size_t kOneIn = 4, kNamed = 3;
  std::map<std::string, Names> folders;  // in each class folder, in lower case
  std::size_t images = 0, direct = 0;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) {
      if (sample.class_name == kNoClass) continue;
      Names& own = folders[list->class_names[sample.class_name]];
      std::string_view below = list->images.below(sample.image);
      below.remove_prefix(below.find('/') + 1);
      const std::string_view folder = below.substr(0, below.rfind('/') + 1);
      const std::string_view first = folder.substr(0, folder.find('/'));
      ++images;
      if (first.empty()) ++direct;
      if (!first.empty() && !usual_split_name(first)) own.insert(lowered(first));
    }
  if (folders.size() < 2) return "";
  Names common = folders.begin()->second;
  std::vector<std::string> names;
  for (const auto& [name, inner] : folders) {
    const Names& own = inner;
    std::erase_if(common, [&](const std::string& each) { return !own.contains(each); });
    names.push_back(name);
  }
  if (common.size() < 2 || direct * kOneIn > images) return "";
  return "the class folders " + quoted_list_text(names, kNamed) + " hold the same folders (" +
         quoted_list_text({common.begin(), common.end()}, kNamed) +
         "): if these are the classes, give each class folder with --image-folders, and a prefix "
         "for its keys with --key-prefix";
}

bool has_key(const SampleList& list, std::string_view key) {
  const auto key_of = [&](const Sample& sample) { return list.key(sample); };
  return std::ranges::binary_search(list.samples, key, {}, key_of);
}

std::string labels_among(std::span<SampleList* const> splits) {
  constexpr std::uint64_t kOneIn = 3;
  std::uint64_t images = 0, labels = 0;
  std::string first;
  Names words;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) {
      ++images;
      const std::string_view key = list->key(sample), ending = label_ending(key);
      const std::string_view image = key.substr(0, key.size() - ending.size());
      if (ending.empty() || std::ranges::none_of(splits, [&](const SampleList* other) {
            return has_key(*other, image);
          }))
        continue;
      if (labels++ == 0) first = list->image_path(sample);
      const std::size_t number = ending.find_first_of("_-. ", 1);
      words.insert(std::string(ending.substr(0, number)) +
                   (number == ending.npos ? ".*" : ending[number] + std::string("*")));
    }
  if (labels == 0 || labels * kOneIn < images) return "";
  std::string text = counted_text(labels, "image looks", "images look") +
                     " like labels of others, such as " + quoted_text(first) +
                     ": leave them out with";
  for (const std::string& word : words) text += " --exclude " + shell_word("*" + word);
  return text;
}

}  // namespace

std::vector<std::string> class_doubts(std::span<SampleList* const> splits) {
  std::vector<std::string> doubts{deeper_classes(splits), labels_among(splits)};
  std::erase(doubts, "");
  return doubts;
}

}  // namespace hotpack::pipeline
