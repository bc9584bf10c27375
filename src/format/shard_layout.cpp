#include "format/shard_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "format/sums.hpp"

namespace hotpack::format {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kTwentyDigits = "10000000000000000000";
constexpr int kReservedFillers = 3;

// The form in which one field is stored.
struct FieldForm {
  std::string name;
  DType type = DType::u8;
  std::optional<std::vector<std::uint64_t>> shape;  // per record; absent: sizes differ
  bool zstd = false;
  std::uint64_t stored_bytes = 0;  // bytes of `.data` or `.zstd`
};

template <class Shape>
std::vector<std::uint64_t> unsigned_shape(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

std::vector<FieldForm> fields_of(const Schema& schema, const Contents& contents) {
  std::vector<FieldForm> fields;
  FieldForm image{"image", DType::u8, {}, contents.image_zstd, contents.image_stored_bytes};
  if (schema.image.shape) image.shape = unsigned_shape(*schema.image.shape);
  fields.push_back(std::move(image));
  if (!schema.label) return fields;
  const bool wide = schema.label->storage == LabelStorage::index && schema.index_bytes() == 2;
  FieldForm label{
      "label", wide ? DType::u16 : DType::u8, {}, contents.label_zstd, contents.label_stored_bytes};
  if (schema.label->shape) label.shape = unsigned_shape(*schema.label->shape);
  fields.push_back(std::move(label));
  return fields;
}

// Collects tensors, and notes whether a size has overflowed.
class TensorLister {
 public:
  explicit TensorLister(std::uint64_t records) : records_(records) {}

  void payload(std::string name, DType type, std::vector<std::uint64_t> shape) {
    add(list_.payload, std::move(name), type, std::move(shape));
  }
  void table(std::string name, DType type, std::vector<std::uint64_t> shape) {
    add(list_.tables, std::move(name), type, std::move(shape));
  }
  // Adds a table of N+1 offsets.
  void offsets(std::string name) {
    const auto count = checked_add(records_, 1);
    overflowed_ |= !count.has_value();
    table(std::move(name), DType::u64, {count.value_or(0)});
  }
  void field_payload(const FieldForm& field) {
    if (field.zstd) return payload(field.name + ".zstd", DType::u8, {field.stored_bytes});
    if (!field.shape) return payload(field.name + ".data", DType::u8, {field.stored_bytes});
    std::vector<std::uint64_t> shape{records_};
    shape.insert(shape.end(), field.shape->begin(), field.shape->end());
    payload(field.name, field.type, std::move(shape));
  }

  Result<TensorList> finish() {
    if (overflowed_)
      return usage_error("a shard of " + std::to_string(records_) +
                         " records is too large for 64-bit offsets");
    return std::move(list_);
  }

 private:
  void add(std::vector<Tensor>& to, std::string name, DType type,
           std::vector<std::uint64_t> shape) {
    std::optional<std::uint64_t> bytes = item_bytes(type);
    for (const std::uint64_t side : shape) bytes = bytes ? checked_mul(*bytes, side) : bytes;
    overflowed_ |= !bytes || *bytes > kMaxFileBytes;
    to.push_back({std::move(name), type, std::move(shape), 0, bytes.value_or(0)});
  }

  std::uint64_t records_;
  TensorList list_;
  bool overflowed_ = false;
};

void append_entry(std::string& text, const Tensor& tensor, bool wide) {
  const auto number = [&](std::uint64_t value) {
    return wide ? std::string(kTwentyDigits) : std::to_string(value);
  };
  text += "," + canonical_string(tensor.name) + ":{\"dtype\":\"" +
          std::string(dtype_name(tensor.type)) + "\",\"shape\":[";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i == 0 ? "" : ",") + number(tensor.shape[i]);
  text += "],\"data_offsets\":[" + number(tensor.begin) + "," + number(tensor.end) + "]}";
}

std::string metadata_text(const Metadata& metadata) {
  std::string text = "{\"hotpack.format\":" + canonical_string(metadata.format) +
                     ",\"hotpack.plan\":" + canonical_string(metadata.plan) +
                     ",\"hotpack.schema\":" + canonical_string(metadata.schema) +
                     ",\"hotpack.sources\":" + canonical_string(metadata.sources);
  for (const auto& [key, value] : metadata.more)
    text += "," + canonical_string(key) + ":" + canonical_string(value);
  return text + "}";
}

// Writes the header's JSON; `wide` writes every number with 20 digits.
std::string header_text(const Metadata& metadata, const std::vector<Tensor>& tensors, bool wide) {
  std::string text = "{\"__metadata__\":" + metadata_text(metadata);
  for (const Tensor& tensor : tensors) append_entry(text, tensor, wide);
  return text + "}";
}

Tensor filler(int number, std::uint64_t size) {
  return {"_pad." + std::to_string(number), DType::u8, {size}, 0, size};
}

// Computes L before the payload is known: counts 20 digits per number and assumes three fillers.
std::uint64_t reserved_header_bytes(const Metadata& metadata, const TensorList& list) {
  std::vector<Tensor> all = list.payload;
  all.insert(all.end(), list.tables.begin(), list.tables.end());
  for (int k = 0; k < kReservedFillers; ++k) all.push_back(filler(k, 0));
  const std::uint64_t needed = header_text(metadata, all, true).size();
  return needed + padding_to(8 + needed, kPage);
}

// Places tensors one after another. fill() adds a filler up to the next multiple of `step`.
class Placer {
 public:
  bool put(Tensor tensor) {
    const auto end = checked_add(layout_.buffer_bytes, tensor.end);
    if (!end || *end > kMaxFileBytes) return false;
    tensor.begin = std::exchange(layout_.buffer_bytes, *end);
    tensor.end = *end;
    layout_.tensors.push_back(std::move(tensor));
    return true;
  }
  bool fill(std::uint64_t step) {
    const std::uint64_t missing = padding_to(layout_.buffer_bytes, step);
    return missing == 0 || put(filler(fillers_++, missing));
  }
  Layout& layout() { return layout_; }

