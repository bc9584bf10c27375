#include "samples/input_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "files/listed_path.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;

std::string without_end_slashes(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

std::string normal_path(const std::string& folder) {
  std::error_code failure;
  const fs::path path = fs::absolute(folder, failure).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

struct InputRoots {
  std::vector<Root> roots;
  std::vector<NamePattern> patterns = {};  // one per root; empty if no folder is given as a pattern
  std::string given = {};                  // for messages: "--images 'in/{key}.jpg'"
};

// Combines root folders with their key prefixes.
Result<InputRoots> roots_of(const std::vector<std::string>& folders,
                            const std::vector<std::string>& prefixes, std::string_view option) {
  if (!prefixes.empty() && prefixes.size() != folders.size())
    return usage_error("--key-prefix is given " + std::to_string(prefixes.size()) + " times, " +
                       std::string(option) + " " + std::to_string(folders.size()) +
                       " times: give one prefix per folder");
  InputRoots found;
  bool patterns = false;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::string prefix = prefixes.empty() ? "" : prefixes[i];
    if (!prefix.empty() && prefix.back() != '/') prefix += '/';
    if (!valid_key_prefix(prefix))
      return usage_error("--key-prefix " + prefixes[i] +
                         ": must be a relative path in UTF-8 without empty, . or .. parts");
    HOTPACK_ASSIGN(PlacedPattern divided, parse_placed_pattern(folders[i], option));
    patterns = patterns || divided.pattern.given();
    found.roots.push_back({without_end_slashes(std::move(divided.folder)), std::move(prefix)});
    found.patterns.push_back(std::move(divided.pattern));
  }
  if (!patterns) found.patterns.clear();
  found.given = std::string(option) + " " + quoted_list_text(folders, folders.size());
  return found;
}

Status require_files(const FileList& list, const InputRoots& roots, const ProblemLog& problems) {
  if (!list.files.empty() || problems.count() > 0) return {};
  if (roots.patterns.empty()) return no_images(folders_text(list), list);
  return data_error("no PNG or JPEG image matches " + roots.given + " (" +
                    counted_text(list.other_files, "other file") + " below " + folders_text(list) +
                    ")");
}

Result<FileSet> scan_set(const InputRoots& images, const InputRoots& labels, ProblemLog& problems) {
  FileSet set;
  set.image_patterns = images.patterns;
  set.label_patterns = labels.patterns;
  HOTPACK_ASSIGN(set.images, scan_images(images.roots, problems, images.patterns));
  HOTPACK_TRY(require_files(set.images, images, problems));
  if (labels.roots.empty()) return set;
  set.labeled = true;
  const auto real = [](const Root& root) { return real_path(root.folder); };
  set.one_folder = images.patterns.empty() && labels.patterns.empty() &&
                   std::ranges::equal(images.roots, labels.roots, {}, real, real);
  if (set.one_folder) {
    set.labels = set.images;
    set.labels.other_files = 0;
  } else {
    HOTPACK_ASSIGN(set.labels, scan_images(labels.roots, problems, labels.patterns));
    HOTPACK_TRY(require_files(set.labels, labels, problems));
  }
  return set;
}

Result<FileSet> scan_classes(const std::vector<Root>& roots, ProblemLog& problems) {
  FileSet set;
  set.by_folder = true;
  HOTPACK_ASSIGN(set.images, scan_class_folders(roots, problems));
  HOTPACK_TRY(require_files(set.images, {}, problems));
  return set;
}

// Refuses class folders of which two or all have names of splits (train, val, …) and hold nothing
// but folders: then they are splits, and the user has given the folder above them.
Status check_level(const FileList& list) {
  std::vector<std::string> splits = list.class_folders;
  std::erase_if(splits, [](const std::string& name) { return !usual_split_name(name); });
  for (const FoundFile& file : list.files) {
    const std::string_view below = list.below(file), name = below.substr(0, below.find('/'));
    if (below.find('/', name.size() + 1) == below.npos) std::erase(splits, name);
  }
  if (splits.empty() || (splits.size() == 1 && list.class_folders.size() > 1)) return {};
  const std::string& folder = list.roots.front().folder;
  return usage_error("--image-folders " + folder + ": its folders (" + quoted_list_text(splits, 1) +
                     ") have names of splits and contain only folders. Give " +
                     quoted_text(folder) +
                     " without an option, add --split folder, or give --image-folders " + folder +
                     "/" + splits.front());
}

// One set per folder in the roots. A folder of images without class folders is a test set.
Result<std::vector<FileSet>> scan_splits_of_classes(const std::vector<Root>& roots,
                                                    ProblemLog& problems) {
  std::map<std::string, std::vector<Root>> splits;
  std::set<std::string> with_folders;
  for (const Root& root : roots) {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(root.folder));
    for (const std::string& name : content.folders) {
      const std::string folder = path_below(root.folder, name);
      splits[name].push_back({folder, ""});
      HOTPACK_ASSIGN(const FolderContent inner, read_folder(folder));
      if (!inner.folders.empty()) with_folders.insert(name);
    }
  }
  if (splits.empty())
    return data_error("holds no folders that could be splits; leave out --split folder",
                      roots.front().folder);
  std::vector<FileSet> sets;
  std::vector<std::string> names;
  for (const auto& [name, folders] : splits) {
    HOTPACK_ASSIGN(FileSet set, with_folders.contains(name)
                                    ? scan_classes(folders, problems)
                                    : scan_set({folders, {}, ""}, {}, problems));
    set.name = name;
    names.push_back(name);
    sets.push_back(std::move(set));
  }
  if (std::ranges::none_of(sets, &FileSet::by_folder))
    return data_error("--split folder takes the folders in it (" + quoted_list_text(names, 3) +
                          ") for splits, but none of them holds class folders; if they are the "
                          "classes, leave out --split folder",
                      roots.front().folder);
  return sets;
}

