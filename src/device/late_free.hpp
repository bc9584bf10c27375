// Frees memory that streams may still use, as soon as they no longer use it, without waiting for
// them.
//
// One thread per process, the reaper, examines a list of such memory and frees what is no longer in
// use. When a driver frees memory or unloads a module, it may wait for all streams of the device.
// Therefore everything that was in use goes through this list, so that callers never wait for
// streams unintentionally. The reaper starts with the first entry, sleeps while the list is empty,
// and stops at exit, before the driver shuts down. Ownership: takes over everything on the list.
// There is one list per process; a forked child begins with an empty one. Entries that remain at
// exit are left to the driver. Thread-safe. Never fails: if an event cannot be queried, its context
// has failed, and the entry is released (the driver then frees nothing, or everything). If no
// thread can be started, callers free memory themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Releases `held` later, after all events are complete; never within this call. Destructors of
// `held` run without a lock, on the reaper's thread or in sweep_late().
void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept;
// Puts an object on the list that the driver could not release just now; there are no events to
// wait for. The next pass over the list, by the reaper or by sweep_late(), tries again.
void free_again(std::shared_ptr<void> held) noexcept;
// Releases, on this thread, everything on the list that is no longer in use. Also waits until the
// reaper has released what it is working on. May take as long as the driver needs to free memory.
// Do not call it in a destructor of a held object.
void sweep_late() noexcept;
// Wakes the reaper and waits until it has released everything that is no longer in use, at most for
// `patience`. If there is no reaper, calls sweep_late().
void settle_late(std::chrono::milliseconds patience) noexcept;
// Waits until the list is empty, at most for `patience`; for callers that lack memory. Does not
// wait if an earlier call gave up and the list has not changed since then. If there is no reaper,
// calls sweep_late().
void drain_late(std::chrono::milliseconds patience) noexcept;
// The `patience` of callers that lack memory: entries may wait for work that is queued on streams.
inline constexpr std::chrono::seconds kPatienceForMemory{10};
// Calls `take`, which allocates memory and returns the driver's code. If memory is lacking and the
// list has entries, calls drain_late() and then `take` again. Returns the last code.
[[nodiscard]] int take_patiently(const std::function<int()>& take);
// Returns the number of entries that are not free yet, including those being freed.
[[nodiscard]] std::size_t late_count();
// Switches the reaper on or off, for tests that must control when memory is freed. When
// let_reaper_work(false) has returned, the reaper makes no call of the driver.
void let_reaper_work(bool works) noexcept;

// While an object of this class exists, objects that this thread releases are passed to
// free_late(). Use it around code that must not wait for streams.
class FreesLate {
 public:
  FreesLate() noexcept;
  ~FreesLate();
  FreesLate(const FreesLate&) = delete;
  FreesLate& operator=(const FreesLate&) = delete;
  [[nodiscard]] static bool here() noexcept;
};

}  // namespace hotpack::device
