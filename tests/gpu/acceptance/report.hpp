// The result of the acceptance benchmark: measured figures, and the limits that they are compared
// with.
//
// Plain values and pure functions; thread-safe. Bytes per sample: `packed` as stored, `output` as
// delivered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::gpu {

// The most bytes per second that this machine reaches.
struct Bandwidths {
  double bus = 0;             // copies of 64 MiB from pinned memory to the device
  double bus_in_batches = 0;  // the same in copies of one packed batch
  double memory = 0;          // copies within the device; bytes read and bytes written both count
  double gather = 0;          // one thread copies records from the page cache to pinned memory
};

struct SampleBytes {
  double packed = 0;
  double output = 0;
};

// Returns the samples per second that the bus can carry: bus / packed.
[[nodiscard]] double bus_bound(const Bandwidths& limits, const SampleBytes& sample);
// Returns the samples per second that the device's memory can carry: memory / (2 packed + output).
// The copy writes a record; the kernel reads it and writes the output.
[[nodiscard]] double memory_bound(const Bandwidths& limits, const SampleBytes& sample);
[[nodiscard]] double end_to_end_bound(const Bandwidths& limits,
                                      const SampleBytes& sample);  // the lesser of both
// Returns the delivered bytes per second if records stay on the device: memory·output / (packed +
// output).
[[nodiscard]] double resident_bound(const Bandwidths& limits, const SampleBytes& sample);
// Returns the packed bytes per second if `threads` threads gather them: min(bus, threads·gather).
[[nodiscard]] double gathered_bound(const Bandwidths& limits, unsigned threads);

// The figures that a limit was computed from: {"bus_bandwidth", 55e9}.
using Terms = std::vector<std::pair<std::string, double>>;

enum class Goal { at_least, at_most, equal };

// A figure and its limit. The target is for their ratio.
struct AcceptanceRow {
  std::string name;  // "page tier: packed bytes"
  std::string unit;  // "GB/s" (bytes per second), "samples/s", "s", "MiB" (bytes), "TFLOP/s"
                     // (operations per second)
  double value = 0;
  double limit = 0;
  std::string limit_is;  // the formula: "bus", "min(bus, threads·gather)"
  Goal goal = Goal::at_least;
  double target = 0;    // target for the ratio
  std::string missing;  // the reason why there is no figure; empty if there is one
  std::string flaw;     // the reason why the figure does not count for the target; empty if it does
  std::string limited_by;  // a sentence on what limits the figure
  Terms terms;             // of limit_is; bytes, seconds and counts

  [[nodiscard]] bool measured() const { return missing.empty(); }
  [[nodiscard]] double ratio() const;  // 0 without a limit
  [[nodiscard]] bool reached() const;  // false if nothing was measured
};

struct AcceptanceReport {
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
  Bandwidths bandwidths;
  std::vector<AcceptanceRow> rows;
  std::vector<std::string> notes;
  std::optional<Error>
      failed;  // the first error of a stage; its rows have no figures, the others stand
};

// Each returns a sentence that names the bound that determines the figure, and the other one. If
// batches are small, it also gives the rate of copies of that size.
[[nodiscard]] std::string gathering_sentence(const Bandwidths& limits, unsigned threads);
[[nodiscard]] std::string end_to_end_sentence(const Bandwidths& limits, const SampleBytes& sample);
[[nodiscard]] std::string resident_sentence(const Bandwidths& limits, const SampleBytes& sample);

}  // namespace hotpack::gpu
