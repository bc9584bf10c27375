#include "loader/ring.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "loader/blocked_signals.hpp"

namespace hotpack::loader {

namespace {

using std::chrono::milliseconds;

// longer waits would overflow the clock
constexpr milliseconds kForEver = std::chrono::hours(24 * 365);

// Slots that are kept although nobody needs them now, so that a program that holds several batches
// for a short time does not allocate memory each time.
constexpr std::size_t kSpareSlots = 8;

Error all_leased(std::size_t slots) {
  return {ErrorCode::busy,
          "all " + std::to_string(slots) +
              " slots are leased, so no batch can come; release a batch before asking for the next "
              "one, or open the loader with a larger prefetch_batches or memory_budget_bytes",
          {},
          {}};
}

Error cannot_grow(Error reason, std::size_t slots) {
  reason.message = "all " + std::to_string(slots) +
                   " slots are leased, and another one cannot be made: " + reason.message +
                   "; release a batch before asking for the next one";
  return reason;
}

Error opened_before_fork() {
  return usage_error(
      "this loader was opened before a fork, and its threads are in the parent; open a loader in "
      "the child");
}

// Makes room for `count` elements.
template <class Element>
void reserve(std::vector<Element>& elements, std::size_t count) {
  if (elements.capacity() < count) elements.reserve(2 * count);
}

Error timed_out(Cursor cursor, milliseconds timeout) {
  return {ErrorCode::timeout,
          "step " + std::to_string(cursor.step) + " of epoch " + std::to_string(cursor.epoch) +
              " was not ready after " + std::to_string(timeout.count()) +
              " ms; call again, or use a longer timeout",
          {},
          {}};
}

// Adds the step at which the error occurred, and how to continue.
Error at_step(Error error, Cursor cursor) {
  const std::string epoch = std::to_string(cursor.epoch);
  error.message += " [step " + std::to_string(cursor.step) + " of epoch " + epoch + "; seek(" +
                   epoch + ", " + std::to_string(cursor.step + 1) + ") goes past it]";
  return error;
}

}  // namespace

Ring::Ring(RingOptions options, std::vector<std::unique_ptr<Slot>> slots,
           std::unique_ptr<RowFiller> filler, Cursor start, RingGrowth growth)
    : options_(options),
      filler_(std::move(filler)),
      growth_(std::move(growth)),
      most_unleased_(slots.size() + kSpareSlots),
      process_(::getpid()),
      slots_(std::move(slots)),
      slot_count_(slots_.size()),
      fill_(start),
      deliver_(start) {
  free_.reserve(slots_.size());  // neither grows under the lock, except with slots_
  queue_.reserve(slots_.size());
  for (const auto& slot : slots_) free_.push_back(slot.get());
  if (fill_.step == options_.steps) fill_ = {fill_.epoch + 1, 0};
}

bool Ring::forked() const { return ::getpid() != process_; }

Status Ring::start() {
  const BlockedSignals blocked;
  const std::lock_guard lock(mutex_);
  try {
    for (unsigned number = 0; number < options_.threads; ++number) {
      threads_.emplace_back([self = shared_from_this(), number] { self->work(number); });
      pthread_setname_np(threads_.back().native_handle(),
                         ("hotpack/" + std::to_string(number)).c_str());
      ++running_;
    }
  } catch (const std::system_error& failed) {
    return Error{ErrorCode::io,
                 "cannot start thread " + std::to_string(running_ + 1) + " of " +
                     std::to_string(options_.threads) + ": " + failed.code().message() +
                     "; use fewer threads",
                 {},
                 {}};
  }
  return {};
}

// Returns the next step of the epoch, or the number of steps at its end.
std::uint64_t Ring::step_after(std::uint64_t step) const {
  return step + std::min(options_.stride, options_.steps - step);
}

void Ring::work(unsigned thread) {
  // the caller may have set another rounding mode; batches must be the same to the bit
  std::fesetenv(FE_DFL_ENV);
  Lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closed_ || item_available(); });
    if (closed_) break;
    const Item item = take_item();
    if (item_available()) work_.notify_one();  // each thread wakes the next while there is work
    lock.unlock();
    std::optional<RowError> failed = filler_->fill(*item.slot, item.rows, thread);
    lock.lock();
    finish(item, std::move(failed));
  }
  --running_;
  stopped_.notify_all();
}

bool Ring::item_available() const {
  if (cancelled_) return false;
  if (filling_ != nullptr) return true;
  const bool in_reach = options_.stride == 1 || fill_.epoch == deliver_.epoch;
  return !free_.empty() && fill_.epoch <= kMaxEpoch && in_reach;
}

