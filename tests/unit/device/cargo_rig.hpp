// A cargo without a loader: slots filled by hand, pieces copied into plain memory, rows read back
// through their entries.
//
// Owned by its test; one thread. Throws std::logic_error if the test cannot continue.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/cargo.hpp"
#include "device/row_entry.hpp"
#include "loader/run.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::test {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().describe());
  return std::move(result).value();
}

// A row as a device sees it.
struct DeviceRow {
  device::RowEntry entry;
  Bytes image;  // as stored; empty for an empty row
  Bytes label;
};

struct RigOptions {
  LoaderOptions loader;
  Residency residency = Residency::page;
  std::size_t devices = 1;
  unsigned slots = 2;
  std::uint64_t output_bytes = 0;  // of each part
  std::optional<std::uint64_t> pinned_budget_bytes = {};
  std::optional<std::uint64_t> device_budget_bytes = {};
  std::uint64_t world_size = 1;  // for budgets only
};

class CargoRig {
 public:
  using Slot = loader::Slot;

  explicit CargoRig(FakeOptions options = {}) : fake(options) {}

  // Loads a cargo; the next load replaces it.
  Status load(const Dataset& dataset, RigOptions options) {
    slots_.clear();
    loaded.reset();
    options_ = std::move(options);
    auto inputs = inputs_of(dataset);
    if (!inputs.ok()) return inputs.error();
    auto made = device::load_cargo(std::move(*inputs));
    if (!made.ok()) return made.error();
    loaded.emplace(std::move(*made));
    return {};
  }

  // A slot filled with a step's batch; throws if a row fails.
  Slot& fill(std::uint64_t epoch, std::uint64_t step, std::size_t number = 0) {
    Slot& slot = begin(epoch, step, number);
    if (const auto failed = fill_rows(slot))
      throw std::logic_error("row " + std::to_string(failed->row) + ": " +
                             failed->error.describe());
    return slot;
  }
  Slot& begin(std::uint64_t epoch, std::uint64_t step, std::size_t number = 0) {
    while (slots_.size() <= number) slots_.push_back(make_slot(slots_.size()));
    Slot& slot = *slots_[number];
    slot.cursor = {epoch, step};
    loaded->filler->begin(slot);
    return slot;
  }
  std::optional<loader::RowError> fill_rows(Slot& slot) {
    return loaded->filler->fill(slot, {0, plan_->rows()}, 0);
  }

  std::vector<device::Piece> pieces(const Slot& slot, std::size_t part = 0) const {
    std::vector<device::Piece> pieces;
    loaded->cargo->append_pieces(slot, part, pieces);
    return pieces;
  }

  // Copies the pieces to simulated staged memory. Bytes that are not copied are 0xCD.
  Bytes staged(const Slot& slot, std::size_t part = 0) const {
    Bytes memory(loaded->cargo->staged_bytes(part), std::byte{0xCD});
    for (const device::Piece& piece : pieces(slot, part)) {
      if (piece.to > memory.size() || piece.bytes > memory.size() - piece.to)
        throw std::logic_error("a piece beyond staged memory");
      std::memcpy(memory.data() + piece.to, piece.from, piece.bytes);
    }
    return memory;
  }

  // Rows of a part with records of these stored sizes, one per row.
  std::vector<DeviceRow> rows(const Slot& slot, std::size_t part, const Dataset& dataset) const {
    const Bytes memory = staged(slot, part);
    std::vector<DeviceRow> rows(parts[part].count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(&rows[i].entry, memory.data() + i * sizeof(device::RowEntry),
                  sizeof(device::RowEntry));
      const std::int64_t number = slot.samples[parts[part].first + i];
      if (number < 0) continue;
      const Sample sample = must(dataset.sample(static_cast<std::uint64_t>(number)));
      rows[i].image =
          record_bytes(memory, part, rows[i].entry.image, sample.image_shape().size_bytes());
      if (sample.has_label())
        rows[i].label =
            record_bytes(memory, part, rows[i].entry.label, sample.label_shape().size_bytes());
    }
    return rows;
  }

  const StepPlan& plan() const { return *plan_; }
  const std::vector<std::shared_ptr<const device::Context>>& contexts() const { return contexts_; }

  FakeDriver fake;
  std::vector<device::PartRows> parts;
  std::optional<device::LoadedCargo> loaded;

 private:
  Result<device::CargoInputs> inputs_of(const Dataset& dataset) {
    const LoaderOptions& options = options_.loader;
    plan_ = must(StepPlan::make(dataset.records(), *options.global_batch_size, options.last_batch));
    auto form = loader::BatchForm::make(dataset.schema(), options, plan_->rows());
    if (!form.ok()) return std::move(form).error();
    device::CargoInputs inputs{.source = must(loader::RecordSource::make(
                                   dataset, options.verify_checksums, options.access)),
                               .form = std::move(*form),
                               .plan = *plan_,
                               .order = loader::order_of(options),
                               .parts = {},
                               .contexts = {},
                               .output_bytes = {},
                               .pinned_budget_bytes = options_.pinned_budget_bytes,
                               .device_budget_bytes = options_.device_budget_bytes};
    parts.clear();
    contexts_.clear();
    for (std::size_t device = 0; device < options_.devices; ++device) {
      const std::size_t first = plan_->rows() * device / options_.devices;
      parts.push_back({first, plan_->rows() * (device + 1) / options_.devices - first});
      contexts_.push_back(must(device::Context::retain(fake.driver(), static_cast<int>(device))));
    }
    inputs.parts = parts;
    inputs.contexts = contexts_;
    inputs.threads = std::max(1u, options.threads);
    inputs.slots = options_.slots;
    inputs.output_bytes.assign(options_.devices, options_.output_bytes);
    inputs.asked = options_.residency;
    inputs.world_size = options_.world_size;
    return inputs;
  }

  std::unique_ptr<Slot> make_slot(std::size_t number) const {
    auto slot = std::make_unique<Slot>();
    slot->number = number;
    const Status grown = loader::grow(*slot, device::pinned_allocator(contexts_.front()),
                                      loaded->cargo->slot_bytes(), 0);
    if (!grown.ok()) throw std::logic_error(grown.error().describe());
    slot->samples.resize(plan_->rows());
    slot->keys.resize(plan_->rows());
    slot->crops.resize(plan_->rows());
    return slot;
  }

  // Address in staged memory, or on the device if records are resident there.
  Bytes record_bytes(const Bytes& memory, std::size_t part, std::uint64_t at,
                     std::size_t size) const {
    constexpr device::Pointer kStaged = 0x1000;
    const device::Pointer base = loaded->cargo->records(part, kStaged);
    if (base != kStaged) return fake.bytes(base + at, size);
    if (at > memory.size() || size > memory.size() - at)
      throw std::logic_error("a record beyond staged memory");
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(at);
    return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
  }

  RigOptions options_;
  std::optional<StepPlan> plan_;
  std::vector<std::shared_ptr<const device::Context>> contexts_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

// The record of a sample as stored, and its key.
inline Row stored_row(const Dataset& dataset, std::int64_t sample) {
  LoaderOptions packed;
  packed.content = BatchContent::packed;
  return expected_row(dataset, packed, sample);
}

}  // namespace hotpack::test
