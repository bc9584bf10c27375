// DeviceLoader: a host loader whose slots hold packed records, a copy stream, and one kernel per
// field on the consumer's stream.
//
// Each staging buffer in device memory has two events. *copied* is recorded on the copy stream
// after a batch is copied to the buffer; the consumer's stream waits for it before the kernels, and
// the host before it reuses the slot. *read* is recorded on the consumer's stream after the
// kernels; the copy stream waits for it before the next batch is copied to the buffer.
#include "hotpack/device_loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "device/context.hpp"
#include "device/kernels.hpp"
#include "device/open.hpp"
#include "hotpack/dlpack.hpp"
#include "loader/dlpack_tensor.hpp"
#include "loader/packed_rows.hpp"
#include "loader/run.hpp"
#include "loader/strided_loader.hpp"

namespace hotpack {
namespace device {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

using loader::PackedRows, loader::ResidentSet;

constexpr milliseconds kOnlyIfReady{-1}, kForEver = std::chrono::hours(24 * 365);
constexpr std::uint64_t kLoadBytes = std::uint64_t{32} << 20;  // of a batch of records to load
constexpr unsigned kLoadSlots = 4;

// Returns the rest of a limit; 0 is for ever.
milliseconds left_of(milliseconds limit, steady_clock::time_point began) {
  if (limit.count() < 0) return kOnlyIfReady;
  if (limit.count() == 0 || limit > kForEver) return milliseconds(0);
  const auto past = std::chrono::duration_cast<milliseconds>(steady_clock::now() - began);
  return std::max(limit - past, milliseconds(1));
}

double seconds_since(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

Error too_large() {
  return usage_error(
      "a batch of these sizes has more bytes than a machine can hold; use a smaller batch");
}

Error in_option(const char* option, const std::string& text) {
  Error error = usage_error(text);
  error.option = option;
  return error;
}

Status check_options(const LoaderOptions& options) {
  if (options.content != BatchContent::expanded)
    return in_option("content", "content packed does not work with a DeviceLoader; leave it out");
  if (options.allocator != nullptr)
    return in_option("allocator", "a DeviceLoader takes pinned memory; do not set `allocator`");
  return loader::check_options(options);
}

Status check_buffer(const std::string& which, const void* memory, std::uint64_t bytes,
                    std::uint64_t needed, const Context& context) {
  if (memory == nullptr && bytes == 0) return {};  // the field is skipped
  if (memory == nullptr)
    return usage_error(which + " is null, but its size is not 0; pass memory, or a size of 0");
  if (bytes < needed)
    return usage_error(which + " has " + std::to_string(bytes) + " bytes, but the batch needs " +
                       std::to_string(needed) + "; pass a larger buffer");
  if (reinterpret_cast<std::uintptr_t>(memory) % 16 != 0)
    return usage_error(which + " is not aligned to 16 bytes; pass an address that is a multiple");
  return check_memory(context, which, memory);
}

DeviceField field_of(const BatchField& from, std::size_t rows) {
  DeviceField to{nullptr, 0, from.shape, from.dtype};
  if (to.shape.empty()) return to;
  to.shape.front() = static_cast<std::int64_t>(rows);
  to.bytes = element_bytes(to.dtype);
  for (const std::int64_t extent : to.shape) to.bytes *= static_cast<std::uint64_t>(extent);
  return to;
}

}  // namespace

// The memory of a batch that next() returned.
class Output {
 public:
  explicit Output(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Allocates memory for a batch that `info` describes. The context must be current, here and for
  // set_written().
  Status allocate(PoolHandle pool, DeviceBatchInfo info) {
    info_ = std::move(info);
    const Driver& driver = context_->driver();
    const std::uint64_t label = (info_.image.bytes + 255) / 256 * 256;
    const std::uint64_t bytes = std::max<std::uint64_t>(1, label + info_.label.bytes);
    HOTPACK_TRY(HOTPACK_DRIVER(driver, EventCreate, &written_, kEventDisableTiming));
    Status taken =
        HOTPACK_DRIVER(driver, MemAllocFromPoolAsync, &memory_, bytes, pool, info_.stream);
    if (!taken.ok()) return context_->memory_error(bytes, taken.error());
    if (info_.image.bytes != 0) info_.image.data = device_pointer<void>(memory_);
    if (info_.label.bytes != 0) info_.label.data = device_pointer<void>(memory_ + label);
    return {};
  }

  Status set_written() {
    return HOTPACK_DRIVER(context_->driver(), EventRecord, written_, info_.stream);
  }

  const DeviceBatchInfo& info() const { return info_; }

  Status record_stream(StreamHandle stream) {
    const CurrentContext current(*context_);
    HOTPACK_TRY(current.status());
    HOTPACK_TRY(check_stream(*context_, stream));
    if (stream == info_.stream && named_later(stream) == stream) return {};
    const std::lock_guard lock(mutex_);
    readers_.insert(stream == kPerThreadStream ? kLegacyStream : stream);
    return HOTPACK_DRIVER(context_->driver(), StreamWaitEvent, stream, written_, 0);
  }

  ~Output() {
    const CurrentContext current(*context_);
    if (!current.ok() || written_ == nullptr) return;
    const DriverTable& api = context_->api();
    const StreamHandle stream = named_later(info_.stream);
    const auto captured = [&](StreamHandle each) { return is_captured(*context_, each); };
    // nothing can follow the work of a stream that is being captured, so the memory is not freed
    if (memory_ != 0 && !captured(stream) && std::ranges::none_of(readers_, captured)) {
      for (const StreamHandle reader : readers_) {
        const bool waits = api.EventRecord(written_, reader) == code::kSuccess &&
                           api.StreamWaitEvent(stream, written_, 0) == code::kSuccess;
        if (!waits) static_cast<void>(api.StreamSynchronize(reader));
      }
      static_cast<void>(api.MemFreeAsync(memory_, stream));
    }
    static_cast<void>(api.EventDestroy(written_));
  }

 private:
  // The name of a stream that next() got. The per-thread stream of another thread has none: the
  // legacy stream, which waits for it, takes its place.
  StreamHandle named_later(StreamHandle stream) const {
    const bool is_other = stream == kPerThreadStream && thread_ != std::this_thread::get_id();
    return is_other ? kLegacyStream : stream;
  }

  const std::shared_ptr<const Context> context_;
  const std::thread::id thread_ = std::this_thread::get_id();
  Pointer memory_ = 0;
  EventHandle written_ = nullptr;
  DeviceBatchInfo info_;
  std::mutex mutex_;
  std::set<StreamHandle> readers_;  // streams besides info_.stream
};

class Core {
 public:
  // Facts, constant after open().
  LoaderState state;  // at the first step
  std::uint64_t steps = 0;
  std::size_t rows = 0;
  unsigned threads = 0;
  milliseconds timeout{0};
  loader::RowBytes batch_bytes;
  ResidencyChoice residency;

  Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() {
    close();
    if (context_ == nullptr) return;
    if (context_->forked()) {
      // its end would wait for threads that do not exist in the child
      static_cast<void>(turn_.release());
      return;
    }
    const std::lock_guard lock(OpenLoaders::get().mutex);
    OpenLoaders::get().all.erase(this);
  }

