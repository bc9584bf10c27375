// Frees memory that streams may still use, as soon as they no longer do, without ever waiting for
// them.
//
// One thread per process, the reaper, examines a list and frees what is no longer in use. A
// driver may wait for all streams of a device to free memory or to unload a module, so everything
// that was in use goes through this list, and callers wait no longer than they ask for. The
// reaper starts with the first entry, sleeps while the list is empty, and stops at exit, before
// the driver's own end.
// Ownership: takes over everything on the list; there is one list per process, and a forked child
// begins with an empty one. At exit the rest is left to the driver. Thread-safe. Never fails: if
// the query of an event fails, its context has failed, and the entry is released (the driver then
// frees nothing, or everything). If no thread can be started, callers free memory themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Releases `held` after all events complete, never in this call. Destructors of `held` run
// without a lock, on the reaper's thread or in sweep_late().
void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept;
// The same without events, for objects that the driver did not release just now; the next pass
// tries again.
void free_again(std::shared_ptr<void> held) noexcept;
// Releases everything that has become free, on this thread; on return, the reaper has released
// its part too. May take as long as the driver needs to free memory. Do not call it in a
// destructor of a held object.
void sweep_late() noexcept;
// Lets the reaper work now. Returns when it has released everything free, or when `patience` is
// over. Without a reaper: sweep_late().
void settle_late(std::chrono::milliseconds patience) noexcept;
// For callers that lack memory: waits until everything is free, or `patience` is over; does not
// wait again for entries that did not become free in an earlier such wait. Without a reaper:
// sweep_late().
void drain_late(std::chrono::milliseconds patience) noexcept;
// The patience of such a caller: entries may wait for the queued work of streams.
inline constexpr std::chrono::seconds kPatienceForMemory{10};
// The driver's code of `take`, which allocates memory. If memory is short while the list has
// entries, tries again after drain_late().
[[nodiscard]] int take_patiently(const std::function<int()>& take);
// The number of entries that are not free yet, including those being freed.
[[nodiscard]] std::size_t late_count();
// For tests that control when memory is freed: turns the reaper on or off. After `false` returns,
// it makes no call of the driver.
void let_reaper_work(bool works) noexcept;

// While one exists, objects that this thread releases go to free_late() instead: for calls that
// must not wait for streams.
class FreesLate {
 public:
  FreesLate() noexcept;
  ~FreesLate();
  FreesLate(const FreesLate&) = delete;
  FreesLate& operator=(const FreesLate&) = delete;
  [[nodiscard]] static bool here() noexcept;
};

}  // namespace hotpack::device
