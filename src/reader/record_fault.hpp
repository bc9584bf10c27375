// What is wrong with one record, as plain values: found where nothing may be allocated (under a fault guard), put into words afterwards.
//
// A fault borrows the field from its ShardFile. Thread-safety: that of plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/shard_header.hpp"
#include "hotpack/result.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::reader {

struct RecordFault {
  enum class Kind {
    none,
    key_outside,       // of key.data
    impossible_shape,  // of `field`; for these all
    outside,           // of the payload
    other_size,        // than its shape needs
    no_crc,            // no table holds it
    other_crc,
    bad_frame,
  };
  Kind kind = Kind::none;
  const format::FieldTables* field = nullptr;
  std::uint64_t offset = 0;  // in the file: of the record, or of the item of a table that is wrong
  std::uint64_t found = 0;   // of other_size and other_crc
  std::uint64_t wanted = 0;
  bool of_frame = false;  // of no_crc and other_crc: of the compressed bytes
  FrameFault frame{};     // of bad_frame

  explicit operator bool() const { return kind != Kind::none; }
  [[nodiscard]] std::string text() const;  // "image: CRC-32C is 01234567, the shard says 89abcdef"
};

// "record 17 (street/0017)"; without a key "record 17".
[[nodiscard]] std::string record_name(std::uint64_t index, std::string_view key);

// Puts the record before what is wrong with it: "record 17 (street/0017): …". Other codes than `damaged` and `io` stay as they are.
[[nodiscard]] Error name_record(Error error, std::uint64_t index, std::string_view key);

}  // namespace hotpack::reader