  // ---- opening

  Status open(const Dataset& dataset, const DeviceLoaderOptions& options,
              const std::shared_ptr<const Driver>& driver, std::span<const std::byte> kernels) {
    LoaderOptions own = options.loader;
    HOTPACK_TRY(check_options(own));
    HOTPACK_ASSIGN(const auto source,
                   loader::RecordSource::make(dataset, own.verify_checksums, own.access));
    HOTPACK_ASSIGN(const StepPlan plan, loader::plan_of(source->records(), own));
    HOTPACK_ASSIGN(const auto form, loader::BatchForm::make(source->schema(), own, plan.rows()));
    HOTPACK_ASSIGN(context_, Context::retain(driver, options.device));
    {
      const std::lock_guard lock(OpenLoaders::get().mutex);
      OpenLoaders::get().all.insert(this);
      is_closed_ = OpenLoaders::get().has_ended;
    }
    const CurrentContext current(*context_);
    HOTPACK_TRY(current.status());
    HOTPACK_ASSIGN(module_, load_kernels(*context_, kernels));
    channels_first_ = own.image.layout == AxisOrder::channels_first;
    HOTPACK_ASSIGN(image_, FieldLaunch::image(*driver, module_, own.image, source->schema()));
    if (source->schema().label) {
      HOTPACK_ASSIGN(label_, FieldLaunch::label(*driver, module_, own.label, source->schema()));
    }
    HOTPACK_TRY(HOTPACK_DRIVER(*driver, StreamCreate, &copies_, kStreamNonBlocking));

    const auto sizes = std::make_shared<const loader::RecordSizes>(*source, form);
    const auto images = checked_mul(sizes->largest_row.image, plan.rows());
    const auto labels = checked_mul(sizes->largest_row.label, plan.rows());
    const unsigned count = own.prefetch_batches;
    const auto set = std::make_shared<ResidentSet>();
    packed_ = std::make_shared<PackedRows>(PackedRows::Use::page, sizes, form, plan.rows(), set);
    const auto resident =
        std::make_shared<PackedRows>(PackedRows::Use::resident, sizes, form, plan.rows(), set);
    const auto slot = packed_->slot_bytes();
    const auto staging = slot ? checked_mul(*slot, count) : std::nullopt;
    if (!images || !labels || !staging) return too_large();
    batch_bytes = {*images, *labels};
    residency.packed_bytes = sizes->all_bytes();
    HOTPACK_TRY(choose_residency(options, *staging,
                                 residency.packed_bytes + count * *resident->slot_bytes()));
    own.allocator = pinned_allocator(context_);
    if (residency.residency == Residency::device) {
      HOTPACK_TRY(load_resident(dataset, own, options.progress, sizes, form, set));
      packed_ = resident;
    }
    const std::uint64_t slot_bytes = *packed_->slot_bytes();
    HOTPACK_TRY(make_buffers(count, slot_bytes));
    HOTPACK_TRY(start(dataset, own, {packed_, slot_bytes, 2 * count}));
    expected_ = loader_->position();
    statistics_.pinned_bytes = loader_->slots() * slot_bytes;
    state = loader_->state();
    steps = plan.steps();
    rows = plan.rows();
    threads = loader_->threads();
    timeout = own.timeout;
    return {};
  }

