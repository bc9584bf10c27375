#include "device/core.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"
#include "loader/run.hpp"

namespace hotpack::device {

namespace {

using loader::Slot;

constexpr unsigned kMostPrefetch = 64;
constexpr unsigned kMostOutputs = 64;
constexpr std::uintptr_t kOutputAlignment = 16;

Status check_number(const char* name, unsigned value, unsigned most) {
  if (value >= 1 && value <= most) return {};
  return usage_error(std::string(name) + " is " + std::to_string(value) + "; it must be from 1 to " + std::to_string(most));
}

Status check_devices(const std::vector<int>& devices) {
  if (devices.empty()) return usage_error("devices is empty; name at least one device, for example {0}");
  std::vector<int> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return usage_error("devices names device " + std::to_string(*twice) + " twice; each has one part of a batch");
}

Status check_options(const DeviceLoaderOptions& options) {
  HOTPACK_TRY(check_devices(options.devices));
  HOTPACK_TRY(check_number("prefetch", options.prefetch, kMostPrefetch));
  HOTPACK_TRY(check_number("outputs", options.outputs, kMostOutputs));
  if (options.loader.content != SlotContent::expanded) {
    return usage_error("content packed does not go with a DeviceLoader, which expands on the device; leave `content` at its default");
  }
  if (options.loader.allocator != nullptr) {
    return usage_error("a DeviceLoader takes pinned memory for its slots itself; leave `allocator` out");
  }
  if (options.loader.memory_budget_bytes != 0) {
    return usage_error("memory_budget_bytes is not used by a DeviceLoader; pinned_budget_bytes and device_budget_bytes limit its memory");
  }
  return loader::check_options(options.loader);
}

// The rows of each device: those of rank r·D + d of w·D ranks, in the rows of rank r of w.
Result<std::vector<PartRows>> share_rows(std::uint64_t samples, const LoaderOptions& options, std::size_t devices, const StepPlan& plan) {
  std::vector<PartRows> parts;
  for (std::size_t number = 0; number < devices; ++number) {
    const auto ranks = checked_mul(options.world, devices);
    if (!ranks) return usage_error("world and devices are too many ranks");
    auto share = StepPlan::make(samples, options.global_batch, options.tail, options.rank * devices + number, *ranks);
    if (!share.ok()) {
      Error error = share.error();
      error.message += " (each of the " + std::to_string(devices) + " devices counts as a rank)";
      return error;
    }
    parts.push_back({static_cast<std::size_t>(share->positions(0).first - plan.positions(0).first), share->rows()});
  }
  return parts;
}

// What a device has staged or holds, added up.
std::uint64_t staged_bytes(const Cargo& cargo, std::size_t part, unsigned prefetch) { return prefetch * cargo.staged_bytes(part); }

std::string stream_text(std::size_t number, const Part& part) {
  return "stream " + std::to_string(number) + " (of device " + std::to_string(part.context->ordinal()) + ")";
}

bool is_special(StreamHandle stream) { return stream == nullptr || stream == kLegacyStream || stream == kPerThreadStream; }

Error captured_error(const std::string& which) {
  return usage_error(
      which +
      " is being captured into a CUDA graph; a batch of a loader is other work at every step, so it cannot be captured. Call "
      "next_into() on fixed buffers before the graph is launched, outside of the capture");
}

bool is_captured(const Context& context, StreamHandle stream) {
  int capture = kCaptureNone;
  const int captured = context.api().StreamIsCapturing(stream, &capture);
  return captured == code::kStreamCaptureImplicit || (captured == code::kSuccess && capture != kCaptureNone);
}

// Whether the stream may be given a batch's kernels. Needs the context current.
Status check_stream(const Part& part, StreamHandle stream, std::size_t number) {
  const Driver& driver = part.context->driver();
  int capture = kCaptureNone;
  const int captured = driver.api().StreamIsCapturing(stream, &capture);
  if (captured == code::kStreamCaptureImplicit || (captured == code::kSuccess && capture != kCaptureNone)) {
    return captured_error(stream_text(number, part));
  }
  HOTPACK_TRY(driver.check("cuStreamIsCapturing", captured));
  if (is_special(stream)) return {};
  ContextHandle owner = nullptr;
  HOTPACK_TRY(HOTPACK_DRIVER(driver, StreamGetCtx, stream, &owner));
  if (owner == part.context->handle()) return {};
  return usage_error(stream_text(number, part) +
                     " was made in another context; make it with that device current, in the primary context "
                     "that the CUDA runtime uses");
}

Status check_buffer(const char* name, const void* memory, std::uint64_t bytes, std::uint64_t needed, std::size_t number) {
  if (memory == nullptr) return {};
  const std::string which = std::string("the ") + name + " buffer of part " + std::to_string(number);
  if (bytes < needed) return usage_error(which + " has " + std::to_string(bytes) + " bytes, the batch needs " + std::to_string(needed));
  if (reinterpret_cast<std::uintptr_t>(memory) % kOutputAlignment == 0) return {};
  return usage_error(which + " is not aligned to " + std::to_string(kOutputAlignment) + " bytes");
}

Pointer address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }
void* memory_at(Pointer address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

Error all_leased() {
  return usage_error(
      "all outputs are leased, so there is no memory for another batch; release one before asking for the next, or open the "
      "loader with more outputs");
}

}  // namespace

// ------------------------------------------------------------------------------------------------ opening

Result<std::shared_ptr<Core>> Core::open(const Dataset& dataset, DeviceLoaderOptions options, const std::shared_ptr<const Driver>& driver,
                                         const KernelImages& kernels) {
  sweep_late();
  HOTPACK_TRY(check_options(options));
  std::shared_ptr<Core> core(new Core());
  Status opened;
  try {
    opened = core->set_up(dataset, std::move(options), driver, kernels);
  } catch (const std::exception& thrown) {  // std::bad_alloc, std::length_error
    opened = Error{ErrorCode::io, std::string("cannot open a device loader: ") + thrown.what() + "; use a smaller batch", {}, {}};
  }
  if (opened.ok()) return core;
  core->close();
  return std::move(opened).error();
}

Status Core::set_up(const Dataset& dataset, DeviceLoaderOptions options, const std::shared_ptr<const Driver>& driver,
                    const KernelImages& kernels) {
  const LoaderOptions& loader = options.loader;
  HOTPACK_ASSIGN(auto source, loader::RecordSource::make(dataset, loader.check, loader.access));
  HOTPACK_ASSIGN(plan_, StepPlan::make(source->records(), loader.global_batch, loader.tail, loader.rank, loader.world));
  HOTPACK_ASSIGN(auto rows, share_rows(source->records(), loader, options.devices.size(), plan_));
  std::size_t most_rows = 0;
  for (const PartRows& part : rows) most_rows = std::max(most_rows, part.count);
  HOTPACK_ASSIGN(loader::BatchForm form, loader::BatchForm::make(source->schema(), loader, most_rows));
  form_ = std::move(form);
  timeout_ = loader.timeout;
  threads_ = loader::thread_count(loader);
  first_state_ = loader::first_state(*source, loader);
  HOTPACK_ASSIGN(const loader::Cursor start, loader::first_cursor(loader, first_state_, plan_.steps()));
  for (const PartRows& part : rows) parts_.emplace_back().rows = part;
  HOTPACK_TRY(set_parts(options, source->schema(), driver, kernels));

  HOTPACK_ASSIGN(const loader::RowBytes row, largest_row(*source, *form_));
  CargoInputs inputs{std::move(source), *form_, plan_, loader::order_of(loader), std::move(rows)};
  std::vector<OutputBytes> bytes;
  for (Part& part : parts_) {
    const auto image = checked_mul(row.image, part.rows.count);
    const auto label = checked_mul(row.label, part.rows.count);
    if (!image || !label) return usage_error("a batch of these sizes has more bytes than a machine can hold; use a smaller batch");
    part.bytes = {*image, *label};
    bytes.push_back(part.bytes);
    inputs.contexts.push_back(part.context);
    inputs.output_bytes.push_back(options.outputs * (*image + *label));
  }
  inputs.threads = threads_;
  inputs.slots = loader.slots;
  inputs.prefetch = options.prefetch;
  inputs.asked = options.residency;
  inputs.pinned_budget_bytes = options.pinned_budget_bytes;
  inputs.device_budget_bytes = options.device_budget_bytes;
  const auto contexts = inputs.contexts;
  HOTPACK_ASSIGN(LoadedCargo loaded, load_cargo(std::move(inputs)));
  outputs_.emplace(contexts, std::move(bytes), options.outputs);
  return set_stager(options, std::move(loaded), start);
}

Status Core::set_parts(const DeviceLoaderOptions& options, const Schema& schema, const std::shared_ptr<const Driver>& driver,
                       const KernelImages& kernels) {
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    HOTPACK_ASSIGN(part.context, Context::retain(driver, options.devices[number]));
    HOTPACK_ASSIGN(const auto modules, KernelModules::load(part.context, kernels));
    HOTPACK_ASSIGN(part.image,
                   ImageLaunch::make(part.context, modules, options.loader.image, schema.image.channels(), schema.image.layout));
    if (!schema.label) continue;
    const expand::LabelSource source{schema.label->kind, schema.label->storage, schema.label->multi, schema.class_count()};
    HOTPACK_ASSIGN(part.label, LabelLaunch::make(part.context, modules, options.loader.label, source));
  }
  return {};
}

