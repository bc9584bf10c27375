// The form of a Loader's batches: sizes, shapes, and how a record becomes a row. Made from the data
// set's schema and the options.
//
// An immutable value; thread-safe. Failure: code `usage`, with the accepted values, for options
// that do not fit the data set; `data` for a record that does not fit the options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"
#include "expand/placement.hpp"
#include "expand/scratch.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"
#include "loader/record_source.hpp"

namespace hotpack::loader {

// Bytes of the image and of the label of one batch row.
struct RowBytes {
  std::uint64_t image = 0;
  std::uint64_t label = 0;
};

class BatchForm {
 public:
  // `rows` is the number of rows in this rank's batches.
  [[nodiscard]] static Result<BatchForm> make(const Schema& schema, const LoaderOptions& options,
                                              std::size_t rows);

  [[nodiscard]] const Augment& augment() const { return augment_; }
  // The shape of every record; if records differ, sizes are 0 and the rest is valid.
  [[nodiscard]] const RecordShape& record() const { return record_; }
  [[nodiscard]] bool one_size() const { return one_size_; }  // all records have the same size
  // size of the image of every batch row; empty if rows differ in size
  [[nodiscard]] const std::optional<PixelSize>& output() const { return output_; }

  // Returns how a record with the crop `box` becomes a row of a batch: which window of the record
  // is used, and the size of the row.
  [[nodiscard]] Result<expand::Placement> place(const RecordShape& record,
                                                const SampleCrop& box) const;
  [[nodiscard]] RowBytes row_bytes(const RecordShape& record, PixelSize output) const;
  [[nodiscard]] std::size_t scratch_bytes(const RecordShape& record,
                                          const expand::Placement& placement) const;
  // Sets type and shape of `image` and `label` for a batch of `rows` rows of the size `output`.
  void describe(const RecordShape& record, PixelSize output, std::size_t rows, BatchField& image,
                BatchField& label) const;

  // Converts a record and writes it as one row of a batch; skips a field that is null. Does not
  // allocate, lock or fail. The fault guard may leave it half-way (see expand/image_expander.hpp).
  // After the last row, the caller must execute a store fence.
  void write(const Record& record, const expand::Placement& placement, expand::Scratch& scratch,
             std::byte* image, std::byte* label) const noexcept;
  // Writes the record's own bytes, whatever the form of the batch. Otherwise as write().
  static void copy_stored(const Record& record, std::byte* image, std::byte* label) noexcept;
  // Writes a row without a sample: all values of the image are 0, and every pixel of the label is
  // ignored. `output` is the size of the row; if records differ in size and rows have no common
  // size, it is empty and nothing is written.
  void blank(const RecordShape& record, PixelSize output, std::byte* image,
             std::byte* label) const noexcept;

 private:
  BatchForm() = default;
  [[nodiscard]] Status set_sizes(const Schema& schema, std::size_t rows);
  [[nodiscard]] expand::Placement label_placement(const LabelShape& label,
                                                  const expand::Placement& placement) const;

  bool packed_ = false;
  bool labeled_ = false;
  Augment augment_;
  std::optional<PixelSize> pad_to_;
  RecordShape record_;
  bool one_size_ = false;
  std::optional<PixelSize> output_;
  std::optional<expand::ImageExpander> images_;  // absent for packed batches
  std::optional<expand::LabelExpander> labels_;  // absent for packed batches and without labels
};

}  // namespace hotpack::loader
