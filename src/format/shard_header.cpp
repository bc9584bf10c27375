#include "format/shard_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "format/safetensors.hpp"
#include "format/schema_json.hpp"
#include "format/shard_check.hpp"
#include "format/shard_tables.hpp"

namespace hotpack::format {
namespace {

// A Zstandard block of at least 4 bytes holds at most 128 KiB.
constexpr std::uint64_t kMostExpansion = 32768;

// ---- header

Result<Metadata> read_metadata(const Container& container) {
  Metadata metadata;
  metadata.format.clear();
  const auto place_of = [&](std::string_view key) -> std::string* {
    if (key == "hotpack.format") return &metadata.format;
    if (key == "hotpack.plan") return &metadata.plan;
    if (key == "hotpack.schema") return &metadata.schema;
    if (key == "hotpack.sources") return &metadata.sources;
    return nullptr;
  };
  for (const auto& [key, value] : container.metadata) {
    if (std::string* place = place_of(key)) {
      *place = value;
    } else {
      metadata.more.emplace_back(key, value);
    }
  }
  if (metadata.format.empty())
    return damaged_error(
        "a safetensors file, but not a hotpack shard: its metadata lacks hotpack.format");
  return metadata;
}

Status check_metadata(const Metadata& metadata, int minor) {
  for (const auto& [name, value] : {std::pair("plan", &metadata.plan),
                                    {"schema", &metadata.schema},
                                    {"sources", &metadata.sources}}) {
    if (value->empty()) return damaged_error(std::string("its metadata lacks hotpack.") + name);
  }
  if (minor == 0 && !metadata.more.empty()) {
    return damaged_error("metadata: the key " + excerpt(Json(metadata.more.front().first)) +
                         " is unknown in version 1.0");
  }
  const Json sources = metadata.sources;
  const auto digest = JsonNode(sources, "hotpack.sources").digest();
  return digest.ok() ? Status() : Status(digest.error());
}

Result<Schema> schema_of(const Metadata& metadata, int minor, SchemaCache* cache) {
  if (cache != nullptr && cache->minor == minor && cache->text == metadata.schema)
    return cache->schema;
  auto schema = decode_schema(metadata.schema, minor);
  if (!schema.ok()) {
    Error error = std::move(schema).error();
    return damaged_error("hotpack.schema: " + error.message);
  }
  if (cache != nullptr) *cache = {metadata.schema, *schema, minor};
  return schema;
}

Result<PlanIdentity> plan_of(const Metadata& metadata, int minor) {
  auto plan = decode_plan(metadata.plan, minor);
  if (!plan.ok()) return damaged_error("hotpack.plan: " + plan.error().message);
  return plan;
}

Result<std::uint64_t> record_count(const ShardHeader& header) {
  const Tensor* offsets = header.find("key.offsets");
  if (offsets == nullptr || offsets->type != DType::u64 || offsets->shape.size() != 1 ||
      offsets->shape[0] < 1) {
    return damaged_error("the tensor key.offsets is missing, or it is not a list of U64 numbers");
  }
  const std::uint64_t records = offsets->shape[0] - 1;
  if (records > header.plan.samples) {
    return damaged_error(std::to_string(records) + " records, more than the " +
                         std::to_string(header.plan.samples) + " samples of the plan");
  }
  return records;
}

std::string form_of(const Tensor& tensor) {
  const JsonDocument shape(Json(Json::array_t(tensor.shape.begin(), tensor.shape.end())));
  return std::string(dtype_name(tensor.type)) + " " + excerpt(shape.root());
}

Status check_present(const ShardHeader& header, const std::vector<Tensor>& expected) {
  for (const Tensor& wanted : expected) {
    const Tensor* found = header.find(wanted.name);
    if (found == nullptr) return damaged_error("the tensor " + wanted.name + " is missing");
    if (found->type != wanted.type || found->shape != wanted.shape) {
      return damaged_error(wanted.name + " is " + form_of(*found) + ", expected " + form_of(wanted),
                           {}, header.buffer_start() + found->begin);
    }
  }
  return {};
}

bool is_expected(const TensorList& list, const std::string& name) {
  const auto named = [&](const Tensor& tensor) { return tensor.name == name; };
  return std::any_of(list.payload.begin(), list.payload.end(), named) ||
         std::any_of(list.tables.begin(), list.tables.end(), named);
}

// A field can be stored in several forms, with different tensors. Fails, in every version, if the
// shard has a tensor of another form than the one that the schema demands; otherwise two readers
// might use different tensors.
Status check_one_form(const ShardHeader& header, const TensorList& expected) {
  constexpr std::array<std::string_view, 8> kParts{
      "", ".data", ".zstd", ".offsets", ".shape", ".crc32c", ".zstd.offsets", ".zstd.crc32c"};
  for (const std::string field : {"image", "label"}) {
    for (const std::string_view part : kParts) {
      const Tensor* found = header.find(field + std::string(part));
      if (found == nullptr || is_expected(expected, found->name)) continue;
      return damaged_error("the tensor " + found->name +
                               " must not exist: the shard contains the " + field +
                               " in another form",
                           {}, header.buffer_start() + found->begin);
    }
  }
  return {};
}

Status check_unlabeled(const ShardHeader& header) {
  if (header.schema.label) return {};
  const auto found =
      std::find_if(header.tensors.begin(), header.tensors.end(), [](const Tensor& tensor) {
        return tensor.name == "label" || tensor.name.starts_with("label.");
      });
  if (found == header.tensors.end()) return {};
  return damaged_error(
      "the tensor " + excerpt(Json(found->name)) + " does not belong to a data set without labels",
      {}, header.buffer_start() + found->begin);
}

// Refuses more fillers than one after each payload tensor and one before shard.crc32c.
Status check_filler_count(const ShardHeader& header, const TensorList& expected) {
  const auto fillers = static_cast<std::size_t>(
      std::count_if(header.tensors.begin(), header.tensors.end(), is_filler));
  const std::size_t most = expected.payload.size() + 1;
  if (header.minor > 0 || fillers <= most) return {};
  return damaged_error(std::to_string(fillers) + " fillers; a shard of version 1.0 has at most " +
                       std::to_string(most));
}

Status check_fillers_hold_bytes(const ShardHeader& header) {
  const auto found =
      std::find_if(header.tensors.begin(), header.tensors.end(),
                   [](const Tensor& tensor) { return is_filler(tensor) && tensor.bytes() == 0; });
  if (found == header.tensors.end()) return {};
  return damaged_error("the filler " + found->name + " is empty", {},
                       header.buffer_start() + found->begin);
}

Status check_no_others(const ShardHeader& header, const TensorList& expected) {
  if (header.minor > 0) return {};
  for (const Tensor& tensor : header.tensors) {
    if (is_filler(tensor) || is_expected(expected, tensor.name)) continue;
    return damaged_error(
        "the tensor " + excerpt(Json(tensor.name)) + " does not belong to a shard of version 1.0",
        {}, header.buffer_start() + tensor.begin);
  }
  return {};
}

// Sets the start of the tables region: that of the first tensor whose name ends in ".offsets". No
// payload tensor has such a name.
Status find_tables(ShardHeader& header) {
  const auto first =
      std::find_if(header.tensors.begin(), header.tensors.end(),
                   [](const Tensor& tensor) { return tensor.name.ends_with(".offsets"); });
  header.tables_begin = first->begin;
  if (header.find("shard.crc32c")->begin < header.tables_begin)
    return damaged_error("shard.crc32c is before the tables");
  return {};
}

bool is_aligned(const ShardHeader& header, const TensorList& list) {
  const auto stands_at = [&](const Tensor& wanted, std::uint64_t step) {
    const Tensor& tensor = *header.find(wanted.name);
    return tensor.bytes() == 0 || (header.buffer_start() + tensor.begin) % step == 0;
  };
  return std::all_of(list.payload.begin(), list.payload.end(),
                     [&](const Tensor& tensor) { return stands_at(tensor, kPage); }) &&
         std::all_of(list.tables.begin(), list.tables.end(),
                     [&](const Tensor& table) { return stands_at(table, item_bytes(table.type)); });
}

// ---- tables

const std::byte* item_at(std::span<const std::byte> file, const ShardHeader& header,
                         const Tensor& tensor, std::uint64_t offset) {
  return file.data() + header.buffer_start() + tensor.begin + offset;
}

std::uint64_t file_offset(const ShardHeader& header, const Tensor& table, std::uint64_t item) {
  return header.buffer_start() + table.begin + item * item_bytes(table.type);
}

std::string record_name(std::uint64_t index) { return "record " + std::to_string(index); }

// Checks that the second sum of shard.crc32c covers every table and no payload.
Status check_coverage(const ShardHeader& header) {
  constexpr std::string_view kAdvice = "; was the shard saved again by another program?";
  HOTPACK_ASSIGN(const TensorList list, expected_tensors(header));
  for (const Tensor& wanted : list.payload) {
    const Tensor& tensor = *header.find(wanted.name);
    if (tensor.end > header.tables_begin)
      return damaged_error(tensor.name + " is among the tables" + std::string(kAdvice));
  }
  for (const Tensor& wanted : list.tables) {
    const Tensor& table = *header.find(wanted.name);
    if (table.begin < header.tables_begin)
      return damaged_error(table.name + " is in the payload" + std::string(kAdvice));
  }
  if (header.find("shard.crc32c")->end != header.tensors.back().end) {
    return damaged_error("shard.crc32c is not the last tensor" + std::string(kAdvice));
  }
  return {};
}

Status compare_sum(std::span<const std::byte> bytes, std::uint32_t stated, const std::string& what,
                   std::uint64_t offset) {
  const std::uint32_t found = crc32c(bytes);
  if (found == stated) return {};
  return damaged_error(what + " has the checksum " + crc_text(found) + ", but shard.crc32c says " +
                           crc_text(stated) + ": the file was damaged or changed",
                       {}, offset);
}

// Checks that offsets rise from 0 to `limit`.
Status check_offsets(std::span<const std::byte> file, const ShardHeader& header,
                     const Tensor& table, std::uint64_t limit) {
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i <= header.records; ++i) {
    const std::uint64_t offset = u64_at(file, header, table, i);
    const bool good = i == 0 ? offset == 0 : offset >= before && offset <= limit;
    if (!good || (i == header.records && offset != limit)) {
      return damaged_error(table.name + " does not rise from 0 to " + std::to_string(limit) +
                               ": item " + std::to_string(i) + " is " + std::to_string(offset),
                           {}, file_offset(header, table, i));
    }
    before = offset;
  }
  return {};
}

// A payload field, with what check_tables needs to know about it.
struct Field {
  FieldTables tables;
  std::uint64_t fixed_bytes = 0;  // per record; 0 if sizes differ
  std::uint64_t item_size = 1;
  std::uint64_t depth = 1;  // last side of a shape in the tables (first with chw)
  // the table of image shapes; the label's shapes must agree with it; null: records of one size
  const Tensor* image_shapes = nullptr;
};

std::vector<Field> fields_of(const ShardHeader& header) {
  const Schema& schema = header.schema;
  Field image{image_tables(header), schema.image.shape ? image_record_bytes(schema) : 0};
  image.depth = static_cast<std::uint64_t>(schema.image.channels());
  image.image_shapes = image.tables.shapes;
  std::vector<Field> fields{std::move(image)};
  if (!schema.label) return fields;
  Field label{label_tables(header), schema.label->shape ? label_record_bytes(schema) : 0};
  label.depth = static_cast<std::uint64_t>(label_depth(schema));
  label.item_size = schema.label->storage == LabelStorage::index
                        ? static_cast<std::uint64_t>(schema.index_bytes())
                        : 1;
  label.image_shapes = fields[0].tables.shapes;
  fields.push_back(std::move(label));
  return fields;
}

// Returns the bytes of a record with height × width pixels of `depth_bytes` bytes. Returns nothing
// if a side is not positive or the product is too large.
std::optional<std::uint64_t> bytes_of_shape(std::int32_t height, std::int32_t width,
                                            std::uint64_t depth_bytes) {
  if (height < 1 || width < 1) return {};
  const std::uint64_t area = static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width);
  const auto bytes = checked_mul(area, depth_bytes);
  return bytes && *bytes <= kMaxCount ? bytes : std::nullopt;
}

