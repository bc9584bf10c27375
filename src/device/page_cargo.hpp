// Residency::page: threads gather the records of each batch in its slot, after the tables, and one
// copy per part brings tables and records to the device.
// Ownership: shared by the BatchFiller, which writes slots through it, and by the code that copies
// slots. Thread-safety: as Cargo and RowSink.
#pragma once

#include <memory>

#include "device/laid_out_cargo.hpp"
#include "loader/batch_filler.hpp"

namespace hotpack::device {

class PageCargo final : public LaidOutCargo, public loader::RowSink {
 public:
  PageCargo(SlotLayout layout, std::optional<PixelSize> output,
            std::shared_ptr<const RecordBlocks> blocks, unsigned slots);

  void append_pieces(const loader::Slot& slot, std::size_t part,
                     std::vector<Piece>& pieces) const override;
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const override;

  [[nodiscard]] bool needs_samples() const override { return !blocks_->one_size(); }
  void begin(loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) override;
  [[nodiscard]] Result<Place> place(loader::Slot& slot, std::size_t row,
                                    const loader::RecordShape& record,
                                    const expand::Placement& placement) override;
  void blank(loader::Slot& slot, std::size_t row) override;

 private:
  const std::shared_ptr<const RecordBlocks> blocks_;
  StagedRows staged_;
};

}  // namespace hotpack::device
