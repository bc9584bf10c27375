#include "cli/bench_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"

namespace hotpack::cli {

namespace {

using bench::BenchDevice;
using bench::BenchReport;
using bench::BenchRow;
using bench::Stage;
using format::Json;

constexpr double kGiga = 1e9;
constexpr std::size_t kColumns = 118;

std::string gigabytes(double bytes_per_second) { return fixed_text(bytes_per_second / kGiga, 2); }
std::string milliseconds(double seconds) {
  return fixed_text(1000 * seconds, seconds < 0.01 ? 1 : 0) + " ms";
}

std::string_view stage_title(const BenchReport& report, Stage stage) {
  constexpr std::array<std::string_view, 7> kTitles = {
      "cold disk to batches, as stored",
      "page cache to batches, as stored",
      "expansion alone",
      "bus",
      "gather",
      "end to end: page cache to training-ready batches",
      "resident: records in device memory to training-ready batches"};
  if (report.device && stage == Stage::end_to_end)
    return "end to end: page cache to training-ready batches on the device";
  return kTitles[static_cast<std::size_t>(stage)];
}

// ---- text

Cells row_cells(const BenchRow& row) {
  const bool limited = !row.limit.empty();
  return {"  " + row.work,
          std::to_string(row.threads),
          human_rate(row.rate.samples_per_second),
          gigabytes(row.rate.bytes_per_second),
          limited ? gigabytes(row.limit_bytes_per_second) : "–",
          limited ? percent_text(row.share(), 0) : "–",
          row.limit};
}

// Adds a stage's title and rows to `lines`; rows of the same kind stand together.
void add_stage(const BenchReport& report, Stage stage, std::vector<Cells>& lines) {
  std::vector<BenchRow> rows;
  std::copy_if(report.rows.begin(), report.rows.end(), std::back_inserter(rows),
               [&](const BenchRow& row) { return row.stage == stage; });
  if (rows.empty()) return;
  lines.push_back({std::string(stage_title(report, stage))});
  std::vector<std::string> kinds;
  for (const BenchRow& row : rows)
    if (std::find(kinds.begin(), kinds.end(), row.work) == kinds.end()) kinds.push_back(row.work);
  for (const std::string& kind : kinds)
    for (const BenchRow& row : rows)
      if (row.work == kind) lines.push_back(row_cells(row));
}

std::string table(const BenchReport& report) {
  std::vector<Cells> lines{{"", "threads", "samples/s", "GB/s", "limit", "of it", "limit is"}};
  for (const Stage stage : {Stage::disk, Stage::copies, Stage::expansion, Stage::bus, Stage::gather,
                            Stage::end_to_end, Stage::resident})
    add_stage(report, stage, lines);
  return table_text(lines, {"lrrrrrl", 0});
}

std::string clean(const std::string& name) { return printable_name(format::with_valid_utf8(name)); }

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string device_line(const BenchDevice& device) {
  return "device " + std::to_string(device.ordinal) + ": " + clean(device.name) + ", sm_" +
         std::to_string(device.major) + std::to_string(device.minor) + ", " +
         human_bytes(device.memory_bytes) + ", copies at " +
         fixed_text(device.memory_bandwidth / kGiga, 0) + " GB/s; driver for CUDA " +
         version_text(device.driver_version) + "; kernels: " + clean(device.kernels) + "\n";
}

std::string header(const BenchReport& report) {
  std::string folders;
  for (const std::string& folder : report.folders)
    folders += (folders.empty() ? "" : ", ") + clean(folder);
  return folders + ": " + counted_text(report.samples, "sample") + " in " +
         counted_text(report.shards, "shard") + ", " + human_bytes(report.size_bytes) +
         "\nbatches of " + counted_text(report.batch, "sample") + ": " +
         human_bytes(report.packed_bytes) + " packed, " + human_bytes(report.output_bytes) +
         " training-ready; " + std::to_string(report.slots) + " slots; " +
         counted_text(report.cores, "core") + ", " + report.processor + "; medians of " +
         std::to_string(report.rounds) + " rounds\n" +
         (report.device ? device_line(*report.device) : "");
}

std::string advice(const BenchReport& report) {
  const auto is_end_to_end = [](const BenchRow& row) { return row.stage == Stage::end_to_end; };
  double best = 0, chosen = 0;
  for (const BenchRow& row : report.rows) {
    if (!is_end_to_end(row)) continue;
    best = std::max(best, row.rate.samples_per_second);
    if (row.threads == report.recommended_threads) chosen = row.rate.samples_per_second;
  }
  const std::string text =
      "threads = " + std::to_string(report.recommended_threads) +
      ": the fewest whose end-to-end rate, " + human_rate(chosen) +
      " samples/s, is within 3 % of the best, " + human_rate(best) + ". With " +
      (report.recommended_threads == 1 ? "it" : "them") + " the first batch comes " +
      milliseconds(report.consumer.first_batch_seconds) +
      " after opening, and a consumer whose step takes " + fixed_text(bench::kStepOverService, 1) +
      " times a batch's time waits " + percent_text(report.consumer.wait_share, 1) + " of its time";
  return wrapped(text, kColumns, 0) + "\n";
}

// ---- JSON

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

Json row_json(const BenchRow& row) {
  Json json;
  json["stage"] = bench::stage_name(row.stage);
  json["work"] = row.work;
  json["threads"] = row.threads;
  json["samples_per_second"] = rounded(row.rate.samples_per_second, 0.1);
  json["bytes_per_second"] = std::llround(row.rate.bytes_per_second);
  const bool limited = !row.limit.empty();
  json["limit"] = limited ? Json(row.limit) : Json(nullptr);
  json["limit_bytes_per_second"] =
      limited ? Json(std::llround(row.limit_bytes_per_second)) : Json(nullptr);
  json["share"] = limited ? Json(rounded(row.share(), 0.0001)) : Json(nullptr);
  return json;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(format::with_valid_utf8(text));
  return json;
}

Json device_json(const BenchDevice& device) {
  Json json;
  json["ordinal"] = device.ordinal;
  json["name"] = format::with_valid_utf8(device.name);
  json["compute_capability"] = std::to_string(device.major) + "." + std::to_string(device.minor);
  json["memory_bytes"] = device.memory_bytes;
  json["memory_bytes_per_second"] = std::llround(device.memory_bandwidth);
  json["driver_version"] = device.driver_version;
  json["kernels"] = device.kernels;
  json["real"] = device.real;
  return json;
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  std::string text = header(report) + "\n" + table(report);
  if (!report.device) text += "\n" + advice(report);
  for (const std::string& note : report.notes)
    text += wrapped("note: " + printable(note), kColumns, 2) + "\n";
  return text;
}

std::string bench_json(const BenchReport& report) {
  Json json{{"report", "hotpack-bench/2"}};
  json["packs"] = texts_json(report.folders);
  json["samples"] = report.samples;
  json["measured_samples"] = report.measured;
  json["shards"] = report.shards;
  json["shard_bytes"] = report.size_bytes;
  json["batch_size"] = report.batch;
  json["batch_bytes"] = {{"packed", report.packed_bytes}, {"output", report.output_bytes}};
  json["prefetch_batches"] = report.slots;
  json["rounds"] = report.rounds;
  json["cores"] = report.cores;
  json["vector_instructions"] = report.processor;
  json["device"] = report.device ? device_json(*report.device) : Json(nullptr);
  json["rows"] = Json::array();
  for (const BenchRow& row : report.rows) json["rows"].push_back(row_json(row));
  if (!report.device) {
    json["first_batch_seconds"] = rounded(report.consumer.first_batch_seconds, 1e-6);
    json["wait_share"] = rounded(report.consumer.wait_share, 1e-4);
    json["recommended_threads"] = report.recommended_threads;
  }
  json["notes"] = texts_json(report.notes);
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::cli
