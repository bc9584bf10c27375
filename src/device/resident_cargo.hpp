// Cargo for Residency::pinned and Residency::device. To fill a slot, no file is read, and records
// are written into the slot only if that saves copies.
//
// Ownership: the cargo and the filler share the resident set. Thread-safety: as Cargo and
// RowFiller. Failure: RowError with the error that the record had during the load, or with the
// error that a host Loader gives for the record's crop.
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
  ResidentCargo(SlotLayout layout, std::optional<PixelSize> output,
                std::shared_ptr<const ResidentSet> set);
  [[nodiscard]] const ResidentSet& set() const { return *set_; }

  // Returns true if begin() needs the samples of the slot's rows; if it returns false, `samples` of
  // begin() is empty. begin() is called under the conditions of RowFiller::begin().
  [[nodiscard]] virtual bool needs_samples() const = 0;
  virtual void begin(const loader::Slot& slot,
                     std::span<const std::optional<std::uint64_t>> samples) = 0;
  // Returns the offset of the row's record from the base address that the entries refer to.
  [[nodiscard]] virtual std::uint64_t place(const loader::Slot& slot, std::size_t row,
                                            std::uint64_t sample) const = 0;
  // Writes the row's record into the slot, if the slot contains records. As RowFiller::fill.
  virtual void write(loader::Slot& /*slot*/, std::size_t /*row*/, std::uint64_t /*sample*/) const {}

 protected:
  void append_table(const loader::Slot& slot, const SlotLayout::Part& part,
                    std::vector<Piece>& pieces) const;

 private:
  const std::shared_ptr<const ResidentSet> set_;
};

// Cargo whose records are copied to staged memory for each batch, one after another.
class StagedCargo : public ResidentCargo {
 public:
  StagedCargo(SlotLayout layout, std::optional<PixelSize> output,
              std::shared_ptr<const ResidentSet> set, unsigned slots);
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const final;
  [[nodiscard]] bool needs_samples() const final { return !set().blocks->one_size(); }
  void begin(const loader::Slot& slot, std::span<const std::optional<std::uint64_t>> samples) final;
  [[nodiscard]] std::uint64_t place(const loader::Slot& slot, std::size_t row,
                                    std::uint64_t sample) const final;

 protected:
  [[nodiscard]] const StagedRows& staged() const { return staged_; }
  [[nodiscard]] const std::byte* record(
      std::uint64_t sample) const;  // its address in pinned memory

 private:
  StagedRows staged_;
};

// RecordWay::one_by_one: each record is copied from its resident place in pinned memory.
class PinnedCargo final : public StagedCargo {
 public:
  using StagedCargo::StagedCargo;
  void append_pieces(const loader::Slot& slot, std::size_t part,
                     std::vector<Piece>& pieces) const override;
};

// RecordWay::in_slots: threads gather the pinned records into the slot, which is then copied.
class GatheredCargo final : public StagedCargo {
 public:
  using StagedCargo::StagedCargo;
  void append_pieces(const loader::Slot& slot, std::size_t part,
                     std::vector<Piece>& pieces) const override;
  void write(loader::Slot& slot, std::size_t row, std::uint64_t sample) const override;
};

// Cargo whose records stay in device memory.
class DeviceCargo final : public ResidentCargo {
 public:
  using ResidentCargo::ResidentCargo;
  void append_pieces(const loader::Slot& slot, std::size_t part,
                     std::vector<Piece>& pieces) const override;
  [[nodiscard]] Pointer records(std::size_t part, Pointer staged) const override;
  [[nodiscard]] bool needs_samples() const override { return false; }
  void begin(const loader::Slot& slot,
             std::span<const std::optional<std::uint64_t>> samples) override;
  [[nodiscard]] std::uint64_t place(const loader::Slot& slot, std::size_t row,
                                    std::uint64_t sample) const override;
};

// Fills slots: writes the tables, the records if the cargo wants them in slots, and the description
// of the rows.
class ResidentFiller final : public loader::RowFiller {
 public:
  struct Parts {
    std::unique_ptr<loader::RecordSource> source;  // for error texts
    loader::BatchForm form;
    StepPlan plan;
    OrderOptions order;
    std::shared_ptr<ResidentCargo> cargo;
  };
  explicit ResidentFiller(Parts parts);

  void begin(loader::Slot& slot) override;
  [[nodiscard]] std::optional<loader::RowError> fill(loader::Slot& slot, loader::RowRange rows,
                                                     unsigned thread) override;

 private:
  [[nodiscard]] Status fill_row(loader::Slot& slot, std::size_t row);
  [[nodiscard]] Status show_sample(loader::Slot& slot, std::size_t row, std::uint64_t sample);

  const Parts parts_;
  std::vector<std::optional<std::uint64_t>> samples_;  // of the latest batch, under the Ring's lock
};

}  // namespace hotpack::device