// Returns the bytes of a record according to its entry in the table `<field>.shape`. Returns
// nothing if the entry is impossible, or contradicts the schema or, for a label, the shape of its
// image.
std::optional<std::uint64_t> told_bytes(std::span<const std::byte> file, const ShardHeader& header,
                                        const Field& field, std::uint64_t index) {
  const bool chw = header.schema.image.layout == AxisOrder::channels_first;
  const Tensor& image_table = *field.image_shapes;
  const std::int32_t height = i32_at(file, header, image_table, 3 * index + (chw ? 1 : 0));
  const std::int32_t width = i32_at(file, header, image_table, 3 * index + (chw ? 2 : 1));
  if (field.image_shapes == field.tables.shapes) {
    const std::int32_t channels = i32_at(file, header, image_table, 3 * index + (chw ? 0 : 2));
    return channels == static_cast<std::int32_t>(field.depth)
               ? bytes_of_shape(height, width, field.depth)
               : std::nullopt;
  }
  const Tensor& table = *field.tables.shapes;
  const bool agrees = i32_at(file, header, table, 3 * index) == height &&
                      i32_at(file, header, table, 3 * index + 1) == width &&
                      std::cmp_equal(i32_at(file, header, table, 3 * index + 2), field.depth);
  return agrees ? bytes_of_shape(height, width, field.depth * field.item_size) : std::nullopt;
}

