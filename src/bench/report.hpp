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
  double seconds = 1;  // per row, including its limit. Longer: steadier figures
  std::vector<unsigned> threads;  // to measure with; empty: 1, 2, 4, … and all usable cores. On a
                                  // device: only the largest one; empty: the loader's default
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

// A measured rate and the rate that limits it, measured at about the same time. Bytes are those
// that are written to memory: bytes of stored records in the stages disk, copies, bus and gather;
// bytes of tensors in the other stages.
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

// The device that is measured.
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

// A training loop that uses training-ready batches and the recommended number of threads.
struct Consumer {
  double first_batch_seconds = 0;  // from opening the data set and the loader to the first batch
  double wait_share = 0;           // share of its time that it waits for batches if its step takes
                                   // kStepOverService times as long as the loader needs for a batch
};
inline constexpr double kStepOverService = 1.2;

struct BenchReport {
  std::vector<std::string> folders;
  std::uint64_t samples = 0;   // of the data set
  std::uint64_t measured = 0;  // samples that the rows in memory use; fewer than `samples` if
                               // memory or time was not enough for all
  std::uint64_t shards = 0;
  std::uint64_t size_bytes = 0;  // of the shards' files
  std::uint64_t batch = 0;       // samples per batch of all rows
  unsigned slots = 0;
  unsigned rounds = 0;                // each figure is the median of this many rounds
  std::uint64_t packed_bytes = 0;     // of a batch
  std::uint64_t output_bytes = 0;     // of a training-ready batch
  std::string processor;              // vector instructions in use: "avx512", …
  unsigned cores = 0;                 // usable ones
  std::optional<BenchDevice> device;  // that gets the batches; none: host memory
  std::vector<BenchRow> rows;
  Consumer consumer;                 // of batches in host memory
  unsigned recommended_threads = 1;  // the fewest within kNearBest of the best end-to-end rate
  std::vector<std::string> notes;    // what was left out or reduced, and the reasons
};
inline constexpr double kNearBest = 0.97;

// The fewest threads whose end-to-end rate is at least kNearBest of the best; 1 without such rows.
[[nodiscard]] unsigned recommended_threads(const std::vector<BenchRow>& rows);

}  // namespace hotpack::bench
