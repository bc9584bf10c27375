#include "gpu/acceptance/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "device/image_launch.hpp"
#include "device/label_launch.hpp"
#include "device/row_entry.hpp"
#include "gpu/acceptance/limits.hpp"

namespace hotpack::gpu {

namespace {

using device::DeviceMemory;
using device::PackedRows;
using device::PinnedMemory;
using device::Pointer;
using device::RowEntry;

constexpr std::uint64_t kBeyondCache =
    std::uint64_t{512} << 20;  // bytes that a kernel's launches go through, read and written each
constexpr std::uint64_t kMostSets = 4096;
constexpr std::uint64_t kOutAlignment = 256;
constexpr double kTargetFirst = 0.85;  // channels first
constexpr double kTargetLast = 0.75;

constexpr std::uint64_t padded(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}

// Several sets of the same batch in the device's memory.
struct Staged {
  std::shared_ptr<const DeviceMemory> memory;
  std::uint64_t table_bytes = 0;  // of all sets, before the records
  std::uint32_t rows = 0;         // of a set
  std::uint64_t sets = 1;
  std::uint64_t image_bytes = 0;  // of a record
  std::uint64_t label_bytes = 0;
  PixelSize size;

  [[nodiscard]] PackedRows set(std::uint64_t number) const {
    const Pointer table = memory->address() + number % sets * rows * sizeof(RowEntry);
    return {table, memory->address() + table_bytes, rows, size};
  }
};

class Stager {
 public:
  Stager(const DeviceSession& session, const RecordList& records, std::uint32_t rows)
      : session_(session), records_(records) {
    staged_.rows =
        records.largest_size() == size_of(0) ? rows : 1;  // records that differ come one by one
    staged_.size = size_of(0);
    staged_.image_bytes = records[0].image.bytes.size();
    staged_.label_bytes = records[0].label.bytes.size();
    block_ = padded(staged_.image_bytes, device::kBlockAlignment) +
             padded(staged_.label_bytes, device::kBlockAlignment);
  }

  // Makes as many sets as exceed the device's cache, within a part of the free memory.
  Result<Staged> stage() {
    HOTPACK_ASSIGN(const auto memory, session_.context->memory());
    const std::uint64_t set = std::max<std::uint64_t>(1, staged_.rows * block_);
    staged_.sets =
        std::clamp<std::uint64_t>(std::min(kBeyondCache, memory.free / 8) / set, 1, kMostSets);
    staged_.table_bytes = padded(staged_.sets * staged_.rows * sizeof(RowEntry), kOutAlignment);
    HOTPACK_ASSIGN(PinnedMemory pinned,
                   PinnedMemory::take(session_.context, staged_.table_bytes + set));
    HOTPACK_ASSIGN(DeviceMemory taken,
                   DeviceMemory::take(session_.context, staged_.table_bytes + staged_.sets * set));
    fill(pinned.data());
    staged_.memory = std::make_shared<const DeviceMemory>(std::move(taken));
    HOTPACK_TRY(copy(0, pinned.data(), staged_.table_bytes));
    for (std::uint64_t number = 0; number < staged_.sets; ++number)
      HOTPACK_TRY(
          copy(staged_.table_bytes + number * set, pinned.data() + staged_.table_bytes, set));
    HOTPACK_TRY(session_.stream.synchronize());
    return std::move(staged_);
  }

 private:
  [[nodiscard]] PixelSize size_of(std::uint64_t number) const {
    return {records_[number].image.shape.width, records_[number].image.shape.height};
  }

  void fill(std::byte* out) const {
    for (std::uint64_t row = 0; row < staged_.sets * staged_.rows; ++row) {
      const RowEntry entry = entry_of(row);
      std::memcpy(out + row * sizeof(RowEntry), &entry, sizeof entry);
    }
    std::byte* blocks = out + staged_.table_bytes;
    for (std::uint64_t row = 0; row < staged_.rows; ++row) {
      const RecordViews& record = records_[row];
      std::byte* const block = blocks + row * block_;
      std::memcpy(block, record.image.bytes.data(), staged_.image_bytes);
      if (staged_.label_bytes != 0)
        std::memcpy(block + padded(staged_.image_bytes, device::kBlockAlignment),
                    record.label.bytes.data(), staged_.label_bytes);
    }
  }

  [[nodiscard]] RowEntry entry_of(std::uint64_t row) const {
    RowEntry entry;
    entry.image = row * block_;
    if (staged_.label_bytes != 0)
      entry.label = entry.image + padded(staged_.image_bytes, device::kBlockAlignment);
    entry.record_width = entry.width = static_cast<std::int32_t>(staged_.size.width);
    entry.record_height = entry.height = static_cast<std::int32_t>(staged_.size.height);
    entry.flags = device::kRowValid;
    return entry;
  }

  Status copy(std::uint64_t to, const std::byte* from, std::uint64_t bytes) const {
    return HOTPACK_DRIVER(session_.context->driver(), MemcpyHtoDAsync,
                          staged_.memory->address() + to, from, bytes, session_.stream.handle());
  }

