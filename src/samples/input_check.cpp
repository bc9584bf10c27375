#include "samples/input_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "files/name_pattern.hpp"
#include "files/path_pattern.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

namespace {

using Method = SplitOptions::Method;

Status check_sources(const InputOptions& input) {
  std::vector<std::string_view> sources;
  if (!input.root.empty()) sources.push_back("the folder of a data set");
  if (!input.roots.empty()) sources.push_back("folders of data sets");
  if (!input.images.empty()) sources.push_back("--images");
  if (!input.image_folders.empty()) sources.push_back("--image-folders");
  if (!input.pairs.empty()) sources.push_back("--pairs");
  if (sources.size() > 1)
    return usage_error(std::string(sources[0]) + " and " + std::string(sources[1]) +
                       " both name the samples; give only one of them");
  if (sources.empty() && input.list.empty())
    return usage_error(
        "no images are given; give the folder of a data set, --images DIR (with --labels DIR, or "
        "alone), --image-folders DIR for class folders, or --pairs FILE");
  return {};
}

// Returns the message of the first conflict; "" if there is none.
std::string_view conflict(const InputOptions& input) {
  const bool images = !input.images.empty(), labels = !input.labels.empty();
  const bool classes = !input.image_folders.empty(), pairs = !input.pairs.empty();
  const bool detected = !input.root.empty() || !input.roots.empty();
  const bool masks = !input.mask_per_class.empty(), list = !input.list.empty();
  const bool regex = !input.image_regex.empty() || !input.label_regex.empty();
  const bool suffix = !input.image_suffix.empty() || !input.label_suffix.empty();
  const Method split = input.split.method;
  const bool table = pairs || list || split == Method::list;
  struct Conflict {
    bool found;
    std::string_view message;
  };
  const Conflict conflicts[]{
      {labels && classes,
       "--labels needs --images; with --image-folders the folder's name is the label"},
      {labels && !images, "--labels needs --images"},
      {masks && !labels && !detected,
       "--mask-per-class finds masks in the folders of --labels; give --images and --labels"},
      {masks && !input.label_suffix.empty(),
       "--mask-per-class and --label-suffix exclude each other; write the suffix into the pattern"},
      {!input.label_suffix.empty() && !labels && !detected,
       "--label-suffix needs --labels or the folder of a data set"},
      {!input.image_suffix.empty() && !images && !classes && !detected,
       "--image-suffix needs --images, --image-folders or the folder of a data set"},
      {regex && !(images && labels), "--pair-regex needs --images and --labels"},
      {regex && (input.image_regex.empty() || input.label_regex.empty()),
       "--pair-regex needs two expressions: one for images, one for labels"},
      {input.fold.any() && pairs,
       "--fold pairs the files of two folders by their names; it cannot be combined with --pairs"},
      {regex && suffix,
       "--pair-regex and suffixes exclude each other; write the suffixes into the expressions"},
      {regex && masks,
       "--pair-regex and --mask-per-class exclude each other: both define the keys"},
      {!input.key_prefixes.empty() && !images && !classes,
       "--key-prefix needs --images or --image-folders; give one prefix for each folder"},
      {!input.list_root.empty() && !table,
       "--root names the folder where the paths of --pairs and --list begin, so it needs one of "
       "them; give the folder of a data set without an option"},
      {!input.strip_prefix.empty() && !table, "--strip-prefix needs --pairs or --list"},
      {input.columns.any() && !pairs,
       "--columns names columns of the table of --pairs, so it needs --pairs"},
      {!input.roots.empty() && (list || split == Method::list),
       "--list and --split list select samples of one data set, and several are given; give one"},
      {!input.exclude.empty() && pairs,
       "--exclude leaves out files of folders; remove the lines of such files from --pairs"},
      {input.allow_empty && images,
       "--allow-empty accepts empty class folders; it needs --image-folders"},
      {list && pairs,
       "--pairs lists the samples already; leave out --list, which selects samples of folders"},
      {!input.split.group.empty() && split != Method::ratio && split != Method::hash,
       "--group needs --split ratio or --split hash"},
      {split == Method::list && list,
       "--list and --split list both select samples; give only one of them"},
      {(split == Method::folder || split == Method::list) && !images && !classes && !detected,
       "--split folder and --split list need --images, --image-folders or the folder of a data "
       "set; with --pairs, name each sample's split in a column 'split' of the table"},
  };
  for (const Conflict& each : conflicts)
    if (each.found) return each.message;
  return "";
}

// Standard input can be read once.
Status check_streams(const InputOptions& input) {
  std::vector<std::string> files{input.pairs, input.list};
  if (input.split.method == Method::list)
    for (const SplitOptions::Part& part : input.split.parts) files.push_back(part.value);
  if (std::count(files.begin(), files.end(), "-") <= 1) return {};
  return usage_error(
      "'-' is standard input, which only one list or table can be read from; give files for the "
      "others");
}

// Patterns in --images and --labels define the keys.
Status check_patterns(const InputOptions& input) {
  const std::string other = !input.image_regex.empty()      ? "--pair-regex"
                            : !input.image_suffix.empty()   ? "--image-suffix"
                            : !input.label_suffix.empty()   ? "--label-suffix"
                            : !input.mask_per_class.empty() ? "--mask-per-class"
                                                            : "";
  for (const auto& [folders, option] :
       {std::pair(&input.images, "--images"), std::pair(&input.labels, "--labels")}) {
    for (const std::string& folder : *folders) {
      HOTPACK_ASSIGN(const PlacedPattern divided, parse_placed_pattern(folder, option));
      if (divided.pattern.given() && !other.empty())
        return usage_error(std::string(option) + " '" + folder +
                           "' is a pattern, which says what "
                           "the key is, and so does " +
                           other + "; leave one of them out");
    }
  }
  return {};
}

Status check_expressions(const InputOptions& input) {
  for (const std::string& expression : {input.image_regex, input.label_regex}) {
    if (expression.empty()) continue;
    HOTPACK_ASSIGN(const PathPattern pattern, PathPattern::compile(expression, "--pair-regex"));
    if (pattern.groups() == 0)
      return usage_error("--pair-regex '" + expression +
                         "' has no capture group; add at least one. The captures, joined with "
                         "'/', are the key");
  }
  if (!input.split.group.empty()) HOTPACK_TRY(PathPattern::compile(input.split.group, "--group"));
  if (!input.mask_per_class.empty()) HOTPACK_TRY(NamePattern::of_masks(input.mask_per_class));
  return {};
}

}  // namespace

Status check_inputs(const InputOptions& input) {
  HOTPACK_TRY(check_sources(input));
  if (const std::string_view found = conflict(input); !found.empty())
    return usage_error(std::string(found));
  HOTPACK_TRY(check_split_names(input.split.parts));
  if (input.split.method == Method::ratio || input.split.method == Method::hash)
    HOTPACK_TRY(parse_shares(input.split.parts));
  HOTPACK_TRY(check_streams(input));
  HOTPACK_TRY(check_patterns(input));
  return check_expressions(input);
}

}  // namespace hotpack::pipeline
