// The checks of `verify` that opening a shard does not make: that the shard has exactly the form
// that a writer of version 1.0 produces, that fillers are zero, and that fields of a later 1.x are
// complete.
//
// All functions take a header that decode_header accepted for the same bytes. Pure; thread-safe.
// Errors have code `damaged` and, if there is one, the byte offset; the caller adds the path.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "format/shard_header.hpp"
#include "format/shard_layout.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

// `_pad.<digits>`, U8, one dimension.
[[nodiscard]] bool is_filler(const Tensor& tensor);

// Returns the tensors that a shard with this header's schema must have. The sizes of tensors of raw
// bytes (such as keys) are taken from the header. Uses only these members of the header: metadata,
// schema, records and tensors.
[[nodiscard]] Result<TensorList> expected_tensors(const ShardHeader& header);

// Checks that a shard of version 1.0 has exactly the form that a writer produces (shards of later
// versions pass):
// - the schema passes check_schema;
// - header, schema and plan equal a writer's byte for byte: canonical JSON, order, L, places of
//   tensors and fillers;
// - `engines` names zstd exactly if fields are compressed.
// A shard that fails only here can be read: its writer has a bug, or another program saved it
// again.
[[nodiscard]] Status check_form(std::span<const std::byte> file, const ShardHeader& header);

// Checks that every byte of every filler is zero.
[[nodiscard]] Status check_fillers(std::span<const std::byte> file, const ShardHeader& header);

// Returns the payload fields that a later 1.x has after `label`, in file order. A field <f> can be
// read like `image`: it is one of the tensors <f>, <f>.data or <f>.zstd, with <f>.crc32c (and
// <f>.offsets, or <f>.zstd.offsets and <f>.zstd.crc32c); shapes are not required. Fails if a
// payload tensor lacks these tables, because then no checksum covers its bytes, or if a field has
// two of the three tensors.
[[nodiscard]] Result<std::vector<FieldTables>> later_fields(const ShardHeader& header);

}  // namespace hotpack::format
