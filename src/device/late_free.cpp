#include "device/late_free.hpp"

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "loader/blocked_signals.hpp"

namespace hotpack::device {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1};  // between the reaper's looks, twice as long after each that frees nothing
constexpr milliseconds kLongestPause{20};
constexpr milliseconds kPatienceAtExit{1000};

struct Entry {
  std::shared_ptr<void> held;
  std::vector<Event> events;
};

struct LateList {
  LateList(pid_t of, const LateList* parents) : process(of), parents_list(parents) {}
  const pid_t process;
  const LateList* const parents_list;  // of the process that this one was forked from: nobody touches it here
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Entry> entries;
  std::size_t waiting = 0;  // entries, with those that a sweep has taken out
  std::uint64_t added = 0;  // so far
  bool sweeping = false;    // one thread at a time
  std::thread::id sweeper;
  std::thread reaper;
  bool reaper_ended = false;
  bool stopping = false;
};

std::atomic<bool> reaper_works{true};

// Never destroyed: at exit the driver may be gone, and threads may still use it.
LateList& late_list() {
  static std::atomic<LateList*> current{nullptr};
  const pid_t process = ::getpid();
  LateList* list = current.load();
  if (list != nullptr && list->process == process) return *list;
  auto* const fresh = new LateList(process, list);
  if (current.compare_exchange_strong(list, fresh)) return *fresh;
  delete fresh;  // another thread was faster
  return *list;
}

// Also where the query fails.
bool is_over(const Event& event) {
  const auto over = event.query();
  return !over.ok() || *over;
}

bool all_over(Entry& entry) {
  // An event that is over stays so: it is not asked again.
  while (!entry.events.empty() && is_over(entry.events.back())) entry.events.pop_back();
  return entry.events.empty();
}

// False to the sweeping thread itself: a destructor of what it frees has come back here.
bool begin_sweep(LateList& list, std::list<Entry>& entries) {
  std::unique_lock lock(list.mutex);
  if (list.sweeping && list.sweeper == std::this_thread::get_id()) return false;
  list.changed.wait(lock, [&] { return !list.sweeping; });
  list.sweeping = true;
  list.sweeper = std::this_thread::get_id();
  entries.swap(list.entries);
  return true;
}

// Those that wait on go before what came meanwhile, in their order.
void end_sweep(LateList& list, std::list<Entry>& still_waiting, std::size_t freed) {
  const std::lock_guard lock(list.mutex);
  list.entries.splice(list.entries.begin(), still_waiting);
  list.waiting -= freed;
  list.sweeping = false;
  list.changed.notify_all();
}

// Entries freed. No lock is held while the driver is asked or something is let go: either may take long, or come back here.
std::size_t sweep_once(LateList& list) {
  std::list<Entry> entries;
  if (!begin_sweep(list, entries)) return 0;
  std::list<Entry> over;
  for (auto entry = entries.begin(); entry != entries.end();) {
    const auto next = std::next(entry);
    if (all_over(*entry)) over.splice(over.end(), entries, entry);
    entry = next;
  }
  const std::size_t freed = over.size();
  over.clear();
  end_sweep(list, entries, freed);
  return freed;
}

void reap(LateList& list) {
  milliseconds pause = kFirstPause;
  std::unique_lock lock(list.mutex);
  while (!list.stopping) {
    if (list.entries.empty() || !reaper_works) {
      list.changed.wait(lock);
      pause = kFirstPause;
      continue;
    }
    const std::uint64_t added = list.added;
    lock.unlock();
    const bool freed = sweep_once(list) > 0;
    lock.lock();
    const bool more = list.changed.wait_for(lock, pause, [&] { return list.stopping || list.added != added; });
    pause = freed || more ? kFirstPause : std::min(2 * pause, kLongestPause);
  }
  list.reaper_ended = true;
  list.changed.notify_all();
}

// Registered after the driver was initialised, so it runs before the driver's own end, after which nobody may call it.
void stop_reaper() {
  LateList& list = late_list();
  std::unique_lock lock(list.mutex);
  list.stopping = true;
  list.changed.notify_all();
  if (!list.reaper.joinable()) return;
  const bool ended = list.changed.wait_for(lock, kPatienceAtExit, [&] { return list.reaper_ended; });
  lock.unlock();
  ended ? list.reaper.join() : list.reaper.detach();
}

// Under the lock. What cannot be started now is tried again with the next entry.
void start_reaper(LateList& list) noexcept {
  if (list.reaper.joinable() || list.stopping || !reaper_works) return;
  try {
    const loader::BlockedSignals blocked;
    list.reaper = std::thread([&list] { reap(list); });
  } catch (const std::exception&) {  // no thread, no memory
    return;
  }
  pthread_setname_np(list.reaper.native_handle(), "hotpack/reaper");
  static_cast<void>(std::atexit(stop_reaper));
}

}  // namespace

void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept {
  std::list<Entry> one;
  one.push_back({std::move(held), std::move(events)});
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  list.entries.splice(list.entries.end(), one);
  ++list.waiting;
  ++list.added;
  start_reaper(list);
  list.changed.notify_all();
}

// What destructors put on the list is looked at too.
void sweep_late() noexcept {
  while (sweep_once(late_list()) > 0) continue;
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
  list.changed.wait(lock, [&] { return works || !list.sweeping || list.sweeper == std::this_thread::get_id(); });
}

}  // namespace hotpack::device
