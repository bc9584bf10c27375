// Cargo: how the packed records of a batch get to the devices, and where the packed records of the
// whole data set stay.
//
// A process has one or more parts of each batch, one per device. In the slot's pinned memory, a
// part has a table of its rows (RowEntry) and, unless records are resident, the records after the
// table. All of it is copied unchanged to one block of device memory, called staged memory.
// Ownership: see each member. Thread-safety: any thread may call const members once the slot is
// filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/handles.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/order.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"
#include "loader/ring.hpp"
#include "loader/slot.hpp"

namespace hotpack::device {

// Rows first … first + count − 1 of this process's batches.
struct PartRows {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Contiguous bytes to copy to staged memory.
struct Piece {
  const std::byte* from = nullptr;  // pinned
  std::uint64_t to = 0;             // offset in the part's staged memory
  std::uint64_t bytes = 0;
};

class Cargo {
 public:
  Cargo() = default;
  Cargo(const Cargo&) = delete;
  Cargo& operator=(const Cargo&) = delete;
  virtual ~Cargo() = default;

  // Bytes of one slot's pinned memory: loader::grow(slot, pinned_allocator, slot_bytes(), 0).
  [[nodiscard]] virtual std::uint64_t slot_bytes() const = 0;
  // The most bytes of staged memory that a part of a batch needs on its device.
  [[nodiscard]] virtual std::uint64_t staged_bytes(std::size_t part) const = 0;
  // Appends to `pieces` the copies that bring this part of a filled slot to its device: at most
  // one, which begins with the table, goes to offset 0, and contains the records if they are in the
  // slot.
  virtual void append_pieces(const loader::Slot& slot, std::size_t part,
                             std::vector<Piece>& pieces) const = 0;
  // Returns the base address of the records of a part of a batch: the offsets in the part's entries
  // (RowEntry) are relative to this address. `staged` is the address of the part's staged memory.
  [[nodiscard]] virtual Pointer records(std::size_t part, Pointer staged) const = 0;
  // Returns the size in pixels of the batch rows in a part of a filled slot. All rows of a part
  // have the same size; if records differ in size, the part has only one row.
  [[nodiscard]] virtual PixelSize output(const loader::Slot& slot, std::size_t part) const = 0;
};

struct CargoInputs {
  std::unique_ptr<loader::RecordSource> source;
  loader::BatchForm form;
  StepPlan plan;  // the steps of this process
  OrderOptions order;
  std::vector<PartRows> parts;
  std::vector<std::shared_ptr<const Context>> contexts = {};  // one per part
  unsigned threads = 1;
  unsigned slots = 3;  // also the number of packed batches on each device
  // one per part: the bytes of all outputs that leases may need, each at its largest size
  std::vector<std::uint64_t> output_bytes = {};
  Residency asked = Residency::page;
  std::uint64_t world_size = 1;  // ranks, all of which may be on this machine
  std::optional<std::uint64_t> pinned_budget_bytes = {};
  std::optional<std::uint64_t> device_budget_bytes = {};
  std::function<bool(const LoadProgress&)> progress = {};  // as DeviceLoaderOptions::progress
};

struct LoadedCargo {
  ResidencyChoice choice;
  std::unique_ptr<loader::RowFiller> filler;  // fills the slots of the ring
  std::shared_ptr<const Cargo> cargo;         // shared with the filler
  double load_seconds = 0;
  std::uint64_t copied_bytes = 0;           // host to device, during the load
  std::vector<std::uint64_t> device_bytes;  // of resident records, one per part
};

// Chooses a residency within the budgets, and loads the records that it keeps in device memory.
// Every slot of the filler has a number below inputs.slots. Fails if memory is lacking, if a budget
// is too small (`usage`, with the need, the limit and what the user can do), or if the driver
// fails. If a record cannot be read during the load, this function does not fail; the step that
// needs the record does.
[[nodiscard]] Result<LoadedCargo> load_cargo(CargoInputs inputs);

// Returns the most bytes that one row of a batch can have. If `form` sets the size of rows, it
// determines these bytes; otherwise rows have the sizes of their records, and the largest record
// determines them.
[[nodiscard]] Result<loader::RowBytes> largest_row(const loader::RecordSource& source,
                                                   const loader::BatchForm& form);

}  // namespace hotpack::device
