#include "hotpack/loader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "expand/processor.hpp"
#include "loader/batch_filler.hpp"
#include "loader/caller_memory.hpp"
#include "loader/lease.hpp"
#include "loader/ring.hpp"
#include "loader/run.hpp"
#include "loader/strided_loader.hpp"

namespace hotpack {

namespace {

using loader::BatchFiller;
using loader::BatchForm;
using loader::Cursor;
using loader::Ring;
using loader::RowBytes;
using loader::Slot;

constexpr std::size_t kStreamedBytes = std::size_t{1} << 20;

// Returns the bytes of one field of a batch, or nothing on overflow.
std::optional<std::uint64_t> batch_bytes(std::uint64_t row_bytes, std::size_t rows) {
  return checked_mul(row_bytes, rows);
}

Status check_memory(const LoaderOptions& options, std::optional<std::uint64_t> slot_bytes,
                    unsigned slots) {
  const auto all = slot_bytes ? checked_mul(*slot_bytes, slots) : slot_bytes;
  if (!all)
    return usage_error(
        "a batch of these sizes has more bytes than a machine can hold; use a smaller batch");
  if (options.memory_budget_bytes == 0 || *all <= options.memory_budget_bytes) return {};
  Error error = usage_error(
      "the slots need " + std::to_string(*all) + " bytes (" + std::to_string(slots) + " slots of " +
      std::to_string(*slot_bytes) + "), but memory_budget_bytes is " +
      std::to_string(options.memory_budget_bytes) +
      "; use a smaller batch, a smaller prefetch_batches or a larger memory_budget_bytes");
  error.option = "memory_budget_bytes";
  return error;
}

// Makes the slots of a ring. They have memory if all rows have the same size.
class SlotMaker {
 public:
  static Result<SlotMaker> make(const LoaderOptions& options, const BatchForm& form,
                                std::size_t rows, std::shared_ptr<SlotAllocator> allocator,
                                const SinkSlots& sink) {
    SlotMaker maker;
    const PixelSize output = form.output().value_or(PixelSize{});
    const RowBytes row = form.row_bytes(form.record(), output);
    const auto image = sink.sink ? sink.bytes : batch_bytes(row.image, rows);
    const auto label = sink.sink ? 0 : batch_bytes(row.label, rows);
    const auto block = image && label ? loader::slot_block_bytes(*image, *label) : std::nullopt;
    HOTPACK_TRY(check_memory(options, sink.sink ? image : block,
                             sink.sink ? sink.count : options.prefetch_batches));
    maker.allocator_ = std::move(allocator);
    maker.rows_ = rows;
    maker.has_memory_ = sink.sink || form.output().has_value();
    maker.bytes_ = {*image, *label};
    form.describe(form.record(), output, rows, maker.image_, maker.label_);
    if (options.memory_budget_bytes != 0) {
      // rows of different sizes: BatchFiller divides the budget by the number of slots
      maker.most_slots_ = maker.has_memory_ ? options.memory_budget_bytes / *block
                                            : std::size_t{options.prefetch_batches};
    }
    return maker;
  }

  [[nodiscard]] Result<std::unique_ptr<Slot>> operator()() const {
    auto slot = std::make_unique<Slot>();
    if (has_memory_) HOTPACK_TRY(loader::grow(*slot, allocator_, bytes_.image, bytes_.label));
    slot->samples.resize(rows_);
    slot->keys.resize(rows_);
    slot->crops.resize(rows_);
    // not of the whole fields: grow() has set their bytes
    slot->image.shape = image_.shape;
    slot->image.dtype = image_.dtype;
    slot->label.shape = label_.shape;
    slot->label.dtype = label_.dtype;
    return slot;
  }

  [[nodiscard]] ElementType image_type() const { return image_.dtype; }
  [[nodiscard]] ElementType label_type() const { return label_.dtype; }
  [[nodiscard]] std::size_t most_slots() const { return most_slots_; }

 private:
  SlotMaker() = default;