  static DeviceLoader loader_of(std::shared_ptr<Core> core) {
    return DeviceLoader(std::move(core));
  }

  // ---- taking batches

  Result<std::optional<DeviceBatchInfo>> next_into(const DeviceBuffers& into, StreamHandle stream,
                                                   milliseconds limit) {
    return or_out_of_memory([&]() -> Result<std::optional<DeviceBatchInfo>> {
      DeviceBatchInfo info;
      HOTPACK_ASSIGN(const bool came,
                     take(stream, limit, info, [&](const Buffer& buffer) -> Status {
                       HOTPACK_TRY(check_buffer("the image buffer", into.image, into.image_bytes,
                                                info.image.bytes, *context_));
                       HOTPACK_TRY(check_buffer("the label buffer", into.label, into.label_bytes,
                                                info.label.bytes, *context_));
                       info.image.data = into.image;
                       info.label.data = label_ ? into.label : nullptr;
                       for (DeviceField* const field : {&info.image, &info.label})
                         if (field->data == nullptr) field->bytes = 0;
                       return keep_failure(expand(buffer, info));
                     }));
      return came ? std::optional(std::move(info)) : std::nullopt;
    });
  }

  Result<std::optional<DeviceBatch>> next(StreamHandle stream, milliseconds limit) {
    if (!context_->has_pools())
      return usage_error("device " + std::to_string(context_->ordinal()) +
                         " has no memory pools, so next() cannot allocate batches on it; use "
                         "next_into() with memory of your own");
    return or_out_of_memory([&]() -> Result<std::optional<DeviceBatch>> {
      DeviceBatchInfo info;
      auto output = std::make_shared<Output>(context_);
      HOTPACK_ASSIGN(const bool came,
                     take(stream, limit, info, [&](const Buffer& buffer) -> Status {
                       HOTPACK_TRY(output->allocate(pool_, std::move(info)));
                       HOTPACK_TRY(keep_failure(expand(buffer, output->info())));
                       return keep_failure(output->set_written());
                     }));
      return came ? std::optional(DeviceBatch(std::move(output))) : std::nullopt;
    });
  }

  // ---- moving

  // Moves to a step by a function of the loader, and drops what is staged. A call of next() may
  // take a batch from the loader before this function ends, so the loader's position may be later.
  template <class To>
  Status move(LoaderPosition target, const To& to) {
    HOTPACK_ASSIGN(const Lock lock, begin_call());
    HOTPACK_TRY(to(*loader_));
    ahead_.clear();
    staged_ = 0;
    expected_ = target;
    cancelled_ = false;
    return {};
  }

  // Keeps what is staged if the loader is there, or at the end of the epoch before.
  Status begin_epoch(std::uint64_t epoch) {
    {
      HOTPACK_ASSIGN(const Lock lock, begin_call());
      const bool stays = !cancelled_ && !ahead_.empty() && epoch <= kMaxEpoch;
      const bool is_end =
          stays && epoch > 0 && ahead_.front().at == LoaderPosition{epoch - 1, steps};
      if (is_end) ahead_.erase(ahead_.begin());
      if (is_end || (stays && ahead_.front().at == LoaderPosition{epoch, 0})) return {};
    }
    return move({epoch, 0}, [epoch](Loader& loader) { return loader.begin_epoch(epoch); });
  }

  LoaderPosition position() const {
    const Lock lock = lock_unless_forked();
    return ahead_.empty() ? expected_ : ahead_.front().at;
  }

  DeviceLoaderStatistics statistics() const {
    const Lock lock = lock_unless_forked();
    return statistics_;
  }

  // ---- ending

  void cancel() noexcept {
    const Lock lock = lock_unless_forked();
    cancelled_ = true;
    if (loader_ != nullptr) loader_->cancel();
  }

