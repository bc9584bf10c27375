// Finds packs: a path names a pack, the folder of a data set with one pack per split, or a folder
// of several such data sets.
//
// Reads folders only. Thread-safe. Cannot fail: a folder that cannot be listed holds no packs; but
// if the path itself or a folder directly in it cannot be read, it counts as a pack, and opening it
// reports why.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hotpack::pipeline {

// The folder of a data set holds its splits, a folder of several data sets holds such folders.
inline constexpr int kPackLevels = 3;

// The packs that a path names: itself, even without its manifest, or the packs in it, at most so
// many folders deep, by name; next to a finished pack unfinished ones count too. Empty if it names
// no pack. A pack with several links counts once.
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
