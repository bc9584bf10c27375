#include "cli/pack_description.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "settings/option_words.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

std::uint64_t total_bytes(const Dataset& dataset) {
  std::uint64_t sum = 0;
  for (const ShardInfo& shard : dataset.shards()) sum += shard.size_bytes;
  return sum;
}

// The part of all class pixels (a whole-image label: samples) that class c has; nothing where there are none.
std::optional<double> share_of(const Statistics& statistics, std::size_t c) {
  const std::uint64_t all = std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), std::uint64_t{0});
  if (all == 0) return std::nullopt;
  return static_cast<double>(statistics.pixels[c]) / static_cast<double>(all);
}

std::string fixed_or_dash(const std::optional<double>& value, int digits) { return value ? fixed_text(*value, digits) : "-"; }

std::string percent_or_dash(const std::optional<double>& share) { return share ? percent_text(*share) : "-"; }

template <class T>
std::string joined(const std::vector<T>& values, const char* separator) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += separator;
    if constexpr (std::is_same_v<T, std::string>) {
      text += value;
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      text += fixed_or_dash(value, 6);
    } else {
      text += std::to_string(value);
    }
  }
  return text;
}

std::string source_text(const LabelSource& source) {
  if (const auto* id = std::get_if<std::int64_t>(&source)) return std::to_string(*id);
  return std::get<std::string>(source);
}

std::string image_text(const Schema& schema) {
  std::string text = schema.geometry.size ? std::to_string((*schema.geometry.size)[0]) + "x" + std::to_string((*schema.geometry.size)[1])
                                          : std::string("sizes differ");
  text += schema.image.color == ImageColor::rgb ? ", RGB" : ", gray";
  return text + ", " + std::string(word_of(schema.image.layout));
}

std::string label_text(const Schema& schema) {
  if (!schema.label) return "none";
  std::string text = schema.label->scope == LabelScope::pixel ? "a class per pixel" : "a class per image";
  if (schema.label->multi) text += ", several allowed";
  return text + ", stored as " + std::string(word_of(schema.label->storage));
}

std::string geometry_text(const Schema& schema) {
  const Geometry& geometry = schema.geometry;
  return "fit " + geometry.fit + ", anchor " +
         std::string(word_of(value_of_packed<Anchor>(schema.options.anchor).value_or(Anchor::center))) + ", image filter " +
         geometry.image_filter + ", label filter " + geometry.label_filter + ", padded with " + joined(geometry.pad_color, ",");
}

// As they are typed; what is usual is left out.
std::string options_text(const Schema& schema) {
  std::string text;
  for (const pipeline::TypedOption& option : pipeline::typed_options(schema)) {
    if (option.usual) continue;
    const bool has_value = !option.value->empty();
    const bool joined_value = option.name == "--zstd";  // its value may be left out
    text += (text.empty() ? "" : " ") + option.name +
            (!has_value     ? ""
             : joined_value ? "="
                            : " ") +
            (has_value ? shell_word(*option.value) : "");
  }
  if (text.empty()) text = "the usual ones";
  return schema.options.engines.empty() ? text : text + "; engines " + joined(schema.options.engines, " ");
}

std::string ignored_text(const Statistics& statistics, const Schema& schema) {
  const std::uint64_t all = std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), statistics.ignored);
  std::string text = number_text(statistics.ignored);
  if (all > 0 && !schema.label->multi)
    text += " (" + percent_or_dash(static_cast<double>(statistics.ignored) / static_cast<double>(all)) + " of all)";
  if (schema.ignore.empty()) return text;
  text += "; ignored in labels:";
  for (const LabelSource& source : schema.ignore) text += " " + source_text(source);
  return text;
}