// Checks the number of stored bytes of a record: if it is not compressed, it must equal the size of
// its shape; if it is compressed, it must suffice to decompress to that size.
Status check_record_size(std::span<const std::byte> file, const ShardHeader& header,
                         const Field& field, std::uint64_t index) {
  const auto needed = field.fixed_bytes != 0 ? std::optional(field.fixed_bytes)
                                             : told_bytes(file, header, field, index);
  const FieldTables& tables = field.tables;
  if (!needed) {
    return damaged_error(record_name(index) + ": " + tables.name +
                             ".shape is impossible or disagrees with the schema or the image",
                         {}, file_offset(header, *tables.shapes, 3 * index));
  }
  const std::uint64_t stored = u64_at(file, header, *tables.offsets, index + 1) -
                               u64_at(file, header, *tables.offsets, index);
  if (tables.compressed ? *needed / kMostExpansion <= stored : *needed == stored) return {};
  return damaged_error(record_name(index) + ": " + tables.name + " has " + std::to_string(stored) +
                           " bytes, but its shape needs " + std::to_string(*needed),
                       {}, file_offset(header, *tables.offsets, index));
}

Status check_fields(std::span<const std::byte> file, const ShardHeader& header) {
  for (const Field& field : fields_of(header)) {
    // records of one size, uncompressed: the header was enough
    if (field.tables.offsets == nullptr) continue;
    HOTPACK_TRY(check_offsets(file, header, *field.tables.offsets, field.tables.payload->bytes()));
    for (std::uint64_t i = 0; i < header.records; ++i)
      HOTPACK_TRY(check_record_size(file, header, field, i));
  }
  return {};
}