  void close() noexcept {
    stop_threads();
    if (context_ == nullptr) return;
    const CurrentContext current(*context_);
    if (!current.ok()) return;
    const DriverTable& api = context_->api();
    Lock lock(mutex_);
    wait_for_turn(lock, milliseconds(0));  // no call waits for an event that ends here
    if (copies_ != nullptr) static_cast<void>(api.StreamSynchronize(copies_));
    for (const auto& buffer : buffers_) {
      if (buffer->read != nullptr) static_cast<void>(api.EventSynchronize(buffer->read));
      for (const EventHandle event : {buffer->copied, buffer->read})
        if (event != nullptr) static_cast<void>(api.EventDestroy(event));
      if (buffer->memory != 0) static_cast<void>(api.MemFree(buffer->memory));
    }
    if (!ahead_.empty()) expected_ = ahead_.front().at;  // what position() returns
    ahead_.clear();
    staged_ = 0;
    buffers_.clear();  // and with them the slots that they keep
    loader_.reset();
    if (resident_ != 0) static_cast<void>(api.MemFree(std::exchange(resident_, 0)));
    if (copies_ != nullptr) static_cast<void>(api.StreamDestroy(std::exchange(copies_, nullptr)));
    if (module_ != nullptr) static_cast<void>(api.ModuleUnload(std::exchange(module_, nullptr)));
    statistics_.pinned_bytes = statistics_.device_bytes = 0;
    // the driver frees the pool when the last batch of it is freed
    if (pool_ != nullptr) static_cast<void>(api.MemPoolDestroy(std::exchange(pool_, nullptr)));
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Buffer {
    Pointer memory = 0;
    EventHandle copied = nullptr, read = nullptr;
    std::optional<Batch> batch;  // keeps the host's slot until it is copied
  };
  struct Ahead {  // a batch that is staged, or the end of an epoch
    Buffer* buffer = nullptr;
    LoaderPosition at;
  };

  // The open loaders of this process. At exit their threads must stop before the driver frees the
  // pinned memory that they write to. Never destroyed: loaders may outlive static objects.
  struct OpenLoaders {
    // Functions that are registered later run earlier, so the driver's own one runs after this.
    OpenLoaders() { std::atexit(stop_all); }
    static OpenLoaders& get() {
      static OpenLoaders& loaders = *new OpenLoaders;
      return loaders;
    }
    static void stop_all() {
      if (get().process != ::getpid()) return;
      const std::lock_guard lock(get().mutex);
      get().has_ended = true;
      for (Core* const core : get().all) core->stop_threads();
    }
    const int process = ::getpid();
    std::mutex mutex;
    std::set<Core*> all;
    bool has_ended = false;
  };

  // Chooses where the records are, and refuses what the budget does not allow. `page` and `device`
  // are the bytes on the device with either residency.
  Status choose_residency(const DeviceLoaderOptions& options, std::uint64_t page,
                          std::uint64_t device) {
    HOTPACK_ASSIGN(const auto memory, context_->memory());
    const std::uint64_t budget = options.device_budget_bytes.value_or(memory.first / 2);
    const std::string limit = std::to_string(budget) + " bytes" +
                              (options.device_budget_bytes ? "" : " (half of the free memory)");
    const bool fits = device <= budget;
    residency.residency = options.residency;
    residency.reason = "asked for";
    if (options.residency == Residency::automatic) {
      residency.residency = fits ? Residency::device : Residency::page;
      residency.reason = "auto: " + std::to_string(device) + " bytes for packed records " +
                         (fits ? "fit" : "exceed") + " the device budget of " + limit;
    }
    if ((residency.residency == Residency::device ? device : page) <= budget) return {};
    return in_option("device_budget_bytes",
                     "residency page needs " + std::to_string(page) + " bytes on device " +
                         std::to_string(context_->ordinal()) + ", residency device needs " +
                         std::to_string(device) + ", but device_budget_bytes is " + limit +
                         "; use what fits, smaller batches, or a larger device_budget_bytes");
  }

  Status allocate(Pointer& memory, std::uint64_t bytes) {
    if (bytes == 0) return {};
    const Status taken = HOTPACK_DRIVER(context_->driver(), MemAlloc, &memory, bytes);
    if (!taken.ok()) return context_->memory_error(bytes, taken.error());
    statistics_.device_bytes += bytes;
    return {};
  }

  Status make_buffers(unsigned count, std::uint64_t bytes) {
    const Driver& driver = context_->driver();
    constexpr unsigned kFlags = kEventDisableTiming | kEventBlockingSync;
    for (unsigned number = 0; number < count; ++number) {
      Buffer& buffer = *buffers_.emplace_back(std::make_unique<Buffer>());
      HOTPACK_TRY(allocate(buffer.memory, bytes));
      HOTPACK_TRY(HOTPACK_DRIVER(driver, EventCreate, &buffer.copied, kFlags));
      HOTPACK_TRY(HOTPACK_DRIVER(driver, EventCreate, &buffer.read, kFlags));
    }
    ahead_.reserve(2 * std::size_t{count} + 1);  // an end after each batch, and one before
    if (!context_->has_pools()) return {};
    PoolProperties properties;
    properties.ordinal = context_->ordinal();
    std::uint64_t keep = ~std::uint64_t{0};  // free memory stays in the pool
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemPoolCreate, &pool_, &properties));
    return HOTPACK_DRIVER(driver, MemPoolSetAttribute, pool_, kPoolReleaseThreshold, &keep);
  }