// Rows of cells to aligned columns: the first `left` columns to the left, the others to the right.
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], text_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - text_width(row[c]), ' ');
      line += "  " + (c < left ? row[c] + gap : gap + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string class_table_text(const Schema& schema, const Statistics& statistics) {
  const bool pixels = schema.label->scope == LabelScope::pixel;
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"id", "class", "color", "from", "samples", pixels ? "pixels" : "labels", "share", "weight 1/f", "weight median"});
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    const ClassInfo& info = schema.classes[c];
    std::string sources;
    for (const LabelSource& source : info.sources) sources += (sources.empty() ? "" : " ") + source_text(source);
    rows.push_back({std::to_string(c), truncated(printable_name(info.name), 40), info.color ? color_text(*info.color) : "-",
                    truncated(printable_name(sources), 24), number_text(statistics.samples[c]), number_text(statistics.pixels[c]),
                    percent_or_dash(share_of(statistics, c)), fixed_or_dash(statistics.weights_inverse[c], 4),
                    fixed_or_dash(statistics.weights_median[c], 4)});
  }
  return table_text(rows, 4);
}

template <class T>
Json json_list(const std::vector<std::optional<T>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json());
  return list;
}

Json statistics_json(const Statistics& statistics) {
  Json json;
  json["mean"] = json_list(statistics.mean);
  json["std"] = json_list(statistics.std);
  json["pixels"] = statistics.pixels;
  json["samples"] = statistics.samples;
  json["shares"] = Json::array();
  for (std::size_t c = 0; c < statistics.pixels.size(); ++c) {
    const auto share = share_of(statistics, c);
    json["shares"].push_back(share ? Json(*share) : Json());
  }
  json["ignored"] = statistics.ignored;
  json["weights"]["inverse"] = json_list(statistics.weights_inverse);
  json["weights"]["median"] = json_list(statistics.weights_median);
  return json;
}

Json schema_json(const Schema& schema) {
  const auto text = format::encode_schema(schema);
  if (!text.ok()) return Json();
  auto json = format::parse_json(*text);
  return json.ok() ? std::move(json).value() : Json();
}

}  // namespace

std::string describe_pack(const Dataset& dataset) {
  const Schema& schema = dataset.schema();
  const PackInfo& pack = dataset.packs().front();
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"pack", printable_name(pack.folder)});
  rows.push_back({"format", pack.format + ", fingerprint " + pack.fingerprint});
  rows.push_back(
      {"samples", number_text(pack.records) + (pack.skipped > 0 ? " (" + number_text(pack.skipped) + " more were skipped)" : "")});
  rows.push_back({"shards", number_text(dataset.shards().size()) + ", " + human_bytes(total_bytes(dataset))});
  rows.push_back({"image", image_text(schema)});
  rows.push_back({"label", label_text(schema)});
  rows.push_back({"geometry", geometry_text(schema)});
  rows.push_back({"options", printable_name(options_text(schema))});
  rows.push_back({"mean", joined(pack.statistics.mean, " ")});
  rows.push_back({"std", joined(pack.statistics.std, " ")});
  if (schema.label) rows.push_back({"ignored", printable_name(ignored_text(pack.statistics, schema))});
  std::string text = table_text(rows, 2);
  if (schema.label) text += "\n" + class_table_text(schema, pack.statistics);
  return text;
}

std::string pack_json(const Dataset& dataset, const std::vector<std::string>& faults) {
  const PackInfo& pack = dataset.packs().front();
  Json json;
  json["pack"] = format::valid_utf8(pack.folder) ? Json(pack.folder) : Json();
  json["format"] = pack.format;
  json["fingerprint"] = pack.fingerprint;
  json["samples"] = pack.records;
  json["skipped"] = pack.skipped;
  json["shards"] = dataset.shards().size();
  json["bytes"] = total_bytes(dataset);
  json["schema"] = schema_json(dataset.schema());
  json["plan"]["samples"] = pack.plan.samples;
  json["plan"]["shards"] = pack.plan.shards;
  json["plan"]["keys"] = pack.plan.keys;
  json["statistics"] = statistics_json(pack.statistics);
  for (const std::string& fault : faults) json["faults"].push_back(format::with_valid_utf8(fault));
  return format::canonical_json(json);
}

}  // namespace hotpack::cli
