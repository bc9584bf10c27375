#include "device/core.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"
#include "device/lease.hpp"
#include "device/stream_checks.hpp"
#include "loader/run.hpp"

namespace hotpack::device {

namespace {

using loader::Slot;

constexpr unsigned kMostOutputs = 64;
constexpr std::uintptr_t kOutputAlignment = 16;
// when a loader opens: how long it waits for the reaper (late_free.hpp) to free what it can
constexpr std::chrono::milliseconds kPatienceForReaper{100};

Status check_devices(const std::vector<int>& devices) {
  if (devices.empty())
    return usage_error("devices is empty; name at least one device, for example {0}");
  std::vector<int> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return usage_error("devices names device " + std::to_string(*twice) +
                     " twice; name each device once");
}

Status check_options(const DeviceLoaderOptions& options) {
  HOTPACK_TRY(check_devices(options.devices));
  // 0 is for programs that only call next_into()
  if (options.outputs > kMostOutputs) {
    return usage_error("outputs is " + std::to_string(options.outputs) + "; it must be from 0 to " +
                       std::to_string(kMostOutputs));
  }
  if (options.loader.content != BatchContent::expanded) {
    return usage_error(
        "content packed does not work with a DeviceLoader, which expands records on the device; "
        "leave "
        "`content` at its default");
  }
  if (options.loader.allocator != nullptr) {
    return usage_error(
        "a DeviceLoader takes pinned memory for its slots itself; do not set `allocator`");
  }
  if (options.loader.memory_budget_bytes != 0) {
    return usage_error(
        "a DeviceLoader does not use memory_budget_bytes; set pinned_budget_bytes or "
        "device_budget_bytes instead");
  }
  if (options.loader.last_batch == LastBatch::keep) {
    Error error = usage_error(
        "last_batch keep does not work with a DeviceLoader, whose batches all have the same number "
        "of rows; use last_batch drop, pad or wrap, or a Loader in host memory");
    error.option = "last_batch";
    return error;
  }
  return loader::check_options(options.loader);
}

// Returns which rows of this process's batches belong to each device. The process is rank r of w;
// with D devices, device d gets the rows that rank r·D + d of w·D ranks would have.
Result<std::vector<PartRows>> share_rows(std::uint64_t samples, const LoaderOptions& options,
                                         std::size_t devices, const StepPlan& plan) {
  std::vector<PartRows> parts;
  for (std::size_t number = 0; number < devices; ++number) {
    const auto ranks = checked_mul(options.world_size, devices);
    if (!ranks)
      return usage_error(
          "world_size times the number of devices has more than 64 bits; use "
          "a smaller world_size");
    auto share = StepPlan::make(samples, plan.global_batch_size(), options.last_batch,
                                options.rank * devices + number, *ranks);
    if (!share.ok()) {
      Error error = share.error();
      error.message += " (each of the " + std::to_string(devices) + " devices counts as a rank)";
      return error;
    }
    parts.push_back({static_cast<std::size_t>(share->positions(0).first - plan.positions(0).first),
                     share->rows()});
  }
  return parts;
}

std::string buffer_text(const char* name, std::size_t number) {
  return std::string("the ") + name + " buffer of part " + std::to_string(number);
}

Status check_buffer(const std::string& which, const void* memory, std::uint64_t bytes,
                    std::uint64_t needed) {
  if (bytes < needed)
    return usage_error(which + " has " + std::to_string(bytes) + " bytes, but the batch needs " +
                       std::to_string(needed) + "; pass a larger buffer");
  if (reinterpret_cast<std::uintptr_t>(memory) % kOutputAlignment == 0) return {};
  return usage_error(which + " is not aligned to " + std::to_string(kOutputAlignment) +
                     " bytes; pass an address that is a multiple of " +
                     std::to_string(kOutputAlignment));
}

Pointer address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// Holds memory until a lease takes it over. The destructor returns memory that no lease took.
struct TakenOutput {
  explicit TakenOutput(OutputPool& of) : pool(of) {}
  ~TakenOutput() {
    if (memory != nullptr) pool.give_back(std::move(memory));
  }
  TakenOutput(const TakenOutput&) = delete;
  TakenOutput& operator=(const TakenOutput&) = delete;
  OutputPool& pool;
  std::unique_ptr<OutputMemory> memory;
};

std::vector<DeviceBuffers> buffers_of(const OutputMemory& memory) {
  std::vector<DeviceBuffers> all;
  for (const OutputMemory::Part& part : memory.parts) {
    all.push_back({device_pointer<void>(part.image.address()), part.image.size(),
                   device_pointer<void>(part.label.address()), part.label.size()});
  }
  return all;
}

}  // namespace

// Passes the Core to the reaper (late_free.hpp), whose thread destroys it: the driver may take long
// for that, and the last owner may be a thread of the program, which should not wait.
void Core::end(Core* core) noexcept {
  if (core->stager_ && core->stager_->forked()) return;
  core->close();
  std::unique_ptr<Core> owned(core);
  try {
    std::shared_ptr<void> late(std::move(owned));
    free_late(std::move(late), {});
  } catch (const std::bad_alloc&) {  // then this thread destroys it
  }
}

// ---- opening

Result<std::shared_ptr<Core>> Core::open(const Dataset& dataset, const DeviceLoaderOptions& options,
                                         const std::shared_ptr<const Driver>& driver,
                                         const KernelImages& kernels) {
  settle_late(kPatienceForReaper);
  std::shared_ptr<Core> core;
  Status opened;
  try {
    const FreesLate late;
    opened = check_options(options);
    if (opened.ok()) core.reset(new Core(), end);
    if (opened.ok()) opened = core->set_up(dataset, options, driver, kernels);
  } catch (const std::exception& thrown) {  // std::bad_alloc, std::length_error
    opened = or_out_of_memory([&]() -> Status {
      const std::string why =
          dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ? "out of memory" : thrown.what();
      return Error{
          ErrorCode::io, "cannot open a device loader: " + why + "; use a smaller batch", {}, {}};
    });
  }
  if (!opened.ok()) core.reset();
  settle_late(kPatienceForReaper);
  if (!opened.ok()) return std::move(opened).error();
  return core;
}

Status Core::set_up(const Dataset& dataset, const DeviceLoaderOptions& options,
                    const std::shared_ptr<const Driver>& driver, const KernelImages& kernels) {
  const LoaderOptions& loader = options.loader;
  HOTPACK_ASSIGN(auto source,
                 loader::RecordSource::make(dataset, loader.verify_checksums, loader.access));
  HOTPACK_ASSIGN(plan_, loader::plan_of(source->records(), loader));
  HOTPACK_ASSIGN(auto rows, share_rows(source->records(), loader, options.devices.size(), plan_));
  std::size_t most_rows = 0;
  for (const PartRows& part : rows) most_rows = std::max(most_rows, part.count);
  HOTPACK_ASSIGN(loader::BatchForm form,
                 loader::BatchForm::make(source->schema(), loader, most_rows));
  form_ = std::move(form);
  timeout_ = loader.timeout;
  threads_ = loader::device_thread_count(loader, options.devices.size(), usable_cores());
  first_state_ = loader::first_state(*source, loader, plan_);
  HOTPACK_ASSIGN(const loader::Cursor start,
                 loader::first_cursor(loader, first_state_, plan_.steps()));
  for (const PartRows& part : rows) parts_.emplace_back().rows = part;
  HOTPACK_TRY(set_parts(options, source->schema(), driver, kernels));

  HOTPACK_ASSIGN(const loader::RowBytes row, largest_row(*source, *form_));
  CargoInputs inputs{std::move(source), *form_, plan_, loader::order_of(loader), std::move(rows)};
  std::vector<OutputBytes> bytes;
  for (Part& part : parts_) {
    const auto image = checked_mul(row.image, part.rows.count);
    const auto label = checked_mul(row.label, part.rows.count);
    const auto fields = image && label ? checked_add(*image, *label) : std::nullopt;
    const auto all_outputs = fields ? checked_mul(*fields, options.outputs) : std::nullopt;
    if (!all_outputs)
      return usage_error(
          "a batch of these sizes has more bytes than a machine can hold; use a smaller batch");
    part.bytes = {*image, *label};
    bytes.push_back(part.bytes);
    inputs.contexts.push_back(part.context);
    inputs.output_bytes.push_back(*all_outputs);
  }
  inputs.threads = threads_;
  inputs.slots = loader.prefetch_batches;
  inputs.asked = options.residency;
  inputs.world_size = loader.world_size;
  inputs.pinned_budget_bytes = options.pinned_budget_bytes;
  inputs.device_budget_bytes = options.device_budget_bytes;
  inputs.progress = options.progress;
  const auto contexts = inputs.contexts;
  HOTPACK_ASSIGN(LoadedCargo loaded, load_cargo(std::move(inputs)));
  outputs_.emplace(contexts, std::move(bytes), options.outputs);
  // allocate all outputs now, so that device memory does not run out later
  HOTPACK_TRY(outputs_->allocate());
  return set_stager(options, std::move(loaded), start);
}

Status Core::set_parts(const DeviceLoaderOptions& options, const Schema& schema,
                       const std::shared_ptr<const Driver>& driver, const KernelImages& kernels) {
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    HOTPACK_ASSIGN(part.context, Context::retain(driver, options.devices[number]));
    HOTPACK_ASSIGN(const auto modules, KernelModules::load(part.context, kernels));
    HOTPACK_ASSIGN(part.image, ImageLaunch::make(part.context, modules, options.loader.image,
                                                 schema.image.channels(), schema.image.layout));
    if (!schema.label) continue;
    const expand::LabelSource source{schema.label->scope, schema.label->storage,
                                     schema.label->multi, schema.class_count()};
    HOTPACK_ASSIGN(part.label,
                   LabelLaunch::make(part.context, modules, options.loader.label, source));
  }
  return {};
}

