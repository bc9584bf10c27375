#include "pipeline/run.hpp"

#include <tbb/concurrent_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>

#include <atomic>
#include <new>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

// One sample on its way. Slots are reused, so their vectors keep their capacity.
struct Slot {
  Outcome outcome;
  const Sample* sample = nullptr;
  std::shared_ptr<ShardSink> shard;
  bool first = false, last = false;  // of its shard
  std::optional<Error> error;
};

// What one thread owns.
struct Worker {
  Worker(const RunInput& input)
      : samples(input.options, input.setup, input.plan.schema, input.list), compressor(input.options.shard.zstd_level) {
    packed.sums = format::Sums(input.plan.schema.image.channels(), input.plan.schema.label ? input.plan.schema.class_count() : 0);
  }
  SampleWorker samples;
  writer::FrameCompressor compressor;
  PackedSample packed;
};

class Runner {
 public:
  Runner(const RunInput& input, Sink& sink, Observer& observer)
      : input_(input), sink_(sink), observer_(observer), workers_([&] { return Worker(input); }) {
    const format::Contents contents = input.plan.contents(ShardPlan{});
    zstd_image_ = contents.image_zstd;
    zstd_label_ = contents.label_zstd;
    progress_.stage = input.stage;
    progress_.samples_total = input.list.samples.size();
    progress_.samples_done = input.already_done;
    const std::size_t in_flight = 2 * static_cast<std::size_t>(input.options.run.threads) + 2;
    slots_.resize(in_flight);
    for (Slot& slot : slots_) free_.push(&slot);
  }

