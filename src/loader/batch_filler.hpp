// Fills the slots of a Loader in host memory: chooses the sample and the crop of each row of a
// batch, reads the record, and writes it into the row.
//
// Thread-safety: as RowFiller; each thread has its own scratch memory. Failure: RowError with the
// record's error.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hotpack/order.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"
#include "loader/ring.hpp"
#include "loader/row_reading.hpp"

namespace hotpack::loader {

// The bytes of the largest image and of the largest label of any batch row so far.
struct LargestRow {
  std::atomic<std::uint64_t> image{0};
  std::atomic<std::uint64_t> label{0};
};

// Receives the rows of batches as records, in the form in which they are stored, for a loader that
// expands them elsewhere. A RowSink provides the memory for each record, and stores the crop of the
// row. Several threads call it at once for different rows of a slot.
class RowSink {
 public:
  struct Place {
    std::byte* image = nullptr;
    std::byte* label = nullptr;        // null without a label
    const std::string* key = nullptr;  // set: the record is in its place already, with this key
  };
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink() = default;

  // Begins a batch, with the conditions of RowFiller::begin(). `samples` has one element per row:
  // the sample's number, or nothing for an empty row.
  virtual void begin(Slot& slot, std::span<const std::optional<std::uint64_t>> samples) = 0;
  // Returns memory for a sample's record of this shape. `placement` is the crop of the batch row.
  // The caller puts "sample 3: " before the text of an error.
  [[nodiscard]] virtual Result<Place> place(Slot& slot, std::size_t row, std::uint64_t sample,
                                            const RecordShape& record,
                                            const expand::Placement& placement) = 0;
  virtual void blank(Slot& slot, std::size_t row) = 0;
  // Returns the error of a record that could not be read before; null without one.
  [[nodiscard]] virtual const Error* error_of(std::uint64_t /*sample*/) const { return nullptr; }
  // Returns true if the sink has taken the error of a sample: the row is then empty.
  [[nodiscard]] virtual bool takes_error(std::uint64_t /*sample*/, const Error& /*error*/) {
    return false;
  }
};

class BatchFiller final : public RowFiller {
 public:
  struct Parts {
    std::unique_ptr<RecordSource> source;
    BatchForm form;
    StepPlan plan;
    OrderOptions order;
    std::shared_ptr<SlotAllocator> allocator;
    std::uint64_t slot_budget_bytes = 0;  // limit for a slot that grows to fit records; 0: none
    std::shared_ptr<RowSink> sink = {};  // null: rows go into the slot's fields in the batch's form
    std::uint64_t stride = 1;            // as RingOptions::stride
  };
  BatchFiller(Parts parts, unsigned threads);

  void begin(Slot& slot) override;
  [[nodiscard]] std::optional<RowError> fill(Slot& slot, RowRange rows, unsigned thread) override;

  [[nodiscard]] const LargestRow& largest_row() const { return largest_; }

 private:
  [[nodiscard]] Result<RowSink::Place> room_for(Slot& slot, std::size_t row,
                                                const RecordShape& record,
                                                const expand::Placement& placement);
  void set_rows(Slot& slot) const;
  void read_ahead(const Slot& slot, RowRange rows) const;
  using SampleAt = std::uint64_t (EpochOrder::*)(std::uint64_t position) const;
  void advise(const Slot& slot, std::uint64_t steps, RowRange rows, SampleAt sample_at) const;
  [[nodiscard]] Status fill_row(Slot& slot, std::size_t row, RowScratch& scratch);
  [[nodiscard]] Status blank_row(Slot& slot, std::size_t row);
  [[nodiscard]] Status read_row(Slot& slot, std::size_t row, std::uint64_t sample,
                                RowScratch& scratch);
  [[nodiscard]] Status fit(Slot& slot, const RecordShape& record, PixelSize output);

  const Parts parts_;
  const std::uint64_t steps_ahead_;
  const std::uint64_t window_steps_;  // for Shuffle::block, else 0
  std::vector<RowScratch> scratch_;   // one per thread
  std::optional<Cursor> begun_;       // the batch of the latest begin(), under the Ring's lock
  // the samples that begin() of the sink got, under the Ring's lock
  std::vector<std::optional<std::uint64_t>> told_;
  LargestRow largest_;
};

}  // namespace hotpack::loader
