#include "device/resident_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/work_threads.hpp"
#include "expand/processor.hpp"
#include "loader/ring.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::device {

using loader::BatchForm;
using loader::Record;
using loader::RecordShape;
using loader::RecordSource;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kUsualKeyBytes = 256;
constexpr std::chrono::milliseconds kBetweenTellings{50};

// What a thread does next: it loads a chunk.
struct Work {
  Chunk chunk;
  loader::RowRange ahead;  // samples of later chunks: asks the system to read them ahead
};

// The progress of the load, which all threads share.
class Progress {
 public:
  Progress(ResidentSet& set, std::uint64_t chunk_bytes, std::size_t threads)
      : set_(set), chunk_bytes_(chunk_bytes), ahead_bytes_(threads * chunk_bytes) {}

  // Returns the next chunk of samples to load, in the order of the files. Returns nothing if no
  // samples are left, or after a failure.
  std::optional<Work> next() {
    const std::lock_guard lock(mutex_);
    const RecordBlocks& blocks = *set_.blocks;
    if (next_ == blocks.records() || !failed_.ok()) return std::nullopt;
    Chunk chunk{next_, next_ + 1, blocks.begin(next_), blocks.bytes(next_)};
    while (chunk.last < blocks.records() &&
           chunk.bytes + blocks.bytes(chunk.last) <= chunk_bytes_ &&
           chunk.last - chunk.first < kMostSamples) {
      chunk.bytes += blocks.bytes(chunk.last++);
    }
    next_ = chunk.last;
    return Work{chunk, move_ahead()};
  }

  void add_keys(const Chunk& chunk, std::string_view characters,
                const std::vector<std::uint32_t>& lengths) {
    const std::lock_guard lock(mutex_);
    set_.keys.add(chunk.first, characters, lengths);
  }

  void add_error(std::uint64_t sample, Error error) {
    const std::lock_guard lock(mutex_);
    set_.errors.emplace(sample, std::move(error));
  }

  void fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (failed_.ok()) failed_ = std::move(error);
  }

  void add_done(std::uint64_t bytes) {
    records_done_.fetch_add(1, std::memory_order_relaxed);
    bytes_done_.fetch_add(bytes, std::memory_order_relaxed);
  }

  [[nodiscard]] LoadProgress done() const {
    return {records_done_.load(), set_.blocks->records(), bytes_done_.load(),
            set_.blocks->total_bytes()};
  }

  // Ends the load soon: threads stop after the record at hand.
  void stop() {
    stopped_ = true;
    fail(stopped_error());
  }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  [[nodiscard]] static Error stopped_error() {
    return {ErrorCode::cancelled,
            "loading was stopped before all records were in memory; open the loader again",
            {},
            {}};
  }

  [[nodiscard]] Status status() const { return failed_; }

 private:
  // limit per chunk, because records may be tiny or have no block
  static constexpr std::uint64_t kMostSamples = 65536;

  // Returns the samples that the system should read ahead now: those of the next chunks (one chunk
  // per thread), without those that were requested before.
  loader::RowRange move_ahead() {
    const RecordBlocks& blocks = *set_.blocks;
    const std::uint64_t first = std::max(ahead_, next_), end = blocks.begin(next_) + ahead_bytes_;
    for (ahead_ = first;
         ahead_ < blocks.records() && ahead_ - next_ < kMostSamples && blocks.begin(ahead_) < end;)
      ++ahead_;
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(ahead_)};
  }

  ResidentSet& set_;
  const std::uint64_t chunk_bytes_;
  const std::uint64_t ahead_bytes_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::uint64_t ahead_ = 0;
  Status failed_;
  std::atomic<std::uint64_t> records_done_{0};
  std::atomic<std::uint64_t> bytes_done_{0};
  std::atomic<bool> stopped_{false};
};

// Tells the caller about the progress, now and then. Used by the thread that called open().
class Teller {
 public:
  Teller(Progress& progress, const LoadProgressFunction& listener)
      : progress_(progress), listener_(listener) {}

  void look() {
    if (!listener_ || steady_clock::now() < next_) return;
    tell();
    next_ = steady_clock::now() + kBetweenTellings;
  }
  void tell() {
    if (listener_ && !listener_(progress_.done())) progress_.stop();
  }

 private:
  Progress& progress_;
  const LoadProgressFunction& listener_;
  steady_clock::time_point next_ = steady_clock::now() + kBetweenTellings;
};

// The arguments and results of copy_record() for one record.
struct Copy {
  const RecordShape& shape;  // the shape for which the size of the block was computed
  std::byte* image;
  std::byte* label;
  char* key;
  std::size_t key_capacity;
  std::size_t key_bytes = 0;
  bool changed = false;
};