// Precondition: item_available().
Ring::Item Ring::take_item() {
  if (filling_ == nullptr) begin_slot();
  Slot& slot = *filling_;
  const RowRange rows{slot.rows_taken,
                      std::min(slot.rows_taken + options_.rows_per_item, slot.samples.size())};
  slot.rows_taken = rows.last;
  if (slot.rows_taken == slot.samples.size()) filling_ = nullptr;
  return {&slot, rows};
}

void Ring::begin_slot() {
  filling_ = free_.back();
  free_.pop_back();
  filling_->cursor = fill_;
  filling_->rows_taken = filling_->rows_done = 0;
  filling_->dropped = false;
  filling_->error.reset();
  filler_->begin(*filling_);
  queue_.push_back(filling_);
  fill_.step = step_after(fill_.step);
  if (fill_.step == options_.steps) fill_ = {fill_.epoch + 1, 0};
}

void Ring::finish(const Item& item, std::optional<RowError> failed) {
  Slot& slot = *item.slot;
  slot.rows_done += item.rows.size();
  if (failed && (!slot.error || failed->row < slot.error_row)) {
    slot.error_row = failed->row;
    slot.error = std::move(failed->error);
  }
  if (slot.dropped && slot.rows_done == slot.rows_taken) {
    free_.push_back(&slot);
    work_.notify_one();
  } else if (!slot.dropped && slot.rows_done == slot.samples.size()) {
    ready_.notify_all();
  }
}

bool Ring::front_ready() const {
  return !queue_.empty() && queue_.front()->rows_done == queue_.front()->samples.size();
}

std::optional<Error> Ring::refusal() const {
  if (closed_) return usage_error("the loader is closed; open another one");
  if (cancelled_)
    return Error{ErrorCode::cancelled, "the loader was cancelled; call seek to continue", {}, {}};
  if (last_end_told_)
    return usage_error("there is no epoch after " + std::to_string(kMaxEpoch) +
                       "; seek to an earlier one");
  if (deliver_.step == options_.steps) return {};  // the end of the epoch needs no slot
  if (leased_ == slots_.size() && making_ == 0) return all_leased(slots_.size());
  return {};
}

// Waits until the next batch is ready, until the epoch ends, or until there is a reason for which
// next() must fail. Returns false if the timeout expires first.
bool Ring::wait_for_front(Lock& lock, milliseconds timeout) {
  const auto over = [this] {
    return front_ready() || deliver_.step == options_.steps || refusal().has_value();
  };
  const bool limited = timeout.count() != 0 && timeout < kForEver;
  if (limited) return ready_.wait_for(lock, std::max(timeout, milliseconds(0)), over);
  ready_.wait(lock, over);
  return true;
}

Slot* Ring::end_epoch() {
  if (deliver_.epoch < kMaxEpoch) {
    deliver_ = {deliver_.epoch + 1, 0};
  } else {
    last_end_told_ = true;
  }
  work_.notify_one();  // with a stride, threads begin the next epoch now
  ready_.notify_all();
  return nullptr;
}

Result<Slot*> Ring::next(milliseconds timeout, const Accept& accept) {
  if (forked()) return opened_before_fork();
  Lock lock(mutex_);
  return take_front(lock, timeout, accept);
}

Result<Slot*> Ring::next_to_hold(milliseconds timeout) {
  if (forked()) return opened_before_fork();
  Lock lock(mutex_);
  struct Holder {
    explicit Holder(std::size_t& all) : count(all) { ++count; }
    ~Holder() { --count; }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    std::size_t& count;
  } const holder(holders_);  // ends under the lock
  std::optional<Error> lacking;
  if (wants_slot()) lacking = add_slot(lock);
  Result<Slot*> slot = take_front(lock, timeout, {});
  if (lacking && !slot.ok() && slot.error().code == ErrorCode::busy)
    return cannot_grow(std::move(*lacking), slot_count_);
  return slot;
}

// Returns true if after this call fewer than two slots would be left for reading ahead. Other calls
// that wait count as if they held a slot already. A program that holds no batch between its calls
// gets by with the slots that it asked for.
bool Ring::wants_slot() const {
  const std::size_t held = leased_ + holders_ - 1;
  const std::size_t slots = slots_.size() + making_;
  return growth_.make && !closed_ && !cancelled_ && held > 0 && held + 2 >= slots &&
         slots < growth_.most_slots;
}

