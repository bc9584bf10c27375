#include "device/late_free.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "device/per_process.hpp"
#include "loader/blocked_signals.hpp"

namespace hotpack::device {
namespace {

using std::chrono::milliseconds;

// pause between passes of the reaper, doubled after each pass that frees nothing
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{20};
constexpr milliseconds kPatienceAtExit{1000};

struct Entry {
  std::shared_ptr<void> held;
  std::vector<Event> events;
};

struct LateList {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Entry> entries;
  std::size_t waiting = 0;     // entries, including those of a running sweep
  std::uint64_t added = 0;     // total number of entries, not counting `again`
  std::uint64_t again = 0;     // total number of entries to be tried again
  std::uint64_t freed = 0;     // total number of freed entries
  std::uint64_t asked = 0;     // requests for a pass of the reaper
  std::uint64_t answered = 0;  // requests that are done
  std::uint64_t hopeless = 0;  // added + freed when drain_late() last gave up; 0: it did not
  bool sweeping = false;       // a thread sweeps; only one may at a time
  std::thread::id sweeper;
  std::thread reaper;
  bool reaper_ended = false;
  bool stopping = false;
};

std::atomic<bool> reaper_works{true};

thread_local unsigned frees_late = 0;  // number of FreesLate objects of this thread

LateList& late_list() { return of_this_process<LateList>(); }

// Returns true if the event is complete, and also if the query fails.
bool is_over(const Event& event) {
  const auto over = event.query();
  return !over.ok() || *over;
}

bool all_over(Entry& entry) {
  // A completed event stays complete, so it is not queried again.
  while (!entry.events.empty() && is_over(entry.events.back())) entry.events.pop_back();
  return entry.events.empty();
}

// Starts a pass over the list: moves all its entries to `entries`. Returns false if this thread is
// already in such a pass, because the destructor of a freed object has called sweep_late().
bool begin_sweep(LateList& list, std::list<Entry>& entries, std::uint64_t& again) {
  std::unique_lock lock(list.mutex);
  if (list.sweeping && list.sweeper == std::this_thread::get_id()) return false;
  list.changed.wait(lock, [&] { return !list.sweeping; });
  list.sweeping = true;
  list.sweeper = std::this_thread::get_id();
  entries.swap(list.entries);
  again = list.again;
  return true;
}

// Ends a pass over the list: puts the entries that are still in use (`still_waiting`) back to the
// front of the list, before entries that were added meanwhile. Of `let_go` entries that the pass
// has released, some must be tried again: those counted in list.again since it was `again_before`.
// Returns the number of the others, which are freed.
std::size_t end_sweep(LateList& list, std::list<Entry>& still_waiting, std::size_t let_go,
                      std::uint64_t again_before) {
  const std::lock_guard lock(list.mutex);
  list.entries.splice(list.entries.begin(), still_waiting);
  list.waiting -= let_go;
  const std::size_t freed = let_go - std::min<std::size_t>(let_go, list.again - again_before);
  list.freed += freed;
  list.sweeping = false;
  list.changed.notify_all();
  return freed;
}

// Makes one pass over the list: frees the entries that are no longer in use, and returns their
// number. Holds no lock while it calls the driver or releases objects, because both may take long
// or call back.
std::size_t sweep_once(LateList& list) {
  std::list<Entry> entries;
  std::uint64_t again = 0;
  if (!begin_sweep(list, entries, again)) return 0;
  const unsigned late = std::exchange(frees_late, 0);
  std::list<Entry> over;
  for (auto entry = entries.begin(); entry != entries.end();) {
    const auto next = std::next(entry);
    if (all_over(*entry)) over.splice(over.end(), entries, entry);
    entry = next;
  }
  const std::size_t let_go = over.size();
  over.clear();
  frees_late = late;
  return end_sweep(list, entries, let_go, again);
}

void reap(LateList& list) {
  milliseconds pause = kFirstPause;
  std::unique_lock lock(list.mutex);
  while (!list.stopping) {
    if (!reaper_works || (list.entries.empty() && list.answered == list.asked)) {
      list.changed.wait(lock);
      pause = kFirstPause;
      continue;
    }
    const std::uint64_t added = list.added, asked = list.asked;
    lock.unlock();
    const bool freed = sweep_once(list) > 0;
    lock.lock();
    list.answered = asked;
    list.changed.notify_all();
    const bool more = list.changed.wait_for(
        lock, pause, [&] { return list.stopping || list.added != added || list.asked != asked; });
    pause = freed || more ? kFirstPause : std::min(2 * pause, kLongestPause);
  }
  list.reaper_ended = true;
  list.changed.notify_all();
}

// Stops the reaper at exit. This function is registered after the driver was initialized, so it
// runs before the driver shuts down. After that, the driver must not be called.
void stop_reaper() {
  LateList& list = late_list();
  std::unique_lock lock(list.mutex);
  list.stopping = true;
  list.changed.notify_all();
  if (!list.reaper.joinable()) return;
  const bool ended =
      list.changed.wait_for(lock, kPatienceAtExit, [&] { return list.reaper_ended; });
  lock.unlock();
  ended ? list.reaper.join() : list.reaper.detach();
}

// Starts the reaper, the thread that frees entries of the list once they are no longer in use; does
// nothing if it is running. If the system cannot start a thread now, add_entry() tries again with
// the next entry. The caller must hold the list's mutex.
void start_reaper(LateList& list) noexcept {
  if (list.reaper.joinable() || list.stopping || !reaper_works) return;
  try {
    const loader::BlockedSignals blocked;
    list.reaper = std::thread([&list] { reap(list); });
  } catch (const std::exception&) {  // the system lacks threads or memory
    return;
  }
  pthread_setname_np(list.reaper.native_handle(), "hotpack/reaper");
  static_cast<void>(std::atexit(stop_reaper));
}

// Allocates the memory for one entry of the list. If the host lacks memory, waits until there is
// some, because memory that is in use must be put on the list.
std::list<Entry> place_for_one() {
  while (true) {
    try {
      return std::list<Entry>(1);
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kFirstPause);
    }
  }
}

void add_entry(std::shared_ptr<void> held, std::vector<Event> events,
               std::uint64_t LateList::*count) {
  std::list<Entry> one = place_for_one();
  one.front().held = std::move(held);
  one.front().events = std::move(events);
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  list.entries.splice(list.entries.end(), one);
  ++list.waiting;
  ++(list.*count);
  start_reaper(list);
  list.changed.notify_all();
}

// Returns false if callers must sweep themselves. Called under the lock.
bool has_reaper(LateList& list) {
  if (!list.entries.empty()) start_reaper(list);
  return list.reaper.joinable() && reaper_works &&
         list.reaper.get_id() != std::this_thread::get_id();
}

}  // namespace

