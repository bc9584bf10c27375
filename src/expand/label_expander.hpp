// Converts a record's label to the label of one row of a batch: window, flips, nearest resampling,
// and any storage to any form, in one pass over the record.
//
// Made once, then used by any number of threads at once; expand() and blank() do not allocate, lock
// or fail. Wrong label values are handled as hotpack/expand.hpp says, and never cause a write
// outside the buffers. Failure: make() returns code `usage` with the option's name and the possible
// values.
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

// The properties that all labels of a data set share, except their size.
struct LabelSource {
  LabelScope scope = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  bool multi = false;
  std::size_t class_count = 0;
};

class LabelExpander {
 public:
  [[nodiscard]] static Result<LabelExpander> make(const LabelOutput& output,
                                                  const LabelSource& source);

  // The form, with type and ignore_index (for ids) filled in.
  [[nodiscard]] const LabelOutput& output() const;
  [[nodiscard]] ElementType type() const { return *output().dtype; }
  // Elements per pixel of the output. For one_hot: the number of classes, plus 1 with an ignored
  // channel; for bits: ⌈class_count / 8⌉; for index: 1.
  [[nodiscard]] std::size_t channels() const;
  // bytes per batch row; for labels of whole images, the size is 1×1
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;
  [[nodiscard]] std::size_t scratch_bytes(PixelSize record, PixelSize output) const;

  // Writes the label of one row of a batch to `out`, with the preconditions of
  // ImageExpander::expand(). Padding becomes ignored pixels. Labels of whole images need the
  // placement identity({1, 1}).
  void expand(const LabelView& record, const Placement& placement, Scratch& scratch, std::byte* out,
              Stores stores) const noexcept;
  // Writes the label of a batch row that has no sample: every pixel is ignored.
  void blank(PixelSize output, std::byte* out) const noexcept;

 private:
  explicit LabelExpander(std::shared_ptr<const LabelPlan> plan) : plan_(std::move(plan)) {}
  std::shared_ptr<const LabelPlan> plan_;
};

}  // namespace hotpack::expand