  Result<RunResult> run() {
    observer_.progress(progress_);
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, Slot*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) { return take(flow); }) &
            tbb::make_filter<Slot*, Slot*>(tbb::filter_mode::parallel, [&](Slot* slot) { return work(slot), ++steps_done_, slot; }) &
            tbb::make_filter<Slot*, void>(tbb::filter_mode::serial_in_order, [&](Slot* slot) { deliver(slot), ++steps_done_; }));
    // What the workers did happens before what follows. TBB sees to that as well, but where a thread sanitizer cannot look.
    (void)steps_done_.load();
    if (error_) return *error_;
    return result_;
  }

 private:
  // Input: the next sample, or the end.
  Slot* take(tbb::flow_control& flow) {
    if (!failed_ && observer_.stop_requested()) result_.stopped = true;
    if (failed_ || unopened_ || result_.stopped || !advance()) {
      flow.stop();
      return nullptr;
    }
    Slot* slot = nullptr;
    free_.pop(slot);
    const ShardPlan& shard = input_.plan.shards[input_.shards[shard_]];
    slot->outcome.shard = input_.shards[shard_];
    slot->outcome.slot = next_;
    slot->outcome.problem.reset();
    slot->error.reset();
    slot->sample = &input_.list.samples[static_cast<std::size_t>(shard.first + next_)];
    slot->first = next_ == 0;
    slot->last = next_ + 1 == shard.samples;
    if (slot->first) open_shard(*slot);
    slot->shard = current_;
    ++next_;
    return slot;
  }

  // Moves on to the next shard that has samples left.
  bool advance() {
    while (shard_ < input_.shards.size() && next_ == input_.plan.shards[input_.shards[shard_]].samples) {
      ++shard_;
      next_ = 0;
    }
    return shard_ < input_.shards.size();
  }

  void open_shard(Slot& slot) {
    Result<std::shared_ptr<ShardSink>> opened = sink_.open_shard(slot.outcome.shard);
    if (opened.ok()) {
      current_ = std::move(opened).value();
      return;
    }
    // No later sample may go on: it would be written through the shard before.
    current_.reset();
    unopened_ = true;
    slot.error = std::move(opened).error();
  }

  // Parallel: files to record bytes.
  void work(Slot* slot) {
    if (slot->error || failed_) return;
    Status status = [&]() -> Status {
      try {
        return pack(*slot, workers_.local());
      } catch (const std::bad_alloc&) {
        return Error{ErrorCode::io,
                     "not enough memory for this picture and its record; use fewer threads with -j, or a smaller --max-pixels",
                     input_.list.image_path(*slot->sample),
                     {}};
      } catch (const std::exception& exception) {
        return internal_error(input_.list.image_path(*slot->sample) + ": " + exception.what());
      }
    }();
    if (!status.ok()) slot->error = std::move(status).error();
  }

  Status pack(Slot& slot, Worker& worker) {
    HOTPACK_ASSIGN(slot.outcome.problem, worker.samples.process(*slot.sample, worker.packed));
    slot.outcome.bytes_in = slot.sample->image.bytes + slot.sample->label.bytes;
    slot.outcome.bytes_out = 0;
    if (slot.outcome.problem) return {};
    slot.outcome.entry = worker.packed.entry;
    slot.outcome.sums = worker.packed.sums;
    slot.outcome.remarks = worker.packed.remarks;
    slot.outcome.bytes_out = worker.packed.image.size() + worker.packed.label.size();
    if (zstd_image_ || zstd_label_) return store_frames(slot.outcome, worker);
    return slot.shard ? slot.shard->write_payload(slot.outcome.slot, worker.packed) : Status();
  }

  Status store_frames(Outcome& outcome, Worker& worker) const {
    HOTPACK_TRY(store(worker, zstd_image_, worker.packed.image, outcome.image_frame));
    HOTPACK_TRY(store(worker, zstd_label_, worker.packed.label, outcome.label_frame));
    outcome.entry.image_stored = outcome.image_frame.size();
    outcome.entry.label_stored = outcome.label_frame.size();
    outcome.entry.image_frame_crc = crc32c(outcome.image_frame);
    outcome.entry.label_frame_crc = crc32c(outcome.label_frame);
    outcome.bytes_out = outcome.image_frame.size() + outcome.label_frame.size();
    return {};
  }

  static Status store(Worker& worker, bool zstd, std::span<const std::byte> record, std::vector<std::byte>& stored) {
    if (zstd) return worker.compressor.compress(record, stored);
    stored.assign(record.begin(), record.end());
    return {};
  }

  // Output, in order.
  void deliver(Slot* slot) {
    if (!failed_) {
      if (!slot->error) accept(*slot);
      if (slot->error) {
        error_ = std::move(slot->error);
        failed_ = true;
      }
    }
    slot->shard.reset();
    free_.push(slot);
  }

  void accept(Slot& slot) {
    ++progress_.samples_done;
    progress_.bytes_in += slot.outcome.bytes_in;
    progress_.bytes_out += slot.outcome.bytes_out;
    progress_.problems += slot.outcome.problem.has_value();
    if (!slot.outcome.problem) result_.remarks.add(slot.outcome.remarks);
    result_.bytes_in = progress_.bytes_in;
    result_.bytes_out = progress_.bytes_out;
    Status status = sink_.accept(slot.outcome);
    if (status.ok() && slot.last) status = sink_.finish_shard(slot.outcome.shard);
    if (!status.ok()) slot.error = std::move(status).error();
    observer_.progress(progress_);
  }

  const RunInput& input_;
  Sink& sink_;
  Observer& observer_;
  tbb::enumerable_thread_specific<Worker> workers_;
  std::vector<Slot> slots_;
  tbb::concurrent_bounded_queue<Slot*> free_;
  bool zstd_image_ = false, zstd_label_ = false;

  std::size_t shard_ = 0;   // index into input_.shards; input stage only
  std::uint64_t next_ = 0;  // sample in that shard; input stage only
  std::shared_ptr<ShardSink> current_;
  bool unopened_ = false;  // a shard could not be opened; input stage only

  std::atomic<bool> failed_ = false;
  std::atomic<std::uint64_t> steps_done_ = 0;
  std::optional<Error> error_;  // output stage only
  RunResult result_;
  Progress progress_;
};

}  // namespace

Result<RunResult> run_samples(const RunInput& input, Sink& sink, Observer& observer) { return Runner(input, sink, observer).run(); }

}  // namespace hotpack::pipeline
