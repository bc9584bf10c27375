#include "reader/record_fault.hpp"

#include <utility>

namespace hotpack::reader {

namespace {

std::string hex32(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(8, '0');
  for (std::size_t i = 0; i < 8; ++i) text[i] = kDigits[value >> (28 - 4 * i) & 15];
  return text;
}

}  // namespace

std::string RecordFault::text() const {
  if (kind == Kind::none) return {};
  if (kind == Kind::key_outside) return "the key lies outside key.data";
  const std::string name = field->name + ": ";
  const std::string sum = of_frame ? "CRC-32C of its frame" : "CRC-32C";
  switch (kind) {
    case Kind::impossible_shape:
      return name + "its shape is impossible";
    case Kind::outside:
      return name + "its bytes lie outside " + field->payload->name;
    case Kind::other_size:
      return name + "it has " + std::to_string(found) + " bytes, but its shape needs " +
             std::to_string(wanted);
    case Kind::no_crc:
      return name + "no table contains its " + sum;
    case Kind::other_crc:
      return name + sum + " is " + hex32(found) + ", the shard says " + hex32(wanted) +
             ", so the " + field->name + " is damaged";
    default:
      return name + frame.text();
  }
}

std::string record_name(std::uint64_t index, std::string_view key) {
  const std::string name = "record " + std::to_string(index);
  return key.empty() ? name : name + " (" + std::string(key) + ")";
}

Error name_record(Error error, std::uint64_t index, std::string_view key) {
  if (error.code != ErrorCode::damaged && error.code != ErrorCode::io) return error;
  error.message = record_name(index, key) + ": " + error.message;
  error.record = index;
  error.key = key;
  return error;
}

}  // namespace hotpack::reader
