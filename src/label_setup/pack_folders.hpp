// Finds packs: a path names a pack, the folder of a data set with one pack per split, or a folder
// of several such data sets.
//
// Reads folders only. Thread-safe. Cannot fail: a folder that cannot be listed holds no packs. But
// the path itself, or a folder directly in it, counts as a pack if it cannot be read: opening it
// then reports why.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hotpack::pipeline {

// The folder of a data set holds its splits, a folder of several data sets holds such folders.
inline constexpr int kPackLevels = 3;

// Returns the packs that a path names, sorted: the path itself, even without its manifest, or the
// packs in it, at most `levels` folders deep. Includes unfinished packs (without a manifest) only
// if one of the packs is finished. Empty if the path names no pack. Returns a pack with several
// links once.
[[nodiscard]] std::vector<std::string> packs_at(const std::string& path, int levels = kPackLevels);

// The packs of all paths, in their order; a path without packs stands for itself, so that opening
// it reports why.
[[nodiscard]] std::vector<std::string> packs_at(std::span<const std::string> paths);

// Names of the folders directly in `folder` that hold shards, sorted; none if it holds shards
// itself.
[[nodiscard]] std::vector<std::string> folders_with_shards(const std::string& folder);

// True if every shard that the names in a folder imply exists.
[[nodiscard]] bool has_all_shards(const std::string& folder);

// The path of a pack that `packs_at(folder)` found, relative to that folder: "val", "city/val".
[[nodiscard]] std::string name_within(const std::string& folder, const std::string& pack);

}  // namespace hotpack::pipeline
