// Converts a record's image to the image of one row of a batch. Window, flips, resampling,
// conversion and layout are done in one pass over the record.
//
// Made once, then used by any number of threads at once: the members of an ImageExpander are const,
// and each thread has its own Scratch. expand() and blank() do not allocate, lock or fail, so
// siglongjmp may leave them if the record's memory cannot be read. Failure: make() returns code
// `usage` with the option's name.
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
  // `channels` is the number of channels of the records: 1 or 3.
  [[nodiscard]] static Result<ImageExpander> make(const ImageOutput& output, int channels);

  [[nodiscard]] const ImageOutput& output() const { return output_; }
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;  // bytes per batch row
  // Returns how many bytes of scratch memory expand() needs for records of up to the size `record`
  // and images of up to the size `output`.
  [[nodiscard]] std::size_t scratch_bytes(PixelSize record, PixelSize output) const;

  // Writes the image of one row of a batch, row_bytes(placement.output) bytes, to `out`.
  // Preconditions: `out` is aligned to the element; the placement's box lies in the record;
  // `scratch` has reserved enough bytes; the thread is in the default floating-point mode
  // (default_floats.hpp). make() does not need this mode.
  void expand(const ImageView& record, const Placement& placement, Scratch& scratch, std::byte* out,
              Stores stores) const noexcept;
  // Writes the image of a batch row that has no sample: zero bytes.
  void blank(PixelSize output, std::byte* out) const noexcept;

 private:
  struct Tables;
  ImageExpander() = default;
  ImageOutput output_;
  int channels_ = 3;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace hotpack::expand
