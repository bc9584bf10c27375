// What a measurement of the way to a device gives, and the limits that its rates are held against.
//
// Plain values and pure functions; thread-safe. Bytes per sample: `packed` as stored (i·H·W of a record of H×W pixels with i bytes each),
// `output` as delivered (o·H·W).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::bench {

// Bytes per second that this machine gives at best.
struct DeviceLimits {
  double copy = 0;         // L: copies from pinned memory to the device, 64 MiB each
  double copy_batch = 0;   // the same, a batch's packed bytes each
  double device_copy = 0;  // B: a copy within the device, read and written bytes together
  double gather = 0;       // m: records from the page cache to pinned memory, by one thread
  double copy_record = 0;  // as `copy`, a record each; 0: records are not copied one by one
};

struct SampleBytes {
  double packed = 0;
  double output = 0;
};

// Samples per second that the bus can carry: L / (i·H·W).
[[nodiscard]] double bus_bound(const DeviceLimits& limits, const SampleBytes& sample);
// Samples per second that the device's memory can bear, where a record is written by the copy, read by the kernel, and its output written:
// B / ((2i + o)·H·W).
[[nodiscard]] double memory_bound(const DeviceLimits& limits, const SampleBytes& sample);
[[nodiscard]] double end_to_end_bound(const DeviceLimits& limits, const SampleBytes& sample);  // the lesser of both
// Delivered bytes per second where records stay on the device: B·o / (i + o).
[[nodiscard]] double resident_bound(const DeviceLimits& limits, const SampleBytes& sample);
// Packed bytes per second where `threads` threads gather them: min(L, T·m).
[[nodiscard]] double gathered_bound(const DeviceLimits& limits, unsigned threads);

// What a limit was computed from, by the names that its formula has: {"L", 55e9}.
using Terms = std::vector<std::pair<std::string, double>>;

enum class Goal { at_least, at_most, equal };

// A figure compared with its limit; what counts is their ratio.
struct DeviceRow {
  std::string name;  // "pinned tier: packed bytes"
  std::string unit;  // "GB/s" (bytes per second), "samples/s", "s", "MiB" (bytes), "TFLOP/s" (operations per second)
  double value = 0;
  double limit = 0;
  std::string limit_is;  // "L", "min(L, T·m)"
  Goal goal = Goal::at_least;
  double target = 0;       // of the ratio
  std::string missing;     // why there is no figure; empty: there is one
  std::string flaw;        // why the figure does not count for the target; empty: it does
  std::string limited_by;  // a sentence: what a better figure would take
  Terms terms;             // of limit_is; bytes, seconds and counts

  [[nodiscard]] bool measured() const { return missing.empty(); }
  [[nodiscard]] double ratio() const;  // 0 without a limit
  [[nodiscard]] bool reached() const;  // false where nothing was measured
};

struct DeviceReport {
  std::vector<std::string> folders;
  std::uint64_t samples = 0;
  std::uint64_t batch = 0;  // samples per batch
  double packed_batch_bytes = 0;
  int ordinal = 0;
  std::string name;  // of the device
  int major = 0;     // compute capability
  int minor = 0;
  std::uint64_t memory_bytes = 0;
  int driver_version = 0;  // of CUDA: 13000 for 13.0
  std::string kernels;
  bool real = true;  // false: a stand-in without a GPU, whose figures mean nothing
  unsigned threads = 1;
  unsigned rounds = 0;  // each figure is the median of so many
  DeviceLimits limits;
  std::vector<DeviceRow> rows;
  std::vector<std::string> notes;
  std::optional<Error> failed;  // the first error of a stage; its rows have no figures, the others stand
};

// Which of a row's bounds counts, with both of them. Where batches are small, what their copies alone reach.
[[nodiscard]] std::string bus_sentence(const DeviceLimits& limits);
[[nodiscard]] std::string gathering_sentence(const DeviceLimits& limits, unsigned threads);
[[nodiscard]] std::string end_to_end_sentence(const DeviceLimits& limits, const SampleBytes& sample);
[[nodiscard]] std::string resident_sentence(const DeviceLimits& limits, const SampleBytes& sample);

// Whether a device's name is one of a real device.
[[nodiscard]] bool is_real_device(const std::string& name);

}  // namespace hotpack::bench