// Drops the files whose paths below the root contain one of the texts.
void exclude(FileList& list, const std::vector<std::string>& texts) {
  const std::size_t before = list.files.size();
  std::erase_if(list.files, [&](const FoundFile& file) {
    const std::string_view path = list.below(file);
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return path.find(text) != path.npos; });
  });
  list.other_files += before - list.files.size();
}

// The last `count` parts of a path, or all.
std::string last_parts(const std::string& path, std::size_t count) {
  std::size_t begin = path.size();
  for (; count > 0 && begin != 0; --count) begin = path.rfind('/', begin - 1);
  return path.substr(std::min(begin + 1, path.size()));
}

// Refuses a folder that is given twice or is within another one.
Status check_apart(const std::vector<std::string>& folders) {
  for (const std::string& outer : folders)
    for (const std::string& inner : folders) {
      const std::string above = path_below(real_path(outer), "");
      const std::string below = path_below(real_path(inner), "");
      if (&outer == &inner || !below.starts_with(above)) continue;
      if (below == above)
        return usage_error(quoted_text(outer) + " and " + quoted_text(inner) +
                           " are the same folder; give it once");
      return usage_error(quoted_text(inner) + " is within " + quoted_text(outer) +
                         ", so its samples would be packed twice; give one of the two");
    }
  return {};
}

// The same for the folders of --images or --image-folders that are given without a pattern.
Status check_apart(const InputRoots& given) {
  std::vector<std::string> folders;
  for (std::size_t root = 0; root < given.roots.size(); ++root)
    if (given.patterns.empty() || !given.patterns[root].given())
      folders.push_back(given.roots[root].folder);
  return check_apart(folders);
}

}  // namespace

std::string real_path(const std::string& folder) {
  std::error_code failure;
  const fs::path path = fs::canonical(folder, failure);
  return failure ? normal_path(folder) : path.string();
}

Result<std::vector<std::string>> folder_prefixes(const std::vector<std::string>& folders) {
  HOTPACK_TRY(check_apart(folders));
  std::vector<std::string> prefixes;
  for (std::size_t parts = 1, different = 0; different < folders.size(); ++parts) {
    prefixes.clear();
    for (const std::string& folder : folders)
      prefixes.push_back(last_parts(normal_path(folder), parts));
    different = std::set(prefixes.begin(), prefixes.end()).size();
  }
  for (std::size_t i = 0; i < folders.size(); ++i)
    if (!valid_key_prefix(prefixes[i] + "/"))
      return usage_error("the name of " + quoted_text(folders[i]) +
                         " cannot be the prefix of keys; rename the folder to UTF-8 without "
                         "control characters");
  return prefixes;
}

