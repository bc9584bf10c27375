// A few samples of the inputs as the records they would become, without packing: what `preview` shows before a data set is packed.
//
// The steps of `pack` up to a sample's record: discovery, headers, what labels mean, plan. What is wrong with other samples refuses
// nothing; the observer is reported how much there is. Ownership: a Look owns its lists and workers; a record lives until the next one. Not
// thread-safe. Failure: `usage` and `data` where the inputs as a whole cannot be read as asked, `io`. A sample that cannot be packed is a
// Problem.
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

class Look {
 public:
  // Reads all headers, and all labels where that is the only way to find the classes. Ends early, with no samples, where a stop is
  // requested.
  [[nodiscard]] static Result<std::unique_ptr<Look>> open(const PackOptions& options, Observer& observer);
  ~Look();

  // That of the splits with labels, where there are some; a split of images alone has no label, else the same.
  [[nodiscard]] const Schema& schema() const;
  // Split by split, each in the order of keys; tiles count as samples.
  [[nodiscard]] std::uint64_t samples() const;
  [[nodiscard]] std::string_view key(std::uint64_t number) const;
  [[nodiscard]] std::string_view split(std::uint64_t number) const;  // empty without splits
  [[nodiscard]] bool has_splits() const;
  // Size of its record; 0x0 where the image's header cannot be read.
  [[nodiscard]] Extent record_size(std::uint64_t number) const;
  // The samples with this key, one per split at most; "val/key" means that of one split. O(samples).
  [[nodiscard]] std::vector<std::uint64_t> find(std::string_view key) const;

  [[nodiscard]] Result<std::optional<Problem>> record_of(std::uint64_t number, PackedSample& out);

 private:
  class Impl;
  explicit Look(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
