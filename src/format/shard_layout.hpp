// The place of every tensor in a shard: a pure function of metadata, schema and counts, so that a
// writer knows each offset before it has a payload, and a validator knows what to expect.
//
// FORMAT.md ("Layout") has the rules. Thread-safe: pure functions and plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/version.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

inline constexpr std::uint64_t kPage = 4096;
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

enum class DType { u8, u16, i32, u32, u64, other };  // other: legal in safetensors, not used in 1.0
[[nodiscard]] std::uint64_t item_bytes(DType type);  // precondition: not other
[[nodiscard]] std::string_view dtype_name(DType type);

struct Tensor {
  std::string name;
  DType type = DType::u8;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // relative to the buffer
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  bool operator==(const Tensor&) const = default;
};

// The four values of __metadata__, in file order, and additions of a later 1.x.
struct Metadata {
  std::string format{kVersion};
  std::string plan;
  std::string schema;
  std::string sources;
  // further keys and values in file order; none in 1.0
  std::vector<std::pair<std::string, std::string>> more;
  bool operator==(const Metadata&) const = default;
};

// What determines the layout in addition to metadata and schema.
struct Contents {
  std::uint64_t records = 0;
  std::uint64_t key_bytes = 0;  // total length of the keys
  bool image_zstd = false;
  bool label_zstd = false;
  // With zstd, the total bytes of all frames; if records differ in size, the total bytes of all
  // records; otherwise ignored.
  std::uint64_t image_stored_bytes = 0;
  std::uint64_t label_stored_bytes = 0;
  std::uint64_t class_rows = 0;  // of label.classes; ignored without pixel labels
};

struct Layout {
  std::uint64_t header_bytes = 0;  // L
  std::vector<Tensor> tensors;     // in file order, fillers included
  std::uint64_t tables_begin = 0;  // first byte of the tables region, relative to the buffer
  std::uint64_t buffer_bytes = 0;

  [[nodiscard]] std::uint64_t buffer_start() const { return 8 + header_bytes; }
  [[nodiscard]] std::uint64_t file_bytes() const { return buffer_start() + buffer_bytes; }
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  // Offset of a tensor's first byte in the file. Precondition: the tensor exists.
  [[nodiscard]] std::uint64_t file_offset(std::string_view name) const;
};

// The tensors of a shard in file order, without fillers and before they have places: `begin` is 0
// and `end` is the size in bytes.
struct TensorList {
  std::vector<Tensor> payload;
  std::vector<Tensor> tables;
};

// The tensors that a schema requires. Fails with code `usage` if a size overflows 64 bits.
[[nodiscard]] Result<TensorList> list_tensors(const Schema& schema, const Contents& contents);

// Determines the place of each tensor in the file, with page alignment and fillers, and the
// header's length L. Fails with code `usage` if a size overflows 64 bits or L exceeds
// kMaxHeaderBytes.
[[nodiscard]] Result<Layout> place_tensors(const Metadata& metadata, const TensorList& list);

// list_tensors() and place_tensors() in one.
[[nodiscard]] Result<Layout> plan_layout(const Metadata& metadata, const Schema& schema,
                                         const Contents& contents);

// Returns the first 8 + L bytes of the file: the length L in 8 bytes, and the header, padded with
// spaces to L bytes.
[[nodiscard]] std::string encode_header(const Metadata& metadata, const Layout& layout);

}  // namespace hotpack::format