  const DeviceSession& session_;
  const RecordList& records_;
  Staged staged_;
  std::uint64_t block_ = 0;
};

const char* order_name(AxisOrder order) {
  return order == AxisOrder::channels_first ? "NCHW" : "NHWC";
}

class KernelStage {
 public:
  KernelStage(const DeviceSession& session, const Setup& setup, Staged staged,
              AcceptanceReport& report)
      : session_(session), setup_(setup), staged_(std::move(staged)), report_(report) {}

  Status measure() {
    for (const ElementType type : kTypes)
      for (const AxisOrder order : kOrders) HOTPACK_TRY(measure_image(type, order));
    if (!setup_.schema.label || setup_.schema.label->scope != LabelScope::pixel) return {};
    for (const ElementType type : kTypes)
      for (const AxisOrder order : kOrders) HOTPACK_TRY(measure_label(type, order));
    return {};
  }

 private:
  static constexpr std::array kTypes = {ElementType::f32, ElementType::f16, ElementType::u8};
  static constexpr std::array kOrders = {AxisOrder::channels_first, AxisOrder::channels_last};

  Status measure_image(ElementType type, AxisOrder order) {
    ImageOutput output = setup_.training.image;
    output.dtype = type;
    output.layout = order;
    if (type == ElementType::u8) output.mean = output.std = {};
    HOTPACK_ASSIGN(auto made, device::ImageLaunch::make(session_.context, session_.kernels, output,
                                                        setup_.schema.image.channels(),
                                                        setup_.schema.image.layout));
    return measure_launch(
        std::make_shared<const device::ImageLaunch>(std::move(made)), staged_.image_bytes,
        "image " + std::string(element_name(type)) + " " + order_name(order), order);
  }

  Status measure_label(ElementType type, AxisOrder order) {
    LabelOutput output;
    output.form = LabelForm::one_hot;
    output.dtype = type;
    output.layout = order;
    const LabelField& label = *setup_.schema.label;
    const expand::LabelSource source{label.scope, label.storage, label.multi,
                                     setup_.schema.class_count()};
    HOTPACK_ASSIGN(auto made,
                   device::LabelLaunch::make(session_.context, session_.kernels, output, source));
    return measure_launch(
        std::make_shared<const device::LabelLaunch>(std::move(made)), staged_.label_bytes,
        "one-hot " + std::string(element_name(type)) + " " + order_name(order), order);
  }

  // Measures a launch that reads `in_bytes` of each row.
  template <class Launch>
  Status measure_launch(std::shared_ptr<const Launch> launch, std::uint64_t in_bytes,
                        const std::string& name, AxisOrder order) {
    const std::uint64_t row = launch->row_bytes(staged_.size);
    const std::uint64_t batch = padded(staged_.rows * row, kOutAlignment);
    HOTPACK_ASSIGN(const auto memory, session_.context->memory());
    const std::uint64_t outs = std::clamp<std::uint64_t>(
        std::min(kBeyondCache, memory.free / 4) / std::max<std::uint64_t>(1, batch), 1, kMostSets);
    HOTPACK_ASSIGN(DeviceMemory taken, DeviceMemory::take(session_.context, outs * batch));
    const auto out = std::make_shared<const DeviceMemory>(std::move(taken));
    const Work once{0, staged_.rows, staged_.rows * (in_bytes + row)};
    HOTPACK_ASSIGN(
        Measurement kernel,
        device_measurement(session_, once, [this, launch, out, outs, batch](std::uint64_t number) {
          return launch->launch(staged_.set(number), out->address() + number % outs * batch,
                                session_.stream.handle());
        }));
    return add_row("kernel: " + name, std::move(kernel),
                   order == AxisOrder::channels_first ? kTargetFirst : kTargetLast);
  }

  Status add_row(const std::string& name, Measurement kernel, double target) {
    HOTPACK_ASSIGN(Measurement copy, device_copies(session_, copy_bytes()));
    const std::vector<Measurement> turns{std::move(kernel), std::move(copy)};
    HOTPACK_ASSIGN(const std::vector<Rate> rates,
                   take_turns(turns, setup_.rounds, setup_.seconds / (2.0 * setup_.rounds)));
    AcceptanceRow row{name,
                      "GB/s",
                      rates[0].bytes_per_second,
                      rates[1].bytes_per_second,
                      "memory",
                      Goal::at_least,
                      target,
                      {},
                      {},
                      {},
                      {}};
    row.limited_by =
        "the device's memory: every byte of the records is read once, and every byte of the "
        "tensors written once";
    row.terms = {{"memory_bandwidth", row.limit}};
    report_.rows.push_back(std::move(row));
    return {};
  }

  [[nodiscard]] std::uint64_t copy_bytes() const {
    const auto memory = session_.context->memory();
    return memory.ok() ? std::clamp<std::uint64_t>(memory->free / 8, 1 << 20, kBeyondCache / 2)
                       : 1 << 20;
  }

  const DeviceSession& session_;
  const Setup& setup_;
  Staged staged_;
  AcceptanceReport& report_;
};

}  // namespace

Status measure_kernels(const DeviceSession& session, const Setup& setup, const RecordList& records,
                       AcceptanceReport& report) {
  HOTPACK_ASSIGN(Staged staged,
                 Stager(session, records, static_cast<std::uint32_t>(setup.batch)).stage());
  return KernelStage(session, setup, std::move(staged), report).measure();
}

}  // namespace hotpack::gpu
