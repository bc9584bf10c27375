// Reads one record in steps, some under the fault guard and some that may allocate.
//
// Ownership: borrows the shard and the thread's scratch. For one thread.
// operator() does not allocate, lock or throw, and its frames own nothing, so siglongjmp may
// leave it. It goes as far as it can. Then the record was used (done()), is faulty (fault()), or
// needs room or bytes from the disk, which provide() gets outside of the guard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/open_files.hpp"
#include "loader/record_source.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::loader {

struct RecordUser {
  RecordSource::Use use = nullptr;
  void* context = nullptr;
};

class RecordReading {
 public:
  // `by_calls`: `file` has only tables; provide() reads the payload with system calls.
  RecordReading(const reader::ShardFile& file, std::uint64_t index, bool check, bool by_calls,
                RecordScratch& scratch, RecordUser user);

  void operator()() noexcept;
  [[nodiscard]] bool done() const { return stage_ == Stage::done; }
  [[nodiscard]] const reader::RecordFault& fault() const { return fault_; }

  // Grows the scratch, or reads the payload from `files`. Errors do not name the record.
  [[nodiscard]] Status provide(OpenFiles& files, std::size_t shard);

  [[nodiscard]] std::uint64_t stored_bytes() const {
    return image_.stored.bytes.size() + label_.stored.bytes.size();
  }

 private:
  // The next step.
  enum class Stage { find, check, unpack, done };
  // One field of the record.
  struct Part {
    const format::FieldTables* field = nullptr;  // null: no label
    std::vector<std::uint8_t>* scratch = nullptr;
    std::uint64_t size_bytes = 0;  // size of the content
    reader::StoredRecord stored;   // in the mapping, or read into scratch
    std::span<const std::uint8_t> content;
  };

  // Each returns true if all is well, else sets fault_.
  bool find() noexcept;
  bool find_part(Part& part, std::uint64_t size_bytes) noexcept;
  bool check() noexcept;
  bool check_part(Part& part) noexcept;
  bool unpack_part(Part& part) noexcept;
  bool failed(const reader::RecordFault& fault) noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  void make_room();
  [[nodiscard]] Status fetch(OpenFiles& files, std::size_t shard);
  [[nodiscard]] Status fetch_part(const File& opened, Part& part,
                                  std::span<std::uint8_t> frame_room);

  const reader::ShardFile& file_;
  std::uint64_t index_;
  bool check_;
  bool by_calls_;
  RecordScratch& scratch_;
  RecordUser user_;
  Stage stage_ = Stage::find;
  reader::RecordFault fault_;
  Record record_;
  Part image_;
  Part label_;
};

}  // namespace hotpack::loader
