// One sample from files to record bytes. One SampleWorker per thread: it owns decoder, resampler and every buffer, and allocates no pixels
// once they have grown to the largest image.
//
// Not thread-safe. A bad sample comes back as a Problem; an Error means that the run must stop (a read failed).
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
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "pack/remarks.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A sample's record; the spans are valid until the worker's next sample.
struct PackedSample {
  format::RecordEntry entry;
  format::Sums sums;
  std::span<const std::byte> image;
  std::span<const std::byte> label;
  Remarks remarks;
  SampleInspection* inspection = nullptr;  // filled where it is not null; the caller owns it
};

class SampleWorker {
 public:
  SampleWorker(const PackOptions& options, const LabelSetup& setup, const Plan& plan, const SampleList& list);
  ~SampleWorker();
  SampleWorker(SampleWorker&&) noexcept;

  // Reuses `out`. Absent: packed. Tiles of one image that come one after the other are decoded once.
  [[nodiscard]] Result<std::optional<Problem>> process(const Sample& sample, PackedSample& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
