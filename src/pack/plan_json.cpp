#include "pack/plan_json.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::pipeline {

namespace {

using format::Json;
using format::JsonNode;

// ---- single values

template <class T>
concept HasWords = std::is_enum_v<T> && !std::is_same_v<decltype(kWords<T>), const int>;

// The values that a field may have, for enums without words: 0 … the last one.
template <class Enum>
constexpr int kLast = -1;
template <>
constexpr int kLast<labels::RgbId> = static_cast<int>(labels::RgbId::red);
template <>
constexpr int kLast<labels::DimLabels> = static_cast<int>(labels::DimLabels::may_be_ids);
template <>
constexpr int kLast<labels::UnknownPolicy::Kind> =
    static_cast<int>(labels::UnknownPolicy::Kind::nearest);

template <class T>
struct Codec;

template <std::integral T>
struct Codec<T> {
  static Json write(T value) { return value; }
  static Status read(const JsonNode& node, T& value) {
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const Json& json = node.json();
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most)
      return node.error("must be a whole number of at most " + std::to_string(most));
    value = static_cast<T>(json.get<std::uint64_t>());
    return {};
  }
};

template <>
struct Codec<bool> {
  static Json write(bool value) { return value; }
  static Status read(const JsonNode& node, bool& value) {
    HOTPACK_ASSIGN(value, node.boolean());
    return {};
  }
};

template <>
struct Codec<std::string> {
  static Json write(const std::string& value) { return value; }
  static Status read(const JsonNode& node, std::string& value) {
    HOTPACK_ASSIGN(value, node.text());
    return {};
  }
};

template <HasWords T>
struct Codec<T> {
  static Json write(T value) { return word_of(value); }
  static Status read(const JsonNode& node, T& value) {
    HOTPACK_ASSIGN(const std::string text, node.text());
    const std::optional<T> known = value_of<T>(text);
    if (!known) return node.error("is '" + text + "', which this hotpack does not know");
    value = *known;
    return {};
  }
};

