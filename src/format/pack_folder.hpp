// What the names in a folder say about a packed data set.
//
// Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/plan_text.hpp"

namespace hotpack::format {

struct PackFolder {
  bool has_manifest = false;
  std::vector<ShardName> shards;         // by count, then index
  std::vector<std::string> temporaries;  // of the manifest or of shards: a run is writing them, or was killed
  std::vector<std::string> others;       // no part of a data set
};

// Each list but `shards` keeps the order of `names`.
[[nodiscard]] PackFolder describe_pack_folder(const std::vector<std::string>& names);

// Whether a file of this name belongs to a data set: the manifest or a shard.
[[nodiscard]] bool is_pack_file(std::string_view name);

}  // namespace hotpack::format
