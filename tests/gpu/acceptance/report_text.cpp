#include "gpu/acceptance/report_text.hpp"

#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"

namespace hotpack::gpu {

using cli::human_bytes;
using cli::human_rate;
using cli::printable;
using cli::wrapped;

namespace {

using format::Json;

constexpr std::size_t kColumns = 118;

// Three figures that count.
std::string figure(double value) { return fixed_text(value, value < 10 ? 2 : value < 100 ? 1 : 0); }
std::string gigabytes(double bytes_per_second) { return figure(bytes_per_second / 1e9) + " GB/s"; }

std::string in_unit(double value, const std::string& unit) {
  if (unit == "GB/s") return figure(value / 1e9) + " GB/s";
  if (unit == "TFLOP/s") return figure(value / 1e12) + " TFLOP/s";
  if (unit == "MiB") return fixed_text(value / (1 << 20), 1) + " MiB";
  if (unit == "samples/s") return human_rate(value) + " samples/s";
  if (unit == "s") return fixed_text(value, 4) + " s";
  return figure(value) + " " + unit;
}

std::string target_text(const AcceptanceRow& row) {
  if (row.goal == Goal::equal) return "equal";
  return (row.goal == Goal::at_least ? "≥ " : "≤ ") + fixed_text(row.target, 2);
}

std::string judgment(const AcceptanceRow& row) {
  return !row.measured() ? "not measured" : row.reached() ? "good" : "NOT REACHED";
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string clean(const std::string& text) { return printable(format::with_valid_utf8(text)); }

// ---- text

cli::Cells cells_of(const AcceptanceRow& row) {
  if (!row.measured()) return {row.name, "–", "", "–", target_text(row), judgment(row), ""};
  return {row.name,
          in_unit(row.value, row.unit),
          in_unit(row.limit, row.unit),
          fixed_text(row.ratio(), 3),
          target_text(row),
          judgment(row),
          row.limit_is};
}

std::string table(const AcceptanceReport& report) {
  std::vector<cli::Cells> lines{{"", "figure", "limit", "ratio", "target", "", "limit is"}};
  for (const AcceptanceRow& row : report.rows) lines.push_back(cells_of(row));
  return cli::table_text(lines, {"lrrrrl"});
}

std::string header(const AcceptanceReport& report) {
  std::string folders;
  for (const std::string& folder : report.folders)
    folders += (folders.empty() ? "" : ", ") + clean(folder);
  const auto packed = static_cast<std::uint64_t>(report.packed_batch_bytes);
  return folders + ": " + counted_text(report.samples, "sample") + "; batches of " +
         counted_text(report.batch, "sample") + ", " + human_bytes(packed) + " packed; " +
         counted_text(report.threads, "thread") + "; medians of " + std::to_string(report.rounds) +
         " rounds\ndevice " + std::to_string(report.ordinal) + ": " + clean(report.name) + ", sm_" +
         std::to_string(report.major) + std::to_string(report.minor) + ", " +
         human_bytes(report.memory_bytes) + "; driver for CUDA " +
         version_text(report.driver_version) + "; kernels: " + clean(report.kernels) + "\n";
}

std::string bandwidths_text(const AcceptanceReport& report) {
  const Bandwidths& bandwidths = report.bandwidths;
  return wrapped("bandwidths: bus " + gigabytes(bandwidths.bus) +
                     ", from pinned memory to the device (" + gigabytes(bandwidths.bus_in_batches) +
                     " in copies of one batch); memory " + gigabytes(bandwidths.memory) +
                     ", within the device; gather " + gigabytes(bandwidths.gather) +
                     ", from the page cache to pinned memory by one thread; packed and output are "
                     "bytes per sample",
                 kColumns, 0) +
         "\n";
}

// Neighboring rows with the same sentence share it.
std::string limits_of_rows(const AcceptanceReport& report) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < report.rows.size(); first = last + 1) {
    const AcceptanceRow& row = report.rows[first];
    last = first;
    while (last + 1 < report.rows.size() && report.rows[last + 1].limited_by == row.limited_by)
      ++last;
    if (row.limited_by.empty()) continue;
    const std::string names = first == last ? row.name : row.name + " to " + report.rows[last].name;
    text += wrapped(names + ": " + row.limited_by, kColumns, 2) + "\n";
  }
  return text.empty() ? text : "\nwhat limits each:\n" + text;
}

// ---- JSON

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

const char* goal_name(Goal goal) {
  return goal == Goal::at_least ? "at least" : goal == Goal::at_most ? "at most" : "equal";
}

Json row_json(const AcceptanceRow& row) {
  Json json;
  json["name"] = row.name;
  json["goal"] = goal_name(row.goal);
  json["target"] = row.target;
  json["good"] = row.measured() ? Json(row.reached()) : Json(nullptr);
  if (!row.measured()) {
    json["not_measured"] = format::with_valid_utf8(row.missing);
    return json;
  }
  const bool whole = row.unit != "s" && row.unit != "samples/s";  // bytes and operations
  json["unit"] = row.unit == "GB/s"      ? "B/s"
                 : row.unit == "TFLOP/s" ? "FLOP/s"
                 : row.unit == "MiB"     ? "B"
                                         : row.unit;
  json["value"] = rounded(row.value, whole ? 1 : 1e-6);
  json["limit"] = rounded(row.limit, whole ? 1 : 1e-6);
  json["limit_is"] = row.limit_is;
  json["ratio"] = rounded(row.ratio(), 1e-4);
  if (!row.flaw.empty()) json["flaw"] = format::with_valid_utf8(row.flaw);
  json["limited_by"] = row.limited_by;
  json["terms"] = Json::object();
  for (const auto& [name, value] : row.terms) json["terms"][name] = value;
  return json;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(format::with_valid_utf8(text));
  return json;
}

Json device_part(const AcceptanceReport& report) {
  Json json;
  json["ordinal"] = report.ordinal;
  json["name"] = format::with_valid_utf8(report.name);
  json["real"] = report.real;
  json["compute_capability"] = std::to_string(report.major) + "." + std::to_string(report.minor);
  json["memory_bytes"] = report.memory_bytes;
  json["driver_version"] = report.driver_version;
  json["kernels"] = report.kernels;
  return json;
}

Json bandwidths_json(const Bandwidths& bandwidths) {
  return {{"bus", std::llround(bandwidths.bus)},
          {"bus_in_batches", std::llround(bandwidths.bus_in_batches)},
          {"memory", std::llround(bandwidths.memory)},
          {"gather", std::llround(bandwidths.gather)}};
}

}  // namespace

