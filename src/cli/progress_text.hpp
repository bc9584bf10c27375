// Describes the progress of a stage: its rate over the last seconds, a line for people, and a JSON
// object for programs.
//
// Plain values and pure functions. RateMeter is not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "settings/observer.hpp"

namespace hotpack::cli {

// Measures how many samples per second were packed during the last seconds, so that the rate
// follows a change of speed. Samples that an earlier run packed do not count.
class RateMeter {
 public:
  using Clock = std::chrono::steady_clock;

  void restart(Clock::time_point now, std::uint64_t done);
  // To call after every sample. It is cheap, because at most one point per second is kept.
  void update(Clock::time_point now, std::uint64_t done);
  // Returns 0 until some time has passed.
  [[nodiscard]] double per_second() const;

 private:
  struct Point {
    Clock::time_point at;
    std::uint64_t done = 0;
  };
  std::deque<Point> points_;  // of the last seconds, oldest first
  Point last_;
};

struct ProgressFigures {
  pipeline::Progress counts;
  double samples_per_second = 0;
  double seconds = 0;                                        // since the stage began
  [[nodiscard]] std::optional<double> seconds_left() const;  // none while the rate is unknown
  [[nodiscard]] std::optional<int> percent() const;          // rounded down; none without a total
};

// Returns "packing 1,234/12,345, 10 %, 345 samples/s, 1.2 GiB read, 32 s left, 3 problems".
[[nodiscard]] std::string progress_line(const ProgressFigures& figures);

// Returns one JSON object with the type "progress" and the members stage, samples_done,
// samples_total, bytes_in, bytes_out, problems, seconds, samples_per_second, and seconds_left (null
// while it is unknown).
[[nodiscard]] std::string progress_json(const ProgressFigures& figures);
// Returns one JSON object with the type "message" and the members level and text.
[[nodiscard]] std::string message_json(pipeline::Level level, std::string_view text);

[[nodiscard]] std::string_view name_of(pipeline::Level level);

}  // namespace hotpack::cli
