#include "format/manifest_rows.hpp"

#include <algorithm>

#include "format/canonical_scan.hpp"
#include "format/plan_text.hpp"

namespace hotpack::format {

namespace {

constexpr std::string_view kBegin = ",\n\"shards\":[\n";
constexpr std::string_view kEnd = "\n],\n\"check\":\"";
constexpr std::size_t kRestBytes = 18;  // of the check value and what ends the file
constexpr std::size_t kLeastRowBytes = 100;

// Reads a row. `name` is the file name that it must have.
bool take_row(CanonicalScan& scan, std::string name, ShardRow& row) {
  if (!scan.take("{\"file\":\"") || !scan.take(name) || !scan.take("\",\"records\":") ||
      !scan.take_number(row.records) || !scan.take(",\"bytes\":") || !scan.take_number(row.bytes) ||
      !scan.take(",\"sources\":") || !scan.take_digest(row.sources) || !scan.take(",\"digest\":") ||
      !scan.take_digest(row.digest) || !scan.take("}"))
    return false;
  row.file = std::move(name);
  return row.records <= most_records(row.bytes);
}

// The number of rows that the name in the first row tells; 0 if there is no name.
std::uint64_t count_in(std::string_view rows) {
  constexpr std::string_view kFile = "{\"file\":\"";
  if (!rows.starts_with(kFile)) return 0;
  rows.remove_prefix(kFile.size());
  const auto name = parse_shard_file_name(rows.substr(0, rows.find('"')));
  return name ? name->count : 0;
}

}  // namespace

std::optional<ManifestRows> read_canonical_rows(std::string_view text) {
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  CanonicalScan scan(text.substr(begin + kBegin.size()));
  const std::uint64_t count = count_in(scan.rest());
  if (count == 0 || count > text.size() / kLeastRowBytes) return std::nullopt;
  ManifestRows found;
  found.rows.resize(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0 && !scan.take(",\n")) return std::nullopt;
    if (!take_row(scan, shard_file_name(i, count), found.rows[static_cast<std::size_t>(i)]))
      return std::nullopt;
  }
  if (!scan.rest().starts_with(kEnd) || scan.rest().size() != kEnd.size() + kRestBytes)
    return std::nullopt;
  const std::size_t end = text.size() - scan.rest().size();  // of the last row
  found.rest = std::string(text.substr(0, begin + kBegin.size())) + std::string(text.substr(end));
  return found;
}

}  // namespace hotpack::format