Status Core::set_stager(const DeviceLoaderOptions& options, LoadedCargo loaded, loader::Cursor start) {
  residency_ = loaded.choice;
  load_seconds_ = loaded.load_seconds;
  loaded_bytes_ = loaded.copied_bytes;
  const Cargo& cargo = *loaded.cargo;
  const unsigned slots = options.loader.slots;
  pinned_bytes_ = loaded.pinned_bytes + slots * cargo.slot_bytes();
  StagerParts stager;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    device_bytes_.push_back(loaded.device_bytes[number] + staged_bytes(cargo, number, options.prefetch));
    stager.contexts.push_back(part.context);
    HOTPACK_ASSIGN(Stream stream, Stream::create(part.context));
    stager.copy_streams.push_back(std::move(stream));
    stager.launches.push_back(std::make_shared<const ImageLaunch>(*part.image));
    if (part.label) stager.launches.push_back(std::make_shared<const LabelLaunch>(*part.label));
  }
  HOTPACK_ASSIGN(auto memory, make_slots(slots, cargo));
  HOTPACK_ASSIGN(stager.staged, make_staged(options.prefetch, cargo));
  const std::uint64_t row_bytes = cargo.slot_bytes() / plan_.rows();
  const loader::RingOptions ring{plan_.rows(), loader::rows_per_item({row_bytes, 0}, plan_.rows(), threads_), plan_.steps(), threads_};
  stager.ring = std::make_shared<loader::Ring>(ring, std::move(memory), std::move(loaded.filler), start);
  stager.cargo = std::move(loaded.cargo);
  stager.slots = slots;
  stager.start = start;
  stager_ = std::make_shared<Stager>(std::move(stager));
  return stager_->start();
}

