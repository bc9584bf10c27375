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
  const std::string all = std::to_string(*partitions), list = missing->partition_list(*partitions);
  const std::uint64_t count = missing->partition_count(*partitions);
  const std::string which = count == 1 ? "partition " + list + " of " + all
                                       : std::to_string(count) + " of " + all + " partitions";
  return text + "To pack " + (missing->count() == 1 ? "it" : "them") + ", run " + which +
         " again: HOTPACK_PARTITIONS=" + all + " and --array=" + list;
}

}  // namespace hotpack::cli
