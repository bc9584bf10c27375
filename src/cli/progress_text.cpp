#include "cli/progress_text.hpp"

#include <array>
#include <cmath>

#include "base/text.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"

namespace hotpack::cli {

namespace {

constexpr std::chrono::seconds kPointEvery{1};
constexpr std::chrono::seconds kWindow{20};

double seconds_between(RateMeter::Clock::time_point from, RateMeter::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Returns the time in whole seconds: tenths of an estimate would only flicker.
std::string time_left(double seconds) {
  const double whole = std::ceil(seconds);
  return whole < 10 ? std::to_string(static_cast<int>(whole)) + " s" : human_duration(whole);
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

void RateMeter::restart(Clock::time_point now, std::uint64_t done) {
  last_ = {now, done};
  points_.assign(1, last_);
}

void RateMeter::update(Clock::time_point now, std::uint64_t done) {
  if (points_.empty()) restart(now, done);
  last_ = {now, done};
  if (now - points_.back().at >= kPointEvery) points_.push_back(last_);
  while (points_.size() > 1 && now - points_[1].at >= kWindow) points_.pop_front();
}

double RateMeter::per_second() const {
  if (points_.empty()) return 0;
  const double seconds = seconds_between(points_.front().at, last_.at);
  if (seconds <= 0 || last_.done < points_.front().done) return 0;
  return static_cast<double>(last_.done - points_.front().done) / seconds;
}

std::optional<double> ProgressFigures::seconds_left() const {
  if (samples_per_second <= 0 || counts.samples_total == 0 ||
      counts.samples_total < counts.samples_done)
    return std::nullopt;
  return static_cast<double>(counts.samples_total - counts.samples_done) / samples_per_second;
}

std::optional<int> ProgressFigures::percent() const {
  if (counts.samples_total == 0) return std::nullopt;
  return static_cast<int>(100.0 * static_cast<double>(counts.samples_done) /
                          static_cast<double>(counts.samples_total));
}

std::string progress_line(const ProgressFigures& figures) {
  const pipeline::Progress& counts = figures.counts;
  std::string line = std::string(counts.stage) + " " + number_text(counts.samples_done);
  if (counts.samples_total > 0) line += "/" + number_text(counts.samples_total);
  if (const auto percent = figures.percent()) line += ", " + std::to_string(*percent) + " %";
  if (figures.samples_per_second > 0)
    // Without a total, nobody knows yet what a sample is: files are counted.
    line += ", " + human_rate(figures.samples_per_second) +
            (counts.samples_total > 0 ? " samples/s" : "/s");
  if (counts.bytes_in > 0) line += ", " + human_bytes(counts.bytes_in) + " read";
  const auto left = figures.seconds_left();
  if (left && *left > 0) line += ", " + time_left(*left) + " left";
  if (counts.problems > 0) line += ", " + counted_text(counts.problems, "problem");
  return line;
}

std::string progress_json(const ProgressFigures& figures) {
  const pipeline::Progress& counts = figures.counts;
  format::Json object;
  object["type"] = "progress";
  object["stage"] = format::with_valid_utf8(counts.stage);
  object["samples_done"] = counts.samples_done;
  object["samples_total"] = counts.samples_total;
  object["bytes_in"] = counts.bytes_in;
  object["bytes_out"] = counts.bytes_out;
  object["problems"] = counts.problems;
  object["seconds"] = rounded(figures.seconds);
  object["samples_per_second"] = rounded(figures.samples_per_second);
  const auto left = figures.seconds_left();
  object["seconds_left"] = left ? format::Json(rounded(*left)) : format::Json(nullptr);
  return format::canonical_json(object);
}

std::string message_json(pipeline::Level level, std::string_view text) {
  format::Json object;
  object["type"] = "message";
  object["level"] = std::string(name_of(level));
  object["text"] = format::with_valid_utf8(text);
  return format::canonical_json(object);
}

std::string_view name_of(pipeline::Level level) {
  constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace hotpack::cli
