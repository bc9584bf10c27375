// A record's image to the image of a batch row: window, flips, resampling, conversion and layout in one pass over the record.
//
// Made once, then used by any number of threads at once (const members; each thread brings its Scratch). expand() and blank() neither
// allocate, lock nor fail: a caller may leave them by siglongjmp when the record's memory turns out to be unreadable.
// Failure: code `usage` at make(), naming the option.
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

class ImageExpander {
 public:
  // `channels` 1 or 3, as the records have them.
  [[nodiscard]] static Result<ImageExpander> make(const ImageOutput& output, int channels);

  [[nodiscard]] const ImageOutput& output() const { return output_; }
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;  // bytes of one batch row
  // Bytes of scratch that expand() needs for records up to `record` placed into `output`.
  [[nodiscard]] std::size_t scratch_bytes(PixelSize record, PixelSize output) const;

  // Writes row_bytes(placement.output) bytes at `out` (aligned to the element). Preconditions: the placement's box lies in the record;
  // `scratch` was reserved; the thread is in the default floating-point mode (default_floats.hpp), which make() does not need.
  void expand(const ImageView& record, const Placement& placement, Scratch& scratch, std::byte* out, Stores stores) const noexcept;
  // A row that belongs to no sample: zero bytes.
  void blank(PixelSize output, std::byte* out) const noexcept;

 private:
  struct Tables;
  ImageExpander() = default;
  ImageOutput output_;
  int channels_ = 3;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace hotpack::expand
