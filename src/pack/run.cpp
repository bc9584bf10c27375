#include "pack/run.hpp"

#include <tbb/concurrent_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "label_setup/source_file.hpp"
#include "settings/memory_budget.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

// The most tiles of one image that a worker takes at once. With more tiles, images are decoded less
// often, but the sums of more tiles, and their compressed records, wait in memory.
constexpr std::size_t kMostTiles = 256;
constexpr std::uint64_t kMostWaitingBytes = std::uint64_t{32} << 20;

// Returns the number of slots of the pipeline. A finished sample stays in its slot until all
// samples before it are finished; with few slots, a single large image makes threads idle.
// `waiting` is the memory of such a slot in bytes. Waiting slots also keep the shards of their
// samples open, so small shards limit the number of slots, too. A check has few slots, because the
// size of what it finds in the pixels is unknown.
std::size_t slot_count(const RunInput& input, std::uint64_t waiting) {
  const auto threads = static_cast<std::uint64_t>(input.options.run.threads);
  const std::uint64_t least = 2 * threads + 2;
  if (input.inspect) return static_cast<std::size_t>(least);
  std::uint64_t most = std::min(64 * threads + 64, kMostWaitingBytes / waiting);
  for (std::size_t i = 0; i + 1 < input.shards.size(); ++i)
    most = std::min(most, least * input.plan.shards[input.shards[i]].samples);
  return static_cast<std::size_t>(std::max(least, most));
}

// A place in the pipeline: holds a sample that is being processed, or several tiles of one image,
// so that the image is decoded once. Slots are reused, so their vectors keep their capacity.
struct Slot {
  struct Item {
    Outcome outcome;
    const Sample* sample = nullptr;
  };
  std::vector<Item> items;  // the first `count` are in use
  std::size_t count = 0;
  std::shared_ptr<ShardSink> shard;
  bool last = false;  // the last samples of the shard
  std::optional<Error> error;
};

// The state of one thread.
struct Worker {
  Worker(const RunInput& input, MemoryBudget& budget)
      : samples(input.options, input.setup, input.plan, input.list, &budget),
        compressor(input.options.shard.zstd_level) {
    packed.sums = format::Sums(input.plan.schema.image.channels(),
                               input.plan.schema.label ? input.plan.schema.class_count() : 0);
  }
  SampleWorker samples;
  writer::FrameCompressor compressor;
  PackedSample packed;
};

