// What happens to a shard after it is finished: with --scratch it leaves that folder for the output
// folder, with --on-shard a command takes it, with --receipt it is written down.
//
// Not thread-safe: one thread at a time calls deliver(). Failure: `io` if a copy fails or the
// command ends with another status than 0; the shard is then not delivered, and the next run of the
// same command makes and delivers it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hotpack/result.hpp"
#include "pack/receipt.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// What the command of --on-shard gets in place of these: words for a shell.
inline constexpr std::string_view kPathPlace = "{}", kSplitPlace = "{split}";

// True if the command has {split}. ${split} is a variable of the shell, and is left to it.
[[nodiscard]] bool names_split(std::string_view command);
// True if a shell needs no quotes for the text, which therefore may stand between quotes.
[[nodiscard]] bool is_plain_word(std::string_view text);

// Returns the folder in which shards are written: --scratch, else the output folder.
[[nodiscard]] const std::string& writing_folder(const RunOptions& run);

// True if finished shards stay in no folder of hotpack: the command of --on-shard takes them away.
[[nodiscard]] bool gives_shards_away(const RunOptions& run);

class ShardDelivery {
 public:
  // `book` may be null: without --receipt. It must outlive the object. `set` is the number of the
  // split in it, `split` the name, empty if there are no splits.
  ShardDelivery(RunOptions run, std::string split, ReceiptBook* book, std::size_t set)
      : run_(std::move(run)), split_(std::move(split)), book_(book), set_(set) {}

  // Delivers a shard that was just written.
  [[nodiscard]] Status deliver(std::uint64_t index, ReceiptShard shard);
  // Delivers a shard that an earlier run left in the output folder, unless the receipt has it.
  [[nodiscard]] Status deliver_kept(std::uint64_t index, ReceiptShard shard);

 private:
  [[nodiscard]] Status hand_over(const std::string& path) const;
  RunOptions run_;
  std::string split_;
  ReceiptBook* book_;
  std::size_t set_;
};

}  // namespace hotpack::pipeline