Result<std::vector<std::unique_ptr<Slot>>> Core::make_slots(unsigned count, const Cargo& cargo) const {
  const auto allocator = pinned_allocator(parts_.front().context);
  std::vector<std::unique_ptr<Slot>> slots;
  for (unsigned number = 0; number < count; ++number) {
    Slot& slot = *slots.emplace_back(std::make_unique<Slot>());
    slot.number = number;
    HOTPACK_TRY(loader::grow(slot, allocator, cargo.slot_bytes(), 0));
    slot.samples.resize(plan_.rows());
    slot.keys.resize(plan_.rows());
    slot.boxes.resize(plan_.rows());
  }
  return slots;
}

Result<std::vector<std::unique_ptr<Staged>>> Core::make_staged(unsigned count, const Cargo& cargo) const {
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
    staged.boxes.resize(plan_.rows());
  }
  return all;
}

Core::~Core() { close(); }

void Core::close() noexcept {
  if (stager_ && stager_->forked()) return;
  if (stager_) stager_->close();
  if (outputs_) outputs_->close();
  sweep_late();
}

DeviceLoaderStatistics Core::statistics() const {
  DeviceLoaderStatistics statistics;
  statistics.batches = batches_;
  statistics.copied_bytes = loaded_bytes_ + stager_->copied_bytes();
  statistics.load_seconds = load_seconds_;
  statistics.device_bytes.resize(parts_.size());
  if (stager_->forked()) return statistics;  // the rest needs locks that nobody may be there to let go of
  statistics.wait_seconds = stager_->wait_seconds();
  if (!stager_->closed()) statistics.pinned_bytes = pinned_bytes_;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    statistics.device_bytes[number] = (stager_->closed() ? 0 : device_bytes_[number]) + outputs_->device_bytes(number);
  }
  return statistics;
}

