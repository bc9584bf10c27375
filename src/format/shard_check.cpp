#include "format/shard_check.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json_node.hpp"
#include "format/schema_check.hpp"
#include "format/schema_json.hpp"

namespace hotpack::format {
namespace {

constexpr std::string_view kFillerPrefix = "_pad.";

// Returns the position of the first difference of two texts.
std::size_t first_mismatch(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

Status check_text(std::string_view name, std::string_view text, std::string_view canonical) {
  if (text == canonical) return {};
  return damaged_error(std::string(name) + " differs from its canonical JSON from byte " +
                       std::to_string(first_mismatch(text, canonical)) + " on");
}

Status check_engines(const ShardHeader& header) {
  const auto& engines = header.schema.options.engines;
  const bool stated = std::any_of(engines.begin(), engines.end(), [](const std::string& token) {
    return token.starts_with("zstd:");
  });
  const bool found = header.find("image.zstd") != nullptr || header.find("label.zstd") != nullptr;
  if (stated == found) return {};
  return damaged_error(
      stated ? "the header says that records are compressed with zstd (options.engines), but no "
               "field is"
             : "a field is compressed with zstd, but the header does not say so (options.engines)");
}

Status check_places(const ShardHeader& header, const Layout& layout) {
  if (header.header_bytes != layout.header_bytes) {
    return damaged_error("the header has " + std::to_string(header.header_bytes) +
                             " bytes, expected " + std::to_string(layout.header_bytes),
                         {}, 0);
  }
  for (std::size_t i = 0; i < std::min(header.tensors.size(), layout.tensors.size()); ++i) {
    const Tensor& found = header.tensors[i];
    const Tensor& wanted = layout.tensors[i];
    if (found == wanted) continue;
    return damaged_error("the tensor " + excerpt(Json(found.name)) + " at " +
                             std::to_string(found.begin) + " is where " + wanted.name + " at " +
                             std::to_string(wanted.begin) + " belongs",
                         {}, header.buffer_start() + found.begin);
  }
  if (header.tensors.size() == layout.tensors.size()) return {};
  return damaged_error(std::to_string(header.tensors.size()) + " tensors, expected " +
                       std::to_string(layout.tensors.size()));
}

const Tensor* find_form(const ShardHeader& header, const std::string& name, DType type,
                        std::uint64_t items) {
  const Tensor* tensor = header.find(name);
  const bool good = tensor != nullptr && tensor->type == type && tensor->shape.size() == 1 &&
                    tensor->shape[0] == items;
  return good ? tensor : nullptr;
}

std::string without_ending(std::string_view name, std::string_view ending) {
  return std::string(name.substr(0, name.size() - ending.size()));
}

// Returns the name of the field that a payload tensor belongs to.
std::string field_of(std::string_view tensor) {
  for (const std::string_view ending : {".zstd", ".data"}) {
    if (tensor.ends_with(ending)) return without_ending(tensor, ending);
  }
  return std::string(tensor);
}

// Returns the tables of the field to which a payload tensor belongs, or nothing if one of these
// tables is missing.
std::optional<FieldTables> covered_field(const ShardHeader& header, const Tensor& tensor) {
  const std::uint64_t n = header.records;
  FieldTables field{field_of(tensor.name), &tensor};
  field.compressed = tensor.name.ends_with(".zstd");
  field.crcs = find_form(header, field.name + ".crc32c", DType::u32, n);
  if (field.crcs == nullptr) return std::nullopt;
  if (field.name == tensor.name) {
    const bool rows = !tensor.shape.empty() && tensor.shape[0] == n;
    return rows ? std::optional(field) : std::nullopt;
  }
  field.offsets = find_form(header, (field.compressed ? tensor.name : field.name) + ".offsets",
                            DType::u64, n + 1);
  if (field.compressed)
    field.frame_crcs = find_form(header, tensor.name + ".crc32c", DType::u32, n);
  const bool covered =
      field.offsets != nullptr && (!field.compressed || field.frame_crcs != nullptr);
  return covered ? std::optional(field) : std::nullopt;
}

// The number of forms in which a field is present.
int count_forms(const ShardHeader& header, const std::string& field) {
  int forms = 0;
  for (const std::string_view ending : {"", ".data", ".zstd"})
    forms += header.find(field + std::string(ending)) != nullptr ? 1 : 0;
  return forms;
}

}  // namespace

bool is_filler(const Tensor& tensor) {
  const std::string_view name = tensor.name;
  const bool numbered =
      name.starts_with(kFillerPrefix) && name.size() > kFillerPrefix.size() &&
      name.find_first_not_of("0123456789", kFillerPrefix.size()) == std::string_view::npos;
  return numbered && tensor.type == DType::u8 && tensor.shape.size() == 1;
}

Result<TensorList> expected_tensors(const ShardHeader& header) {
  const auto bytes_of_tensor = [&](std::string_view name) {
    const Tensor* tensor = header.find(name);
    return tensor == nullptr ? 0 : tensor->bytes();
  };
  Contents contents;
  contents.records = header.records;
  contents.key_bytes = bytes_of_tensor("key.data");
  contents.image_zstd = header.find("image.zstd") != nullptr;
  contents.label_zstd = header.find("label.zstd") != nullptr;
  contents.image_stored_bytes = bytes_of_tensor(contents.image_zstd ? "image.zstd" : "image.data");
  contents.label_stored_bytes = bytes_of_tensor(contents.label_zstd ? "label.zstd" : "label.data");
  const Tensor* const classes = header.find("label.classes");
  if (classes != nullptr && !classes->shape.empty()) contents.class_rows = classes->shape[0];
  auto list = list_tensors(header.schema, contents);
  if (!list.ok()) return damaged_error(list.error().message);
  return list;
}

Status check_form(std::span<const std::byte> file, const ShardHeader& header) {
  if (header.minor != 0) return {};
  HOTPACK_ASSIGN(const std::string schema, encode_schema(header.schema));
  HOTPACK_TRY(check_schema(header.schema));
  HOTPACK_TRY(check_text("hotpack.schema", header.metadata.schema, schema));
  HOTPACK_TRY(check_text("hotpack.plan", header.metadata.plan, encode_plan(header.plan)));
  HOTPACK_TRY(check_engines(header));
  HOTPACK_ASSIGN(const TensorList list, expected_tensors(header));
  const auto layout = place_tensors(header.metadata, list);
  if (!layout.ok()) return damaged_error(layout.error().message);
  HOTPACK_TRY(check_places(header, *layout));
  const std::string wanted = encode_header(header.metadata, *layout);
  const std::string_view found(reinterpret_cast<const char*>(file.data()),
                               static_cast<std::size_t>(header.buffer_start()));
  if (found == wanted) return {};
  const std::size_t at = first_mismatch(found, wanted);
  return damaged_error("the header is not in canonical form (order of entries, JSON or padding)",
                       {}, at);
}

Status check_fillers(std::span<const std::byte> file, const ShardHeader& header) {
  for (const Tensor& tensor : header.tensors) {
    if (!is_filler(tensor)) continue;
    const auto bytes = file.subspan(header.buffer_start() + tensor.begin, tensor.bytes());
    const auto stain = std::find_if(bytes.begin(), bytes.end(),
                                    [](std::byte byte) { return byte != std::byte{0}; });
    if (stain == bytes.end()) continue;
    return damaged_error("the filler " + tensor.name + " has a byte that is not zero", {},
                         static_cast<std::uint64_t>(&*stain - file.data()));
  }
  return {};
}

Result<std::vector<FieldTables>> later_fields(const ShardHeader& header) {
  HOTPACK_ASSIGN(const TensorList list, expected_tensors(header));
  const auto known = [&](const Tensor& tensor) {
    return std::any_of(list.payload.begin(), list.payload.end(),
                       [&](const Tensor& one) { return one.name == tensor.name; });
  };
  std::vector<FieldTables> fields;
  for (const Tensor& tensor : header.tensors) {
    if (tensor.name.ends_with(".offsets")) break;  // the tables region starts here
    if (is_filler(tensor) || known(tensor) || tensor.bytes() == 0) continue;
    auto field = covered_field(header, tensor);
    const bool twice = count_forms(header, field_of(tensor.name)) > 1;
    if (!field || twice) {
      return damaged_error("the payload tensor " + excerpt(Json(tensor.name)) +
                               (twice ? " must not exist: another tensor contains the same field"
                                      : " has no CRC-32C per record"),
                           {}, header.buffer_start() + tensor.begin);
    }
    fields.push_back(std::move(*field));
  }
  return fields;
}

}  // namespace hotpack::format
