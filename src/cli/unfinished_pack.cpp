#include "cli/unfinished_pack.hpp"

#include "pack/missing_shards.hpp"

namespace hotpack::cli {

std::string missing_partitions_text(const std::string& folder,
                                    std::optional<std::uint64_t> partitions) {
  const auto missing = pipeline::find_missing({folder});
  if (!missing || missing->empty()) return "";
  const std::string text = "Missing shards: " + missing->short_list() + ". ";
  if (!partitions)
    return text + "To see the partitions that write them, give the number of all: --partitions N";
  const std::string all = std::to_string(*partitions);
  return text + "To pack them, run these of " + all +
         " partitions again: HOTPACK_PARTITIONS=" + all +
         " and --array=" + missing->partition_list(*partitions);
}

}  // namespace hotpack::cli