void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept {
  add_entry(std::move(held), std::move(events), &LateList::added);
}

void free_again(std::shared_ptr<void> held) noexcept {
  add_entry(std::move(held), {}, &LateList::again);
}

// Repeats sweeps, so that it also examines objects that destructors put on the list.
void sweep_late() noexcept {
  while (sweep_once(late_list()) > 0) continue;
}

void settle_late(milliseconds patience) noexcept {
  LateList& list = late_list();
  std::unique_lock lock(list.mutex);
  if (list.waiting == 0 || list.stopping) return;
  if (!has_reaper(list)) {
    lock.unlock();
    return sweep_late();
  }
  const std::uint64_t look = ++list.asked;
  list.changed.notify_all();
  list.changed.wait_for(lock, patience, [&] { return list.waiting == 0 || list.answered >= look; });
}

void drain_late(milliseconds patience) noexcept {
  LateList& list = late_list();
  std::unique_lock lock(list.mutex);
  if (list.waiting == 0 || list.stopping ||
      (list.hopeless != 0 && list.hopeless == list.added + list.freed))
    return;
  if (!has_reaper(list)) {
    lock.unlock();
    return sweep_late();
  }
  ++list.asked;
  list.changed.notify_all();
  const bool all = list.changed.wait_for(lock, patience, [&] { return list.waiting == 0; });
  list.hopeless = all ? 0 : list.added + list.freed;
}

int take_patiently(const std::function<int()>& take) {
  const int code = take();
  if (code != code::kOutOfMemory || late_count() == 0) return code;
  drain_late(kPatienceForMemory);
  return take();
}

std::size_t late_count() {
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  return list.waiting;
}

void let_reaper_work(bool works) noexcept {
  LateList& list = late_list();
  std::unique_lock lock(list.mutex);
  reaper_works = works;
  if (works && !list.entries.empty()) start_reaper(list);
  list.changed.notify_all();
  list.changed.wait(
      lock, [&] { return works || !list.sweeping || list.sweeper == std::this_thread::get_id(); });
}

FreesLate::FreesLate() noexcept { ++frees_late; }

FreesLate::~FreesLate() { --frees_late; }

bool FreesLate::here() noexcept { return frees_late > 0; }

}  // namespace hotpack::device