std::vector<std::string> input_folders(const InputOptions& input) {
  std::vector<std::string> folders{input.roots};
  if (!input.root.empty()) folders.push_back(input.root);
  for (const auto* given : {&input.images, &input.labels, &input.image_folders})
    for (const std::string& value : *given) {
      const Result<PlacedPattern> placed = parse_placed_pattern(value, "");
      folders.push_back(without_end_slashes(placed.ok() ? placed->folder : value));
    }
  return folders;
}

Result<std::vector<FileSet>> scan_image_folders(const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const InputRoots images, roots_of(input.images, input.key_prefixes, "--images"));
  HOTPACK_TRY(check_apart(images));
  InputRoots labels;
  if (!input.labels.empty()) {
    HOTPACK_ASSIGN(labels, roots_of(input.labels, input.key_prefixes, "--labels"));
  }
  std::vector<FileSet> sets(1);
  HOTPACK_ASSIGN(sets[0], scan_set(images, labels, problems));
  return sets;
}

Result<std::vector<FileSet>> scan_class_roots(const InputOptions& input, ProblemLog& problems) {
  for (const std::string& folder : input.image_folders) {
    const std::size_t first = folder.find_first_of("{*");
    if (first == std::string::npos || is_folder(folder)) continue;
    return usage_error("--image-folders '" + folder +
                       "': takes the folder that holds the class folders, and no pattern; give "
                       "--image-folders " +
                       shell_path(folder_of(folder.substr(0, first))));
  }
  HOTPACK_ASSIGN(const InputRoots given,
                 roots_of(input.image_folders, input.key_prefixes, "--image-folders"));
  HOTPACK_TRY(check_apart(given));
  const std::vector<Root>& roots = given.roots;
  const bool by_folder = input.split.method == SplitOptions::Method::folder;
  if (by_folder && input.key_prefixes.empty()) return scan_splits_of_classes(roots, problems);
  std::vector<FileSet> sets(1);
  HOTPACK_ASSIGN(sets[0], scan_classes(roots, problems));
  HOTPACK_TRY(check_level(sets[0].images));
  return sets;
}

Result<std::vector<FileSet>> scan_layout(const Layout& layout, ProblemLog& problems) {
  std::vector<FileSet> sets;
  for (const SplitFolders& split : layout.splits) {
    const bool listed = !split.list.empty();
    if (listed && !sets.empty()) continue;
    InputRoots labels;
    if (!split.labels.empty()) labels.roots = {{split.labels, ""}};
    HOTPACK_ASSIGN(FileSet set, scan_set({{{split.images, ""}}, {}, ""}, labels, problems));
    exclude(set.images, layout.exclude);
    exclude(set.labels, layout.exclude);
    if (!listed) set.name = split.name;
    sets.push_back(std::move(set));
  }
  return sets;
}

Error no_images(std::string_view folders, const FileList& found, std::uint64_t keyless) {
  const std::uint64_t others = found.other_files + keyless;
  std::string text = "no PNG or JPEG image was found below " + std::string(folders);
  if (found.without_suffix > 0)
    text += " whose name has the given suffix (" +
            counted_text(found.without_suffix, "image lacks it", "images lack it") + ")";
  else if (others > 0)
    text += " (" + std::to_string(others) + " other files" +
            (keyless > 0 ? "; an expression, pattern or suffix may be wrong)" : ")");
  if (!found.named_as_suffix.empty()) {
    const std::string name(last_part(found.named_as_suffix));
    text += "; the name of " + quoted_text(found.named_as_suffix) +
            " is the suffix, so that nothing of it is left for the key: give a pattern in place of "
            "the suffix, such as --images " +
            shell_word(path_below(found.roots.front().folder, "{key}/" + name));
  }
  if (!found.annotation.empty()) {
    const FileName name = describe_name(found.annotation);
    text += "; " + quoted_text(found.annotation) + " is " + std::string(name.format.name) +
            ", which is not supported; " + std::string(name.format.advice);
  }
  return data_error(text);
}

std::string folders_text(const FileList& list) {
  std::string text;
  for (const Root& root : list.roots) text += (text.empty() ? "" : ", ") + quoted_text(root.folder);
  return text;
}

}  // namespace hotpack::pipeline
