// The schema as canonical JSON text, and back. FORMAT.md ("Schema") lists the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::format {

inline constexpr std::size_t kMaxSchemaBytes = 16u << 20;

// Returns the schema as canonical JSON. Fails with code `usage` if the text exceeds kMaxSchemaBytes
// or contains a name that is not UTF-8.
[[nodiscard]] Result<std::string> encode_schema(const Schema& schema);

// Parses a schema and checks every rule that reading needs: types, ranges, and shapes that agree
// with size, color, layout, storage and the number of classes. `minor` is the format's minor
// version. In version 1.0, unknown keys are refused, except in `options`. In a later 1.x, unknown
// keys and payload fields besides image and label are ignored. Errors have code `damaged` and name
// the JSON key.
[[nodiscard]] Result<Schema> decode_schema(std::string_view text, int minor);

// How a message names the two schemas that it compares. A word stands after each value: "now" and
// "then" make "--size 64x48 now, 120x90 then".
struct Sides {
  std::string_view first, second;
};

// Returns the first difference of two schemas in words for users, such as "geometry.size: [512,512]
// now, [256,256] then"; "" if they are equal. The text before the colon is the path of the value in
// the JSON.
[[nodiscard]] std::string first_difference(const Schema& here, const Schema& there, Sides sides);

// Computes image.shape and label.shape from geometry.size, layout, color, label scope, storage and
// the number of classes, and sets them. Both stay absent if records differ in size.
void fill_shapes(Schema& schema);

// The number of classes C that shard.sums and the statistics count: 0 without labels.
[[nodiscard]] std::size_t counted_classes(const Schema& schema);

// True if a shard has the tables label.classes and label.classes.offsets: with pixel labels.
[[nodiscard]] bool has_class_rows(const Schema& schema);

// Bytes of one record of a fixed-size field, uncompressed.
[[nodiscard]] std::uint64_t image_record_bytes(const Schema& schema);  // precondition: image.shape
// 0 without labels; precondition: label.shape
[[nodiscard]] std::uint64_t label_record_bytes(const Schema& schema);
// Elements per pixel of a label: ceil(C/8), C or 1. Precondition: the schema has labels.
[[nodiscard]] std::int64_t label_depth(const Schema& schema);

}  // namespace hotpack::format
