#include "samples/input_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_text.hpp"
#include "files/scan.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

std::string without_end_slashes(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// Combines root folders with their key prefixes.
Result<std::vector<Root>> roots_of(const std::vector<std::string>& folders,
                                   const std::vector<std::string>& prefixes,
                                   std::string_view option) {
  if (!prefixes.empty() && prefixes.size() != folders.size())
    return usage_error("--key-prefix is given " + std::to_string(prefixes.size()) + " times, " +
                       std::string(option) + " " + std::to_string(folders.size()) +
                       " times: give one prefix per folder");
  std::vector<Root> roots;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::string prefix = prefixes.empty() ? "" : prefixes[i];
    if (!prefix.empty() && prefix.back() != '/') prefix += '/';
    if (!valid_key_prefix(prefix))
      return usage_error("--key-prefix " + prefixes[i] +
                         ": must be a relative path in UTF-8 without empty, . or .. parts");
    roots.push_back({without_end_slashes(folders[i]), std::move(prefix)});
  }
  return roots;
}

bool same_folders(const std::vector<Root>& a, const std::vector<Root>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Root& one, const Root& other) {
    std::error_code failure;
    return std::filesystem::equivalent(one.folder, other.folder, failure) && !failure;
  });
}

Status require_files(const FileList& list, const ProblemLog& problems) {
  if (list.files.empty() && problems.count() == 0) return no_images(folders_text(list), list);
  return {};
}

// An initializer list would copy the files.
std::vector<FileSet> one_set(FileSet set) {
  std::vector<FileSet> sets;
  sets.push_back(std::move(set));
  return sets;
}

Result<FileSet> scan_set(const std::vector<Root>& images, const std::vector<Root>& labels,
                         ProblemLog& problems) {
  FileSet set;
  HOTPACK_ASSIGN(set.images, scan_images(images, problems));
  HOTPACK_TRY(require_files(set.images, problems));
  if (labels.empty()) return set;
  set.labeled = true;
  set.one_folder = same_folders(images, labels);
  if (set.one_folder) {
    set.labels = set.images;
    set.labels.other_files = 0;
  } else {
    HOTPACK_ASSIGN(set.labels, scan_images(labels, problems));
    HOTPACK_TRY(require_files(set.labels, problems));
  }
  return set;
}

Result<FileSet> scan_classes(const std::vector<Root>& roots, ProblemLog& problems) {
  FileSet set;
  set.by_folder = true;
  HOTPACK_ASSIGN(set.images, scan_class_folders(roots, problems));
  HOTPACK_TRY(require_files(set.images, problems));
  return set;
}

// Fails if the class folders have names of splits (train, val, …) and contain nothing but folders:
// then they are splits, and the user has given the folder above them.
Status check_level(const FileList& list) {
  const bool splits =
      !list.files.empty() && !list.class_folders.empty() &&
      std::all_of(list.class_folders.begin(), list.class_folders.end(), usual_split_name);
  const auto is_deep = [&](const FoundFile& file) {
    const std::string_view below = list.below(file);
    return below.find('/', below.find('/') + 1) != std::string_view::npos;
  };
  if (!splits || !std::all_of(list.files.begin(), list.files.end(), is_deep)) return {};
  const std::string& folder = list.roots.front().folder;
  return usage_error(
      "--image-folders " + folder + ": its folders (" + quoted_list_text(list.class_folders, 1) +
      ") have names of splits and contain only folders. Give " + quoted_text(folder) +
      " without an option, add --split folder, or give --image-folders " + folder + "/" +
      list.class_folders.front());
}

// A folder of images without class folders is a test set.
Result<FileSet> scan_split_of_classes(const std::string& name, const std::vector<Root>& roots,
                                      ProblemLog& problems) {
  bool has_folders = false;
  for (const Root& root : roots) {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(root.folder));
    has_folders = has_folders || !content.folders.empty();
  }
  HOTPACK_ASSIGN(FileSet set,
                 has_folders ? scan_classes(roots, problems) : scan_set(roots, {}, problems));
  set.name = name;
  return set;
}

Result<std::vector<FileSet>> scan_splits_of_classes(const std::vector<Root>& roots,
                                                    ProblemLog& problems) {
  std::map<std::string, std::vector<Root>> splits;
  for (const Root& root : roots) {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(root.folder));
    for (const std::string& name : content.folders)
      splits[name].push_back({path_below(root.folder, name), ""});
  }
  if (splits.empty())
    return data_error("holds no folders that could be splits; leave out --split folder",
                      roots.front().folder);
  std::vector<FileSet> sets;
  for (const auto& [name, folders] : splits) {
    HOTPACK_ASSIGN(FileSet set, scan_split_of_classes(name, folders, problems));
    sets.push_back(std::move(set));
  }
  return sets;
}

// Drops the files whose names contain one of the texts.
void exclude(FileList& list, const std::vector<std::string>& texts) {
  const std::size_t before = list.files.size();
  std::erase_if(list.files, [&](const FoundFile& file) {
    const std::string_view name = last_part(list.below(file));
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return name.find(text) != name.npos; });
  });
  list.other_files += before - list.files.size();
}

Result<FileSet> scan_split(const SplitFolders& split, ProblemLog& problems) {
  const std::vector<Root> images{{split.images, ""}};
  if (split.labels.empty()) return scan_set(images, {}, problems);
  return scan_set(images, {{split.labels, ""}}, problems);
}

}  // namespace

Result<std::vector<FileSet>> scan_image_folders(const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const std::vector<Root> images,
                 roots_of(input.images, input.key_prefixes, "--images"));
  std::vector<Root> labels;
  if (!input.labels.empty()) {
    HOTPACK_ASSIGN(labels, roots_of(input.labels, input.key_prefixes, "--labels"));
  }
  HOTPACK_ASSIGN(FileSet set, scan_set(images, labels, problems));
  return one_set(std::move(set));
}

Result<std::vector<FileSet>> scan_class_roots(const InputOptions& input, ProblemLog& problems) {
  HOTPACK_ASSIGN(const std::vector<Root> roots,
                 roots_of(input.image_folders, input.key_prefixes, "--image-folders"));
  const bool by_folder = input.split.method == SplitOptions::Method::folder;
  if (by_folder && input.key_prefixes.empty()) return scan_splits_of_classes(roots, problems);
  HOTPACK_ASSIGN(FileSet set, scan_classes(roots, problems));
  HOTPACK_TRY(check_level(set.images));
  return one_set(std::move(set));
}

Result<std::vector<FileSet>> scan_layout(const Layout& layout, ProblemLog& problems) {
  std::vector<FileSet> sets;
  for (const SplitFolders& split : layout.splits) {
    const bool listed = !split.list.empty();
    if (listed && !sets.empty()) continue;
    HOTPACK_ASSIGN(FileSet set, scan_split(split, problems));
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
