#include "pipeline/sample_folders.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "pipeline/file_kind.hpp"
#include "pipeline/file_list.hpp"
#include "pipeline/folder_pattern.hpp"
#include "pipeline/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr char kFolder = '\x01';  // in a role: the name of the folder
constexpr char kNumber = '\x02';  // in a role: any digits
constexpr std::size_t kMostRoles = 6;
constexpr std::size_t kMostNames = 4;  // that are the same to the letter and may be numbers: more are a class's pictures
constexpr std::uint64_t kFirstPercent = 90, kSecondPercent = 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct SampleFolder {
  std::string name;
  std::vector<std::string> files;  // pictures, in byte order
};

// Nothing where pictures lie deeper.
Result<std::optional<std::vector<SampleFolder>>> read_folders(const std::string& root) {
  using Folders = std::vector<SampleFolder>;
  HOTPACK_ASSIGN(const FolderContent content, read_folder(root));
  Folders folders;
  for (const std::string& name : content.folders) {
    HOTPACK_ASSIGN(FolderContent within, read_folder(path_below(root, name)));
    std::erase_if(within.files, [](const std::string& file) { return describe_name(file).kind != FileKind::picture; });
    if (!within.folders.empty()) return std::optional<Folders>();
    if (!within.files.empty()) folders.push_back({name, std::move(within.files)});
  }
  return std::optional(std::move(folders));
}

// Whether `text` at `place` is the folder's name and no part of a longer number.
bool is_name_at(std::string_view text, std::size_t place, std::string_view name) {
  if (text.substr(place, name.size()) != name) return false;
  const std::size_t end = place + name.size();
  const bool goes_on = end < text.size() && is_digit(text[end]) && is_digit(name.back());
  return !goes_on && (place == 0 || !is_digit(text[place - 1]) || !is_digit(name.front()));
}

// What a file is to its sample: its stem without what differs from folder to folder.
std::string role_of(std::string_view stem, std::string_view folder, bool numbers_differ) {
  std::string role;
  for (std::size_t i = 0; i < stem.size();) {
    if (is_name_at(stem, i, folder)) {
      role += kFolder;
      i += folder.size();
    } else if (numbers_differ && is_digit(stem[i])) {
      role += kNumber;
      while (i < stem.size() && is_digit(stem[i])) ++i;
    } else {
      role += stem[i++];
    }
  }
  return role;
}

struct Role {
  std::string text;
  std::uint64_t folders = 0;  // that have such a file
  std::uint64_t jpegs = 0;
  std::set<std::string> extensions;
  std::string example;
};

// By role; nothing where one is in a folder twice.
std::optional<std::map<std::string, Role>> roles_of(const std::vector<SampleFolder>& folders, bool numbers_differ) {
  std::map<std::string, Role> roles;
  for (const SampleFolder& folder : folders) {
    std::set<std::string> here;
    for (const std::string& file : folder.files) {
      const FileName name = describe_name(file);
      std::string text = role_of(std::string_view(file).substr(0, name.stem_length), folder.name, numbers_differ);
      if (!here.insert(text).second) return std::nullopt;
      Role& role = roles[text];
      ++role.folders;
      role.jpegs += name.is_jpeg ? 1 : 0;
      role.extensions.insert(file.substr(name.stem_length));
      if (role.example.empty()) role.example = folder.name + "/" + file;
      role.text = std::move(text);
    }
    if (roles.size() > kMostRoles) return std::nullopt;
  }
  return roles;
}

// The commonest first; empty where the folders do not look like samples.
std::vector<Role> likely_roles(const std::vector<SampleFolder>& folders) {
  std::optional<std::map<std::string, Role>> found = roles_of(folders, true);
  const bool same_names = !found;
  if (same_names) found = roles_of(folders, false);
  if (!found || (same_names && found->size() > kMostNames)) return {};
  std::vector<Role> roles;
  for (auto& [text, role] : *found) roles.push_back(std::move(role));
  std::stable_sort(roles.begin(), roles.end(), [](const Role& a, const Role& b) { return a.folders > b.folders; });
  // cat/cat1.jpg, cat/cat2.jpg: the pictures of a class, numbered.
  const auto counts = [](const Role& role) {
    return role.text.find(kFolder) != std::string::npos && std::none_of(role.text.begin(), role.text.end(), [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
           });
  };
  if (same_names && std::any_of(roles.begin(), roles.end(), counts)) return {};
  const bool many = roles.size() >= 2 && roles[0].folders * 100 >= folders.size() * kFirstPercent &&
                    roles[1].folders * 100 >= folders.size() * kSecondPercent;
  return many ? roles : std::vector<Role>();
}

// Whether a word of the role is one by which folders of such files are called.
bool has_word(const Role& role, bool (*is_word)(std::string_view)) {
  std::string word;
  for (const char c : role.text + "_") {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      word += c;
    } else {
      if (!word.empty() && is_word(word)) return true;
      word.clear();
    }
  }
  return false;
}

using Place = std::vector<Role>::const_iterator;

// The label is called like one; else it is the one that is no JPEG.
Place label_among(const std::vector<Role>& roles) {
  const auto named = std::find_if(roles.begin(), roles.end(), [](const Role& role) { return has_word(role, is_labels_word); });
  if (named != roles.end()) return named;
  const auto last = roles.begin() + 2;
  const auto other = std::find_if(roles.begin(), last, [](const Role& role) { return role.jpegs == 0 && !has_word(role, is_images_word); });
  return other != last && (other->text.find_first_not_of({kFolder, kNumber, '\0'}) != std::string::npos) ? other : roles.begin() + 1;
}

Place image_among(const std::vector<Role>& roles, Place label) {
  Place best = roles.end();
  const auto rank = [](const Role& role) { return std::pair(has_word(role, is_images_word), role.jpegs > 0); };
  for (Place role = roles.begin(); role != roles.end(); ++role)
    if (role != label && (best == roles.end() || rank(*role) > rank(*best))) best = role;
  return best;
}

std::string regex_of(const Role& role) {
  std::string text = "^(.*)/";
  for (const char c : role.text) {
    if (c == kFolder) {
      text += "\\1";
    } else if (c == kNumber) {
      text += "[0-9]+";
    } else {
      if (std::string_view("^$\\.*+?()[]{}|").find(c) != std::string_view::npos) text += '\\';
      text += c;
    }
  }
  const bool one = role.extensions.size() == 1;
  return text + "\\." + (one ? role.extensions.begin()->substr(1) : std::string("[^.]+")) + "$";
}

}  // namespace

Result<std::optional<SampleFolders>> find_sample_folders(const std::string& root) {
  HOTPACK_ASSIGN(const std::optional<std::vector<SampleFolder>> folders, read_folders(root));
  if (!folders || folders->size() < 2) return std::optional<SampleFolders>();
  const std::vector<Role> roles = likely_roles(*folders);
  if (roles.empty()) return std::optional<SampleFolders>();
  const Place label = label_among(roles), image = image_among(roles, label);
  SampleFolders found;
  found.folders = folders->size();
  found.incomplete = found.folders - std::min(label->folders, image->folders);
  found.image = image->example, found.label = label->example;
  found.image_regex = regex_of(*image), found.label_regex = regex_of(*label);
  found.more_files = roles.size() > 2;
  return std::optional(std::move(found));
}

}  // namespace hotpack::pipeline
