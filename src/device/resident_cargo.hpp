// Cargo for Residency::device. To fill a slot, no file is read; a slot has the tables only.
//
// Ownership: the cargo and the filler share the resident set. Thread-safety: as Cargo and
// RowFiller. Failure: RowError with the error that the record had during the load, or with the
// error that a host Loader gives for the record's crop.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/laid_out_cargo.hpp"
#include "device/resident_set.hpp"
#include "loader/ring.hpp"

namespace hotpack::device {

class ResidentCargo final : public LaidOutCargo {
 public:
  ResidentCargo(SlotLayout layout, std::optional<PixelSize> output,
                std::shared_ptr<const ResidentSet> set);
  [[nodiscard]] const ResidentSet& set() const { return *set_; }

  void append_pieces(const loader::Slot& slot, std::size_t part,
                     std::vector<Piece>& pieces) const override;
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const override;

 private:
  const std::shared_ptr<const ResidentSet> set_;
};

// Fills slots: writes the tables and the description of the rows.
class ResidentFiller final : public loader::RowFiller {
 public:
  struct Parts {
    std::unique_ptr<loader::RecordSource> source;  // for error texts
    loader::BatchForm form;
    StepPlan plan;
    OrderOptions order;
    std::shared_ptr<const ResidentCargo> cargo;
  };
  explicit ResidentFiller(Parts parts);

  void begin(loader::Slot& slot) override;
  [[nodiscard]] std::optional<loader::RowError> fill(loader::Slot& slot, loader::RowRange rows,
                                                     unsigned thread) override;

 private:
  [[nodiscard]] Status fill_row(loader::Slot& slot, std::size_t row);
  [[nodiscard]] Status show_sample(loader::Slot& slot, std::size_t row, std::uint64_t sample);

  const Parts parts_;
};

}  // namespace hotpack::device