  // Copies all records to device memory, with a loader of batches in the order of the files.
  Status load_resident(const Dataset& dataset, const LoaderOptions& own,
                       const std::function<bool(const LoadProgress&)>& progress,
                       const PackedRows::Sizes& sizes, const loader::BatchForm& form,
                       const std::shared_ptr<ResidentSet>& set) {
    const auto began = steady_clock::now();
    const std::uint64_t all = sizes->all_bytes(), records = sizes->records;
    HOTPACK_TRY(allocate(resident_, all));
    set->keys.resize(records);
    LoaderOptions load;
    load.threads = own.threads;
    load.verify_checksums = own.verify_checksums;
    load.access = own.access;
    load.allocator = own.allocator;
    load.shuffle = Shuffle::none;
    load.last_batch = LastBatch::keep;
    if (!form.one_size())
      load.pad_to = {std::max<std::int64_t>(1, sizes->largest_record.width),
                     std::max<std::int64_t>(1, sizes->largest_record.height)};
    if (label_) load.label.form = LabelForm::bits;  // all labels have it; records stay as stored
    load.memory_budget_bytes = own.memory_budget_bytes;
    std::uint64_t slot = kLoadBytes;
    if (own.memory_budget_bytes != 0) slot = std::min(slot, own.memory_budget_bytes / kLoadSlots);
    std::uint64_t rows_once = slot / std::max<std::uint64_t>(1, all / records);
    rows_once = std::clamp<std::uint64_t>(rows_once, 1, records) * 2;
    std::shared_ptr<PackedRows> packed;
    do {  // the largest records may follow one another
      rows_once /= 2;
      packed = std::make_shared<PackedRows>(PackedRows::Use::load, sizes, form, rows_once, set);
      if (!packed->slot_bytes()) return too_large();
    } while (rows_once > 1 && *packed->slot_bytes() > slot);
    load.batch_size = rows_once;
    HOTPACK_TRY(start(dataset, load, {packed, *packed->slot_bytes(), kLoadSlots}));
    const std::shared_ptr<Loader> loader = loader_;
    for (std::uint64_t first = 0; first < records;) {
      HOTPACK_ASSIGN(const auto batch, loader->next(own.timeout));
      const std::uint64_t last = first + batch->batch_size(), at = sizes->begin(first);
      for (std::uint64_t sample = first; sample < last; ++sample)
        set->keys[sample] = batch->key(sample - first);
      const std::uint64_t bytes = sizes->begin(last) - at;  // 0 if no record could be read
      if (bytes != 0)
        HOTPACK_TRY(HOTPACK_DRIVER(context_->driver(), MemcpyHtoDAsync, resident_ + at,
                                   batch->image().bytes.data() + packed->table_bytes(), bytes,
                                   copies_));
      HOTPACK_TRY(HOTPACK_DRIVER(context_->driver(), StreamSynchronize, copies_));
      first = last;
      if (progress && !progress({first, records, sizes->begin(first), all}))
        return Error{ErrorCode::cancelled,
                     "loading was stopped before all records were in device memory; open the "
                     "loader again",
                     {},
                     {}};
    }
    statistics_.copied_bytes = all;
    statistics_.load_seconds = seconds_since(began);
    loader->close();
    const Lock lock(mutex_);
    loader_.reset();
    return {};
  }

  // Opens the loader that close() and exit() stop.
  Status start(const Dataset& dataset, const LoaderOptions& options, const SinkSlots& slots) {
    const Lock lock(mutex_);
    if (is_closed_) return closed_error();
    HOTPACK_ASSIGN(Loader opened, StridedLoader::open(dataset, options, 1, slots));
    loader_ = std::make_shared<Loader>(std::move(opened));
    return {};
  }

  static Error closed_error() { return usage_error("the loader is closed; open another one"); }

  // Returns the lock, or the reason why nothing can be called. After a fork, a thread that does not
  // exist may hold the lock for ever.
  Result<Lock> begin_call() const {
    HOTPACK_TRY(context_->check_process());
    Lock lock(mutex_);
    HOTPACK_TRY(check_open());
    return lock;
  }

