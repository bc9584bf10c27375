// Processes samples with parallel workers, in a oneTBB pipeline that delivers results in order and
// holds a limited number of samples.
//
// A Sink receives every sample's outcome in write order, from one thread at a time. Memory: the
// buffers of one worker per thread, which a MemoryBudget limits, and, with --zstd, the compressed
// records of the samples in the pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hotpack/result.hpp"
#include "pack/sample_worker.hpp"
#include "settings/observer.hpp"
#include "settings/problem.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

// Writes payload into one open shard. Made by Sink::open_shard, shared by the samples in flight.
class ShardSink {
 public:
  virtual ~ShardSink() = default;
  // Writes the payload of one record. Called by many threads at once, each with a different place.
  [[nodiscard]] virtual Status write_payload(const writer::PayloadPlace& place,
                                             const PackedSample& sample) = 0;
};

// The outcome of one sample.
struct Outcome {
  std::size_t shard = 0;
  std::uint64_t slot = 0;          // number of the planned record in the shard
  writer::PayloadPlace place;      // planned place in the shard's payload
  std::optional<Problem> problem;  // if set, nothing was packed
  format::RecordEntry entry;
  format::Sums sums;
  std::vector<std::byte> image_frame;  // with --zstd: bytes as stored
  std::vector<std::byte> label_frame;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  LabelClasses classes;
  DiagnosticCounts diagnostics;
  std::unique_ptr<SampleInspection>
      inspection;  // filled if requested; only partly if there is a problem
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Called in order, before the first sample of a shard.
  [[nodiscard]] virtual Result<std::shared_ptr<ShardSink>> open_shard(std::size_t shard) = 0;
  // Called in order for each sample. An error stops the run.
  [[nodiscard]] virtual Status accept(Outcome& outcome) = 0;
  // Called in order, after the last sample of a shard.
  [[nodiscard]] virtual Status finish_shard(std::size_t shard) = 0;
};

struct RunResult {
  bool stopped = false;  // true if a stop was requested before the end
  DiagnosticCounts diagnostics;
  ClassUses classes;  // of the samples that were packed
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

struct RunInput {
  const PackOptions& options;
  const LabelSetup& setup;
  const Plan& plan;
  const SampleList& list;
  std::vector<std::size_t> shards;  // shards to pack, ascending
  std::string_view stage;           // for progress
  std::uint64_t already_done = 0;   // samples of kept shards
  bool inspect = false;             // fill Outcome::inspection
};

// Returns the error of the first failing sample in order, whatever the number of threads.
[[nodiscard]] Result<RunResult> run_samples(const RunInput& input, Sink& sink, Observer& observer);

}  // namespace hotpack::pipeline
