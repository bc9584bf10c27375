// Runs samples through workers: a bounded oneTBB pipeline with results in order.
//
// A Sink receives every sample's outcome in write order, from one thread at a time; workers run in parallel. Memory: a worker's buffers
// a thread, plus (for compressed records only) the frames of the samples in flight.
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

// A place in a shard under work. Made by Sink::open_shard, shared by the samples in flight.
class ShardSink {
 public:
  virtual ~ShardSink() = default;
  // From many threads at once, each for another place: the record's payload.
  [[nodiscard]] virtual Status write_payload(const writer::PayloadPlace& place, const PackedSample& sample) = 0;
};

// The outcome of one sample.
struct Outcome {
  std::size_t shard = 0;
  std::uint64_t slot = 0;          // in the shard
  writer::PayloadPlace place;      // planned, among the shard's payload
  std::optional<Problem> problem;  // then nothing was packed
  format::RecordEntry entry;
  format::Sums sums;
  std::vector<std::byte> image_frame;  // with --zstd: bytes as stored
  std::vector<std::byte> label_frame;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  Remarks remarks;
  std::unique_ptr<SampleInspection> inspection;  // where it was asked for; with a problem too, as far as the worker came
};

class Sink {
 public:
  virtual ~Sink() = default;
  // In order, before the first sample of the shard.
  [[nodiscard]] virtual Result<std::shared_ptr<ShardSink>> open_shard(std::size_t shard) = 0;
  // In order. An error stops the run.
  [[nodiscard]] virtual Status accept(Outcome& outcome) = 0;
  // In order, after the last sample of the shard.
  [[nodiscard]] virtual Status finish_shard(std::size_t shard) = 0;
};

struct RunResult {
  bool stopped = false;  // a signal asked for it
  Remarks remarks;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

struct RunInput {
  const PackOptions& options;
  const LabelSetup& setup;
  const Plan& plan;
  const SampleList& list;
  std::vector<std::size_t> shards;  // those to run, ascending
  std::string_view stage;           // for progress
  std::uint64_t already_done = 0;   // samples of shards that were kept
  bool inspect = false;             // fill Outcome::inspection
};

// The error is that of the first failing sample in order, whatever the number of threads.
[[nodiscard]] Result<RunResult> run_samples(const RunInput& input, Sink& sink, Observer& observer);

}  // namespace hotpack::pipeline