  std::shared_ptr<SlotAllocator> allocator_;
  std::size_t rows_ = 0;
  bool has_memory_ = false;
  RowBytes bytes_;  // of all rows together
  BatchField image_;
  BatchField label_;
  std::size_t most_slots_ = std::numeric_limits<std::size_t>::max();
};

void copy_field(std::span<std::byte> into, std::span<const std::byte> bytes) {
  if (into.empty() || bytes.empty()) return;
  if (bytes.size() >= kStreamedBytes) {
    expand::stream_copy(into.data(), bytes.data(), bytes.size());
  } else {
    std::memcpy(into.data(), bytes.data(), bytes.size());
  }
}

BatchInfo info_of(const Slot& slot) {
  BatchInfo info;
  info.epoch = slot.cursor.epoch;
  info.step = slot.cursor.step;
  info.batch_size = slot.samples.size();
  info.num_valid = slot.valid;
  info.image_shape = slot.image.shape;
  info.label_shape = slot.label.shape;
  info.image_dtype = slot.image.dtype;
  info.label_dtype = slot.label.dtype;
  info.indices = slot.samples;
  info.keys = slot.keys;
  info.crops = slot.crops;
  return info;
}

}  // namespace

Batch::Batch(std::shared_ptr<const loader::Lease> lease) : lease_(std::move(lease)) {}

const Slot& Batch::slot() const {
  static const Slot empty;
  return lease_ ? lease_->slot() : empty;
}

std::uint64_t Batch::epoch() const { return slot().cursor.epoch; }
std::uint64_t Batch::step() const { return slot().cursor.step; }
std::size_t Batch::batch_size() const { return slot().samples.size(); }
std::size_t Batch::num_valid() const { return slot().valid; }
const BatchField& Batch::image() const { return slot().image; }
const BatchField& Batch::label() const { return slot().label; }
std::span<const std::int64_t> Batch::indices() const { return slot().samples; }
std::string_view Batch::key(std::size_t row) const {
  return row < batch_size() ? std::string_view(slot().keys[row]) : std::string_view();
}
std::span<const SampleCrop> Batch::crops() const { return slot().crops; }

struct Loader::Impl {
  LoaderState start;  // the state of this run at its first step
  StepPlan plan;
  std::chrono::milliseconds timeout{0};
  BatchFiller* filler = nullptr;  // owned by the ring
  std::shared_ptr<Ring> ring;
  RowBytes row;  // 0 if rows have no common size
  bool one_size = true;
  ElementType image_type = ElementType::u8;
  ElementType label_type = ElementType::u8;

  static Result<Loader> open(const Dataset& dataset, const LoaderOptions& options,
                             std::uint64_t stride, const SinkSlots& sink);

