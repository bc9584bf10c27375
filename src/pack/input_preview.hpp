// Makes single records of inputs that are not packed yet, for `preview`.
//
// Runs the steps of `pack` up to a sample's record: discovery, headers, labels, plan. Problems of
// other samples are only counted in a message to the observer. Ownership: owns its lists and
// workers; a record is valid until the next one. Not thread-safe. Failure: `usage` and `data` if
// the inputs as a whole cannot be read with these options, `io`. A sample that cannot be packed is
// a Problem.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fit.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "pack/sample_worker.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

class InputPreview {
 public:
  // Finds the samples and determines what their labels mean. Reads all headers, and all labels if
  // the classes cannot be determined otherwise. If a stop is requested, returns early, without
  // samples.
  [[nodiscard]] static Result<std::unique_ptr<InputPreview>> open(const PackOptions& options,
                                                                  Observer& observer);
  ~InputPreview();

  // Returns the schema of a split with labels, if there is such a split. Splits without labels have
  // the same schema without its label.
  [[nodiscard]] const Schema& schema() const;
  // Samples are numbered split by split, each in the order of keys. Tiles count as samples.
  [[nodiscard]] std::uint64_t samples() const;
  [[nodiscard]] std::string_view key(std::uint64_t number) const;
  [[nodiscard]] std::string_view split(std::uint64_t number) const;  // empty without splits
  [[nodiscard]] bool has_splits() const;
  // The size of the sample's record; 0x0 if the image's header cannot be read.
  [[nodiscard]] Extent record_size(std::uint64_t number) const;
  // Returns the samples with this key, at most one per split; "val/key" means the sample `key` of
  // split "val" only. Takes time in proportion to the number of samples.
  [[nodiscard]] std::vector<std::uint64_t> find(std::string_view key) const;

  [[nodiscard]] Result<std::optional<Problem>> record_of(std::uint64_t number, PackedSample& out);

 private:
  class Impl;
  explicit InputPreview(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
