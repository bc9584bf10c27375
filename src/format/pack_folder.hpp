// Decides from the names in a folder which are shards, which is the manifest, and which are other
// parts of a packed data set.
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
  std::vector<ShardName> shards;  // by count, then index
  // of the manifest or of shards: a run is writing them or was killed
  std::vector<std::string> temporaries;
  std::vector<std::string> others;  // not part of a data set
};

// All lists except `shards` keep the order of `names`.
[[nodiscard]] PackFolder describe_pack_folder(const std::vector<std::string>& names);

// True for names of the manifest and of shards.
[[nodiscard]] bool is_pack_file(std::string_view name);

}  // namespace hotpack::format