// ------------------------------------------------------------------------------------------------ delivering

Status Core::check_streams(Streams streams) const {
  if (streams.size() != parts_.size()) {
    return usage_error("there are " + std::to_string(streams.size()) + " streams for " + std::to_string(parts_.size()) +
                       " devices; give one each, in the order of the devices");
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const CurrentContext current(*parts_[number].context);
    HOTPACK_TRY(current.status());
    HOTPACK_TRY(check_stream(parts_[number], streams[number], number));
  }
  return {};
}

OutputBytes Core::bytes_of(std::size_t part, PixelSize output) const {
  const loader::RowBytes row = form_->row_bytes(form_->record(), output);
  return {row.image * parts_[part].rows.count, row.label * parts_[part].rows.count};
}

// For any batch, or for this one.
Status Core::check_buffers(std::span<const DeviceBuffers> buffers, const Staged* staged) const {
  if (buffers.size() != parts_.size()) {
    return usage_error("there are " + std::to_string(buffers.size()) + " buffers for " + std::to_string(parts_.size()) +
                       " devices; give one each, in the order of the devices");
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const DeviceBuffers& into = buffers[number];
    const OutputBytes needed = staged != nullptr ? bytes_of(number, staged->parts[number].output) : OutputBytes{};
    HOTPACK_TRY(check_buffer("image", into.image, into.image_bytes, needed.image, number));
    HOTPACK_TRY(check_buffer("label", into.label, into.label_bytes, needed.label, number));
  }
  return {};
}

Status Core::expand(Staged& staged, std::span<const DeviceBuffers> into, Streams streams, OutputMemory* memory) {
  Status expanded;
  for (std::size_t number = 0; number < parts_.size() && expanded.ok(); ++number) {
    OutputMemory::Part* const output = memory != nullptr ? &memory->parts[number] : nullptr;
    expanded = expand_part(staged.parts[number], parts_[number], into[number], streams[number], output);
  }
  if (!expanded.ok()) fail(expanded.error(), staged.cursor);
  stager_->give_back(&staged);
  return expanded;
}

void Core::fail(const Error& error, loader::Cursor step) const {
  stager_->fail(error);
  stager_->take_back(step);
}

Status Core::expand_part(const Staged::Part& staged, const Part& part, const DeviceBuffers& into, StreamHandle stream,
                         OutputMemory::Part* output) const {
  const CurrentContext current(*part.context);
  HOTPACK_TRY(current.status());
  if (output != nullptr) HOTPACK_TRY(wait_for_last_use(*output, stream));
  Status done = launch(staged, part, into, stream);
  // Whatever was launched: the memory may not be reused, or freed, before it is over.
  Status read = record_surely(staged.read, stream);
  Status written = output != nullptr ? record_surely(output->written, stream) : Status();
  if (done.ok()) done = std::move(read);
  if (done.ok()) done = std::move(written);
  return done;
}

