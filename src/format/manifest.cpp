#include "format/manifest.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "format/manifest_rows.hpp"
#include "format/schema_json.hpp"
#include "format/version.hpp"

namespace hotpack::format {
namespace {

constexpr std::string_view kCheckKey = "\"check\":\"";
constexpr std::string_view kEnd = "\"}\n";
constexpr std::size_t kCheckBytes = 15;  // "crc32c:" and eight digits
constexpr std::size_t kTailBytes = kCheckKey.size() + kCheckBytes + kEnd.size();

// ---- writing

template <class Values, class Text>
std::string list_text(const Values& values, Text text_of) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() == 1 ? "" : ",") + text_of(value);
  return text + "]";
}

std::string counts_text(const std::vector<std::uint64_t>& counts) {
  return list_text(counts, [](std::uint64_t count) { return std::to_string(count); });
}

std::string numbers_text(const std::vector<std::optional<double>>& numbers) {
  return list_text(numbers, [](const std::optional<double>& number) {
    return number ? canonical_double(*number) : std::string("null");
  });
}

std::string statistics_text(const Statistics& statistics) {
  return "{\"mean\":" + numbers_text(statistics.mean) + ",\"std\":" + numbers_text(statistics.std) +
         ",\"pixels\":" + counts_text(statistics.pixels) +
         ",\"samples\":" + counts_text(statistics.samples) +
         ",\"ignored\":" + std::to_string(statistics.ignored) +
         ",\"weights\":{\"inverse\":" + numbers_text(statistics.weights_inverse) +
         ",\"median\":" + numbers_text(statistics.weights_median) + "}}";
}

std::string row_text(const ShardRow& row) {
  return "{\"file\":" + canonical_string(row.file) + ",\"records\":" + std::to_string(row.records) +
         ",\"bytes\":" + std::to_string(row.bytes) +
         ",\"sources\":" + canonical_string(row.sources) +
         ",\"digest\":" + canonical_string(row.digest) + "}";
}

std::string rows_text(const std::vector<ShardRow>& rows) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "" : ",\n") + row_text(rows[i]);
  return text + "\n]";
}

// ---- reading

// Checks that the text ends with a check value, and that it fits everything before it.
Status check_tail(std::string_view text, std::string_view advice) {
  const std::string end = advice.empty() ? "" : ". " + std::string(advice);
  const std::string_view tail =
      text.size() < kTailBytes ? std::string_view() : text.substr(text.size() - kTailBytes);
  if (!tail.starts_with(kCheckKey) || !tail.ends_with(kEnd)) {
    return damaged_error(
        "is truncated, or was not written by hotpack: the checksum at its end is missing" + end, {},
        text.size());
  }
  const std::string found = crc_text(crc32c(bytes_of(text.substr(0, text.size() - kTailBytes))));
  const std::string_view stated = tail.substr(kCheckKey.size(), kCheckBytes);
  if (stated == found) return {};
  return damaged_error("the checksum at its end is " + excerpt(Json(stated)) +
                       ", but its bytes have " + found + ": it was damaged, or edited by hand" +
                       end);
}

Result<std::vector<std::uint64_t>> decode_counts(const JsonNode& node, std::size_t expected) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  if (length != expected)
    return node.error("must be a list of " + std::to_string(expected) + " numbers");
  std::vector<std::uint64_t> counts;
  counts.reserve(expected);
  for (std::size_t i = 0; i < length; ++i) {
    HOTPACK_ASSIGN(const std::uint64_t count, node.element(i).count());
    counts.push_back(count);
  }
  return counts;
}

Result<std::vector<std::optional<double>>> decode_numbers(const JsonNode& node,
                                                          std::size_t expected) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  if (length != expected)
    return node.error("must be a list of " + std::to_string(expected) + " numbers");
  std::vector<std::optional<double>> numbers;
  numbers.reserve(expected);
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    numbers.emplace_back();
    if (element.is_null()) continue;
    HOTPACK_ASSIGN(numbers.back(), element.number());
  }
  return numbers;
}

Result<Statistics> decode_statistics(const JsonNode& node, const Schema& schema, int minor) {
  HOTPACK_TRY(node.require_keys({"mean", "std", "pixels", "samples", "ignored", "weights"}, minor));
  const JsonNode weights = node.at("weights");
  HOTPACK_TRY(weights.require_keys({"inverse", "median"}, minor));
  const auto channels = static_cast<std::size_t>(schema.image.channels());
  const std::size_t classes = counted_classes(schema);
  Statistics statistics;
  HOTPACK_ASSIGN(statistics.mean, decode_numbers(node.at("mean"), channels));
  HOTPACK_ASSIGN(statistics.std, decode_numbers(node.at("std"), channels));
  HOTPACK_ASSIGN(statistics.pixels, decode_counts(node.at("pixels"), classes));
  HOTPACK_ASSIGN(statistics.samples, decode_counts(node.at("samples"), classes));
  HOTPACK_ASSIGN(statistics.ignored, node.at("ignored").count());
  HOTPACK_ASSIGN(statistics.weights_inverse, decode_numbers(weights.at("inverse"), classes));
  HOTPACK_ASSIGN(statistics.weights_median, decode_numbers(weights.at("median"), classes));
  return statistics;
}