// Returns the reason if no slot can be made.
std::optional<Error> Ring::add_slot(Lock& lock) {
  const std::size_t count = slots_.size() + ++making_;
  Result<std::unique_ptr<Slot>> made = out_of_memory();  // if make() throws
  lock.unlock();
  try {
    made = growth_.make();
  } catch (...) {  // std::bad_alloc, or from the caller's allocator
  }
  lock.lock();
  --making_;
  ready_.notify_all();  // consumers wait for a slot that is being made
  if (!made.ok()) return std::move(made).error();
  try {
    reserve(slots_, count);
    reserve(free_, count);
    reserve(queue_, count);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
  free_.push_back(made->get());
  slots_.push_back(std::move(*made));
  slot_count_ = slots_.size();
  work_.notify_one();
  return {};
}

// Precondition: the slot is neither free nor in the queue.
std::unique_ptr<Slot> Ring::remove(const Slot* slot) noexcept {
  const auto at = std::find_if(slots_.begin(), slots_.end(),
                               [slot](const auto& each) { return each.get() == slot; });
  std::unique_ptr<Slot> removed = std::move(*at);
  slots_.erase(at);
  slot_count_ = slots_.size();
  return removed;
}

Result<Slot*> Ring::take_front(Lock& lock, milliseconds timeout, const Accept& accept) {
  const bool came = wait_for_front(lock, timeout);
  if (auto refused = refusal()) return std::move(*refused);
  if (!came) return timed_out(deliver_, timeout);
  if (deliver_.step == options_.steps) return end_epoch();
  Slot* const slot = queue_.front();
  if (slot->error) return at_step(*slot->error, deliver_);
  if (accept) {
    if (auto refused = accept(*slot)) return std::move(*refused);
  }
  queue_.erase(queue_.begin());
  ++leased_;
  deliver_.step = step_after(deliver_.step);
  ready_.notify_all();  // another consumer may find its batch in front, or every slot leased
  return slot;
}

void Ring::release(Slot* slot) noexcept {
  std::unique_ptr<Slot> spare;  // is freed after the lock is released
  const std::lock_guard lock(mutex_);
  --leased_;
  if (slots_.size() - leased_ > most_unleased_) {
    spare = remove(slot);
    return;
  }
  free_.push_back(slot);
  work_.notify_one();
}

void Ring::drop_queue() {
  for (Slot* const slot : queue_) {
    slot->dropped = true;
    if (slot->rows_done == slot->rows_taken) free_.push_back(slot);
  }
  queue_.clear();
  filling_ = nullptr;
}

Status Ring::begin_epoch(std::uint64_t epoch) {
  if (!forked()) {
    const std::lock_guard lock(mutex_);
    const bool here = deliver_ == Cursor{epoch, 0};
    const bool before = epoch > 0 && deliver_ == Cursor{epoch - 1, options_.steps};
    if (!closed_ && !last_end_told_ && (here || before)) {
      deliver_ = {epoch, 0};
      cancelled_ = false;
      work_.notify_all();
      ready_.notify_all();
      return {};
    }
  }
  return seek({epoch, 0});
}

Status Ring::seek(Cursor cursor) {
  if (forked())
    return usage_error("this loader was opened before a fork; open a loader in the child");
  const std::lock_guard lock(mutex_);
  if (closed_) return usage_error("the loader is closed; open another one");
  drop_queue();
  cancelled_ = false;
  last_end_told_ = false;
  deliver_ = cursor;
  fill_ = cursor.step < options_.steps ? cursor : Cursor{cursor.epoch + 1, 0};
  work_.notify_all();
  ready_.notify_all();
  return {};
}

Cursor Ring::position() const {
  // the position at the fork; a thread that does not exist here may hold the lock
  if (forked()) return deliver_;
  const std::lock_guard lock(mutex_);
  return deliver_;
}

std::size_t Ring::leased() const {
  if (forked()) return leased_;
  const std::lock_guard lock(mutex_);
  return leased_;
}

void Ring::cancel() noexcept {
  if (forked()) return;
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  ready_.notify_all();
}

void Ring::close(milliseconds patience) noexcept {
  if (forked()) return;
  std::vector<std::thread> threads;
  Lock lock(mutex_);
  if (abandoned_) return;  // close() waited once already
  closed_ = true;
  threads.swap(threads_);
  work_.notify_all();
  ready_.notify_all();
  const bool all_stopped = stopped_.wait_for(lock, patience, [this] { return running_ == 0; });
  abandoned_ = !all_stopped;
  lock.unlock();
  for (std::thread& thread : threads) all_stopped ? thread.join() : thread.detach();
}

}  // namespace hotpack::loader
