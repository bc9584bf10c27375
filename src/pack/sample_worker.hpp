// Turns one sample from files into record bytes. One SampleWorker per thread; it owns decoder,
// resampler and all buffers, which it allocates anew only for a larger image.
//
// Not thread-safe. Failure: a bad sample is a Problem; an Error (a failed read) stops the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "format/shard_tables.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "label_setup/label_setup.hpp"
#include "pack/diagnostic_counts.hpp"
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A sample's record; the spans are valid until the worker's next sample.
struct PackedSample {
  format::RecordEntry entry;
  format::Sums sums;
  std::span<const std::byte> image;
  std::span<const std::byte> label;
  DiagnosticCounts diagnostics;
  SampleInspection* inspection = nullptr;  // owned by the caller; filled if not null
};

class SampleWorker {
 public:
  SampleWorker(const PackOptions& options, const LabelSetup& setup, const Plan& plan,
               const SampleList& list);
  ~SampleWorker();
  SampleWorker(SampleWorker&&) noexcept;

  // Fills `out`, reusing its memory. Absent: packed. Successive tiles of one image are decoded
  // once.
  [[nodiscard]] Result<std::optional<Problem>> process(const Sample& sample, PackedSample& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
