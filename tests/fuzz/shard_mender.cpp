#include "fuzz/shard_mender.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/shard_header.hpp"
#include "fuzz/fuzz.hpp"

namespace hotpack::fuzz {
namespace {

using format::FieldTables;
using format::ShardHeader;
using format::Tensor;
using Bytes = std::span<std::byte>;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxMended = 64;  // records; more would cost more than they show

std::size_t header_end(const std::uint8_t* data, std::size_t size) {
  if (size < kLengthBytes) return 0;
  const auto length = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(data));
  return length > size - kLengthBytes ? 0 : kLengthBytes + static_cast<std::size_t>(length);
}

// The text may grow into the blanks after it; the rest of them stays blank.
void mutate_header(std::uint8_t* data, std::size_t end) {
  if (end == kLengthBytes) return;  // libFuzzer requires room
  std::vector<std::uint8_t> text(data + kLengthBytes, data + end);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t size = text.size();
  text.resize(end - kLengthBytes, ' ');
  const std::size_t mutated = LLVMFuzzerMutate(text.data(), size, text.size());
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(mutated), text.end(), std::uint8_t{' '});
  std::copy(text.begin(), text.end(), data + kLengthBytes);
}

void mutate_in_place(std::uint8_t* data, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  std::vector<std::uint8_t> piece(data + begin, data + end);
  piece.resize(LLVMFuzzerMutate(piece.data(), piece.size(), piece.size()));
  std::copy(piece.begin(), piece.end(), data + begin);
}

Bytes piece_of(Bytes file, const ShardHeader& header, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t start = header.buffer_start();
  if (begin > end || end > file.size() - start) return {};
  return file.subspan(static_cast<std::size_t>(start + begin),
                      static_cast<std::size_t>(end - begin));
}

// The stored bytes of a record, if its place can be read.
Bytes stored(Bytes file, const ShardHeader& header, const FieldTables& field, std::uint64_t index) {
  const std::uint64_t size = field.payload->bytes();
  std::uint64_t begin = size / header.records * index;
  std::uint64_t end = begin + size / header.records;
  if (field.offsets != nullptr) {
    begin = format::u64_at(file, header, *field.offsets, index);
    end = format::u64_at(file, header, *field.offsets, index + 1);
  }
  if (begin > end || end > size) return {};
  return piece_of(file, header, field.payload->begin + begin, field.payload->begin + end);
}

void mend_field(Bytes file, const ShardHeader& header, const FieldTables& field) {
  const Tensor* sums = field.compressed ? field.frame_crcs : field.crcs;
  if (field.payload == nullptr || sums == nullptr) return;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(header.records, kMaxMended); ++i) {
    const Bytes table = piece_of(file, header, sums->begin, sums->end);
    if (table.size() < (i + 1) * sizeof(std::uint32_t)) return;
    store_le(table.data() + i * sizeof(std::uint32_t), crc32c(stored(file, header, field, i)));
  }
}

std::size_t tables_place(std::uint8_t* data, std::size_t size, std::size_t end) {
  const Result<ShardHeader> header = format::decode_header(bytes_of_input(data, size));
  return header.ok() ? static_cast<std::size_t>(header->buffer_start() + header->tables_begin)
                     : end;
}

}  // namespace

void mend_shard(Bytes file) {
  const Result<ShardHeader> header = format::decode_header(file);
  if (!header.ok()) return;
  mend_field(file, *header, format::image_tables(*header));
  mend_field(file, *header, format::label_tables(*header));
  const Tensor* sums = header->find("shard.crc32c");
  const Bytes tables = piece_of(file, *header, header->tables_begin, sums->begin);
  const Bytes place = piece_of(file, *header, sums->begin, sums->end);
  if (place.size() != 2 * sizeof(std::uint32_t)) return;
  store_le(place.data(), crc32c(file.first(static_cast<std::size_t>(header->buffer_start()))));
  store_le(place.data() + sizeof(std::uint32_t), crc32c(tables));
}

std::size_t mutate_shard(std::uint8_t* data, std::size_t size, std::size_t max_size,
                         unsigned int seed) {
  const std::size_t end = header_end(data, size);
  const unsigned int choice = seed % 16;
  if (end == 0 || choice == 0) {
    size = LLVMFuzzerMutate(data, size, max_size);
  } else if (choice < 9) {
    mutate_header(data, end);
  } else if (choice < 14) {
    mutate_in_place(data, tables_place(data, size, end), size);
  } else {
    mutate_in_place(data, end, size);
  }
  if (seed / 16 % 16 != 0) mend_shard(std::as_writable_bytes(std::span(data, size)));
  return size;
}

}  // namespace hotpack::fuzz