Result<ShardRow> decode_row(const JsonNode& node, const std::string& expected_name, int minor) {
  HOTPACK_TRY(node.require_keys({"file", "records", "bytes", "sources", "digest"}, minor));
  ShardRow row;
  HOTPACK_ASSIGN(row.file, node.at("file").text());
  if (row.file != expected_name)
    return node.at("file").error(excerpt(Json(row.file)) + " must be " + expected_name);
  HOTPACK_ASSIGN(row.bytes, node.at("bytes").count());
  HOTPACK_ASSIGN(row.records, node.at("records").count(0, most_records(row.bytes)));
  HOTPACK_ASSIGN(row.sources, node.at("sources").digest());
  HOTPACK_ASSIGN(row.digest, node.at("digest").digest());
  return row;
}

Result<std::vector<ShardRow>> decode_rows(const JsonNode& node, int minor) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<ShardRow> rows;
  rows.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    HOTPACK_ASSIGN(ShardRow row, decode_row(node.element(i), shard_file_name(i, length), minor));
    rows.push_back(std::move(row));
  }
  return rows;
}

// The original texts of schema and plan, to compare them byte for byte with those of the shards.
Status decode_identity(std::string_view text, int minor, Manifest& manifest) {
  for (const auto& [key, value] : raw_members(text)) {
    if (key == "schema") manifest.schema_text = value;
    if (key == "plan") manifest.plan_text = value;
  }
  HOTPACK_ASSIGN(manifest.schema, decode_schema(manifest.schema_text, minor));
  HOTPACK_ASSIGN(manifest.plan, decode_plan(manifest.plan_text, minor));
  const std::string expected = fingerprint(manifest.schema_text, manifest.plan_text);
  if (manifest.fingerprint == expected) return {};
  return damaged_error("fingerprint is " + manifest.fingerprint + ", but schema and plan give " +
                       expected);
}

Status check_totals(const Manifest& manifest) {
  if (manifest.shards.size() != manifest.plan.shards) {
    return damaged_error("shards: it has " + std::to_string(manifest.shards.size()) +
                         " rows, but the number of shards in the plan is " +
                         std::to_string(manifest.plan.shards));
  }
  std::uint64_t left = manifest.plan.samples;
  const auto take = [&](std::uint64_t count) { return count <= left && (left -= count, true); };
  const bool enough =
      take(manifest.skipped) && std::all_of(manifest.shards.begin(), manifest.shards.end(),
                                            [&](const ShardRow& row) { return take(row.records); });
  if (enough && left == 0) return {};
  return damaged_error("records and skipped samples do not add up to the " +
                       std::to_string(manifest.plan.samples) + " samples of the plan");
}

// `rows` has the rows if they are not in `text`.
Status decode_members(std::string_view text, const JsonNode& node, int minor,
                      std::vector<ShardRow>* rows, Manifest& manifest) {
  if (node.has("parts"))
    return damaged_error("the data set has parts; this version of hotpack reads sets without");
  HOTPACK_TRY(node.require_keys(
      {"format", "schema", "fingerprint", "plan", "statistics", "skipped", "shards", "check"},
      minor));
  HOTPACK_ASSIGN(manifest.fingerprint, node.at("fingerprint").digest());
  HOTPACK_TRY(decode_identity(text, minor, manifest));
  HOTPACK_ASSIGN(manifest.statistics,
                 decode_statistics(node.at("statistics"), manifest.schema, minor));
  HOTPACK_ASSIGN(manifest.skipped, node.at("skipped").count());
  if (rows != nullptr) {
    manifest.shards = std::move(*rows);
  } else {
    HOTPACK_ASSIGN(manifest.shards, decode_rows(node.at("shards"), minor));
  }
  return check_totals(manifest);
}

// Decodes a manifest whose check is right. If `rows` is not null, it has the rows, and the list in
// `text` is empty.
Result<Manifest> decode(std::string_view text, std::vector<ShardRow>* rows) {
  HOTPACK_ASSIGN(const JsonDocument document, parse_document(text));
  const Json& json = document.root();
  const JsonNode node(json, "");
  if (!node.has("format"))
    return damaged_error("not a manifest of hotpack: it lacks the key \"format\"");
  Manifest manifest;
  HOTPACK_ASSIGN(manifest.format, node.at("format").text());
  HOTPACK_ASSIGN(const int minor, parse_version(manifest.format));
  HOTPACK_TRY(decode_members(text, node, minor, rows, manifest));
  return manifest;
}

}  // namespace

std::uint64_t Manifest::records() const {
  std::uint64_t total = 0;
  for (const ShardRow& row : shards) total += row.records;
  return total;
}

std::string encode_manifest(const Manifest& manifest) {
  std::string text = "{\n\"format\":" + canonical_string(manifest.format) +
                     ",\n\"schema\":" + manifest.schema_text + ",\n\"fingerprint\":" +
                     canonical_string(fingerprint(manifest.schema_text, manifest.plan_text)) +
                     ",\n\"plan\":" + manifest.plan_text +
                     ",\n\"statistics\":" + statistics_text(manifest.statistics) +
                     ",\n\"skipped\":" + std::to_string(manifest.skipped) +
                     ",\n\"shards\":" + rows_text(manifest.shards) + ",\n";
  const std::string check = crc_text(crc32c(bytes_of(text)));
  return text.append(kCheckKey).append(check).append(kEnd);
}

Result<Manifest> decode_manifest(std::string_view text, std::string_view advice) {
  HOTPACK_TRY(check_tail(text, advice));
  if (auto found = read_canonical_rows(text)) {
    Result<Manifest> manifest = decode(found->rest, &found->rows);
    if (manifest.ok()) return manifest;
  }
  return decode(text, nullptr);
}

Result<Manifest> decode_manifest_generally(std::string_view text, std::string_view advice) {
  HOTPACK_TRY(check_tail(text, advice));
  return decode(text, nullptr);
}

}  // namespace hotpack::format