 private:
  Layout layout_;
  int fillers_ = 0;
};

bool place_all(Placer& placer, const TensorList& list) {
  for (const Tensor& tensor : list.payload) {
    if (!placer.put(tensor) || !placer.fill(kPage)) return false;
  }
  placer.layout().tables_begin = placer.layout().buffer_bytes;
  for (const Tensor& tensor : list.tables) {
    if (tensor.name == "shard.crc32c" && !placer.fill(item_bytes(tensor.type))) return false;
    if (!placer.put(tensor)) return false;
  }
  return true;
}

const Tensor* find_in(const std::vector<Tensor>& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace

std::uint64_t item_bytes(DType type) {
  switch (type) {
    case DType::u8:
      return 1;
    case DType::u16:
      return 2;
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::u64:
      return 8;
    case DType::other:
      break;
  }
  return 0;
}

std::string_view dtype_name(DType type) {
  constexpr std::array<std::string_view, 6> kNames{"U8", "U16", "I32", "U32", "U64", "other"};
  return kNames[static_cast<std::size_t>(type)];
}

const Tensor* Layout::find(std::string_view name) const { return find_in(tensors, name); }

std::uint64_t Layout::file_offset(std::string_view name) const {
  return buffer_start() + find(name)->begin;
}

Result<TensorList> list_tensors(const Schema& schema, const Contents& contents) {
  const auto fields = fields_of(schema, contents);
  const std::uint64_t n = contents.records;
  TensorLister lister(n);
  for (const auto& field : fields) lister.field_payload(field);
  for (const auto& field : fields) {
    if (!field.shape && !field.zstd) lister.offsets(field.name + ".offsets");
  }
  for (const auto& field : fields) {
    if (field.zstd) lister.offsets(field.name + ".zstd.offsets");
  }
  const bool counted = has_class_rows(schema);
  if (counted) lister.offsets("label.classes.offsets");
  lister.offsets("key.offsets");
  lister.table("source.hash", DType::u64, {n, 2});
  lister.table("shard.sums", DType::u64,
               {Sums::number_count(schema.image.channels(), counted_classes(schema))});
  lister.table("source.size", DType::i32, {n, 2});
  lister.table("source.region", DType::i32, {n, 4});
  for (const auto& field : fields) {
    if (!field.shape) lister.table(field.name + ".shape", DType::i32, {n, 3});
  }
  if (counted) lister.table("label.classes", DType::u32, {contents.class_rows, 2});
  for (const auto& field : fields) lister.table(field.name + ".crc32c", DType::u32, {n});
  for (const auto& field : fields) {
    if (field.zstd) lister.table(field.name + ".zstd.crc32c", DType::u32, {n});
  }
  lister.table("key.data", DType::u8, {contents.key_bytes});
  lister.table("shard.crc32c", DType::u32, {2});
  return lister.finish();
}

Result<Layout> place_tensors(const Metadata& metadata, const TensorList& list) {
  const std::uint64_t header_bytes = reserved_header_bytes(metadata, list);
  if (header_bytes > kMaxHeaderBytes) {
    return usage_error("the header of a shard would have " + std::to_string(header_bytes) +
                       " bytes; the most is " + std::to_string(kMaxHeaderBytes));
  }
  Placer placer;
  placer.layout().header_bytes = header_bytes;
  if (!place_all(placer, list)) return usage_error("a shard is too large for 64-bit offsets");
  return std::move(placer.layout());
}

Result<Layout> plan_layout(const Metadata& metadata, const Schema& schema,
                           const Contents& contents) {
  HOTPACK_ASSIGN(const TensorList list, list_tensors(schema, contents));
  return place_tensors(metadata, list);
}

std::string encode_header(const Metadata& metadata, const Layout& layout) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(layout.header_bytes >> shift & 0xFF);
  bytes += header_text(metadata, layout.tensors, false);
  bytes.resize(static_cast<std::size_t>(layout.buffer_start()), ' ');
  return bytes;
}

}  // namespace hotpack::format
