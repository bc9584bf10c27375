// A receipt: what one part of a pack has finished, in a small file. `merge --receipts` makes the
// manifest from receipts alone, so no machine needs to see all shards. PLAN.md specifies the file.
//
// Plain values and pure functions, except ReceiptBook, which owns the receipt of a run and its
// file. A ReceiptBook is not thread-safe. Failure: `damaged` for a text that is not a receipt;
// `usage` for a file that must not be replaced; `io`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "pack/plan.hpp"
#include "settings/options.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

// A finished shard, with the keys of its first and last planned sample.
struct ReceiptShard {
  writer::FinishedShard finished;
  std::string first_key, last_key;
};

// The shards of one split.
struct ReceiptSet {
  std::string split;        // empty without splits
  std::string fingerprint;  // of schema and plan
  // Both are empty in a part of a plan that has not the first shard: the receipt that has it says
  // them for all.
  std::string schema_text, plan_text;
  std::uint64_t shard_count = 0;  // of the split, not of the part
  int channels = 3;
  std::size_t class_count = 0;
  std::map<std::uint64_t, ReceiptShard> shards;  // by index
};

struct Receipt {
  Partition partition;
  std::vector<ReceiptSet> sets;
};

[[nodiscard]] std::string encode_receipt(const Receipt& receipt);
[[nodiscard]] Result<Receipt> decode_receipt(std::string_view text);

// "part-00003-of-00040.json"
[[nodiscard]] std::string receipt_name(const Partition& partition);
// True for a name that receipt_name() returns.
[[nodiscard]] bool is_receipt_name(std::string_view name);

// The receipt of the current run, with those shards of an earlier run that still belong to it.
class ReceiptBook {
 public:
  // Creates `folder` if it is missing, and reads the receipt of an earlier run of the same part.
  [[nodiscard]] static Result<ReceiptBook> open(const std::string& folder,
                                                const Partition& partition);

  // Begins with a split and returns its number. Drops its earlier shards if `forget` is true;
  // otherwise refuses, with `usage`, to replace shards of another plan.
  [[nodiscard]] Result<std::size_t> begin_set(const std::string& split, const Plan& plan,
                                              bool forget);

  // Returns the shard if it is in the receipt with these sources; else null.
  [[nodiscard]] const ReceiptShard* find(std::size_t set, std::uint64_t shard,
                                         std::string_view sources) const;
  // Adds a shard, and writes the file now and then, so that a killed run loses little.
  [[nodiscard]] Status add(std::size_t set, std::uint64_t index, ReceiptShard shard);
  // Keeps what another run of the same part has written meanwhile.
  [[nodiscard]] Status write();
  [[nodiscard]] bool begun() const { return !receipt_.sets.empty(); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ReceiptBook(std::string folder, const Partition& partition);
  std::string folder_, path_;
  Receipt receipt_;
  Receipt earlier_;
  bool forgets_ = false;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace hotpack::pipeline
