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

struct Conflict {
  bool found;
  std::string_view message;
};
// Returns the message of the first conflict that was found.
Status first_of(std::initializer_list<Conflict> conflicts) {
  for (const Conflict& conflict : conflicts)
    if (conflict.found) return usage_error(std::string(conflict.message));
  return {};
}

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
        "alone), --image-folders DIR for class "
        "folders, or --pairs FILE");
  return {};
}

Status check_labels(const InputOptions& input) {
  const bool labels = !input.labels.empty();
  const bool detected = !input.root.empty() || !input.roots.empty();
  const bool masks = !input.mask_per_class.empty();
  return first_of({
      {labels && !input.image_folders.empty(),
       "--labels needs --images; with --image-folders the folder's name is the label"},
      {labels && input.images.empty(), "--labels needs --images"},
      {masks && !labels && !detected,
       "--mask-per-class finds masks in the folders of --labels; give --images and --labels"},
      {masks && !input.label_suffix.empty(),
       "--mask-per-class and --label-suffix exclude each other; write the suffix into the pattern"},
      {!input.label_suffix.empty() && !labels && !detected,
       "--label-suffix needs --labels or the folder of a data set"},
      {!input.image_suffix.empty() && input.images.empty() && input.image_folders.empty() &&
           !detected,
       "--image-suffix needs --images, --image-folders or the folder of a data set"},
  });
}

Status check_names(const InputOptions& input) {
  const bool regex = !input.image_regex.empty() || !input.label_regex.empty();
  const bool suffix = !input.image_suffix.empty() || !input.label_suffix.empty();
  const bool table =
      !input.pairs.empty() || !input.list.empty() || input.split.method == Method::list;
  return first_of({
      {regex && (input.images.empty() || input.labels.empty()),
       "--pair-regex needs --images and --labels"},
      {regex && (input.image_regex.empty() || input.label_regex.empty()),
       "--pair-regex needs two expressions: one for images, one for labels"},
      {input.fold.any() && !input.pairs.empty(),
       "--fold pairs the files of two folders by their names; it cannot be combined with --pairs"},
      {regex && suffix,
       "--pair-regex and suffixes exclude each other; write the suffixes into the expressions"},
      {regex && !input.mask_per_class.empty(),
       "--pair-regex and --mask-per-class exclude each other: both define the keys"},
      {!input.key_prefixes.empty() && input.images.empty() && input.image_folders.empty(),
       "--key-prefix needs --images or --image-folders; give one prefix for each folder"},
      {!input.list_root.empty() && !table,
       "--root names the folder where the paths of --pairs and --list begin, so it needs one of "
       "them; give the folder of a data set without an option"},
      {!input.strip_prefix.empty() && !table, "--strip-prefix needs --pairs or --list"},
      {input.columns.any() && input.pairs.empty(),
       "--columns names columns of the table of --pairs, so it needs --pairs"},
      {!input.roots.empty() && (!input.list.empty() || input.split.method == Method::list),
       "--list and --split list select samples of one data set, and several are given; give one"},
      {!input.exclude.empty() && !input.pairs.empty(),
       "--exclude leaves out files of folders; remove the lines of such files from --pairs"},
      {input.allow_empty && !input.images.empty(),
       "--allow-empty accepts empty class folders; it needs --image-folders"},
      {!input.list.empty() && !input.pairs.empty(),
       "--pairs lists the samples already; leave out --list, which selects samples of folders"},
  });
}

Status check_split(const InputOptions& input) {
  const SplitOptions& split = input.split;
  const bool shares = split.method == Method::ratio || split.method == Method::hash;
  const bool folders = !input.images.empty() || !input.image_folders.empty() ||
                       !input.root.empty() || !input.roots.empty();
  HOTPACK_TRY(first_of({
      {!split.group.empty() && !shares, "--group needs --split ratio or --split hash"},
      {split.method == Method::list && !input.list.empty(),
       "--list and --split list both select samples; give only one of them"},
      {split.method == Method::folder && !folders,
       "--split folder needs --images, --image-folders or the folder of a data set; with --pairs, "
       "name each sample's split in a column 'split' of the table"},
      {split.method == Method::list && !folders,
       "--split list needs --images, --image-folders or the folder of a data set; with --pairs, "
       "name each sample's split in a column 'split' of the table"},
  }));
  HOTPACK_TRY(check_split_names(split.parts));
  if (shares) {
    HOTPACK_TRY(parse_shares(split.parts));
  }
  return {};
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
  HOTPACK_TRY(check_patterns(input));
  if (!input.split.group.empty()) HOTPACK_TRY(PathPattern::compile(input.split.group, "--group"));
  if (!input.mask_per_class.empty()) HOTPACK_TRY(NamePattern::of_masks(input.mask_per_class));
  return {};
}

}  // namespace

Status check_inputs(const InputOptions& input) {
  HOTPACK_TRY(check_sources(input));
  HOTPACK_TRY(check_labels(input));
  HOTPACK_TRY(check_names(input));
  HOTPACK_TRY(check_split(input));
  HOTPACK_TRY(check_streams(input));
  return check_expressions(input);
}

}  // namespace hotpack::pipeline