  Status check_open() const {
    if (loader_ == nullptr) return closed_error();
    if (failed_) return *failed_;
    return {};
  }

  Lock lock_unless_forked() const { return context_->forked() ? Lock() : Lock(mutex_); }

  // One caller at a time takes batches from the loader, in their order.
  struct Turn {
    Turn(Core& core, Lock& lock) : core_(core), lock_(lock) { core_.is_taking_ = true; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (!lock_) lock_.lock();  // after an exception
      core_.is_taking_ = false;
      core_.turn_->notify_all();
    }
    Core& core_;
    Lock& lock_;
  };
  bool wait_for_turn(Lock& lock, milliseconds limit) {
    const auto is_free = [this] { return !is_taking_; };
    if (limit.count() != 0) return turn_->wait_for(lock, limit, is_free);
    turn_->wait(lock, is_free);
    return true;
  }

  // Describes the next batch in `info`, and calls deliver(buffer). Returns false at the end of an
  // epoch. If deliver() fails, the batch is not lost.
  template <class Deliver>
  Result<bool> take(StreamHandle stream, milliseconds limit, DeviceBatchInfo& info,
                    const Deliver& deliver) {
    const CurrentContext current(*context_);
    HOTPACK_TRY(current.status());
    HOTPACK_TRY(check_stream(*context_, stream));
    const auto called = steady_clock::now();
    HOTPACK_ASSIGN(Lock lock, begin_call());
    if (!wait_for_turn(lock, left_of(limit, called)))
      return Error{
          ErrorCode::timeout, "another thread waits for the next batch; call again", {}, {}};
    const Turn turn(*this, lock);
    while (true) {
      HOTPACK_TRY(check_open());
      if (!cancelled_) HOTPACK_TRY(keep_failure(stage_ready()));
      if (!cancelled_ && !ahead_.empty()) {
        const Buffer* const buffer = ahead_.front().buffer;
        if (buffer != nullptr) {
          describe(*buffer->batch, stream, info);
          HOTPACK_TRY(deliver(*buffer));
          ++statistics_.batches;
          --staged_;
        }
        ahead_.erase(ahead_.begin());
        return buffer != nullptr;
      }
      if (limit.count() < 0 && !next_is_copied())
        return Error{
            ErrorCode::timeout, "the device is behind by all packed batches; call again", {}, {}};
      const std::shared_ptr<Loader> loader = loader_;
      lock.unlock();  // so that other threads can seek, cancel, or look at the position
      const auto began = steady_clock::now();
      auto batch = loader->next(left_of(limit, called));
      const double waited = seconds_since(began);
      // the copy before is over, unless the program has queued much work: then this waits
      Status copied;
      if (batch.ok() && *batch)
        copied = HOTPACK_DRIVER(context_->driver(), EventSynchronize, next_buffer().copied);
      lock.lock();
      statistics_.wait_seconds += waited;
      HOTPACK_TRY(batch);
      HOTPACK_TRY(keep_failure(copied));
      HOTPACK_TRY(keep_failure(stage(std::move(*batch))));
    }
  }

  Buffer& next_buffer() { return *buffers_[number_ % buffers_.size()]; }
  bool next_is_copied() {
    return context_->api().EventQuery(next_buffer().copied) == code::kSuccess;
  }

  // Stages the batches that are ready, as far as there are buffers. An error of the loader comes
  // again when nothing is staged before it.
  Status stage_ready() {
    while (staged_ < buffers_.size()) {
      if (!next_is_copied()) return {};
      auto batch = loader_->next(kOnlyIfReady);
      if (!batch.ok()) return {};
      HOTPACK_TRY(stage(std::move(*batch)));
    }
    return {};
  }

  // Adds what the loader gave: a batch, or the end of an epoch. What it gave before another thread
  // called seek() or close() is dropped. The next buffer's copy must be over.
  Status stage(std::optional<Batch> batch) {
    LoaderPosition at{expected_.epoch, steps};
    if (batch) at = {batch->epoch(), batch->step()};
    if (at != expected_ || loader_ == nullptr) return {};
    if (batch) {
      expected_.step += 1;
    } else if (at.epoch < kMaxEpoch) {
      expected_ = {at.epoch + 1, 0};
    }
    ahead_.push_back({nullptr, at});
    if (!batch) return {};
    const Driver& driver = context_->driver();
    Buffer& buffer = next_buffer();
    ahead_.back().buffer = &buffer;
    ++number_;
    ++staged_;
    buffer.batch = std::move(batch);
    const std::byte* const slot = buffer.batch->image().bytes.data();
    const std::uint64_t bytes = packed_->used_bytes(slot, buffer.batch->batch_size());
    HOTPACK_TRY(HOTPACK_DRIVER(driver, StreamWaitEvent, copies_, buffer.read, 0));
    HOTPACK_TRY(HOTPACK_DRIVER(driver, MemcpyHtoDAsync, buffer.memory, slot, bytes, copies_));
    statistics_.copied_bytes += bytes;
    return HOTPACK_DRIVER(driver, EventRecord, buffer.copied, copies_);
  }

