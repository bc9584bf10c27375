// Reads a sample's files and makes the bytes of its record. Each thread has its own SampleWorker.
// It owns a decoder, a resampler and all buffers, and allocates memory only for an image that is
// larger than all before it. Memory for large images comes from a MemoryBudget.
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
#include "label_setup/label_setup.hpp"
#include "pack/class_uses.hpp"
#include "pack/diagnostic_counts.hpp"
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "samples/sample_list.hpp"
#include "settings/memory_budget.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A sample's record; the spans are valid until the worker's next sample.
struct PackedSample {
  format::RecordEntry entry;
  format::Sums sums;
  std::span<const std::byte> image;
  std::span<const std::byte> label;
  LabelClasses classes;
  DiagnosticCounts diagnostics;
  SampleInspection* inspection = nullptr;  // owned by the caller; filled if not null
};

class SampleWorker {
 public:
  // Without `budget`, images are decoded whatever memory they take.
  SampleWorker(const PackOptions& options, const LabelSetup& setup, const Plan& plan,
               const SampleList& list, MemoryBudget* budget = nullptr);
  ~SampleWorker();
  SampleWorker(SampleWorker&&) noexcept;

  // Makes the record of a sample in `out`, whose memory it reuses. If the sample cannot be packed,
  // returns the problem, else nothing. If successive samples are tiles of one image, the image is
  // decoded once.
  [[nodiscard]] Result<std::optional<Problem>> process(const Sample& sample, PackedSample& out);

  // Frees all buffers if the last image was large for the budget. To be called before the thread
  // does anything else, because other threads wait for that memory.
  void free_large() noexcept;

 private:
  struct Impl;

  const PackOptions& options_;
  const LabelSetup& setup_;
  const Plan& plan_;
  const SampleList& list_;
  MemoryBudget* const budget_;
  std::unique_ptr<Impl> impl_;  // made by process()
};

}  // namespace hotpack::pipeline
