#include "device/late_free.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace hotpack::device {
namespace {

struct Entry {
  std::shared_ptr<void> held;
  std::vector<Event> events;
};

// `waiting` counts entries that a sweep has taken out to look at as well.
struct LateList {
  std::mutex mutex;
  std::list<Entry> entries;
  std::size_t waiting = 0;
};

// Never destroyed: at exit the driver may be gone, and threads may still use it.
LateList& late_list() {
  static auto& list = *new LateList;
  return list;
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

std::list<Entry> take_entries() {
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  return std::exchange(list.entries, {});
}

// Those that wait on go before what came meanwhile, in their order.
void put_back(std::list<Entry>& still_waiting, std::size_t freed) {
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  list.entries.splice(list.entries.begin(), still_waiting);
  list.waiting -= freed;
}

}  // namespace

void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept {
  std::list<Entry> added;
  added.push_back({std::move(held), std::move(events)});
  {
    LateList& list = late_list();
    const std::lock_guard lock(list.mutex);
    list.entries.splice(list.entries.end(), added);
    ++list.waiting;
  }
  sweep_late();
}

// No lock is held while the driver is asked or something is let go: either may take long, or come back here.
void sweep_late() noexcept {
  std::list<Entry> entries = take_entries();
  std::list<Entry> over;
  for (auto entry = entries.begin(); entry != entries.end();) {
    const auto next = std::next(entry);
    if (all_over(*entry)) over.splice(over.end(), entries, entry);
    entry = next;
  }
  put_back(entries, over.size());
}

std::size_t late_count() {
  LateList& list = late_list();
  const std::lock_guard lock(list.mutex);
  return list.waiting;
}

}  // namespace hotpack::device
