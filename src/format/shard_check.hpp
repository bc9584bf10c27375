// What `verify` asks of a shard beyond opening it: the exact form a writer of 1.0 gives, fillers, fields of a later 1.x.
//
// All take a header that decode_header accepted for the same bytes. Pure; thread-safe. Errors have code `damaged` and, where one makes
// sense, the byte offset; the caller adds the path.
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

// The tensors that the header's schema calls for, lengths of byte tensors as found. Needs metadata, schema, records and tensors only.
[[nodiscard]] Result<TensorList> expected_tensors(const ShardHeader& header);

// Version 1.0: the schema follows check_schema; the header, schema and plan are, byte for byte, what a writer gives: canonical JSON, order,
// L, places of tensors and fillers, and `engines` names zstd just where fields are compressed. Later versions: nothing is asked. A shard
// that only fails here reads correctly; its form was lost (another library's save_file does that) or its writer is wrong.
[[nodiscard]] Status check_form(std::span<const std::byte> file, const ShardHeader& header);

// Every byte of every filler is zero.
[[nodiscard]] Status check_fillers(std::span<const std::byte> file, const ShardHeader& header);

// Payload fields that a later 1.x added after `label`, in file order. Each can be read like `image`: one of the tensors <f>, <f>.data or
// <f>.zstd, with <f>.crc32c (and <f>.offsets, or <f>.zstd.offsets and <f>.zstd.crc32c); shapes are not asked for. Fails where a payload
// tensor has no such companions, so that its bytes are covered by no checksum, or where a field stands there in two forms.
[[nodiscard]] Result<std::vector<FieldTables>> later_fields(const ShardHeader& header);

}  // namespace hotpack::format