Status Core::set_stager(const DeviceLoaderOptions& options, LoadedCargo loaded,
                        loader::Cursor start) {
  residency_ = loaded.choice;
  load_seconds_ = loaded.load_seconds;
  loaded_bytes_ = loaded.copied_bytes;
  const Cargo& cargo = *loaded.cargo;
  const unsigned slots = options.loader.prefetch_batches;
  pinned_bytes_ = slots * cargo.slot_bytes();
  StagerParts stager;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    device_bytes_.push_back(loaded.device_bytes[number] + slots * cargo.staged_bytes(number));
    stager.contexts.push_back(part.context);
    HOTPACK_ASSIGN(Stream stream, Stream::create(part.context));
    stager.copy_streams.push_back(std::move(stream));
    stager.launches.push_back(std::make_shared<const ImageLaunch>(*part.image));
    if (part.label) stager.launches.push_back(std::make_shared<const LabelLaunch>(*part.label));
  }
  HOTPACK_ASSIGN(auto memory, make_slots(slots, cargo));
  HOTPACK_ASSIGN(stager.staged, make_staged(slots, cargo));
  stager.slots = slots;
  const std::uint64_t row_bytes = cargo.slot_bytes() / plan_.rows();
  const loader::RingOptions ring{loader::rows_per_item({row_bytes, 0}, plan_.rows(), threads_),
                                 plan_.steps(), threads_};
  stager.ring =
      std::make_shared<loader::Ring>(ring, std::move(memory), std::move(loaded.filler), start);
  stager.cargo = std::move(loaded.cargo);
  stager.start = start;
  stager_ = std::make_shared<Stager>(std::move(stager));
  return stager_->start();
}