Status Core::launch(const Staged::Part& staged, const Part& part, const DeviceBuffers& into, StreamHandle stream) {
  HOTPACK_TRY(staged.copied.make_wait(stream));
  const PackedRows rows{staged.memory.address(), staged.records, static_cast<std::uint32_t>(part.rows.count), staged.output};
  if (into.image != nullptr) HOTPACK_TRY(part.image->launch(rows, address_of(into.image), stream));
  if (into.label != nullptr && part.label) HOTPACK_TRY(part.label->launch(rows, address_of(into.label), stream));
  return {};
}

// Whoever had the memory before may still be reading it on other streams.
Status Core::wait_for_last_use(OutputMemory::Part& output, StreamHandle stream) {
  for (std::size_t use = 0; use < output.used_count; ++use) HOTPACK_TRY(output.used[use].make_wait(stream));
  output.used_count = 0;
  return {};
}

DevicePart Core::describe_part(const Staged& staged, std::size_t number, const DeviceBuffers& into, StreamHandle stream) const {
  const PartRows rows = parts_[number].rows;
  const PixelSize output = staged.parts[number].output;
  const OutputBytes bytes = bytes_of(number, output);
  BatchField image;
  BatchField label;
  form_->describe(form_->record(), output, rows.count, image, label);
  DevicePart part{parts_[number].context->ordinal(), stream, rows.first, rows.count, 0, {}, {}};
  part.valid = std::min(rows.count, staged.valid > rows.first ? staged.valid - rows.first : 0);
  part.image = {into.image, into.image != nullptr ? bytes.image : 0, std::move(image.shape), image.type};
  if (parts_[number].label) part.label = {into.label, into.label != nullptr ? bytes.label : 0, std::move(label.shape), label.type};
  return part;
}

// Takes what is known of the rows.
DeviceBatchInfo Core::describe(Staged& staged, std::span<const DeviceBuffers> into, Streams streams) const {
  DeviceBatchInfo info;
  info.epoch = staged.cursor.epoch;
  info.step = staged.cursor.step;
  info.rows = plan_.rows();
  info.valid = staged.valid;
  info.samples = staged.samples;
  info.keys = staged.keys;
  info.boxes = staged.boxes;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    info.parts.push_back(describe_part(staged, number, into[number], streams[number]));
  }
  return info;
}

Result<std::optional<DeviceBatchInfo>> Core::next_into(std::span<const DeviceBuffers> buffers, Streams streams) {
  if (stager_->forked()) return stager_->next(timeout_, {}).error();
  HOTPACK_TRY(check_streams(streams));
  HOTPACK_TRY(check_buffers(buffers, nullptr));
  const auto accept = [&](const Staged& staged) { return check_buffers(buffers, &staged); };
  HOTPACK_ASSIGN(Staged* const staged, stager_->next(timeout_, accept));
  if (staged == nullptr) return std::optional<DeviceBatchInfo>();
  DeviceBatchInfo info = describe(*staged, buffers, streams);
  HOTPACK_TRY(expand(*staged, buffers, streams, nullptr));
  ++batches_;
  return std::optional(std::move(info));
}

