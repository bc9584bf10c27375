// Fills the slots of a host Loader: which sample a row holds, what is drawn for it, and the record into the row.
//
// Thread-safety: as RowFiller; each thread has scratch memory of its own.
// Failure: RowError with the record's error.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "expand/scratch.hpp"
#include "hotpack/order.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"
#include "loader/ring.hpp"

namespace hotpack::loader {

// The largest row so far.
struct LargestRow {
  std::atomic<std::uint64_t> image{0};
  std::atomic<std::uint64_t> label{0};
};

class BatchFiller final : public RowFiller {
 public:
  struct Parts {
    std::unique_ptr<RecordSource> source;
    BatchForm form;
    StepPlan plan;
    OrderOptions order;
    std::shared_ptr<SlotAllocator> allocator;
    std::uint64_t slot_budget_bytes = 0;  // of each slot that grows with its records; 0: no limit
  };
  BatchFiller(Parts parts, unsigned threads);

  void begin(Slot& slot) override;
  [[nodiscard]] std::optional<RowError> fill(Slot& slot, RowRange rows, unsigned thread) override;

  [[nodiscard]] const LargestRow& largest_row() const { return largest_; }

 private:
  struct Scratch {
    RecordScratch record;
    expand::Scratch pixels;
    std::string key;
  };

  [[nodiscard]] std::size_t valid_rows(const Slot& slot) const;
  void read_ahead(const Slot& slot, RowRange rows) const;
  using SampleAt = std::uint64_t (EpochOrder::*)(std::uint64_t position) const;
  void advise(const Slot& slot, std::uint64_t steps, RowRange rows, SampleAt sample_at) const;
  [[nodiscard]] Status fill_row(Slot& slot, std::size_t row, Scratch& scratch);
  [[nodiscard]] Status blank_row(Slot& slot, std::size_t row);
  [[nodiscard]] Status read_row(Slot& slot, std::size_t row, std::uint64_t sample, Scratch& scratch);
  [[nodiscard]] Error at_sample(Error error, std::uint64_t sample) const;
  [[nodiscard]] Result<RecordShape> shape_of(std::uint64_t sample) const;
  [[nodiscard]] Status fit(Slot& slot, const RecordShape& record, PixelSize output);

  const Parts parts_;
  const std::uint64_t steps_ahead_;
  const std::uint64_t window_steps_;  // of Shuffle::block, else 0
  std::vector<Scratch> scratch_;      // a thread each
  std::optional<Cursor> begun_;       // by begin() last, under the Ring's lock
  LargestRow largest_;
};

}  // namespace hotpack::loader
