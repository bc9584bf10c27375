// Says what an unfinished pack lacks: shards, and the partitions that write them.
//
// Reads only names of files. Thread-safe. Failure: none; about a folder that cannot be read or
// holds no shards of an unfinished pack there is nothing to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hotpack::cli {

// Returns such as "Missing shards: 2-3. To pack them, run partition 1 of 3 again:
// HOTPACK_PARTITIONS=3 and --array=1"; empty if nothing is known or missing. If the folder holds
// splits, the text is about all of them. `partitions` is the number of all partitions.
[[nodiscard]] std::string missing_partitions_text(const std::string& folder,
                                                  std::optional<std::uint64_t> partitions);

}  // namespace hotpack::cli
