// A record's label to the label of a batch row: window, flips, nearest resampling, any storage to any form, in one pass over the record.
//
// As ImageExpander: made once, const members from any thread, expand() and blank() neither allocate, lock nor fail. Values that no label
// may have count as hotpack/expand.hpp says, and never lead outside the buffers.
// Failure: code `usage` at make(), naming the option and what is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "expand/placement.hpp"
#include "expand/processor.hpp"
#include "expand/scratch.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/result.hpp"

namespace hotpack::expand {

struct LabelPlan;

// What labels are, but for their size.
struct LabelSource {
  LabelScope kind = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  bool multi = false;
  std::size_t class_count = 0;
};

class LabelExpander {
 public:
  [[nodiscard]] static Result<LabelExpander> make(const LabelOutput& output, const LabelSource& source);

  // With type and ignore_index (of form index) filled in.
  [[nodiscard]] const LabelOutput& output() const;
  [[nodiscard]] ElementType type() const { return *output().type; }
  [[nodiscard]] std::size_t channels() const;                     // of one_hot: classes and the ignored one; of bits: ⌈C/8⌉; else 1
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;  // labels of kind `sample` have the size 1×1
  [[nodiscard]] std::size_t scratch_bytes(PixelSize record, PixelSize output) const;

  // As ImageExpander::expand; padding is ignored pixels. For labels of kind `sample` the placement is identity({1, 1}).
  void expand(const LabelView& record, const Placement& placement, Scratch& scratch, std::byte* out, Stores stores) const noexcept;
  // A row that belongs to no sample: every pixel ignored.
  void blank(PixelSize output, std::byte* out) const noexcept;

 private:
  explicit LabelExpander(std::shared_ptr<const LabelPlan> plan) : plan_(std::move(plan)) {}
  std::shared_ptr<const LabelPlan> plan_;
};

}  // namespace hotpack::expand