  void describe(const Batch& batch, StreamHandle stream, DeviceBatchInfo& info) const {
    info.epoch = batch.epoch();
    info.step = batch.step();
    info.batch_size = batch.batch_size();
    info.num_valid = batch.num_valid();
    info.indices.assign(batch.indices().begin(), batch.indices().end());
    info.keys.clear();
    for (std::size_t row = 0; row < info.batch_size; ++row) info.keys.emplace_back(batch.key(row));
    info.crops.assign(batch.crops().begin(), batch.crops().end());
    info.device = context_->ordinal();
    info.stream = stream;
    info.image = field_of(batch.image(), info.batch_size);
    info.label = field_of(batch.label(), info.batch_size);
  }

  // Queues the kernels that write the fields of `info`.
  Status expand(const Buffer& buffer, const DeviceBatchInfo& info) {
    const Driver& driver = context_->driver();
    const auto& shape = info.image.shape;
    const PixelSize size{shape[channels_first_ ? 3 : 2], shape[channels_first_ ? 2 : 1]};
    const auto launch = [&](const std::optional<FieldLaunch>& field, void* out) -> Status {
      if (out == nullptr) return {};
      return field->launch(driver, buffer.memory, resident_ != 0 ? resident_ : buffer.memory,
                           info.batch_size, size, out, info.stream);
    };
    HOTPACK_TRY(HOTPACK_DRIVER(driver, StreamWaitEvent, info.stream, buffer.copied, 0));
    Status done = launch(image_, info.image.data);
    if (done.ok()) done = launch(label_, info.label.data);
    // Also after a failed launch: the other kernel may be queued, and reads the buffer. If nothing
    // can be recorded, it must be over.
    const Status recorded = HOTPACK_DRIVER(driver, EventRecord, buffer.read, info.stream);
    if (!recorded.ok()) static_cast<void>(driver.api().StreamSynchronize(info.stream));
    return done.ok() ? recorded : done;
  }

  // Keeps the error of a driver's call, for all later calls.
  Status keep_failure(Status status) {
    if (!status.ok() && !failed_) failed_ = status.error();
    return status;
  }

  void stop_threads() noexcept {
    if (context_ == nullptr || context_->forked()) return;
    const Lock lock(mutex_);
    is_closed_ = true;
    if (loader_ != nullptr) loader_->close();
  }

  std::shared_ptr<const Context> context_;
  ModuleHandle module_ = nullptr;
  std::optional<FieldLaunch> image_, label_;
  bool channels_first_ = false;  // of images
  PoolHandle pool_ = nullptr;    // of batches
  std::shared_ptr<PackedRows> packed_;