Result<std::vector<std::unique_ptr<Slot>>> Core::make_slots(unsigned count,
                                                            const Cargo& cargo) const {
  const auto allocator = pinned_allocator(parts_.front().context);
  std::vector<std::unique_ptr<Slot>> slots;
  for (unsigned number = 0; number < count; ++number) {
    Slot& slot = *slots.emplace_back(std::make_unique<Slot>());
    slot.number = number;
    HOTPACK_TRY(loader::grow(slot, allocator, cargo.slot_bytes(), 0));
    slot.samples.resize(plan_.rows());
    slot.keys.resize(plan_.rows());
    slot.crops.resize(plan_.rows());
  }
  return slots;
}

Result<std::vector<std::unique_ptr<Staged>>> Core::make_staged(unsigned count,
                                                               const Cargo& cargo) const {
  std::vector<std::unique_ptr<Staged>> all;
  for (unsigned number = 0; number < count; ++number) {
    Staged& staged = *all.emplace_back(std::make_unique<Staged>());
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto& context = parts_[part].context;
      Staged::Part& made = staged.parts.emplace_back();
      HOTPACK_ASSIGN(made.memory, DeviceMemory::take(context, cargo.staged_bytes(part)));
      HOTPACK_ASSIGN(made.copied, Event::create(context));
      HOTPACK_ASSIGN(made.read, Event::create(context));
    }
    staged.samples.resize(plan_.rows());
    staged.keys.resize(plan_.rows());
    staged.crops.resize(plan_.rows());
  }
  return all;
}

