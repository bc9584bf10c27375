#include "cli/pack_description.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/words.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
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

// Returns the share of class c among all pixels that have a class or, if each image has one class,
// among all labels. Returns nothing if there are none.
std::optional<double> share_of(const Statistics& statistics, std::size_t c) {
  const std::uint64_t all =
      std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), std::uint64_t{0});
  if (all == 0) return std::nullopt;
  return static_cast<double>(statistics.pixels[c]) / static_cast<double>(all);
}

std::string fixed_or_dash(const std::optional<double>& value, int digits) {
  return value ? fixed_text(*value, digits) : "-";
}

std::string means_text(const std::vector<std::optional<double>>& values) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const auto& value : values) words.push_back(fixed_or_dash(value, 6));
  return joined_text(words, " ");
}

std::string source_text(const LabelSource& source) {
  if (const auto* id = std::get_if<std::int64_t>(&source)) return std::to_string(*id);
  return std::get<std::string>(source);
}

std::string image_text(const Schema& schema) {
  std::string text = schema.geometry.size ? std::to_string((*schema.geometry.size)[0]) + "x" +
                                                std::to_string((*schema.geometry.size)[1])
                                          : std::string("sizes differ");
  text += schema.image.color == ImageColor::rgb ? ", RGB" : ", gray";
  return text + ", " + std::string(word_of(schema.image.layout));
}

std::string label_text(const Schema& schema) {
  if (!schema.label) return "none";
  std::string text =
      schema.label->scope == LabelScope::pixel ? "a class per pixel" : "a class per image";
  if (schema.label->multi) text += ", several allowed";
  return text + ", stored as " + std::string(word_of(schema.label->storage));
}

std::string geometry_text(const Schema& schema) {
  const Geometry& geometry = schema.geometry;
  std::string text = "fit " + geometry.fit + ", anchor ";
  text += word_of(value_of_packed<Anchor>(schema.options.anchor).value_or(Anchor::center));
  text += ", image filter " + geometry.image_filter + ", label filter " + geometry.label_filter +
          ", padded with ";
  for (std::size_t i = 0; i < geometry.pad_color.size(); ++i)
    text += (i > 0 ? "," : "") + std::to_string(geometry.pad_color[i]);
  return text;
}

// Returns the options as typed on the command line, without those that have their default value.
std::string options_text(const Schema& schema) {
  std::vector<std::string> words;
  for (const pipeline::TypedOption& option : pipeline::typed_options(schema)) {
    if (option.usual) continue;
    const char* const equals = option.name == "--zstd" ? "=" : " ";  // as its value is optional
    words.push_back(option.name +
                    (option.value->empty() ? "" : equals + shell_word(*option.value)));
  }
  const std::string text = words.empty() ? "the usual ones" : joined_text(words, " ");
  return schema.options.engines.empty()
             ? text
             : text + "; engines " + joined_text(schema.options.engines, " ");
}

std::string ignored_text(const Statistics& statistics, const Schema& schema) {
  const std::uint64_t all =
      std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), statistics.ignored);
  std::string text = number_text(statistics.ignored);
  if (all > 0 && !schema.label->multi)
    text += " (" + percent_of(statistics.ignored, all) + " of all)";
  if (schema.ignore.empty()) return text;
  text += "; ignored in labels:";
  for (const LabelSource& source : schema.ignore) text += " " + source_text(source);
  return text;
}

std::string class_table(const Schema& schema, const Statistics& statistics, std::size_t columns) {
  const bool pixels = schema.label->scope == LabelScope::pixel;
  std::vector<Cells> rows{{"id", "class", "color", "from", "samples", pixels ? "pixels" : "labels",
                           "share", "1/f", "median"}};
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    const ClassInfo& info = schema.classes[c];
    std::vector<std::string> sources;
    for (const LabelSource& source : info.sources) sources.push_back(source_text(source));
    const auto share = share_of(statistics, c);
    rows.push_back({std::to_string(c), truncated(printable_name(info.name), 40),
                    info.color ? color_text(*info.color) : "-",
                    truncated(printable_name(joined_text(sources, " ")), 24),
                    number_text(statistics.samples[c]), number_text(statistics.pixels[c]),
                    share ? percent_text(*share) : "-",
                    fixed_or_dash(statistics.weights_inverse[c], 4),
                    fixed_or_dash(statistics.weights_median[c], 4)});
  }
  return table_text(rows, {.align = "llllr", .columns = columns, .shrinking = 1});
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

void add_schema(Report& report, const Schema& schema) {
  report.member("schema", schema_json(schema));
  report.line("image", image_text(schema));
  report.line("label", label_text(schema));
  report.line("geometry", geometry_text(schema));
  report.line("options", printable_name(options_text(schema)));
}

Report pack_description(const Dataset& dataset, const std::vector<std::string>& faults,
                        std::size_t columns) {
  const Schema& schema = dataset.schema();
  const PackInfo& pack = dataset.packs().front();
  const std::uint64_t bytes = total_bytes(dataset);
  Report report;
  report.member("pack", is_utf8(pack.folder) ? Json(pack.folder) : Json());
  report.line("pack", printable_name(pack.folder));
  report.member("format", pack.format);
  report.member("fingerprint", pack.fingerprint);
  report.line("format", pack.format + ", fingerprint " + pack.fingerprint);
  report.member("samples", pack.records);
  report.member("skipped", pack.skipped);
  report.line(
      "samples",
      number_text(pack.records) +
          (pack.skipped > 0 ? " (" + number_text(pack.skipped) + " more were skipped)" : ""));
  report.member("shards", dataset.shards().size());
  report.member("bytes", bytes);
  report.line("shards", number_text(dataset.shards().size()) + ", " + human_bytes(bytes));
  add_schema(report, schema);
  report.member(
      "plan",
      Json{{"samples", pack.plan.samples}, {"shards", pack.plan.shards}, {"keys", pack.plan.keys}});
  report.member("statistics", statistics_json(pack.statistics));
  report.line("mean", means_text(pack.statistics.mean));
  report.line("std", means_text(pack.statistics.std));
  if (schema.label) {
    report.line("ignored", printable_name(ignored_text(pack.statistics, schema)));
    report.line("weights", "of classes for a loss: the columns 1/f and median");
    report.lines("\n" + class_table(schema, pack.statistics, columns));
  }
  if (!faults.empty()) report.member("faults", utf8_list(faults));
  return report;
}

}  // namespace hotpack::cli