template <class T>
requires(std::is_enum_v<T> && !HasWords<T>) struct Codec<T> {
  static Json write(T value) { return static_cast<int>(value); }
  static Status read(const JsonNode& node, T& value) {
    static_assert(kLast<T> >= 0);
    HOTPACK_ASSIGN(const std::uint64_t number, node.count(0, kLast<T>));
    value = static_cast<T>(number);
    return {};
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static Json write(const std::optional<T>& value) {
    return value ? Codec<T>::write(*value) : Json();
  }
  static Status read(const JsonNode& node, std::optional<T>& value) {
    if (node.is_null()) return value.reset(), Status();
    return Codec<T>::read(node, value.emplace());
  }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static Json write(const std::array<T, N>& values) { return Json(values); }
  static Status read(const JsonNode& node, std::array<T, N>& values) {
    HOTPACK_ASSIGN(const std::size_t length, node.length());
    if (length != N) return node.error("must have " + std::to_string(N) + " elements");
    for (std::size_t i = 0; i < N; ++i) HOTPACK_TRY(Codec<T>::read(node.element(i), values[i]));
    return {};
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static Json write(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(Codec<T>::write(value));
    return list;
  }
  static Status read(const JsonNode& node, std::vector<T>& values) {
    HOTPACK_ASSIGN(const std::size_t length, node.length());
    values.assign(length, T{});
    for (std::size_t i = 0; i < length; ++i)
      HOTPACK_TRY(Codec<T>::read(node.element(i), values[i]));
    return {};
  }
};

template <>
struct Codec<Extent> {
  using Pair = std::array<int, 2>;
  static Json write(Extent size) { return Codec<Pair>::write({size.width, size.height}); }
  static Status read(const JsonNode& node, Extent& size) {
    Pair pair{};
    HOTPACK_TRY(Codec<Pair>::read(node, pair));
    size = {pair[0], pair[1]};
    return {};
  }
};

template <>
struct Codec<TileOptions> {
  using Triple = std::array<int, 3>;
  static Json write(const TileOptions& tile) {
    return Codec<Triple>::write({tile.size.width, tile.size.height, tile.overlap});
  }
  static Status read(const JsonNode& node, TileOptions& tile) {
    Triple triple{};
    HOTPACK_TRY(Codec<Triple>::read(node, triple));
    tile = {{triple[0], triple[1]}, triple[2]};
    return {};
  }
};

template <>
struct Codec<labels::MappedValue> {
  using Pair = std::array<std::uint32_t, 2>;
  static Json write(const labels::MappedValue& value) {
    return Codec<Pair>::write({value.value, value.class_id});
  }
  static Status read(const JsonNode& node, labels::MappedValue& value) {
    Pair pair{};
    HOTPACK_TRY(Codec<Pair>::read(node, pair));
    if (pair[1] > labels::kIgnored) return node.error("has a class id above 65535");
    value = {pair[0], static_cast<std::uint16_t>(pair[1])};
    return {};
  }
};

// ---- fields

// Both classes take the same calls, so that one list of fields serves writing and reading.
class FieldWriter {
 public:
  template <class T>
  void field(const char* name, const T& value) {
    json_[name] = Codec<T>::write(value);
  }
  [[nodiscard]] std::string text() const { return format::canonical_json(json_); }

 private:
  Json json_ = Json::object();
};

class FieldReader {
 public:
  explicit FieldReader(const JsonNode& node) : node_(node) {}
  template <class T>
  void field(const char* name, T& value) {
    if (!status_.ok()) return;
    status_ = node_.has(name) ? Codec<T>::read(node_.at(name), value)
                              : Status(node_.error("lacks the key \"" + std::string(name) + "\""));
  }
  [[nodiscard]] Status status() && { return std::move(status_); }

 private:
  const JsonNode& node_;
  Status status_;
};

template <class Fields, class Record, class Shard>
void list_options(Fields& fields, Record& record, Shard& shard) {
  fields.field("size", record.size);
  fields.field("fit", record.fit);
  fields.field("image_filter", record.image_filter);
  fields.field("label_filter", record.label_filter);
  fields.field("anchor", record.anchor);
  fields.field("tile", record.tile);
  fields.field("pad_multiple", record.pad_multiple);
  fields.field("pad_color", record.pad_color);
  fields.field("size_mismatch", record.size_mismatch);
  fields.field("exif", record.exif);
  fields.field("color", record.color);
  fields.field("alpha_blend", record.alpha_blend);
  fields.field("depth16", record.depth16);
  fields.field("jpeg_scale", record.jpeg_scale);
  fields.field("max_pixels", record.max_pixels);
  fields.field("lenient", record.lenient);
  fields.field("label_storage", record.label_storage);
  fields.field("layout", record.layout);
  fields.field("shard_bytes", shard.shard_bytes);
  fields.field("shard_samples", shard.shard_samples);
  fields.field("shuffle_seed", shard.shuffle_seed);
  fields.field("zstd_image", shard.zstd_image);
  fields.field("zstd_label", shard.zstd_label);
  fields.field("zstd_level", shard.zstd_level);
}

template <class Fields, class Setup>
void list_setup(Fields& fields, Setup& setup) {
  fields.field("scope", setup.scope);
  fields.field("label_kind", setup.label_kind);
  fields.field("unknown", setup.unknown);
  fields.field("pad_label", setup.pad_label);
  fields.field("pad_id", setup.pad_id);
  fields.field("rgb_id", setup.rgb_id);
  fields.field("threshold", setup.threshold);
  fields.field("multi", setup.multi);
  fields.field("map", setup.map);
  fields.field("explanation", setup.explanation);
}

template <class Fields, class Rules>
void list_rules(Fields& fields, Rules& rules) {
  fields.field("rules_kind", rules.kind);
  fields.field("rules_rgb_id", rules.rgb_id);
  fields.field("rules_threshold", rules.threshold);
  fields.field("values", rules.values);
  fields.field("ignore_ids", rules.ignore_ids);
  fields.field("ignore_colors", rules.ignore_colors);
  fields.field("ignore_classes", rules.ignore_classes);
  fields.field("unknown_kind", rules.unknown.kind);
  fields.field("unknown_class", rules.unknown.class_id);
  fields.field("unknown_distance", rules.unknown.max_distance);
  fields.field("dim", rules.dim);
  fields.field("kind_was_automatic", rules.kind_was_automatic);
}

// The classes as they were before the decoder added the sources.
labels::ClassTable table_of(const Schema& schema) {
  labels::ClassTable table;
  table.classes = schema.classes;
  for (ClassInfo& info : table.classes) info.sources.clear();
  table.has_colors = std::all_of(schema.classes.begin(), schema.classes.end(),
                                 [](const ClassInfo& info) { return info.color.has_value(); });
  return table;
}

// A plan file from elsewhere may hold rules that no command line gives.
Error unusable_rules(const Error& error) {
  return damaged_error("the rules for labels cannot be used: " + error.message);
}

}  // namespace

std::string encode_options(const RecordOptions& record, const ShardOptions& shard) {
  FieldWriter fields;
  list_options(fields, record, shard);
  return fields.text();
}

Status decode_options(std::string_view text, RecordOptions& record, ShardOptions& shard) {
  HOTPACK_ASSIGN(const format::JsonDocument document, format::parse_document(text));
  const JsonNode node(document.root(), "options");
  FieldReader fields(node);
  list_options(fields, record, shard);
  return std::move(fields).status();
}

std::string encode_labels(const LabelSetup& setup) {
  FieldWriter fields;
  list_setup(fields, setup);
  fields.field("has_rules", setup.rules.has_value());
  list_rules(fields, setup.rules ? *setup.rules : labels::LabelRules());
  return fields.text();
}

Result<LabelSetup> decode_labels(std::string_view text, const Schema& schema) {
  HOTPACK_ASSIGN(const format::JsonDocument document, format::parse_document(text));
  const JsonNode node(document.root(), "labels");
  FieldReader fields(node);
  LabelSetup setup;
  bool has_rules = false;
  labels::LabelRules rules;
  list_setup(fields, setup);
  fields.field("has_rules", has_rules);
  list_rules(fields, rules);
  HOTPACK_TRY(std::move(fields).status());
  setup.table.classes = schema.classes;
  setup.table.ignore = schema.ignore;
  if (!has_rules) return setup;
  setup.rules = std::move(rules);
  const labels::ClassTable table =
      setup.multi || setup.numbers_objects() ? labels::binary_classes() : table_of(schema);
  Result<labels::LabelDecoder> decoder = labels::LabelDecoder::create(table, *setup.rules);
  if (!decoder.ok()) return unusable_rules(decoder.error());
  setup.decoder.emplace(std::move(decoder).value());
  return setup;
}

}  // namespace hotpack::pipeline