void Core::close() noexcept {
  if (stager_ && stager_->forked()) return;
  if (stager_) stager_->close();
  if (outputs_) outputs_->close();
}

DeviceLoaderStatistics Core::statistics() const {
  DeviceLoaderStatistics statistics;
  statistics.batches = batches_;
  statistics.copied_bytes = loaded_bytes_ + stager_->copied_bytes();
  statistics.load_seconds = load_seconds_;
  statistics.device_bytes.resize(parts_.size());
  if (stager_->forked())
    return statistics;  // the rest needs locks that a thread of the parent may hold
  statistics.wait_seconds = stager_->wait_seconds();
  if (!stager_->is_closed()) statistics.pinned_bytes = pinned_bytes_;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    statistics.device_bytes[number] =
        (stager_->is_closed() ? 0 : device_bytes_[number]) + outputs_->device_bytes(number);
  }
  return statistics;
}

// ---- delivering

Status Core::check_streams(Streams streams) const {
  if (streams.size() != parts_.size()) {
    return usage_error("there are " + std::to_string(streams.size()) + " streams for " +
                       std::to_string(parts_.size()) +
                       " devices; pass one per device, in the order of the devices");
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const CurrentContext current(*parts_[number].context);
    Status usable = current.status();
    if (usable.ok()) usable = check_stream(*parts_[number].context, streams[number], number);
    if (!usable.ok() && usable.error().code == ErrorCode::io) stager_->fail(usable.error());
    HOTPACK_TRY(usable);
  }
  return {};
}

OutputBytes Core::bytes_of(std::size_t part, PixelSize output) const {
  const loader::RowBytes row = form_->row_bytes(form_->record(), output);
  return {row.image * parts_[part].rows.count, row.label * parts_[part].rows.count};
}

// Checks the caller's buffers. If `staged` is not null, also checks that they are large enough for
// this batch; otherwise checks only what applies to every batch.
Status Core::check_buffers(std::span<const DeviceBuffers> buffers, const Staged* staged) {
  if (buffers.size() != parts_.size()) {
    return usage_error("there are " + std::to_string(buffers.size()) + " buffers for " +
                       std::to_string(parts_.size()) +
                       " devices; pass one per device, in the order of the devices");
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const DeviceBuffers& into = buffers[number];
    const OutputBytes needed =
        staged != nullptr ? bytes_of(number, staged->parts[number].output) : OutputBytes{};
    const auto check = [&](const char* name, const void* memory, std::uint64_t bytes,
                           std::uint64_t least) -> Status {
      if (memory == nullptr && bytes == 0) return {};
      const std::string which = buffer_text(name, number);
      if (memory == nullptr)
        return usage_error(which + " is null with a size of " + std::to_string(bytes) +
                           " bytes; pass memory, or a size of 0 to skip this field");
      HOTPACK_TRY(check_buffer(which, memory, bytes, least));
      return staged == nullptr ? known_buffers_.check(which, memory, bytes, *parts_[number].context)
                               : Status();
    };
    HOTPACK_TRY(check("image", into.image, into.image_bytes, needed.image));
    HOTPACK_TRY(check("label", into.label, into.label_bytes, needed.label));
  }
  return {};
}

