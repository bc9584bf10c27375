#include "cli/bench_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"

namespace hotpack::cli {

namespace {

using bench::BenchReport;
using bench::BenchRow;
using bench::Stage;
using format::Json;

constexpr double kGiga = 1e9;
constexpr std::size_t kColumns = 118;

std::string gigabytes(double bytes_per_second) { return fixed_text(bytes_per_second / kGiga, 2); }
std::string milliseconds(double seconds) { return fixed_text(1000 * seconds, seconds < 0.01 ? 1 : 0) + " ms"; }

std::string_view stage_title(Stage stage) {
  constexpr std::array<std::string_view, 4> kTitles = {"cold disk to slots", "page cache to slots", "expansion alone",
                                                       "end to end: page cache to training-ready batches"};
  return kTitles[static_cast<std::size_t>(stage)];
}

// ---- text

using Cells = std::vector<std::string>;

Cells row_cells(const BenchRow& row) {
  return {"  " + row.what,
          std::to_string(row.threads),
          human_rate(row.rate.samples_per_second),
          gigabytes(row.rate.bytes_per_second),
          gigabytes(row.ceiling_bytes_per_second),
          percent_text(row.share(), 0),
          " " + row.ceiling};
}

// The rows of one stage under its title; rows of the same kind stand together.
void add_stage(const BenchReport& report, Stage stage, std::vector<Cells>& lines) {
  std::vector<BenchRow> rows;
  std::copy_if(report.rows.begin(), report.rows.end(), std::back_inserter(rows), [&](const BenchRow& row) { return row.stage == stage; });
  if (rows.empty()) return;
  lines.push_back({std::string(stage_title(stage))});
  std::vector<std::string> kinds;
  for (const BenchRow& row : rows)
    if (std::find(kinds.begin(), kinds.end(), row.what) == kinds.end()) kinds.push_back(row.what);
  for (const std::string& kind : kinds)
    for (const BenchRow& row : rows)
      if (row.what == kind) lines.push_back(row_cells(row));
}

// First and last column to the left, the others to the right; a line of one cell is a title.
std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines)
    for (std::size_t c = 0; cells.size() > 1 && c < cells.size(); ++c) widths[c] = std::max(widths[c], text_width(cells[c]));
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string gap(cells.size() > 1 ? widths[c] - text_width(cells[c]) : 0, ' ');
      const bool left = c == 0 || c + 1 == widths.size();
      line += (c == 0 ? "" : "  ") + (left ? cells[c] + gap : gap + cells[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string table(const BenchReport& report) {
  std::vector<Cells> lines{{"", "threads", "samples/s", "GB/s", "ceiling", "of it", " ceiling is"}};
  for (const Stage stage : {Stage::disk, Stage::slots, Stage::expansion, Stage::end_to_end}) add_stage(report, stage, lines);
  return aligned(lines);
}

std::string header(const BenchReport& report) {
  std::string folders;
  for (const std::string& folder : report.folders)
    folders += (folders.empty() ? "" : ", ") + printable_name(format::with_valid_utf8(folder));
  return folders + ": " + counted_text(report.samples, "sample") + " in " + counted_text(report.shards, "shard") + ", " +
         human_bytes(report.size_bytes) + "\nbatches of " + counted_text(report.batch, "sample") + ": " + human_bytes(report.packed_bytes) +
         " packed, " + human_bytes(report.output_bytes) + " training-ready; " + std::to_string(report.slots) + " slots; " +
         counted_text(report.cores, "core") + ", " + report.processor + "; medians of " + std::to_string(report.rounds) + " rounds\n";
}

std::string advice(const BenchReport& report) {
  const auto is_end_to_end = [](const BenchRow& row) { return row.stage == Stage::end_to_end; };
  double best = 0, chosen = 0;
  for (const BenchRow& row : report.rows) {
    if (!is_end_to_end(row)) continue;
    best = std::max(best, row.rate.samples_per_second);
    if (row.threads == report.recommended_threads) chosen = row.rate.samples_per_second;
  }
  const std::string text = "threads = " + std::to_string(report.recommended_threads) + ": the fewest whose end-to-end rate, " +
                           human_rate(chosen) + " samples/s, is within 3 % of the best, " + human_rate(best) + ". With " +
                           (report.recommended_threads == 1 ? "it" : "them") + " the first batch comes " +
                           milliseconds(report.consumer.first_batch_seconds) + " after opening, and a consumer whose step takes " +
                           fixed_text(bench::kStepOverService, 1) + " times a batch's time waits " +
                           percent_text(report.consumer.stall_share, 1) + " of its time";
  return wrapped(text, kColumns, 0) + "\n";
}

// ---- JSON

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

Json row_json(const BenchRow& row) {
  Json json;
  json["stage"] = bench::stage_name(row.stage);
  json["what"] = row.what;
  json["threads"] = row.threads;
  json["samples_per_second"] = rounded(row.rate.samples_per_second, 0.1);
  json["bytes_per_second"] = std::llround(row.rate.bytes_per_second);
  json["ceiling"] = row.ceiling;
  json["ceiling_bytes_per_second"] = std::llround(row.ceiling_bytes_per_second);
  json["share"] = rounded(row.share(), 0.0001);
  return json;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(format::with_valid_utf8(text));
  return json;
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  std::string text = header(report) + "\n" + table(report) + "\n" + advice(report);
  for (const std::string& note : report.notes) text += wrapped("note: " + note, kColumns, 2) + "\n";
  return text;
}

std::string bench_json(const BenchReport& report) {
  Json json{{"report", "hotpack-bench/1"}};
  json["packs"] = texts_json(report.folders);
  json["samples"] = report.samples;
  json["measured"] = report.measured;
  json["shards"] = report.shards;
  json["bytes"] = report.size_bytes;
  json["batch"] = report.batch;
  json["batch_bytes"] = {{"packed", report.packed_bytes}, {"output", report.output_bytes}};
  json["slots"] = report.slots;
  json["rounds"] = report.rounds;
  json["cores"] = report.cores;
  json["processor"] = report.processor;
  json["rows"] = Json::array();
  for (const BenchRow& row : report.rows) json["rows"].push_back(row_json(row));
  json["first_batch_seconds"] = rounded(report.consumer.first_batch_seconds, 1e-6);
  json["stall_share"] = rounded(report.consumer.stall_share, 1e-4);
  json["recommended_threads"] = report.recommended_threads;
  json["notes"] = texts_json(report.notes);
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::cli
