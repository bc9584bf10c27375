// Where packs lie: a path names a pack, the folder of a data set's splits, each a pack, or a folder of several such data sets.
//
// Reads folders only. Thread-safe. Failure: none; what cannot be listed holds no packs; of the path itself and
// the folders directly in it, one that cannot be looked into counts as a pack, and whoever opens it says why.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hotpack::pipeline {

// A data set's folder holds its splits, a folder of several data sets those folders.
inline constexpr int kPackLevels = 3;

// The packs that a path names: itself, also where its manifest is still missing, or the packs in it, at most so many folders deep, by name;
// next to a finished one those that are not finished count too. None where it is no pack. One that links name again counts once.
[[nodiscard]] std::vector<std::string> packs_at(const std::string& path, int levels = kPackLevels);

// Those of all paths, in their order; a path that names none stands for itself, so that opening it says what it is.
[[nodiscard]] std::vector<std::string> packs_at(std::span<const std::string> paths);

// Names of the folders directly in `folder` that hold shards, sorted; none where it holds shards itself.
[[nodiscard]] std::vector<std::string> folders_with_shards(const std::string& folder);

// Whether every shard that the names in a folder describe is there.
[[nodiscard]] bool has_all_shards(const std::string& folder);

// The path of a pack that `packs_at(folder)` named, from that folder on: "val", "city/val".
[[nodiscard]] std::string name_within(const std::string& folder, const std::string& pack);

}  // namespace hotpack::pipeline
