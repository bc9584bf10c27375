// Frees what streams may still be using, once they no longer do, without ever waiting for them.
//
// A thread of the process, the reaper, looks at what is on the list and frees what is over: a driver may synchronise a whole device to
// free memory, and callers never wait for that. It starts with the first entry, sleeps while there are none, and is stopped at exit,
// before the driver's own end.
// Ownership: takes over what it is given; one list of the process, and the child of a fork begins with an empty one. What is on it at exit
// is left to the driver. Thread-safe. Never fails: where an event's query fails, its context has, and what it guards is let go (the driver
// frees nothing any more, or all); where no thread can be started, sweep_late() alone frees.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Lets go of `held` once every event is over, never in this call. Destructors of `held` run without any lock, on the reaper's thread or
// in sweep_late().
void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept;
// Lets go of what has become free, on this thread; when it returns the reaper has let go of it as well. So it may take as long as the
// driver does to free memory. Nothing in a destructor of what is let go.
void sweep_late() noexcept;
// Entries that are not free yet, those that are being freed included.
[[nodiscard]] std::size_t late_count();
// For tests, which say themselves when something is freed: whether the reaper works. Once `false` returns it calls no driver.
void let_reaper_work(bool works) noexcept;

}  // namespace hotpack::device
