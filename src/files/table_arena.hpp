// The text of a table, whose memory goes to the paths that its rows name: a table of millions of
// samples is then in memory once.
//
// Paths overwrite rows that have been read; what does not fit there follows the text, which then
// keeps its size. Not thread-safe. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "files/file_list.hpp"

namespace hotpack::pipeline {

class TableArena {
 public:
  explicit TableArena(std::string text) : text_(std::make_shared<std::string>(std::move(text))) {}

  // The table. Rows before the argument `read` of the last add() are gone.
  [[nodiscard]] std::string_view table() const { return *text_; }

  // Returns where `path` starts in the arena that finish() returns. The first `read` bytes of the
  // table may be overwritten; `path` must not lie in them.
  std::uint64_t add(std::string_view path, std::size_t read);

  // Ends the table.
  [[nodiscard]] TextArena finish();

 private:
  std::shared_ptr<std::string> text_;
  std::size_t used_ = 0;  // bytes at the beginning that hold paths
  std::string more_;      // what follows the text
};

}  // namespace hotpack::pipeline