std::string acceptance_text(const AcceptanceReport& report) {
  std::string text =
      header(report) + bandwidths_text(report) + "\n" + table(report) + limits_of_rows(report);
  std::string last;
  for (const AcceptanceRow& row : report.rows) {
    if (row.measured() || row.missing == last) continue;
    text += wrapped("not measured, " + row.name + ": " + clean(row.missing), kColumns, 2) + "\n";
    last = row.missing;
  }
  for (const AcceptanceRow& row : report.rows)
    if (!row.flaw.empty())
      text += wrapped("does not count, " + row.name + ": " + clean(row.flaw), kColumns, 2) + "\n";
  for (const std::string& note : report.notes)
    text += wrapped("note: " + clean(note), kColumns, 2) + "\n";
  return text;
}

std::string acceptance_json(const AcceptanceReport& report) {
  Json json{{"report", "hotpack-gpu-acceptance/1"}};
  json["packs"] = texts_json(report.folders);
  json["samples"] = report.samples;
  json["batch"] = report.batch;
  json["packed_batch_bytes"] = std::llround(report.packed_batch_bytes);
  json["threads"] = report.threads;
  json["rounds"] = report.rounds;
  json["device"] = device_part(report);
  json["bandwidths"] = bandwidths_json(report.bandwidths);
  json["rows"] = Json::array();
  for (const AcceptanceRow& row : report.rows) json["rows"].push_back(row_json(row));
  json["notes"] = texts_json(report.notes);
  json["failed"] =
      report.failed ? Json(format::with_valid_utf8(report.failed->describe())) : Json(nullptr);
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::gpu
