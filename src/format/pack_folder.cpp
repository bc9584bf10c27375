#include "format/pack_folder.hpp"

#include <algorithm>
#include <tuple>

#include "base/temporary_name.hpp"
#include "format/manifest.hpp"

namespace hotpack::format {

PackFolder describe_pack_folder(const std::vector<std::string>& names) {
  PackFolder folder;
  for (const std::string& name : names) {
    if (name == kManifestName) {
      folder.has_manifest = true;
    } else if (const auto shard = parse_shard_file_name(name)) {
      folder.shards.push_back(*shard);
    } else {
      (is_pack_file(final_name_of(name)) ? folder.temporaries : folder.others).push_back(name);
    }
  }
  std::sort(folder.shards.begin(), folder.shards.end(), [](const ShardName& a, const ShardName& b) {
    return std::tie(a.count, a.index) < std::tie(b.count, b.index);
  });
  return folder;
}

bool is_pack_file(std::string_view name) {
  return name == kManifestName || parse_shard_file_name(name).has_value();
}

}  // namespace hotpack::format
