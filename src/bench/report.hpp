// What `hotpack bench` measures and what comes of it. Plain values; thread-safe as such.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::bench {

struct BenchOptions {
  std::uint64_t batch = 32;       // samples per batch; cut to the records and to what memory allows
  double seconds = 1;             // of each row, its ceiling's share included. Longer: steadier figures
  std::vector<unsigned> threads;  // to measure with; empty: 1, 2, 4, … and all usable cores
  bool cold = true;               // whether to measure reads from the disk
  // Told of each stage before it begins; false stops the run. Default: none.
  std::function<bool(std::string_view stage)> progress;
};

struct Rate {
  double samples_per_second = 0;
  double bytes_per_second = 0;
};

enum class Stage { disk, slots, expansion, end_to_end };

[[nodiscard]] std::string_view stage_name(Stage stage);  // "disk", "slots", "expansion", "end-to-end"

// One rate compared with the most that this machine gave in the same minutes. Bytes are those written to memory: packed ones of disk and
// slots, expanded ones of the others.
struct BenchRow {
  Stage stage = Stage::slots;
  std::string what;  // "records, CRC checked", "f32 + one-hot f32", …
  unsigned threads = 1;
  Rate rate;
  std::string ceiling;  // "memcpy", "fill", "plain read"
  double ceiling_bytes_per_second = 0;
  [[nodiscard]] double share() const { return ceiling_bytes_per_second > 0 ? rate.bytes_per_second / ceiling_bytes_per_second : 0; }
};

// How a consumer fares with the recommended number of threads and training-ready batches.
struct Consumer {
  double first_batch_seconds = 0;  // from opening the data set and the loader to the first batch
  double stall_share = 0;          // of its time that a consumer waits whose step takes kStepOverService times a batch's service time
};
inline constexpr double kStepOverService = 1.2;

struct BenchReport {
  std::vector<std::string> folders;
  std::uint64_t samples = 0;   // of the data set
  std::uint64_t measured = 0;  // samples that the rows in memory go through: fewer where memory or time did not allow all
  std::uint64_t shards = 0;
  std::uint64_t size_bytes = 0;  // of the shards' files
  std::uint64_t batch = 0;       // samples per batch of all rows
  unsigned slots = 0;
  unsigned rounds = 0;             // each figure is the median of so many
  std::uint64_t packed_bytes = 0;  // of a batch
  std::uint64_t output_bytes = 0;  // of a training-ready batch
  std::string processor;           // vector instructions in use: "avx512", …
  unsigned cores = 0;              // usable ones
  std::vector<BenchRow> rows;
  Consumer consumer;
  unsigned recommended_threads = 1;  // the fewest within kNearBest of the best end-to-end rate
  std::vector<std::string> notes;    // what was left out or cut, and why
};
inline constexpr double kNearBest = 0.97;

// The fewest threads whose end-to-end rate is at least kNearBest of the best; 1 without such rows.
[[nodiscard]] unsigned recommended_threads(const std::vector<BenchRow>& rows);

}  // namespace hotpack::bench
