// Reads one record in steps. Steps that access the mapping run under the fault guard
// (base/fault_guard.hpp); steps that may allocate run outside of it.
//
// Ownership: borrows the shard and the thread's scratch memory. For one thread. operator() does not
// allocate, lock or throw, and owns nothing that a destructor releases, so siglongjmp may leave it.
// It does as much as it can. Afterwards there are three cases: the record was read and used (done()
// is true); the record is faulty (fault() says why); or memory, or bytes from the disk, are needed.
// In the last case the caller calls provide(), outside of the guard, and then operator() again.
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
  // `by_calls`: `file` contains only its tables; provide() reads the payload with system calls.
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
  // The step that comes next.
  enum class Stage { find, check, unpack, done };
  // One field of the record.
  struct Part {
    const format::FieldTables* field = nullptr;  // null: no label
    std::vector<std::uint8_t>* scratch = nullptr;
    std::uint64_t size_bytes = 0;  // size of the content
    reader::StoredRecord stored;   // in the mapping, or read into scratch
    std::span<const std::uint8_t> content;
  };

  // Each of these returns true if all is well; otherwise it sets fault_ and returns false.
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
