// Frees what streams may still be using, once they no longer do, without ever waiting for them.
//
// A thread of the process, the reaper, looks at what is on the list and frees what is over. A driver may wait for all streams of a device
// to free memory or unload a module, so whatever was in use goes this way, and callers wait for it no longer than they say. The reaper
// starts with the first entry, sleeps while there are none, and is stopped at exit, before the driver's own end.
// Ownership: takes over what it is given; one list of the process, and the child of a fork begins with an empty one. What is on it at exit
// is left to the driver. Thread-safe. Never fails: where an event's query fails, its context has, and what it guards is let go (the driver
// frees nothing any more, or all); where no thread can be started, callers that want something freed do it themselves.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Lets go of `held` once every event is over, never in this call. Destructors of `held` run without any lock, on the reaper's thread or
// in sweep_late().
void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept;
// As free_late() without events, for what the driver would not take back just now: the next look tries again.
void free_again(std::shared_ptr<void> held) noexcept;
// Lets go of what has become free, on this thread; when it returns the reaper has let go of it as well. So it may take as long as the
// driver does to free memory. Nothing in a destructor of what is let go.
void sweep_late() noexcept;
// Has the reaper look now, and returns when it has let go of what is free, or when `patience` is over. Where no reaper works: sweep_late().
void settle_late(std::chrono::milliseconds patience) noexcept;
// For who lacks memory: waits until everything is free, or `patience` is over; not once more for what did not become free in another such
// wait. Where no reaper works: sweep_late().
void drain_late(std::chrono::milliseconds patience) noexcept;
// Such a caller's patience: what is to be freed may wait for the work that streams have.
inline constexpr std::chrono::seconds kPatienceForMemory{10};
// The driver's code of `take`, which takes memory: where there is too little while some is on the list, of a second try after drain_late().
[[nodiscard]] int take_patiently(const std::function<int()>& take);
// Entries that are not free yet, those that are being freed included.
[[nodiscard]] std::size_t late_count();
// For tests, which say themselves when something is freed: whether the reaper works. Once `false` returns it calls no driver.
void let_reaper_work(bool works) noexcept;

// While one lives, what this thread gives back to the driver is given to free_late() instead: for calls that are not to wait for streams.
class FreesLate {
 public:
  FreesLate() noexcept;
  ~FreesLate();
  FreesLate(const FreesLate&) = delete;
  FreesLate& operator=(const FreesLate&) = delete;
  [[nodiscard]] static bool here() noexcept;
};

}  // namespace hotpack::device
