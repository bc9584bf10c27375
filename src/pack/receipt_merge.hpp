// `merge --receipts`: makes the manifests of a pack from the receipts of its parts. No shard needs
// to be on this machine.
//
// The manifest is byte for byte that of a single run. Failure: `data` if shards are missing or two
// receipts have different versions of one; `usage` for receipts of different plans, and for an
// output folder that holds another pack; `damaged` for a file that is not a receipt; `io`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "pack/merge.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct ReceiptMergeOptions {
  std::vector<std::string> sources;  // receipts, or folders of receipts
  std::string output;  // each manifest goes here, or below into the folder of its split
  std::optional<AcceptedSkips> accepted_skips = {};
};

// Returns one report per split, in the order of their names.
[[nodiscard]] Result<std::vector<MergeReport>> merge_receipts(const ReceiptMergeOptions& options,
                                                              Observer& observer);

}  // namespace hotpack::pipeline