Status Core::expand(Staged& staged, std::span<const DeviceBuffers> into, Streams streams,
                    OutputMemory* memory) {
  Status expanded;
  for (std::size_t number = 0; number < parts_.size() && expanded.ok(); ++number) {
    OutputMemory::Part* const output = memory != nullptr ? &memory->parts[number] : nullptr;
    expanded =
        expand_part(staged.parts[number], parts_[number], into[number], streams[number], output);
  }
  if (!expanded.ok()) fail(expanded.error(), staged.cursor);
  stager_->give_back(&staged);
  return expanded;
}

void Core::fail(const Error& error, loader::Cursor step) const {
  stager_->fail(error);
  stager_->take_back(step);
}

Status Core::expand_part(const Staged::Part& staged, const Part& part, const DeviceBuffers& into,
                         StreamHandle stream, OutputMemory::Part* output) const {
  const CurrentContext current(*part.context);
  HOTPACK_TRY(current.status());
  if (output != nullptr) HOTPACK_TRY(wait_for_last_use(*output, stream));
  Status done = launch(staged, part, into, stream);
  // Records the event even after a failed launch: staged memory must not be reused or freed before
  // the work that was queued is done.
  Status read = record_surely(staged.read, stream);
  Status written = output != nullptr ? record_surely(output->written, stream) : Status();
  if (done.ok()) done = std::move(read);
  if (done.ok()) done = std::move(written);
  return done;
}

Status Core::launch(const Staged::Part& staged, const Part& part, const DeviceBuffers& into,
                    StreamHandle stream) {
  HOTPACK_TRY(staged.copied.make_wait(stream));
  const PackedRows rows{staged.memory.address(), staged.records,
                        static_cast<std::uint32_t>(part.rows.count), staged.output};
  if (into.image != nullptr) HOTPACK_TRY(part.image->launch(rows, address_of(into.image), stream));
  if (into.label != nullptr && part.label)
    HOTPACK_TRY(part.label->launch(rows, address_of(into.label), stream));
  return {};
}

// Makes the stream wait until the previous user of the memory no longer reads it on other streams.
Status Core::wait_for_last_use(OutputMemory::Part& output, StreamHandle stream) {
  for (std::size_t use = 0; use < output.used_count; ++use)
    HOTPACK_TRY(output.used[use].make_wait(stream));
  output.used_count = 0;
  return {};
}

DevicePart Core::describe_part(const Staged& staged, std::size_t number, const DeviceBuffers& into,
                               StreamHandle stream) const {
  const PartRows rows = parts_[number].rows;
  const PixelSize output = staged.parts[number].output;
  const OutputBytes bytes = bytes_of(number, output);
  BatchField image;
  BatchField label;
  form_->describe(form_->record(), output, rows.count, image, label);
  DevicePart part{parts_[number].context->ordinal(), stream, rows.first, rows.count, 0, {}, {}};
  part.num_valid = std::min(rows.count, staged.valid > rows.first ? staged.valid - rows.first : 0);
  part.image = {into.image, into.image != nullptr ? bytes.image : 0, std::move(image.shape),
                image.dtype};
  if (parts_[number].label)
    part.label = {into.label, into.label != nullptr ? bytes.label : 0, std::move(label.shape),
                  label.dtype};
  return part;
}

