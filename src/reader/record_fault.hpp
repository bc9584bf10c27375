// What is wrong with one record, as plain values. Code under the fault guard (base/fault_guard.hpp)
// finds the fault; it must not allocate, so other code makes the error text afterwards.
//
// A fault borrows the field from its ShardFile. Thread-safe as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/shard_header.hpp"
#include "hotpack/result.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::reader {

// The end of the message about a damaged record.
constexpr std::string_view kDamageAdvice =
    "; `hotpack verify` finds all damage, `hotpack pack --repair` repairs it";

struct RecordFault {
  enum class Kind {
    none,
    key_outside,       // beyond key.data
    impossible_shape,  // this and the following are faults of `field`
    outside,           // beyond the payload
    other_size,        // not the size that its shape requires
    no_crc,            // no table has it
    other_crc,
    bad_frame,
  };
  Kind kind = Kind::none;
  const format::FieldTables* field = nullptr;
  std::uint64_t offset = 0;  // in the file: of the record, or of the wrong item of a table
  std::uint64_t found = 0;   // for other_size and other_crc
  std::uint64_t wanted = 0;
  bool of_frame = false;  // for no_crc and other_crc: the CRC of the compressed bytes
  FrameFault frame{};     // for bad_frame

  explicit operator bool() const { return kind != Kind::none; }
  // "image: CRC-32C is 01234567, the shard says 89abcdef, so the image is damaged"
  [[nodiscard]] std::string text() const;
};

// "record 17 (street/0017)"; "record 17" without a key.
[[nodiscard]] std::string record_name(std::uint64_t index, std::string_view key);

// Returns the error with the record before its text, "record 17 (street/0017): …", and in its
// fields. Errors with other codes than `damaged` and `io` are returned unchanged.
[[nodiscard]] Error name_record(Error error, std::uint64_t index, std::string_view key);

}  // namespace hotpack::reader
