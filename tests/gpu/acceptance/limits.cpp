#include "gpu/acceptance/limits.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/row_entry.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::gpu {

namespace {

using device::DeviceMemory;
using device::PinnedMemory;

constexpr std::uint64_t kSpread = std::uint64_t{64} << 20;  // that small copies go through

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + device::kBlockAlignment - 1) / device::kBlockAlignment * device::kBlockAlignment;
}

// One thread that copies records to pinned memory.
class Gather {
 public:
  Gather(std::unique_ptr<loader::RecordSource> source, std::vector<std::uint64_t> samples,
         PinnedMemory memory)
      : source_(std::move(source)), samples_(std::move(samples)), memory_(std::move(memory)) {}

  Result<Work> operator()(double seconds) {
    Work work;
    const double began = now_seconds();
    do {
      HOTPACK_ASSIGN(const std::uint64_t bytes, copy(samples_[number_++ % samples_.size()]));
      ++work.samples;
      work.bytes += bytes;
      work.seconds = now_seconds() - began;
    } while (work.seconds < seconds);
    return work;
  }

 private:
  struct Place {
    std::byte* image;
    std::byte* label;
  };

  Result<std::uint64_t> copy(std::uint64_t sample) {
    HOTPACK_ASSIGN(const loader::RecordShape shape, source_->shape(sample));
    const std::uint64_t image = shape.image.size_bytes();
    const std::uint64_t label = shape.label.class_count != 0 ? shape.label.size_bytes() : 0;
    const std::uint64_t block = padded(image) + padded(label);
    if (block > memory_.size())
      return internal_error("a record is larger than the memory of this measurement");
    if (used_ + block > memory_.size()) used_ = 0;
    std::byte* at = memory_.data() + used_;
    Place place{at, at + padded(image)};
    HOTPACK_TRY(source_->read(sample, scratch_, &write, &place));
    used_ += block;
    return image + label;
  }

  static void write(void* context, const loader::Record& record) {
    const auto& place = *static_cast<const Place*>(context);
    loader::BatchForm::copy_stored(record, place.image, place.label);
  }

  std::unique_ptr<loader::RecordSource> source_;
  std::vector<std::uint64_t> samples_;
  PinnedMemory memory_;
  loader::RecordScratch scratch_;
  std::uint64_t used_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

Result<Measurement> bus_copies(const DeviceSession& session, std::uint64_t bytes) {
  const std::uint64_t pieces = std::max<std::uint64_t>(1, kSpread / bytes), all = pieces * bytes;
  HOTPACK_ASSIGN(PinnedMemory taken, PinnedMemory::take(session.context, all));
  HOTPACK_ASSIGN(DeviceMemory given, DeviceMemory::take(session.context, all));
  std::memset(taken.data(), 0x55, all);
  const auto from = std::make_shared<PinnedMemory>(std::move(taken));
  const auto to = std::make_shared<DeviceMemory>(std::move(given));
  return device_measurement(
      session, {0, 0, bytes}, [&session, from, to, bytes, pieces](std::uint64_t number) {
        const std::uint64_t at = number % pieces * bytes;
        return HOTPACK_DRIVER(session.context->driver(), MemcpyHtoDAsync, to->address() + at,
                              from->data() + at, bytes, session.stream.handle());
      });
}

Result<Measurement> device_copies(const DeviceSession& session, std::uint64_t bytes) {
  HOTPACK_ASSIGN(DeviceMemory taken, DeviceMemory::take(session.context, bytes));
  HOTPACK_ASSIGN(DeviceMemory given, DeviceMemory::take(session.context, bytes));
  const auto from = std::make_shared<DeviceMemory>(std::move(taken));
  const auto to = std::make_shared<DeviceMemory>(std::move(given));
  HOTPACK_TRY(HOTPACK_DRIVER(session.context->driver(), MemsetD8Async, from->address(), 0x55, bytes,
                             session.stream.handle()));
  return device_measurement(session, {0, 0, 2 * bytes}, [&session, from, to, bytes](std::uint64_t) {
    return HOTPACK_DRIVER(session.context->driver(), MemcpyDtoDAsync, to->address(),
                          from->address(), bytes, session.stream.handle());
  });
}

Result<Measurement> gathered_records(const DeviceSession& session, const Dataset& dataset,
                                     std::vector<std::uint64_t> samples, std::uint64_t bytes) {
  HOTPACK_ASSIGN(auto source,
                 loader::RecordSource::make(dataset, VerifyChecksums::never, FileAccess::map));
  HOTPACK_ASSIGN(PinnedMemory memory,
                 PinnedMemory::take(session.context, std::max(bytes, std::uint64_t{1})));
  std::memset(memory.data(), 0, memory.size());
  const auto gather =
      std::make_shared<Gather>(std::move(source), std::move(samples), std::move(memory));
  return Measurement([gather](double seconds) { return (*gather)(seconds); });
}

}  // namespace hotpack::gpu
