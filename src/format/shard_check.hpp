// The checks of `verify` that opening a shard does not make: that the shard has exactly the form
// that a writer of 1.0 produces, that fillers are zero, and fields of a later 1.x.
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

// Returns the tensors that the header's schema requires; tensors of raw bytes keep the lengths that
// the header gives. Needs only metadata, schema, records and tensors.
[[nodiscard]] Result<TensorList> expected_tensors(const ShardHeader& header);

// Checks a shard of version 1.0 (later versions pass):
// - the schema passes check_schema;
// - header, schema and plan are byte for byte what a writer produces: canonical JSON, order, L,
//   places of tensors and fillers;
// - `engines` names zstd exactly if fields are compressed.
// A shard that fails only here can be read: its writer has a bug, or another program saved it
// again.
[[nodiscard]] Status check_form(std::span<const std::byte> file, const ShardHeader& header);

// Checks that every byte of every filler is zero.
[[nodiscard]] Status check_fillers(std::span<const std::byte> file, const ShardHeader& header);

// Returns the payload fields that a later 1.x added after `label`, in file order. A field <f> can
// be read like `image`: it is one of the tensors <f>, <f>.data or <f>.zstd, with <f>.crc32c (and
// <f>.offsets, or <f>.zstd.offsets and <f>.zstd.crc32c); shapes are not required. Fails if a
// payload tensor lacks these tables, so that no checksum covers its bytes, or if two of the three
// tensors exist.
[[nodiscard]] Result<std::vector<FieldTables>> later_fields(const ShardHeader& header);

}  // namespace hotpack::format