Result<std::optional<DeviceBatch>> Core::next(Streams streams, std::chrono::milliseconds timeout) {
  if (stager_->forked()) return stager_->next(timeout, {}).error();
  HOTPACK_TRY(check_streams(streams));
  while (true) {
    HOTPACK_TRY(outputs_->prepare());
    std::unique_ptr<OutputMemory> memory;
    bool again = false;  // another thread took what was prepared
    const auto accept = [&](const Staged&) -> Status {
      memory = outputs_->try_take();
      again = memory == nullptr && !outputs_->all_leased();
      return memory != nullptr ? Status() : all_leased();
    };
    auto staged = stager_->next(timeout, accept);
    if (again) continue;
    if (!staged.ok()) return std::move(staged).error();
    if (*staged == nullptr) return std::optional<DeviceBatch>();
    HOTPACK_ASSIGN(DeviceBatch batch, lease(**staged, std::move(memory), streams));
    ++batches_;
    return std::optional(std::move(batch));
  }
}

Result<DeviceBatch> Core::lease(Staged& staged, std::unique_ptr<OutputMemory> memory, Streams streams) {
  std::vector<DeviceBuffers> into;
  for (const OutputMemory::Part& part : memory->parts) {
    into.push_back({memory_at(part.image.address()), part.image.size(), memory_at(part.label.address()), part.label.size()});
  }
  DeviceBatchInfo info = describe(staged, into, streams);
  Status done = expand(staged, into, streams, memory.get());
  if (done.ok()) return DeviceBatch(std::make_shared<Output>(shared_from_this(), std::move(memory), std::move(info)));
  outputs_->drop(std::move(memory));
  return std::move(done).error();
}

// ------------------------------------------------------------------------------------------------ leases

Output::Output(std::shared_ptr<Core> core, std::unique_ptr<OutputMemory> memory, DeviceBatchInfo info)
    : core_(std::move(core)), memory_(std::move(memory)), info_(std::move(info)) {
  const auto self = std::this_thread::get_id();
  for (std::size_t part = 0; part < info_.parts.size(); ++part) uses_.push_back({part, info_.parts[part].stream, self});
}

Output::~Output() {
  if (core_->stager().forked()) {  // nothing of CUDA may be touched in a child
    memory_.release();
    new std::shared_ptr<Core>(std::move(core_));
    return;
  }
  bool all_noted = true;
  for (const Use& use : uses_) {
    const auto noted = note(use);
    if (!noted.ok()) core_->stager().fail(noted.error());
    all_noted = all_noted && noted.ok() && *noted;
  }
  all_noted ? core_->outputs().give_back(std::move(memory_)) : core_->outputs().drop(std::move(memory_));
}

Result<bool> Output::note(const Use& use) {
  const auto& context = core_->parts()[use.part].context;
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  if (is_captured(*context, use.stream)) return false;  // the record would become a node of the graph
  OutputMemory::Part& part = memory_->parts[use.part];
  if (part.used_count == part.used.size()) {
    HOTPACK_ASSIGN(Event event, Event::create(context));
    part.used.push_back(std::move(event));
  }
  // Another thread's own stream has no name here; the legacy stream waits for it, as for all streams that are not non-blocking.
  const bool elsewhere = use.stream == kPerThreadStream && use.thread != std::this_thread::get_id();
  HOTPACK_TRY(record_surely(part.used[part.used_count], elsewhere ? kLegacyStream : use.stream));
  ++part.used_count;
  return true;
}

Status Output::use_on(CUstream_st* stream, std::size_t part) {
  if (part >= info_.parts.size()) {
    return usage_error("there is no part " + std::to_string(part) + "; the batch has " + std::to_string(info_.parts.size()));
  }
  if (core_->stager().forked())
    return usage_error("this batch is of a loader that was opened before a fork; CUDA cannot be used in the child");
  const Part& of = core_->parts()[part];
  const CurrentContext current(*of.context);
  HOTPACK_TRY(current.status());
  HOTPACK_TRY(check_stream(of, stream, part));
  HOTPACK_TRY(memory_->parts[part].written.make_wait(stream));
  const Use use{part, stream, std::this_thread::get_id()};
  const std::lock_guard lock(mutex_);
  if (std::find(uses_.begin(), uses_.end(), use) == uses_.end()) uses_.push_back(use);
  return {};
}

}  // namespace hotpack::device
