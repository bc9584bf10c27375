#include "hotpack/device_loader.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/core.hpp"
#include "device/driver.hpp"
#include "device/kernel_modules.hpp"
#include "device/lease.hpp"
#include "device/open.hpp"
#include "loader/run.hpp"

namespace hotpack {

using device::Core;

namespace {

// Keeps the Core alive for ever. Used in a forked child, which must not destroy any part of a
// loader: that would call CUDA and wait for threads that do not exist in the child.
void forget(std::shared_ptr<Core> core) { new std::shared_ptr<Core>(std::move(core)); }

const DeviceField& field_of(const DeviceBatchInfo& info, std::size_t part,
                            DeviceField DevicePart::*field) {
  static const DeviceField none;
  return part < info.parts.size() ? info.parts[part].*field : none;
}

}  // namespace

const DeviceBatchInfo& DeviceBatch::info() const {
  static const DeviceBatchInfo none;
  return output_ ? output_->info() : none;
}

const DeviceField& DeviceBatch::image(std::size_t part) const {
  return field_of(info(), part, &DevicePart::image);
}
const DeviceField& DeviceBatch::label(std::size_t part) const {
  return field_of(info(), part, &DevicePart::label);
}

Status DeviceBatch::record_stream(CUstream_st* stream, std::size_t part) const {
  if (!output_)
    return usage_error(
        "the batch was released, and its memory may hold another batch by now; call "
        "record_stream() "
        "before you release it");
  return output_->record_stream(stream, part);
}

DeviceLoader::DeviceLoader(std::shared_ptr<Core> core) : core_(std::move(core)) {}

DeviceLoader::~DeviceLoader() {
  if (!core_) return;
  core_->stager().forked() ? forget(std::move(core_)) : close();
}

DeviceLoader::DeviceLoader(DeviceLoader&&) noexcept = default;

DeviceLoader& DeviceLoader::operator=(DeviceLoader&& other) noexcept {
  DeviceLoader taken(std::move(other));
  std::swap(core_, taken.core_);  // the previous loader closes with `taken`
  return *this;
}

Result<DeviceLoader> make_device_loader(std::shared_ptr<Core> core) {
  return DeviceLoader(std::move(core));
}

Result<DeviceLoader> device::open_device_loader(const Dataset& dataset,
                                                const DeviceLoaderOptions& options,
                                                const std::shared_ptr<const Driver>& driver,
                                                const KernelImages& kernels) {
  HOTPACK_ASSIGN(auto core, Core::open(dataset, options, driver, kernels));
  return make_device_loader(std::move(core));
}

Result<DeviceLoader> DeviceLoader::open(const Dataset& dataset,
                                        const DeviceLoaderOptions& options) {
  HOTPACK_ASSIGN(const auto driver, device::Driver::load());
  return device::open_device_loader(dataset, options, driver, device::embedded_kernels());
}

std::uint64_t DeviceLoader::steps_per_epoch() const { return core_->plan().steps(); }
std::size_t DeviceLoader::batch_size() const { return core_->plan().rows(); }
std::size_t DeviceLoader::batch_size(std::size_t part) const {
  return part < devices() ? core_->parts()[part].rows.count : 0;
}
std::size_t DeviceLoader::devices() const { return core_->parts().size(); }
unsigned DeviceLoader::threads() const { return core_->threads(); }
const std::string& DeviceLoader::fingerprint() const { return core_->first_state().fingerprint; }
std::uint64_t DeviceLoader::image_batch_bytes(std::size_t part) const {
  return part < devices() ? core_->parts()[part].bytes.image : 0;
}
std::uint64_t DeviceLoader::label_batch_bytes(std::size_t part) const {
  return part < devices() ? core_->parts()[part].bytes.label : 0;
}
const ResidencyChoice& DeviceLoader::residency() const { return core_->residency(); }
DeviceLoaderStatistics DeviceLoader::statistics() const { return core_->statistics(); }

Result<std::optional<DeviceBatch>> DeviceLoader::next(CUstream_st* stream) {
  return next(std::span<CUstream_st* const>(&stream, 1));
}

Result<std::optional<DeviceBatch>> DeviceLoader::next(CUstream_st* stream,
                                                      std::chrono::milliseconds timeout) {
  return next(std::span<CUstream_st* const>(&stream, 1), timeout);
}

Result<std::optional<DeviceBatch>> DeviceLoader::next(std::span<CUstream_st* const> streams) {
  return core_->next(streams, core_->timeout());
}

Result<std::optional<DeviceBatch>> DeviceLoader::next(std::span<CUstream_st* const> streams,
                                                      std::chrono::milliseconds timeout) {
  return core_->next(streams, timeout);
}

Result<std::optional<DeviceBatchInfo>> DeviceLoader::next_into(
    std::span<const DeviceBuffers> buffers, std::span<CUstream_st* const> streams) {
  return core_->next_into(buffers, streams);
}

Status DeviceLoader::seek(std::uint64_t epoch, std::uint64_t step) {
  HOTPACK_TRY(loader::check_seek(epoch, step, steps_per_epoch()));
  return core_->stager().seek({epoch, step});
}

Status DeviceLoader::begin_epoch(std::uint64_t epoch) {
  HOTPACK_TRY(loader::check_seek(epoch, 0, steps_per_epoch()));
  return core_->stager().begin_epoch(epoch, steps_per_epoch());
}

LoaderPosition DeviceLoader::position() const {
  const loader::Cursor at = core_->stager().position();
  return {at.epoch, at.step};
}

LoaderState DeviceLoader::state() const {
  LoaderState state = core_->first_state();
  const loader::Cursor at = core_->stager().position();
  state.epoch = at.epoch;
  state.samples = at.step * state.global_batch_size;
  return state;
}

Status DeviceLoader::restore(const LoaderState& state) {
  HOTPACK_ASSIGN(const loader::Cursor cursor,
                 loader::cursor_of(state, core_->first_state(), steps_per_epoch()));
  return core_->stager().seek(cursor);
}

void DeviceLoader::cancel() noexcept {
  if (core_) core_->stager().cancel();
}

void DeviceLoader::close() noexcept {
  if (core_) core_->close();
}

}  // namespace hotpack