  [[nodiscard]] std::uint64_t image_bytes() const {
    return (one_size ? row.image : filler->largest_row().image.load()) * plan.rows();
  }
  [[nodiscard]] std::uint64_t label_bytes() const {
    return (one_size ? row.label : filler->largest_row().label.load()) * plan.rows();
  }
  [[nodiscard]] Status check_buffers(const BatchBuffers& into, std::uint64_t image,
                                     std::uint64_t label) const {
    HOTPACK_TRY(loader::check_buffer("image", into.image, image, image_type));
    return loader::check_buffer("label", into.label, label, label_type);
  }
};

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::~Loader() {
  close();
  if (impl_ && impl_->ring->forked()) loader::forget(std::move(impl_->ring));
}
Loader::Loader(Loader&&) noexcept = default;

Loader& Loader::operator=(Loader&& other) noexcept {
  Loader taken(std::move(other));
  std::swap(impl_, taken.impl_);  // the previous loader closes with `taken`
  return *this;
}

Result<Loader> Loader::open(const Dataset& dataset, const LoaderOptions& options) {
  return StridedLoader::open(dataset, options, 1);
}

Result<Loader> StridedLoader::open(const Dataset& dataset, const LoaderOptions& options,
                                   std::uint64_t stride, const SinkSlots& sink) {
  try {
    return Loader::Impl::open(dataset, options, stride, sink);
  } catch (const std::exception& thrown) {  // std::bad_alloc, or of the caller's allocator
    return or_out_of_memory([&]() -> Result<Loader> {
      const std::string why =
          dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ? "out of memory" : thrown.what();
      return Error{ErrorCode::io,
                   "cannot open a loader with these options: " + why + "; use a smaller batch",
                   {},
                   {}};
    });
  }
}

Result<Loader> Loader::Impl::open(const Dataset& dataset, const LoaderOptions& options,
                                  std::uint64_t stride, const SinkSlots& sink) {
  HOTPACK_TRY(loader::check_options(options));
  if (stride == 0) return usage_error("stride is 0; it must be 1 or more");
  HOTPACK_ASSIGN(auto source,
                 loader::RecordSource::make(dataset, options.verify_checksums, options.access));
  auto impl = std::make_unique<Impl>();
  HOTPACK_ASSIGN(impl->plan, loader::plan_of(source->records(), options));
  HOTPACK_ASSIGN(BatchForm form, BatchForm::make(source->schema(), options, impl->plan.rows()));
  impl->start = loader::first_state(*source, options, impl->plan);
  impl->timeout = options.timeout;
  HOTPACK_ASSIGN(const Cursor start,
                 loader::first_cursor(options, impl->start, impl->plan.steps()));

  const auto allocator = options.allocator ? options.allocator : loader::page_allocator();
  HOTPACK_ASSIGN(SlotMaker maker,
                 SlotMaker::make(options, form, impl->plan.rows(), allocator, sink));
  std::vector<std::unique_ptr<Slot>> slots;
  for (unsigned number = 0; number < (sink.sink ? sink.count : options.prefetch_batches);
       ++number) {
    HOTPACK_ASSIGN(auto slot, maker());
    slots.push_back(std::move(slot));
  }
  impl->image_type = maker.image_type();
  impl->label_type = maker.label_type();
  impl->one_size = form.output().has_value();
  impl->row = form.row_bytes(form.record(), form.output().value_or(PixelSize{}));

  const unsigned threads = loader::thread_count(options);
  const loader::RingOptions ring{loader::rows_per_item(impl->row, impl->plan.rows(), threads),
                                 impl->plan.steps(), threads, stride};
  auto filler = std::make_unique<BatchFiller>(
      BatchFiller::Parts{std::move(source), std::move(form), impl->plan, impl->start.order,
                         allocator, options.memory_budget_bytes / options.prefetch_batches,
                         sink.sink, stride},
      threads);
  impl->filler = filler.get();
  const std::size_t most_slots = maker.most_slots();
  impl->ring = std::make_shared<Ring>(
      ring, std::move(slots), std::move(filler), start,
      sink.sink ? loader::RingGrowth{} : loader::RingGrowth{std::move(maker), most_slots});
  Loader loader(std::move(impl));  // closes what has started if a thread cannot start
  HOTPACK_TRY(loader.impl_->ring->start());
  return loader;
}

std::uint64_t Loader::steps_per_epoch() const { return impl_->plan.steps(); }
std::size_t Loader::batch_size() const { return impl_->plan.rows(); }
unsigned Loader::threads() const { return impl_->ring->options().threads; }
const std::string& Loader::fingerprint() const { return impl_->start.fingerprint; }
std::uint64_t Loader::image_batch_bytes() const { return impl_->image_bytes(); }
std::uint64_t Loader::label_batch_bytes() const { return impl_->label_bytes(); }
std::uint64_t Loader::slot_bytes() const {
  return impl_->ring->slots() *
         loader::slot_block_bytes(impl_->image_bytes(), impl_->label_bytes()).value_or(0);
}

Result<std::optional<Batch>> Loader::next() { return next(impl_->timeout); }

Result<std::optional<Batch>> Loader::next(std::chrono::milliseconds timeout) {
  return or_out_of_memory([&]() -> Result<std::optional<Batch>> {
    auto lease = std::make_shared<loader::Lease>(impl_->ring);  // before a slot could get lost
    HOTPACK_ASSIGN(Slot* const slot, impl_->ring->next_to_hold(timeout));
    if (slot == nullptr) return std::optional<Batch>();
    lease->take(slot);
    return std::optional<Batch>(Batch(std::move(lease)));
  });
}

Result<std::optional<BatchInfo>> Loader::next_into(const BatchBuffers& into) {
  return or_out_of_memory([&]() -> Result<std::optional<BatchInfo>> {
    if (impl_->one_size)
      HOTPACK_TRY(impl_->check_buffers(into, image_batch_bytes(), label_batch_bytes()));
    BatchInfo info;
    // Called before the batch is taken. If it fails, because rows differ in size and the caller
    // must provide larger buffers, or because memory for the info is lacking, the batch is not
    // lost.
    const auto accept = [&](const Slot& slot) -> std::optional<Error> {
      Status enough = impl_->check_buffers(into, slot.image.bytes.size(), slot.label.bytes.size());
      if (!enough.ok()) return std::move(enough).error();
      info = info_of(slot);
      return {};
    };
    HOTPACK_ASSIGN(Slot* const slot, impl_->ring->next(impl_->timeout, accept));
    if (slot == nullptr) return std::optional<BatchInfo>();
    copy_field(into.image, slot->image.bytes);
    copy_field(into.label, slot->label.bytes);
    expand::store_fence();
    impl_->ring->release(slot);
    return std::optional(std::move(info));
  });
}

Status Loader::seek(std::uint64_t epoch, std::uint64_t step) {
  return or_out_of_memory([&]() -> Status {
    HOTPACK_TRY(loader::check_seek(epoch, step, steps_per_epoch()));
    return impl_->ring->seek({epoch, step});
  });
}

Status Loader::begin_epoch(std::uint64_t epoch) {
  return or_out_of_memory([&]() -> Status {
    HOTPACK_TRY(loader::check_seek(epoch, 0, steps_per_epoch()));
    return impl_->ring->begin_epoch(epoch);
  });
}

LoaderPosition Loader::position() const {
  const Cursor at = impl_->ring->position();
  return {at.epoch, at.step};
}

std::size_t Loader::slots() const { return impl_->ring->slots(); }
std::size_t Loader::leased() const { return impl_->ring->leased(); }

LoaderState Loader::state() const {
  LoaderState state = impl_->start;
  const Cursor at = impl_->ring->position();
  state.epoch = at.epoch;
  state.samples = at.step * state.global_batch_size;
  return state;
}

Status Loader::restore(const LoaderState& state) {
  return or_out_of_memory([&]() -> Status {
    HOTPACK_ASSIGN(const Cursor cursor, loader::cursor_of(state, impl_->start, steps_per_epoch()));
    return impl_->ring->seek(cursor);
  });
}

void Loader::cancel() noexcept {
  if (impl_) impl_->ring->cancel();
}

void Loader::close() noexcept {
  if (impl_) impl_->ring->close();
}

}  // namespace hotpack
