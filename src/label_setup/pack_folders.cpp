#include "label_setup/pack_folders.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/folder.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "format/plan_text.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;

// Returns whether the folder contains a manifest. If the system cannot say, returns `in_doubt`; if
// that is true, the caller opens the pack, and the error says why.
bool has_manifest(const fs::path& folder, bool in_doubt = true) {
  std::error_code failed;
  return fs::exists(folder / format::kManifestName, failed) || (failed && in_doubt);
}

// Empty if the folder cannot be listed.
FolderNames content_of(const fs::path& folder) {
  auto names = names_by_kind(folder.string());
  if (!names.ok()) return {};
  std::erase(names->folders, "lost+found");  // a folder of the file system that only root may read
  return *std::move(names);
}

bool has_shards(const FolderNames& content) {
  return !format::describe_pack_folder(content.others).shards.empty();
}

// Device and inode, which identify a folder that several links name.
using Identity = std::pair<dev_t, ino_t>;

class PackSearch {
 public:
  explicit PackSearch(int levels) : levels_(levels) {}

  std::vector<std::string> run(const fs::path& path) {
    look_at(path, 0);
    return std::move(packs_);
  }

 private:
  void look_at(const fs::path& path, int depth) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !seen_.emplace(status.st_dev, status.st_ino).second)
      return;
    if (has_manifest(path, depth <= 1)) return packs_.push_back(path.string());
    const FolderNames content = content_of(path);
    if (has_shards(content)) return packs_.push_back(path.string());
    if (depth == levels_) return;
    // A real folder takes precedence over links to it.
    for (const bool links : {false, true})
      for (const std::string& name : content.folders)
        if (is_link(path / name) == links) look_at(path / name, depth + 1);
  }

  static bool is_link(const fs::path& path) {
    std::error_code ignored;
    return fs::is_symlink(path, ignored);
  }

  int levels_;
  std::set<Identity> seen_;
  std::vector<std::string> packs_;
};

}  // namespace

std::vector<std::string> packs_at(const std::string& path, int levels) {
  std::vector<std::string> packs = PackSearch(levels).run(path);
  const bool finished = std::any_of(packs.begin(), packs.end(),
                                    [](const std::string& pack) { return has_manifest(pack); });
  if (!finished && packs != std::vector{path}) packs.clear();
  std::sort(packs.begin(), packs.end());
  return packs;
}

std::vector<std::string> packs_at(std::span<const std::string> paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    const std::vector<std::string> packs = packs_at(path);
    if (packs.empty()) all.push_back(path);
    all.insert(all.end(), packs.begin(), packs.end());
  }
  return all;
}

std::vector<std::string> folders_with_shards(const std::string& folder) {
  std::vector<std::string> names;
  const FolderNames content = content_of(folder);
  if (has_shards(content)) return names;
  for (const std::string& name : content.folders)
    if (has_shards(content_of(fs::path(folder) / name))) names.push_back(name);
  return names;
}

bool has_all_shards(const std::string& folder) {
  const auto names = names_in_folder(folder);
  if (!names.ok()) return false;
  const std::vector<format::ShardName> shards = format::describe_pack_folder(*names).shards;
  return !shards.empty() && shards.front().count == shards.back().count &&
         shards.size() == shards.back().count;
}

std::string name_within(const std::string& folder, const std::string& pack) {
  return fs::path(pack).lexically_relative(folder).lexically_normal().string();
}

}  // namespace hotpack::pipeline
