// Frees what streams may still be using, once they no longer do, without ever waiting for them.
//
// Ownership: takes over what it is given; one list of the process. What is on it at exit is left to the driver. Thread-safe. Never fails:
// where an event's query fails, its context has, and what it guards is let go (the driver frees nothing any more, or all).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Lets go of `held` once every event is over: now, or in a later call of either function. Destructors of `held` run without any lock.
void free_late(std::shared_ptr<void> held, std::vector<Event> events) noexcept;
// Lets go of what has become free.
void sweep_late() noexcept;
// Entries that still wait.
[[nodiscard]] std::size_t late_count();

}  // namespace hotpack::device
