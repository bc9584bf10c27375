// The sink of packed records: lays out slots for code that expands the records elsewhere, on a
// device.
//
// A slot is a table of RowEntry objects, one per row and one more, followed by the records of the
// rows. Entries count offsets from the slot, or from the memory of resident records.
// Thread-safety: as RowSink; a resident set is complete before anybody uses it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "loader/batch_filler.hpp"
#include "loader/record_sizes.hpp"
#include "loader/row_entry.hpp"

namespace hotpack::loader {

// The keys of records in device memory, and the errors of those that could not be read.
struct ResidentSet {
  std::vector<std::string> keys;
  std::map<std::uint64_t, Error> errors;
};

class PackedRows final : public RowSink {
 public:
  // Slots of `page` have tables and records. Those of `load` have the same; a set gets the errors.
  // Those of `resident` have tables, and records are those of the set.
  enum class Use { page, load, resident };
  using Sizes = std::shared_ptr<const RecordSizes>;

  PackedRows(Use use, Sizes sizes, const BatchForm& form, std::size_t rows,
             std::shared_ptr<ResidentSet> set)
      : use_(use),
        sizes_(std::move(sizes)),
        form_(form),
        rows_(rows),
        table_bytes_(((rows + 1) * sizeof(RowEntry) + kRecordAlignment - 1) / kRecordAlignment *
                     kRecordAlignment),
        set_(std::move(set)) {}

  // Whole pages; nothing if they have more than 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> slot_bytes() const {
    constexpr std::uint64_t kPage = 4096;
    const auto records = use_ == Use::resident ? 0 : sizes_->most_bytes(rows_);
    const auto bytes = records ? checked_add(table_bytes_ + kPage - 1, *records) : std::nullopt;
    return bytes ? std::optional(*bytes / kPage * kPage) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t table_bytes() const { return table_bytes_; }
  // The bytes of a filled slot that the device needs.
  [[nodiscard]] std::uint64_t used_bytes(const std::byte* slot, std::size_t rows) const {
    if (use_ == Use::resident) return table_bytes_;
    return reinterpret_cast<const RowEntry*>(slot)[rows].image;
  }

  // Writes where each record goes to its entry, and the end to the entry after the last row.
  void begin(Slot& slot, std::span<const std::optional<std::uint64_t>> samples) override {
    RowEntry* const table = table_of(slot);
    std::uint64_t at = table_bytes_;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      table[row].image = at;
      if (samples[row]) at += sizes_->bytes(*samples[row]);
    }
    table[samples.size()].image = at;
  }

  [[nodiscard]] Result<Place> place(Slot& slot, std::size_t row, std::uint64_t sample,
                                    const RecordShape& record,
                                    const expand::Placement& placement) override {
    const RecordLayout layout = layout_of(record);
    if (layout.bytes != sizes_->bytes(sample))
      return damaged_error(
          "its shard could not be read when the loader was opened, or was replaced since then; "
          "open the loader again");
    describe(slot, record, placement.output);
    const SampleCrop& box = placement.box;
    RowEntry& entry = table_of(slot)[row];
    entry.image = use_ == Use::resident ? sizes_->begin(sample) : entry.image;
    entry.label = layout.label == 0 ? 0 : entry.image + layout.label;
    entry.record_width = static_cast<std::int32_t>(record.image.width);
    entry.record_height = static_cast<std::int32_t>(record.image.height);
    entry.x = box.x, entry.y = box.y, entry.width = box.width, entry.height = box.height;
    entry.flags = kRowValid | (box.flip_horizontal ? kRowFlipHorizontal : 0) |
                  (box.flip_vertical ? kRowFlipVertical : 0) |
                  (placement.resample ? kRowResample : 0);
    if (use_ == Use::resident) return Place{nullptr, nullptr, &set_->keys[sample]};
    std::byte* const slot_data = slot.image.bytes.data();
    return Place{slot_data + entry.image, entry.label == 0 ? nullptr : slot_data + entry.label,
                 nullptr};
  }

  void blank(Slot& slot, std::size_t row) override {
    table_of(slot)[row].flags = 0;
    describe(slot, form_.record(), {});
  }

  [[nodiscard]] const Error* error_of(std::uint64_t sample) const override {
    const bool is_known = use_ == Use::resident && set_->errors.contains(sample);
    return is_known ? &set_->errors.at(sample) : nullptr;
  }

  [[nodiscard]] bool takes_error(std::uint64_t sample, const Error& error) override {
    if (use_ != Use::load) return false;
    const std::lock_guard lock(mutex_);
    set_->errors.emplace(sample, error);
    return true;
  }

 private:
  // Sets the shapes of a batch of one row, if rows differ in size. A load has many rows, and needs
  // no shapes.
  void describe(Slot& slot, const RecordShape& record, PixelSize output) const {
    if (use_ != Use::load && !form_.output())
      form_.describe(record, output, 1, slot.image, slot.label);
  }

  static RowEntry* table_of(const Slot& slot) {
    return reinterpret_cast<RowEntry*>(slot.image.bytes.data());
  }

  const Use use_;
  const Sizes sizes_;
  const BatchForm form_;
  const std::size_t rows_;
  const std::uint64_t table_bytes_;
  const std::shared_ptr<ResidentSet> set_;
  std::mutex mutex_;  // for set_->errors during the load
};

}  // namespace hotpack::loader