class Runner {
 public:
  Runner(const RunInput& input, Sink& sink, Observer& observer)
      : input_(input),
        sink_(sink),
        observer_(observer),
        budget_(input.options.run.max_memory, input.options.run.threads),
        workers_([&] { return Worker(input, budget_); }) {
    const format::Contents contents = input.plan.contents(ShardPlan{});
    zstd_image_ = contents.image_zstd;
    zstd_label_ = contents.label_zstd;
    std::uint64_t waiting =
        sizeof(Slot::Item) + sizeof(format::Sums::ClassCount) * input.plan.schema.class_count();
    if (zstd_image_ || zstd_label_) waiting += input.plan.largest.total();
    most_tiles_ = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(kMostWaitingBytes / waiting, 1, kMostTiles));
    progress_.stage = input.stage;
    progress_.samples_total = input.already_done;
    for (const std::size_t shard : input.shards)
      progress_.samples_total += input.plan.shards[shard].samples;
    progress_.samples_done = input.already_done;
    slots_.resize(slot_count(input, input.options.record.tile ? waiting * most_tiles_ : waiting));
    for (Slot& slot : slots_) free_.push(&slot);
  }

  Result<RunResult> run() {
    observer_.progress(progress_);
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, Slot*>(tbb::filter_mode::serial_in_order,
                                      [&](tbb::flow_control& flow) { return take(flow); }) &
            tbb::make_filter<Slot*, Slot*>(
                tbb::filter_mode::parallel,
                [&](Slot* slot) { return work(slot), ++steps_done_, slot; }) &
            tbb::make_filter<Slot*, void>(tbb::filter_mode::serial_in_order,
                                          [&](Slot* slot) { deliver(slot), ++steps_done_; }));
    // Makes everything that workers wrote visible to the code below. TBB does so, too, but in a way
    // that ThreadSanitizer cannot see.
    (void)steps_done_.load();
    if (const auto notice = budget_.notice()) observer_.message(Level::info, *notice);
    if (error_) return *error_;
    return result_;
  }

 private:
  // The input stage: fills a slot with the next sample, or ends the pipeline.
  Slot* take(tbb::flow_control& flow) {
    if (!failed_ && observer_.stop_requested()) result_.stopped = true;
    if (failed_ || unopened_ || result_.stopped || !advance()) {
      flow.stop();
      return nullptr;
    }
    Slot* slot = nullptr;
    free_.pop(slot);
    slot->error.reset();
    slot->count = 0;
    if (next_ == 0) open_shard(*slot);
    slot->shard = current_;
    const ShardPlan& shard = input_.plan.shards[input_.shards[shard_]];
    do add_item(*slot, shard);
    while (next_ < shard.samples && slot->count < most_tiles_ && continues_image(shard));
    slot->last = next_ == shard.samples;
    return slot;
  }

  [[nodiscard]] const Sample& sample_at(const ShardPlan& shard, std::uint64_t slot) const {
    return input_.list.samples[static_cast<std::size_t>(shard.first + slot)];
  }

  // True if the next sample is another tile of the previous sample's image.
  [[nodiscard]] bool continues_image(const ShardPlan& shard) const {
    return input_.options.record.tile &&
           sample_at(shard, next_).image.text == sample_at(shard, next_ - 1).image.text;
  }

  void add_item(Slot& slot, const ShardPlan& shard) {
    if (slot.items.size() == slot.count) slot.items.emplace_back();
    Slot::Item& item = slot.items[slot.count++];
    item.sample = &sample_at(shard, next_);
    item.outcome.shard = input_.shards[shard_];
    item.outcome.slot = next_++;
    item.outcome.problem.reset();
    item.outcome.inspection.reset();
    const RecordBytes bytes = input_.plan.bytes_of(*item.sample);
    item.outcome.place = {image_offset_, bytes.image, label_offset_, bytes.label};
    image_offset_ += bytes.image;
    label_offset_ += bytes.label;
  }

  // Moves on to the next shard that has samples left. Returns false if there is none.
  bool advance() {
    while (shard_ < input_.shards.size() &&
           next_ == input_.plan.shards[input_.shards[shard_]].samples) {
      ++shard_;
      next_ = 0;
    }
    return shard_ < input_.shards.size();
  }

  void open_shard(Slot& slot) {
    image_offset_ = label_offset_ = 0;
    Result<std::shared_ptr<ShardSink>> opened = sink_.open_shard(input_.shards[shard_]);
    if (opened.ok()) {
      current_ = std::move(opened).value();
      return;
    }
    // Stop here. Otherwise the next sample would be written into the previous shard.
    current_.reset();
    unopened_ = true;
    slot.error = std::move(opened).error();
  }

  // The parallel stage: turns files into record bytes.
  void work(Slot* slot) {
    // Other threads wait for the memory of a large image, so it is freed even if this one throws.
    struct Freed {
      Worker* worker = nullptr;
      ~Freed() {
        if (worker != nullptr) worker->samples.free_large();
      }
    } freed;
    for (std::size_t i = 0; i < slot->count && !slot->error && !failed_; ++i) {
      Status status = work_on(slot->items[i], *slot, freed.worker);
      if (!status.ok()) slot->error = std::move(status).error();
    }
  }

  // Sets `worker` to that of this thread.
  Status work_on(Slot::Item& item, const Slot& slot, Worker*& worker) {
    try {
      worker = &workers_.local();
      return pack(item, slot, *worker);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::io,
                   "not enough memory for this image and its record; use fewer threads with -j, or "
                   "a smaller --max-pixels",
                   input_.list.image_path(*item.sample),
                   {}};
    } catch (const std::exception& exception) {
      return internal_error(input_.list.image_path(*item.sample) + ": " + exception.what());
    }
  }

  Status pack(Slot::Item& item, const Slot& slot, Worker& worker) {
    Outcome& outcome = item.outcome;
    const bool first_of_image = item.sample->tile_x == 0 && item.sample->tile_y == 0;
    if (input_.inspect) outcome.inspection = std::make_unique<SampleInspection>();
    worker.packed.inspection = outcome.inspection.get();
    const auto processed = worker.samples.process(*item.sample, worker.packed);
    if (!processed.ok() && !is_reported_as_problem(processed.error())) return processed.error();
    outcome.problem = processed.ok() ? *processed : unopenable(processed.error());
    outcome.bytes_in =
        first_of_image ? item.sample->image.bytes + label_bytes(input_.list, *item.sample) : 0;
    outcome.bytes_out = 0;
    if (outcome.problem) return {};
    outcome.entry = worker.packed.entry;
    outcome.sums = worker.packed.sums;
    outcome.classes = worker.packed.classes;
    outcome.diagnostics = worker.packed.diagnostics;
    outcome.bytes_out = worker.packed.image.size() + worker.packed.label.size();
    if (zstd_image_ || zstd_label_) return store_frames(outcome, worker);
    return slot.shard ? slot.shard->write_payload(outcome.place, worker.packed) : Status();
  }

  // True if an unreadable file is only reported: `check` reports all; packing stops at the first.
  [[nodiscard]] bool is_reported_as_problem(const Error& error) const {
    return input_.inspect && error.code == ErrorCode::io && !error.path.empty();
  }
  static std::optional<Problem> unopenable(const Error& error) {
    return Problem{ProblemKind::unopenable_file, error.path, what_failed(error)};
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

  static Status store(Worker& worker, bool zstd, std::span<const std::byte> record,
                      std::vector<std::byte>& stored) {
    if (!zstd) stored.assign(record.begin(), record.end());
    Status status = zstd ? worker.compressor.compress(record, stored) : Status();
    if (record.size() > kMostWaitingBytes) stored.shrink_to_fit();
    return status;
  }

  // The output stage: passes the samples to the sink, in order.
  void deliver(Slot* slot) {
    Status status = slot->error ? Status(*slot->error) : Status();
    for (std::size_t i = 0; i < slot->count && status.ok() && !failed_; ++i)
      status = accept(slot->items[i].outcome);
    if (status.ok() && slot->last && !failed_)
      status = sink_.finish_shard(slot->items.front().outcome.shard);
    if (!status.ok() && !failed_) {
      error_ = std::move(status).error();
      failed_ = true;
    }
    slot->shard.reset();
    free_.push(slot);
  }

  Status accept(Outcome& outcome) {
    ++progress_.samples_done;
    progress_.bytes_in += outcome.bytes_in;
    progress_.bytes_out += outcome.bytes_out;
    progress_.problems += outcome.problem.has_value();
    if (!outcome.problem) {
      result_.diagnostics.add(outcome.diagnostics);
      result_.classes.add(outcome.classes, outcome.sums);
    }
    result_.bytes_in = progress_.bytes_in;
    result_.bytes_out = progress_.bytes_out;
    observer_.progress(progress_);
    return sink_.accept(outcome);
  }

  const RunInput& input_;
  Sink& sink_;
  Observer& observer_;
  MemoryBudget budget_;
  tbb::enumerable_thread_specific<Worker> workers_;
  std::vector<Slot> slots_;
  tbb::concurrent_bounded_queue<Slot*> free_;
  bool zstd_image_ = false, zstd_label_ = false;
  std::size_t most_tiles_ = kMostTiles;  // in one slot

  std::size_t shard_ = 0;   // index into input_.shards; input stage only
  std::uint64_t next_ = 0;  // sample in that shard; input stage only
  std::uint64_t image_offset_ = 0,
                label_offset_ = 0;  // place of the next record in the payload; input stage only
  std::shared_ptr<ShardSink> current_;
  bool unopened_ = false;  // a shard could not be opened; input stage only

  std::atomic<bool> failed_ = false;
  std::atomic<std::uint64_t> steps_done_ = 0;
  std::optional<Error> error_;  // output stage only
  RunResult result_;
  Progress progress_;
};

}  // namespace

Result<RunResult> run_samples(const RunInput& input, Sink& sink, Observer& observer) {
  return Runner(input, sink, observer).run();
}

}  // namespace hotpack::pipeline
