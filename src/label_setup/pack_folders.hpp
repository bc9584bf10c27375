// Finds packs. A path may name a pack, the folder of a data set with one pack per split, or a
// folder of several such data sets.
//
// Reads folders only. Thread-safe. Cannot fail: a folder that cannot be listed counts as one
// without packs. But if the path itself, or a folder directly in it, cannot be read, it counts as a
// pack: opening it then reports why.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hotpack::pipeline {

// The folder of a data set holds its splits, a folder of several data sets holds such folders.
inline constexpr int kPackLevels = 3;

// Returns the packs that a path names, sorted: the path itself, even without its manifest, or the
// packs in it, at most `levels` folders deep. Unfinished packs (without a manifest) are included
// only if at least one pack is finished. Returns an empty list if there is no pack. A pack to which
// several links lead is returned once.
[[nodiscard]] std::vector<std::string> packs_at(const std::string& path, int levels = kPackLevels);

// Returns the packs of all paths, in the order of the paths. A path without packs is returned
// itself, so that opening it reports why it is no pack.
[[nodiscard]] std::vector<std::string> packs_at(std::span<const std::string> paths);

// Returns the names of the folders directly in `folder` that contain shards, sorted; none if
// `folder` contains shards itself.
[[nodiscard]] std::vector<std::string> folders_with_shards(const std::string& folder);

// True if every shard that the names in a folder imply exists.
[[nodiscard]] bool has_all_shards(const std::string& folder);

// The path of a pack that `packs_at(folder)` found, relative to that folder: "val", "city/val".
[[nodiscard]] std::string name_within(const std::string& folder, const std::string& pack);

}  // namespace hotpack::pipeline