DeviceBatchInfo Core::describe(const Staged& staged, std::span<const DeviceBuffers> into,
                               Streams streams) const {
  DeviceBatchInfo info;
  info.epoch = staged.cursor.epoch;
  info.step = staged.cursor.step;
  info.batch_size = plan_.rows();
  info.num_valid = staged.valid;
  info.indices = staged.samples;
  info.keys = staged.keys;
  info.crops = staged.crops;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    info.parts.push_back(describe_part(staged, number, into[number], streams[number]));
  }
  return info;
}

Result<std::optional<DeviceBatchInfo>> Core::next_into(std::span<const DeviceBuffers> buffers,
                                                       Streams streams) {
  // checked before any call of the driver
  if (auto refused = stager_->refused()) return std::move(*refused);
  try {
    HOTPACK_TRY(check_streams(streams));
    return fill(buffers, streams);
  } catch (const std::exception&) {  // std::bad_alloc
    return no_memory_error();
  }
}

Result<std::optional<DeviceBatchInfo>> Core::fill(std::span<const DeviceBuffers> buffers,
                                                  Streams streams) {
  HOTPACK_TRY(check_buffers(buffers, nullptr));
  DeviceBatchInfo info;
  // accept() runs while the batch is still in the queue. Steps that may fail are done in it, so
  // that a failure does not lose the batch.
  const auto accept = [&](const Staged& staged) -> Status {
    HOTPACK_TRY(check_buffers(buffers, &staged));
    info = describe(staged, buffers, streams);
    return {};
  };
  HOTPACK_ASSIGN(Staged* const staged, stager_->next(timeout_, accept));
  if (staged == nullptr) return std::optional<DeviceBatchInfo>();
  HOTPACK_TRY(expand(*staged, buffers, streams, nullptr));
  ++batches_;
  return std::optional(std::move(info));
}

Result<std::optional<DeviceBatch>> Core::next(Streams streams, std::chrono::milliseconds timeout) {
  // checked before any call of the driver
  if (auto refused = stager_->refused()) return std::move(*refused);
  if (outputs_->most() == 0) return outputs_->none_left();
  try {
    HOTPACK_TRY(check_streams(streams));
    while (true) {
      HOTPACK_TRY(prepare_outputs());
      bool none = false;
      auto batch = lease(streams, timeout, none);
      if (!none) return batch;
      HOTPACK_TRY(prepare_outputs());  // the batch may have taken long to arrive
      if (!outputs_->any_free()) return batch;
    }
  } catch (const std::exception&) {  // std::bad_alloc
    return no_memory_error();
  }
}

Status Core::prepare_outputs() {
  Status prepared = outputs_->prepare();
  if (!prepared.ok()) stager_->fail(prepared.error());
  return prepared;
}

// `none` becomes true if there was a batch, but no output memory for it.
Result<std::optional<DeviceBatch>> Core::lease(Streams streams, std::chrono::milliseconds timeout,
                                               bool& none) {
  TakenOutput taken(*outputs_);
  std::vector<DeviceBuffers> into;
  std::shared_ptr<Output> output;
  // accept() runs while the batch is still in the queue. Steps that may fail are done in it, so
  // that a failure does not lose the batch.
  const auto accept = [&](const Staged& staged) -> Status {
    taken.memory = outputs_->try_take();
    none = taken.memory == nullptr;
    if (none) return outputs_->none_left();
    into = buffers_of(*taken.memory);
    output = std::make_shared<Output>(shared_from_this(), describe(staged, into, streams));
    return {};
  };
  HOTPACK_ASSIGN(Staged* const staged, stager_->next(timeout, accept));
  if (staged == nullptr) return std::optional<DeviceBatch>();
  Status done = expand(*staged, into, streams, taken.memory.get());
  if (!done.ok()) {
    outputs_->drop(std::move(taken.memory));
    return std::move(done).error();
  }
  output->hold(std::move(taken.memory));
  ++batches_;
  return std::optional(DeviceBatch(std::move(output)));
}

}  // namespace hotpack::device