// True if the key is a relative path whose parts are names, so that it can be joined to a folder.
bool is_key(std::string_view key) {
  if (!is_utf8(key) || key.find('\0') != std::string_view::npos) return false;
  while (true) {
    const std::size_t slash = key.find('/');
    const std::string_view part = key.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    key.remove_prefix(slash + 1);
  }
}

Status check_keys(std::span<const std::byte> file, const ShardHeader& header) {
  const Tensor& offsets = *header.find("key.offsets");
  const Tensor& data = *header.find("key.data");
  HOTPACK_TRY(check_offsets(file, header, offsets, data.bytes()));
  for (std::uint64_t i = 0; i < header.records; ++i) {
    const std::uint64_t begin = u64_at(file, header, offsets, i);
    const std::uint64_t size = u64_at(file, header, offsets, i + 1) - begin;
    const auto* text = reinterpret_cast<const char*>(item_at(file, header, data, begin));
    if (is_key({text, static_cast<std::size_t>(size)})) continue;
    return damaged_error(record_name(i) + ": its key is not a relative path in UTF-8", {},
                         file_offset(header, data, begin));
  }
  return {};
}

// Checks that each record's rows of label.classes name classes in ascending order, with pixels.
Status check_classes(std::span<const std::byte> file, const ShardHeader& header) {
  // in a later version, another kind of label may have a tensor of this name
  if (!has_class_rows(header.schema)) return {};
  const Tensor& rows = *header.find("label.classes");
  const Tensor& offsets = *header.find("label.classes.offsets");
  HOTPACK_TRY(check_offsets(file, header, offsets, rows.shape[0]));
  for (std::uint64_t i = 0; i < header.records; ++i) {
    std::uint64_t least = 0;
    for (std::uint64_t row = u64_at(file, header, offsets, i);
         row < u64_at(file, header, offsets, i + 1); ++row) {
      const std::uint32_t id = u32_at(file, header, rows, 2 * row);
      if (id < least || id >= header.schema.class_count() ||
          u32_at(file, header, rows, 2 * row + 1) == 0)
        return damaged_error(record_name(i) + ": label.classes has a row that no label can have",
                             {}, file_offset(header, rows, 2 * row));
      least = std::uint64_t{id} + 1;
    }
  }
  return {};
}

