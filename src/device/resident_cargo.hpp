// Residency::pinned and Residency::device: slots hold tables only, and filling them touches no file.
//
// Ownership: cargoes own the resident set, shared with the filler. Thread-safety: as Cargo and RowFiller.
// Failure: RowError with the error that the record had when it was to be loaded, or the one that a host Loader gives for how it is shown.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/laid_out_cargo.hpp"
#include "device/resident_set.hpp"
#include "loader/ring.hpp"

namespace hotpack::device {

class ResidentCargo : public LaidOutCargo {
 public:
  ResidentCargo(SlotLayout layout, std::optional<PixelSize> output, std::shared_ptr<const ResidentSet> set);
  [[nodiscard]] const ResidentSet& set() const { return *set_; }

  // A slot's rows hold these samples. As RowFiller::begin.
  virtual void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) = 0;
  // Where the row's record will lie, from the base address of the entries.
  [[nodiscard]] virtual std::uint64_t place(const loader::Slot& slot, std::size_t row, std::uint64_t sample) const = 0;

 protected:
  void append_table(const loader::Slot& slot, const SlotLayout::Part& part, std::vector<Piece>& pieces) const;

 private:
  const std::shared_ptr<const ResidentSet> set_;
};

// Records are copied to staged memory with each batch, from where they are.
class PinnedCargo final : public ResidentCargo {
 public:
  PinnedCargo(SlotLayout layout, std::optional<PixelSize> output, std::shared_ptr<const ResidentSet> set, unsigned slots);
  void append_pieces(const loader::Slot& slot, std::size_t part, std::vector<Piece>& pieces) const override;
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const override;
  void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) override;
  [[nodiscard]] std::uint64_t place(const loader::Slot& slot, std::size_t row, std::uint64_t sample) const override;

 private:
  StagedRows staged_;
};

// Records stay where they are.
class DeviceCargo final : public ResidentCargo {
 public:
  using ResidentCargo::ResidentCargo;
  void append_pieces(const loader::Slot& slot, std::size_t part, std::vector<Piece>& pieces) const override;
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const override;
  void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) override;
  [[nodiscard]] std::uint64_t place(const loader::Slot& slot, std::size_t row, std::uint64_t sample) const override;
};

// Writes tables, and what a slot tells about its rows.
class ResidentFiller final : public loader::RowFiller {
 public:
  struct Parts {
    std::unique_ptr<loader::RecordSource> source;  // for the texts of errors
    loader::BatchForm form;
    StepPlan plan;
    OrderOptions order;
    std::shared_ptr<ResidentCargo> cargo;
  };
  explicit ResidentFiller(Parts parts);

  void begin(loader::Slot& slot) override;
  [[nodiscard]] std::optional<loader::RowError> fill(loader::Slot& slot, loader::RowRange rows, unsigned thread) override;

 private:
  [[nodiscard]] Status fill_row(loader::Slot& slot, std::size_t row);
  [[nodiscard]] Status show_sample(loader::Slot& slot, std::size_t row, std::uint64_t sample);

  const Parts parts_;
  std::vector<std::optional<std::uint64_t>> samples_;  // of the batch begun last, under the Ring's lock
};

}  // namespace hotpack::device
