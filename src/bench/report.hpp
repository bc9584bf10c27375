// Options and results of `hotpack bench`. Plain values; thread-safe as such.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack::bench {

struct BenchOptions {
  std::uint64_t batch =
      32;              // samples per batch; fewer if there are fewer records or memory is short
  double seconds = 1;  // of each row, that of its limit included. Longer: steadier figures
  std::vector<unsigned> threads;  // to measure with; empty: 1, 2, 4, … and all usable cores. Of a
                                  // device the largest counts; empty: its default
  bool cold = true;               // measure reads from the disk too; no effect on a device
  // Called before each stage; false stops the run. Default: none.
  std::function<bool(std::string_view stage)> progress;
};

struct Rate {
  double samples_per_second = 0;
  double bytes_per_second = 0;
};

enum class Stage { disk, copies, expansion, bus, gather, end_to_end, resident };

[[nodiscard]] std::string_view stage_name(
    Stage stage);  // "disk", "copies", "expansion", "bus", "gather", "end-to-end", "resident"

// A rate next to its limit, measured in the same minutes. Bytes are those written to memory: packed
// ones of disk, copies, bus and gather, tensors of the other stages.
struct BenchRow {
  Stage stage = Stage::copies;
  std::string work;  // "records, CRC checked", "f32 + one-hot f32", …
  unsigned threads = 1;
  Rate rate;
  std::string limit;  // "memcpy", "fill", "plain read", "bus", …; empty: the row has no limit
  double limit_bytes_per_second = 0;
  [[nodiscard]] double share() const {
    return limit_bytes_per_second > 0 ? rate.bytes_per_second / limit_bytes_per_second : 0;
  }
};

// The device under measurement.
struct BenchDevice {
  int ordinal = 0;
  std::string name;
  int major = 0;  // compute capability
  int minor = 0;
  std::uint64_t memory_bytes = 0;
  int driver_version = 0;  // of CUDA: 13000 for 13.0
  std::string kernels;
  bool real = true;             // false: a stand-in without a GPU, whose figures mean nothing
  double memory_bandwidth = 0;  // copies within the device; bytes read and bytes written both count
};

// A training with the recommended number of threads and training-ready batches.
struct Consumer {
  double first_batch_seconds = 0;  // from opening the data set and the loader to the first batch
  double wait_share = 0;  // share of its time that it waits if its step takes kStepOverService
                          // times as long as a batch
};
inline constexpr double kStepOverService = 1.2;

struct BenchReport {
  std::vector<std::string> folders;
  std::uint64_t samples = 0;   // of the data set
  std::uint64_t measured = 0;  // samples that the rows in memory go through: fewer where memory or
                               // time did not allow all
  std::uint64_t shards = 0;
  std::uint64_t size_bytes = 0;  // of the shards' files
  std::uint64_t batch = 0;       // samples per batch of all rows
  unsigned slots = 0;
  unsigned rounds = 0;                // each figure is the median of so many
  std::uint64_t packed_bytes = 0;     // of a batch
  std::uint64_t output_bytes = 0;     // of a training-ready batch
  std::string processor;              // vector instructions in use: "avx512", …
  unsigned cores = 0;                 // usable ones
  std::optional<BenchDevice> device;  // where the batches go; none: host memory
  std::vector<BenchRow> rows;
  Consumer consumer;                 // of batches in host memory
  unsigned recommended_threads = 1;  // the fewest within kNearBest of the best end-to-end rate
  std::vector<std::string> notes;    // parts that were left out or cut, and the reasons
};
inline constexpr double kNearBest = 0.97;

// The fewest threads whose end-to-end rate is at least kNearBest of the best; 1 without such rows.
[[nodiscard]] unsigned recommended_threads(const std::vector<BenchRow>& rows);

}  // namespace hotpack::bench
