// The names of a folder, sorted by their bytes, in one text: folders of millions of files are
// usual.
//
// Plain values; thread-safe to read. Failure: code `io` for a folder that cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class FolderEntries {
 public:
  // Reads the names that are no junk files (file_kind.hpp).
  [[nodiscard]] static Result<FolderEntries> read(const std::string& folder);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view name(std::size_t i) const {
    return std::string_view(text_).substr(entries_[i].start, entries_[i].length);
  }
  // The type that the folder itself tells: DT_REG, DT_DIR, …, or DT_UNKNOWN if its file system does
  // not tell any.
  [[nodiscard]] unsigned char type(std::size_t i) const {
    return static_cast<unsigned char>(entries_[i].type);
  }

 private:
  struct Entry {
    std::uint64_t start : 40;  // in text_
    std::uint64_t length : 16;
    std::uint64_t type : 8;
  };
  void add(std::string_view name, unsigned char type);
  void sort();

  std::string text_;
  std::vector<Entry> entries_;
};

}  // namespace hotpack::pipeline