bool class_fits(const Sums::ClassCount& count, std::uint64_t records) {
  return count.samples <= records && count.pixels >= count.samples &&
         count.labeled >= count.pixels && (count.samples != 0 || count.labeled == 0);
}

Status check_sums(std::span<const std::byte> file, const ShardHeader& header) {
  constexpr std::uint64_t kMostCounted = std::numeric_limits<std::uint64_t>::max() / (255 * 255);
  const Sums sums = read_sums(file, header);
  bool good =
      sums.pixels_counted <= kMostCounted && sums.skipped <= header.plan.samples - header.records;
  for (std::size_t c = 0; good && c < sums.channel_sums.size(); ++c) {
    good = sums.channel_sums[c] <= 255 * sums.pixels_counted &&
           sums.channel_squares[c] <= 255 * sums.channel_sums[c];
  }
  good = good && std::all_of(sums.classes.begin(), sums.classes.end(),
                             [&](const auto& count) { return class_fits(count, header.records); });
  if (good) return {};
  return damaged_error("shard.sums contains numbers that no records can have", {},
                       file_offset(header, *header.find("shard.sums"), 0));
}

FieldTables tables_of(const ShardHeader& header, std::string name, bool one_size) {
  FieldTables found;
  found.name = std::move(name);
  const auto table = [&](std::string_view suffix) {
    return header.find(found.name + std::string(suffix));
  };
  found.payload = table(".zstd");
  found.compressed = found.payload != nullptr;
  if (found.compressed) {
    found.offsets = table(".zstd.offsets");
    found.frame_crcs = table(".zstd.crc32c");
  } else {
    found.payload = table(one_size ? "" : ".data");
    if (!one_size) found.offsets = table(".offsets");
  }
  if (!one_size) found.shapes = table(".shape");
  found.crcs = table(".crc32c");
  return found;
}

}  // namespace

const Tensor* ShardHeader::find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](std::uint32_t index, std::string_view wanted) { return tensors[index].name < wanted; });
  return found == by_name_.end() || tensors[*found].name != name ? nullptr : &tensors[*found];
}

void ShardHeader::set_tensors(std::vector<Tensor> sorted_by_offset) {
  tensors = std::move(sorted_by_offset);
  by_name_.resize(tensors.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return tensors[a].name < tensors[b].name; });
}

