#include "device/stager.hpp"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"
#include "device/per_process.hpp"
#include "loader/blocked_signals.hpp"

namespace hotpack::device {

namespace {

using loader::Cursor;
using loader::Slot;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr microseconds kShortRest{20};   // rest between polls while a consumer waits
constexpr microseconds kRest{100};       // rest otherwise, at first
constexpr microseconds kLongRest{1000};  // rest after many polls without a change
constexpr milliseconds kIdle{50};        // rest if only a call can change anything
constexpr milliseconds kOnlyReady{-1};   // timeout for a slot while there are events to poll
constexpr milliseconds kSlotWait{20};    // timeout for a slot otherwise
// in ns; the system's default of 50 µs is longer than a short rest
constexpr unsigned long kTimerSlack = 1000;
constexpr milliseconds kPatience{5000};  // limit of waiting for a thread that hangs
constexpr milliseconds kPatienceAtExit{1000};
// limit of waiting for copies that are nearly complete when the loader closes
constexpr milliseconds kLastLook{100};
constexpr milliseconds kForEver = std::chrono::hours(24 * 365);

Error forked_error() {
  return usage_error(
      "this loader was opened before a fork, and CUDA cannot be used in the child; open the "
      "loader only in the child, before the parent uses CUDA, or start the child with exec or "
      "spawn");
}

Error timed_out(Cursor cursor, milliseconds timeout) {
  return {ErrorCode::timeout,
          "step " + std::to_string(cursor.step) + " of epoch " + std::to_string(cursor.epoch) +
              " was not on the device after " + std::to_string(timeout.count()) +
              " ms; call again, or use a longer timeout",
          {},
          {}};
}

// Returns true if the last recorded work is complete on every part.
Result<bool> all_over(const Staged& staged, Event Staged::Part::*event) {
  for (const Staged::Part& part : staged.parts) {
    HOTPACK_ASSIGN(const bool over, (part.*event).query());
    if (!over) return false;
  }
  return true;
}

// Waits until all copies and kernels are done, for kLastLook at most. Copies take only a moment, so
// waiting is worthwhile: the memory is then free when close() returns.
void look_until_over(const std::vector<std::unique_ptr<Staged>>& all) {
  const auto end = steady_clock::now() + kLastLook;
  const auto over = [](const std::unique_ptr<Staged>& staged) {
    const auto copied = all_over(*staged, &Staged::Part::copied);
    const auto read = all_over(*staged, &Staged::Part::read);
    return !copied.ok() || !read.ok() || (*copied && *read);
  };
  while (!std::all_of(all.begin(), all.end(), over) && steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(1));
}

// The running stagers of this process, which stop at exit.
struct Started {
  std::mutex mutex;
  std::vector<std::weak_ptr<Stager>> all;
  bool told_exit = false;
};

std::vector<std::shared_ptr<Stager>> still_there() {
  Started& started = of_this_process<Started>();
  std::vector<std::shared_ptr<Stager>> there;
  const std::lock_guard lock(started.mutex);
  for (const auto& each : started.all) {
    if (auto stager = each.lock()) there.push_back(std::move(stager));
  }
  return there;
}

// Adds a stager to the stagers of this process. The first call also registers `at_exit`. The driver
// is initialized by then, so functions that are registered now run before those of the driver.
void remember(const std::shared_ptr<Stager>& stager, void (*at_exit)()) {
  Started& started = of_this_process<Started>();
  const std::lock_guard lock(started.mutex);
  std::erase_if(started.all, [](const auto& each) { return each.expired(); });
  started.all.push_back(stager);
  if (!std::exchange(started.told_exit, true)) static_cast<void>(std::atexit(at_exit));
}

}  // namespace

Stager::Stager(StagerParts parts)
    : process_(::getpid()),
      ring_(std::move(parts.ring)),
      cargo_(std::move(parts.cargo)),
      contexts_(std::move(parts.contexts)),
      copy_streams_(std::move(parts.copy_streams)),
      staged_(std::move(parts.staged)),
      launches_(std::move(parts.launches)),
      slots_(parts.slots),
      pause_between_(kRest),
      deliver_(parts.start) {
  for (const auto& staged : staged_) free_.push_back(staged.get());
  busy_.reserve(staged_.size());  // reserved now, because neither vector may grow under the lock
  copying_.reserve(staged_.size());
}

Stager::~Stager() { let_go(); }

bool Stager::forked() const { return ::getpid() != process_; }

Status Stager::start() {
  remember(shared_from_this(), stop_all);
  HOTPACK_TRY(ring_->start());
  const loader::BlockedSignals blocked;
  const Lock lock(mutex_);
  try {
    feeder_ = std::thread([self = shared_from_this()] { self->feed(); });
  } catch (const std::system_error& failed) {
    return Error{ErrorCode::io,
                 "cannot start the thread that feeds the devices: " + failed.code().message(),
                 {},
                 {}};
  }
  feeder_done_ = false;
  pthread_setname_np(feeder_.native_handle(), "hotpack/feeder");
  return {};
}

// ---- the feeder

void Stager::feed() {
  ::prctl(PR_SET_TIMERSLACK, kTimerSlack);
  while (true) {
    {
      Lock lock(mutex_);
      if (!pause_here(lock)) break;
    }
    poll();
    Staged* const staged = take_free();
    if (staged == nullptr || !fetch(staged)) rest();
  }
  const Lock lock(mutex_);
  feeder_done_ = true;
  paused_.notify_all();
}

// Rests as long as a seek requests it. Returns false if the feeder must end.
bool Stager::pause_here(Lock& lock) {
  if (pause_) {
    resting_ = true;
    paused_.notify_all();
    work_.wait(lock, [this] { return !pause_; });
    resting_ = false;
  }
  return !closing_;
}

// Queries events. Returns slots whose copies are done to the ring, in the order of the copies, and
// frees staged memory that kernels have finished reading.
void Stager::poll() {
  if (failure()) return;
  pause_between_ = std::min(2 * pause_between_, kLongRest);
  const Status looked = [this]() -> Status {
    HOTPACK_TRY(land());
    return free_what_is_read();
  }();
  if (!looked.ok()) fail(looked.error());
}

Status Stager::land() {
  while (!copying_.empty()) {
    HOTPACK_ASSIGN(const bool copied, poll_copies(*copying_.front()));
    if (!copied) break;
    copying_.erase(copying_.begin());
    pause_between_ = kRest;
  }
  return {};
}

Status Stager::free_what_is_read() {
  std::vector<Staged*> busy;
  {
    const Lock lock(mutex_);
    busy = busy_;
  }
  for (Staged* const staged : busy) {
    if (staged->slot != nullptr) continue;
    HOTPACK_ASSIGN(const bool read, all_over(*staged, &Staged::Part::read));
    if (!read) continue;
    pause_between_ = kRest;
    const Lock lock(mutex_);
    busy_.erase(std::find(busy_.begin(), busy_.end(), staged));
    free_.push_back(staged);
  }
  // If kernels of consumers are still reading all staged memory, a consumer that waits now waits
  // for the device, not for the loader.
  const Lock lock(mutex_);
  const bool behind = busy_.size() == staged_.size();
  if (std::exchange(behind_kernels_, behind) != behind) arrived_.notify_all();
  return {};
}

// Returns true if the copies are complete; the slot is then returned to the ring.
Result<bool> Stager::poll_copies(Staged& staged) {
  HOTPACK_ASSIGN(const bool copied, all_over(staged, &Staged::Part::copied));
  if (copied) ring_->release(std::exchange(staged.slot, nullptr));
  return copied;
}

// Waits until something may have changed.
void Stager::rest() {
  Lock lock(mutex_);
  if (pause_ || closing_) return;
  work_.wait_for(lock, rest_time());
}

microseconds Stager::rest_time() const {
  if (failure_ || (copying_.empty() && busy_.empty())) return kIdle;
  return waiting_ > 0 ? kShortRest : pause_between_;
}

// Returns staged memory to fill; null if there is none, or if no slot can arrive for it.
Staged* Stager::take_free() {
  const Lock lock(mutex_);
  if (!fetching_ || failure_ || free_.empty() || copying_.size() == slots_) return nullptr;
  Staged* const staged = free_.back();
  free_.pop_back();
  return staged;
}

// Brings the next batch, error or end of an epoch into the queue. Returns false if none came soon.
bool Stager::fetch(Staged* staged) {
  auto slot = ring_->next(has_events() ? kOnlyReady : kSlotWait);
  Status staging;
  if (slot.ok() && *slot != nullptr) staging = stage(*staged, **slot);
  const bool filled = slot.ok() && *slot != nullptr && staging.ok();
  if (!staging.ok()) fail(staging.error());
  if (!filled) {
    const Lock lock(mutex_);
    free_.push_back(staged);
  }
  if (!staging.ok()) return false;
  if (filled) return arrive({staged});
  if (slot.ok()) return arrive({});
  if (slot.error().code == ErrorCode::timeout) return false;
  return arrive({nullptr, std::move(slot).error()});
}

// True if there are events to poll.
bool Stager::has_events() const {
  const Lock lock(mutex_);
  return !copying_.empty() || !busy_.empty();
}

bool Stager::arrive(Arrival arrival) {
  const Lock lock(mutex_);
  if (arrival.error) fetching_ = false;
  if (arrival.is_end() && std::exchange(skipping_end_, false)) return true;
  arrivals_.push_back(std::move(arrival));
  arrived_.notify_all();
  return true;
}

// Starts the copies of a slot.
Status Stager::stage(Staged& staged, Slot& slot) {
  staged.cursor = slot.cursor;
  staged.valid = slot.valid;
  staged.slot = &slot;
  copying_.push_back(&staged);
  for (std::size_t part = 0; part < staged.parts.size(); ++part)
    HOTPACK_TRY(copy_part(staged.parts[part], slot, part));
  std::swap(staged.samples, slot.samples);  // both have the rows' number of elements
  std::swap(staged.keys, slot.keys);
  std::swap(staged.crops, slot.crops);
  return {};
}

Status Stager::copy_part(Staged::Part& part, const Slot& slot, std::size_t number) {
  const Driver& driver = contexts_[number]->driver();
  const CurrentContext current(*contexts_[number]);
  HOTPACK_TRY(current.status());
  part.output = cargo_->output(slot, number);
  part.records = cargo_->records(number, part.memory.address());
  pieces_.clear();
  cargo_->append_pieces(slot, number, pieces_);
  const StreamHandle stream = copy_streams_[number].handle();
  Status copied;
  for (const Piece& piece : pieces_) {
    copied = HOTPACK_DRIVER(driver, MemcpyHtoDAsync, part.memory.address() + piece.to, piece.from,
                            piece.bytes, stream);
    if (!copied.ok()) break;
    copied_bytes_ += piece.bytes;
  }
  // also after a failure: some pieces may be in flight
  Status recorded = record_surely(part.copied, stream);
  HOTPACK_TRY(copied);
  return recorded;
}

// ---- consumers

std::optional<Error> Stager::refusal() const {
  if (closing_) return usage_error("the loader is closed; open another one");
  if (failure_) return failure_;
  if (cancelled_)
    return Error{ErrorCode::cancelled, "the loader was cancelled; call seek to continue", {}, {}};
  return {};
}

std::optional<Error> Stager::refused() const {
  if (forked()) return forked_error();
  const Lock lock(mutex_);
  return refusal();
}

// Returns false if the timeout is over.
bool Stager::wait_for_arrival(Lock& lock, milliseconds timeout) {
  const auto over = [this] { return !arrivals_.empty() || refusal().has_value(); };
  const bool limited = timeout.count() != 0 && timeout < kForEver;
  const auto end = steady_clock::now() + (limited ? std::max(timeout, milliseconds(0)) : kForEver);
  ++waiting_;
  work_.notify_one();
  for (bool in_time = true; in_time && !over();) {
    const auto begin = steady_clock::now();
    const bool counts = !behind_kernels_;
    in_time = arrived_.wait_until(lock, end) == std::cv_status::no_timeout;
    if (counts) wait_seconds_ += std::chrono::duration<double>(steady_clock::now() - begin).count();
  }
  --waiting_;
  return over();
}

Result<Staged*> Stager::next(milliseconds timeout, const Accept& accept) {
  Lock lock(mutex_);
  const bool came = wait_for_arrival(lock, timeout);
  if (auto refused = refusal()) return std::move(*refused);
  if (!came) return timed_out(deliver_, timeout);
  const Arrival& front = arrivals_.front();
  if (front.error) return *front.error;
  Staged* const staged = front.staged;
  if (staged == nullptr) {
    end_epoch();
    return nullptr;
  }
  HOTPACK_TRY(accept(*staged));
  arrivals_.pop_front();
  deliver_ = {staged->cursor.epoch, staged->cursor.step + 1};
  ++handed_;
  work_.notify_one();
  return staged;
}

void Stager::end_epoch() {
  arrivals_.pop_front();
  if (deliver_.epoch < kMaxEpoch) deliver_ = {deliver_.epoch + 1, 0};
  work_.notify_one();
}

void Stager::give_back(Staged* staged) noexcept {
  const Lock lock(mutex_);
  busy_.push_back(staged);
  --handed_;
  work_.notify_one();
  paused_.notify_all();
}

void Stager::take_back(Cursor step) noexcept {
  const Lock lock(mutex_);
  if (step.epoch < deliver_.epoch || (step.epoch == deliver_.epoch && step.step < deliver_.step))
    deliver_ = step;
}

// While an object of this class exists, the feeder does nothing, unless the loader is being closed.
// When it is constructed, seek_mutex_ must be locked.
class Stager::Pause {
 public:
  Pause(Stager& stager, Lock& lock) : stager_(stager) {
    stager_.pause_ = true;
    stager_.work_.notify_one();  // a feeder that waits for a slot does so for at most kSlotWait
    stager_.paused_.wait(
        lock, [&] { return stager_.resting_ || stager_.closing_ || stager_.feeder_done_; });
  }
  ~Pause() {
    stager_.pause_ = false;
    stager_.work_.notify_one();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Stager& stager_;
};

Status Stager::seek(Cursor cursor) {
  if (forked()) return forked_error();
  const std::lock_guard one(seek_mutex_);
  Lock lock(mutex_);
  if (closing_) return usage_error("the loader is closed; open another one");
  if (failure_) return *failure_;
  const Pause pause(*this, lock);
  if (closing_) return usage_error("the loader is closed; open another one");
  for (const Arrival& arrival : arrivals_) {
    // the copies must complete before this memory is filled again
    if (arrival.staged != nullptr) busy_.push_back(arrival.staged);
  }
  arrivals_.clear();
  skipping_end_ = false;
  Status moved = ring_->seek(cursor);
  if (moved.ok()) {
    deliver_ = cursor;
    cancelled_ = false;
    fetching_ = true;
  }
  return moved;
}

Status Stager::begin_epoch(std::uint64_t epoch, std::uint64_t steps) {
  if (!forked()) {
    const Lock lock(mutex_);
    const bool here = deliver_ == Cursor{epoch, 0};
    const bool before = epoch > 0 && deliver_ == Cursor{epoch - 1, steps};
    if (!closing_ && !failure_ && (here || (before && skip_end()))) {
      deliver_ = {epoch, 0};
      cancelled_ = false;
      return {};
    }
  }
  return seek({epoch, 0});
}

// Drops the end of the epoch, which is the next to arrive or has arrived. Returns false if an error
// came in its place.
bool Stager::skip_end() {
  if (arrivals_.empty()) {
    skipping_end_ = true;
    return true;
  }
  if (!arrivals_.front().is_end()) return false;
  arrivals_.pop_front();
  work_.notify_one();
  return true;
}

Cursor Stager::position() const {
  if (forked()) return deliver_;  // the position at the fork
  const Lock lock(mutex_);
  return deliver_;
}

void Stager::cancel() noexcept {
  if (forked()) return;
  const Lock lock(mutex_);
  cancelled_ = true;
  arrived_.notify_all();
}

void Stager::fail(const Error& error) noexcept {
  const Lock lock(mutex_);
  if (!failure_) failure_ = error;
  arrived_.notify_all();
  work_.notify_all();
}

std::optional<Error> Stager::failure() const {
  const Lock lock(mutex_);
  return failure_;
}

bool Stager::is_closed() const {
  const Lock lock(mutex_);
  return closing_;
}

double Stager::wait_seconds() const {
  const Lock lock(mutex_);
  return wait_seconds_;
}

// ---- the end

void Stager::close() noexcept {
  tell_end();
  const std::lock_guard one(seek_mutex_);
  // if threads were left behind, the last owner lets go
  if (stop(steady_clock::now() + kPatience, kPatience)) let_go();
}

// Announces the end. close() calls this first, because a seek that waits must see it.
void Stager::tell_end() noexcept {
  const Lock lock(mutex_);
  closing_ = true;
  work_.notify_all();
  arrived_.notify_all();
  paused_.notify_all();
}

// Stops the threads: waits for the feeder until `end`, and for the threads of the ring until `end`,
// but at least for `least_for_ring`. Returns false if stop() was called before, or if the feeder
// did not end in time. seek_mutex_ must be locked.
bool Stager::stop(steady_clock::time_point end, milliseconds least_for_ring) noexcept {
  if (std::exchange(stopped_, true)) return false;
  Lock lock(mutex_);
  const bool stopped =
      paused_.wait_until(lock, end, [this] { return feeder_done_ && handed_ == 0; });
  lock.unlock();
  if (feeder_.joinable()) stopped ? feeder_.join() : feeder_.detach();
  ring_->close(std::max(least_for_ring,
                        std::chrono::duration_cast<milliseconds>(end - steady_clock::now())));
  return stopped;
}

// Stops all stagers at exit, before the driver shuts down. The shutdown removes pinned memory, to
// which rings write, and afterwards feeders must not call the driver.
void Stager::stop_all() noexcept {
  const auto end = steady_clock::now() + kPatienceAtExit;
  const auto all = still_there();  // in a forked child: only its own
  for (const auto& stager : all) stager->tell_end();
  for (const auto& stager : all) {
    const std::unique_lock one(stager->seek_mutex_, end);
    if (one) static_cast<void>(stager->stop(end, kLastLook));
  }
}

// Passes everything that may be in use to free_late(): the slots, from which copies may read; the
// staged memory; and the kernels that read it.
void Stager::let_go() noexcept {
  struct Held {
    std::vector<std::shared_ptr<const void>> launches;
    std::shared_ptr<loader::Ring> ring;
    std::shared_ptr<const Cargo> cargo;
    std::vector<Stream> streams;
    std::vector<std::unique_ptr<Staged>> staged;
  };
  auto held = std::make_shared<Held>();
  {
    const Lock lock(mutex_);
    held->ring = std::move(ring_);
    held->cargo = std::move(cargo_);
    held->streams = std::move(copy_streams_);
    held->staged = std::move(staged_);
    held->launches = std::move(launches_);
    arrivals_.clear();
  }
  look_until_over(held->staged);
  std::vector<Event> events;
  for (const auto& staged : held->staged) {
    for (Staged::Part& part : staged->parts) {
      events.push_back(std::move(part.copied));
      events.push_back(std::move(part.read));
    }
  }
  free_late(std::move(held), std::move(events));  // the reaper frees them, never the caller
}

}  // namespace hotpack::device
