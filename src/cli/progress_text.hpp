// The progress of a stage as text: its rate over the last seconds, and lines for people and
// programs.
//
// Values and pure functions. Thread-safety: none for RateMeter.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "settings/observer.hpp"

namespace hotpack::cli {

// Samples per second over a sliding window, so that a change of speed shows and the samples of an
// earlier run do not count.
class RateMeter {
 public:
  using Clock = std::chrono::steady_clock;

  void restart(Clock::time_point now, std::uint64_t done);
  // Cheap, for every sample: at most one point per second is kept.
  void update(Clock::time_point now, std::uint64_t done);
  // 0 until time has passed.
  [[nodiscard]] double per_second() const;

 private:
  struct Point {
    Clock::time_point at;
    std::uint64_t done = 0;
  };
  std::deque<Point> points_;  // the window's, oldest first
  Point last_;
};

struct ProgressFigures {
  pipeline::Progress counts;
  double samples_per_second = 0;
  double seconds = 0;                                        // since the stage began
  [[nodiscard]] std::optional<double> seconds_left() const;  // none while the rate is unknown
  [[nodiscard]] std::optional<int> percent() const;          // rounded down; none without a total
};

// "packing 1,234/12,345, 10 %, 345 samples/s, 1.2 GiB read, 32 s left, 3 problems"
[[nodiscard]] std::string progress_line(const ProgressFigures& figures);

// One JSON object: type "progress", stage, samples_done, samples_total, bytes_in, bytes_out,
// problems, seconds, samples_per_second, seconds_left (null while unknown).
[[nodiscard]] std::string progress_json(const ProgressFigures& figures);
// One JSON object: type "message", level, text.
[[nodiscard]] std::string message_json(pipeline::Level level, std::string_view text);

[[nodiscard]] std::string_view name_of(pipeline::Level level);

}  // namespace hotpack::cli