  mutable std::mutex mutex_;
  std::unique_ptr<std::condition_variable> turn_ = std::make_unique<std::condition_variable>();
  bool is_taking_ = false;          // a call has the turn
  std::shared_ptr<Loader> loader_;  // null after close()
  StreamHandle copies_ = nullptr;
  Pointer resident_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::uint64_t number_ = 0;  // of the next batch that is staged; buffers take turns
  std::vector<Ahead> ahead_;
  std::size_t staged_ = 0;   // batches in ahead_
  LoaderPosition expected_;  // what the loader gives next
  std::optional<Error> failed_;
  std::atomic<bool> cancelled_ = false;
  bool is_closed_ = false;
  DeviceLoaderStatistics statistics_;
};

}  // namespace device

// ---- DeviceBatch, DeviceLoader

using device::Core;

std::string_view residency_name(Residency residency) {
  if (residency == Residency::automatic) return "auto";
  return residency == Residency::page ? "page" : "device";
}

const DeviceBatchInfo& DeviceBatch::info() const {
  static const DeviceBatchInfo none;
  return output_ ? output_->info() : none;
}

Status DeviceBatch::record_stream(CUstream_st* stream) const {
  if (output_) return or_out_of_memory([&] { return output_->record_stream(stream); });
  return usage_error("the batch was released; call record_stream() before you release it");
}

DeviceLoader::DeviceLoader(std::shared_ptr<Core> core) : core_(std::move(core)) {}
DeviceLoader::~DeviceLoader() { close(); }
DeviceLoader::DeviceLoader(DeviceLoader&&) noexcept = default;
DeviceLoader& DeviceLoader::operator=(DeviceLoader&& other) noexcept {
  DeviceLoader taken(std::move(other));
  std::swap(core_, taken.core_);  // the previous loader closes with `taken`
  return *this;
}

Result<DeviceLoader> device::open_device_loader(const Dataset& dataset,
                                                const DeviceLoaderOptions& options,
                                                const std::shared_ptr<const Driver>& driver,
                                                std::span<const std::byte> kernels) {
  return or_out_of_memory([&]() -> Result<DeviceLoader> {
    const auto core = std::make_shared<Core>();
    HOTPACK_TRY(core->open(dataset, options, driver, kernels));
    return Core::loader_of(core);
  });
}

Result<DeviceLoader> DeviceLoader::open(const Dataset& dataset,
                                        const DeviceLoaderOptions& options) {
  HOTPACK_ASSIGN(const auto driver, device::Driver::load());
  return device::open_device_loader(dataset, options, driver, device::embedded_kernels());
}

std::uint64_t DeviceLoader::steps_per_epoch() const { return core_->steps; }
std::size_t DeviceLoader::batch_size() const { return core_->rows; }
unsigned DeviceLoader::threads() const { return core_->threads; }
const std::string& DeviceLoader::fingerprint() const { return core_->state.fingerprint; }
std::uint64_t DeviceLoader::image_batch_bytes() const { return core_->batch_bytes.image; }
std::uint64_t DeviceLoader::label_batch_bytes() const { return core_->batch_bytes.label; }
const ResidencyChoice& DeviceLoader::residency() const { return core_->residency; }
DeviceLoaderStatistics DeviceLoader::statistics() const { return core_->statistics(); }

Result<std::optional<DeviceBatch>> DeviceLoader::next(CUstream_st* stream, Timeout timeout) {
  return core_->next(stream, timeout.value_or(core_->timeout));
}
Result<std::optional<DeviceBatchInfo>> DeviceLoader::next_into(const DeviceBuffers& buffers,
                                                               CUstream_st* stream,
                                                               Timeout timeout) {
  return core_->next_into(buffers, stream, timeout.value_or(core_->timeout));
}

Status DeviceLoader::seek(std::uint64_t epoch, std::uint64_t step) {
  return core_->move({epoch, step}, [&](Loader& loader) { return loader.seek(epoch, step); });
}
Status DeviceLoader::begin_epoch(std::uint64_t epoch) { return core_->begin_epoch(epoch); }
LoaderPosition DeviceLoader::position() const { return core_->position(); }
LoaderState DeviceLoader::state() const {
  LoaderState state = core_->state;
  const LoaderPosition at = position();
  state.epoch = at.epoch;
  state.samples = at.step * state.global_batch_size;
  return state;
}
Status DeviceLoader::restore(const LoaderState& state) {
  const std::uint64_t samples = std::max<std::uint64_t>(1, state.global_batch_size);
  return core_->move({state.epoch, state.samples / samples},
                     [&](Loader& loader) { return loader.restore(state); });
}
void DeviceLoader::cancel() noexcept {
  if (core_) core_->cancel();
}
void DeviceLoader::close() noexcept {
  if (core_) core_->close();
}

// ---- DLPack

template <class Managed>
static Result<DlpackPointer<Managed>> tensor_of(const DeviceBatch& batch, Field field,
                                                std::int64_t stream) {
  if (stream < -1 || stream == 0)
    return usage_error("the stream is " + std::to_string(stream) +
                       "; DLPack has 1 for the legacy default stream, 2 for the per-thread one, a "
                       "handle above 2, and -1 for none");
  if (batch.batch_size() == 0)
    return usage_error("the batch was released, so it has no memory to share");
  const DeviceField& chosen = field == Field::image ? batch.image() : batch.label();
  if (chosen.data == nullptr) return DlpackPointer<Managed>();
  auto tensor = loader::make_tensor<Managed>(
      {chosen.data, chosen.shape, chosen.dtype, {kDLCUDA, batch.device()}},
      std::make_shared<DeviceBatch>(batch));
  // the streams 1 and 2 of the protocol are those of the driver
  if (stream != -1)
    HOTPACK_TRY(batch.record_stream(
        device::device_pointer<CUstream_st>(static_cast<device::Pointer>(stream))));
  return tensor;
}

Result<DlpackPointer<DLManagedTensorVersioned>> to_dlpack(const DeviceBatch& batch, Field field,
                                                          std::int64_t stream) {
  return or_out_of_memory(
      [&] { return tensor_of<DLManagedTensorVersioned>(batch, field, stream); });
}
Result<DlpackPointer<DLManagedTensor>> to_dlpack_legacy(const DeviceBatch& batch, Field field,
                                                        std::int64_t stream) {
  return or_out_of_memory([&] { return tensor_of<DLManagedTensor>(batch, field, stream); });
}

}  // namespace hotpack