// Copies a record. Runs while faults of the file's memory are caught, so it must do nothing else.
void copy_record(void* context, const Record& record) {
  auto& copy = *static_cast<Copy*>(context);
  copy.changed = record.image.shape != copy.shape.image || record.label.shape != copy.shape.label;
  if (copy.changed) return;
  copy.key_bytes = record.key.size();
  std::memcpy(copy.key, record.key.data(), std::min(copy.key_bytes, copy.key_capacity));
  BatchForm::copy_stored(record, copy.image, copy.label);
}

// The work of one thread.
class Worker {
 public:
  // `teller`: null for threads that tell nothing
  Worker(const RecordSource& source, const BatchForm& form, ResidentSet& set, Progress& progress,
         Teller* teller)
      : source_(source),
        form_(form),
        set_(set),
        progress_(progress),
        teller_(teller),
        key_(kUsualKeyBytes, '\0') {}

  Status run(Lane& lane) {
    while (const auto work = progress_.next()) {
      ask_for(work->ahead);
      HOTPACK_ASSIGN(std::byte* const room, lane.room(work->chunk));
      HOTPACK_TRY(read_chunk(work->chunk, room));
      HOTPACK_TRY(lane.written(work->chunk));
    }
    return lane.finish();
  }

 private:
  // Asks the system to read the records of these samples ahead. Opens the shard of the first sample
  // for that. Ignores errors, because they appear when the record is read.
  void ask_for(loader::RowRange samples) const {
    if (samples.size() > 0) (void)source_.shape(samples.first);
    for (std::size_t sample = samples.first; sample < samples.last; ++sample)
      source_.read_ahead(sample);
  }

  Status read_chunk(const Chunk& chunk, std::byte* room) {
    characters_.clear();
    lengths_.clear();
    for (std::uint64_t sample = chunk.first; sample < chunk.last; ++sample) {
      if (progress_.stopped()) return Progress::stopped_error();
      auto read = read_record(sample, room + (set_.blocks->begin(sample) - chunk.begin));
      lengths_.push_back(read.ok() ? static_cast<std::uint32_t>(*read) : 0);
      if (read.ok()) {
        characters_.append(key_, 0, *read);
      } else {
        progress_.add_error(sample, std::move(read).error());
      }
      progress_.add_done(set_.blocks->bytes(sample));
      if (teller_ != nullptr) teller_->look();
    }
    expand::store_fence();
    progress_.add_keys(chunk, characters_, lengths_);
    return {};
  }

  // Reads a record into its block and key_. Returns the length of the key.
  Result<std::size_t> read_record(std::uint64_t sample, std::byte* block) {
    const auto shape = set_.blocks->shape(sample);
    if (!shape) return why_unmeasured(sample);
    const std::uint64_t label = block_of(*shape).label;
    while (true) {
      Copy copy{*shape, block, label == 0 ? nullptr : block + label, key_.data(), key_.size()};
      HOTPACK_TRY(source_.read(sample, scratch_, copy_record, &copy));
      if (copy.changed) return loader::written_over(source_, sample);
      if (copy.key_bytes <= key_.size()) return copy.key_bytes;
      key_.resize(copy.key_bytes);  // the longest key so far: try again with more room
    }
  }

  Error why_unmeasured(std::uint64_t sample) const {
    auto shape = loader::shape_of_sample(source_, form_, sample);
    if (!shape.ok()) return std::move(shape).error();
    return loader::at_sample(source_, changed_since_opening(), sample);
  }

  const RecordSource& source_;
  const BatchForm& form_;
  ResidentSet& set_;
  Progress& progress_;
  Teller* const teller_;
  loader::RecordScratch scratch_;
  std::string key_;
  std::string characters_;  // of the chunk's keys
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

void KeyArena::add(std::uint64_t first, std::string_view characters,
                   const std::vector<std::uint32_t>& lengths) {
  std::uint64_t at = characters_.size();
  characters_.append(characters);
  for (const std::uint32_t length : lengths) {
    spans_[first++] = {at, length};
    at += length;
  }
}

std::string_view KeyArena::operator[](std::uint64_t sample) const {
  const Span& span = spans_[sample];
  return std::string_view(characters_).substr(span.at, span.length);
}

Result<std::shared_ptr<const ResidentSet>> load_resident(ResidentMemory memory,
                                                         const RecordSource& source,
                                                         const BatchForm& form,
                                                         const LoadProgressFunction& listener) {
  Progress progress(*memory.set, memory.chunk_bytes, memory.lanes.size());
  Teller teller(progress, listener);
  on_threads(static_cast<unsigned>(memory.lanes.size()), [&](unsigned thread) {
    try {
      Worker worker(source, form, *memory.set, progress, thread == 0 ? &teller : nullptr);
      Status ran = worker.run(*memory.lanes[thread]);
      if (!ran.ok()) progress.fail(std::move(ran).error());
    } catch (const std::bad_alloc&) {
      progress.fail({ErrorCode::io, "there is no memory to load the records", {}, {}});
    }
  });
  HOTPACK_TRY(progress.status());
  teller.tell();
  HOTPACK_TRY(progress.status());
  return std::shared_ptr<const ResidentSet>(memory.set);
}

}  // namespace hotpack::device