FieldTables image_tables(const ShardHeader& header) {
  return tables_of(header, "image", header.schema.image.shape.has_value());
}

FieldTables label_tables(const ShardHeader& header) {
  if (!header.schema.label) return FieldTables{"label"};
  return tables_of(header, "label", header.schema.label->shape.has_value());
}

Result<ShardHeader> decode_header(std::span<const std::byte> file, SchemaCache* cache) {
  HOTPACK_ASSIGN(Container container, read_container(file));
  ShardHeader header;
  header.header_bytes = container.header_bytes;
  HOTPACK_ASSIGN(header.metadata, read_metadata(container));
  HOTPACK_ASSIGN(header.minor, parse_version(header.metadata.format));
  HOTPACK_TRY(check_metadata(header.metadata, header.minor));
  HOTPACK_ASSIGN(header.schema, schema_of(header.metadata, header.minor, cache));
  HOTPACK_ASSIGN(header.plan, plan_of(header.metadata, header.minor));
  header.set_tensors(std::move(container.tensors));
  HOTPACK_ASSIGN(header.records, record_count(header));
  HOTPACK_ASSIGN(const TensorList expected, expected_tensors(header));
  HOTPACK_TRY(check_present(header, expected.payload));
  HOTPACK_TRY(check_present(header, expected.tables));
  HOTPACK_TRY(check_one_form(header, expected));
  HOTPACK_TRY(check_unlabeled(header));
  HOTPACK_TRY(check_fillers_hold_bytes(header));
  HOTPACK_TRY(check_filler_count(header, expected));
  HOTPACK_TRY(check_no_others(header, expected));
  HOTPACK_TRY(find_tables(header));
  header.aligned = is_aligned(header, expected);
  return header;
}

Status check_region_sums(std::span<const std::byte> file, const ShardHeader& header) {
  HOTPACK_TRY(check_coverage(header));
  const Tensor& sums = *header.find("shard.crc32c");
  const std::uint64_t start = header.buffer_start();
  HOTPACK_TRY(compare_sum(file.first(start), u32_at(file, header, sums, 0), "the header", 0));
  const std::uint64_t tables = start + header.tables_begin;
  return compare_sum(file.subspan(tables, sums.begin - header.tables_begin),
                     u32_at(file, header, sums, 1), "the tables region", tables);
}

Status check_tables(std::span<const std::byte> file, const ShardHeader& header) {
  HOTPACK_TRY(check_region_sums(file, header));
  HOTPACK_TRY(check_keys(file, header));
  HOTPACK_TRY(check_fields(file, header));
  HOTPACK_TRY(check_classes(file, header));
  return check_sums(file, header);
}

std::uint64_t u64_at(std::span<const std::byte> file, const ShardHeader& header,
                     const Tensor& tensor, std::uint64_t index) {
  return load_le<std::uint64_t>(item_at(file, header, tensor, 8 * index));
}

std::uint32_t u32_at(std::span<const std::byte> file, const ShardHeader& header,
                     const Tensor& tensor, std::uint64_t index) {
  return load_le<std::uint32_t>(item_at(file, header, tensor, 4 * index));
}

std::int32_t i32_at(std::span<const std::byte> file, const ShardHeader& header,
                    const Tensor& tensor, std::uint64_t index) {
  return load_le<std::int32_t>(item_at(file, header, tensor, 4 * index));
}

Sums read_sums(std::span<const std::byte> file, const ShardHeader& header) {
  const Tensor& table = *header.find("shard.sums");
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(table.shape[0]));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = u64_at(file, header, table, i);
  return Sums::from_numbers(numbers, header.schema.image.channels(),
                            counted_classes(header.schema));
}

std::string digest_of(std::span<const std::byte> file, const ShardHeader& header) {
  const std::uint64_t start = header.buffer_start();
  const std::uint64_t size = header.find("shard.crc32c")->end - header.tables_begin;
  return shard_digest(file.first(start), file.subspan(start + header.tables_begin, size));
}

}  // namespace hotpack::format
