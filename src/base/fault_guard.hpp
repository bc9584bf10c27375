// The fault guard: reads mapped files without dying of SIGBUS, which the system raises if a mapped
// file has shrunk or its disk fails.
//
// Thread-safe. The handler acts only on a thread inside guarded(), and only for an address in the
// guarded memory. It passes every other SIGBUS to the handler that was installed before, or to the
// default action. If the program installs a handler later, install_fault_handler() puts this one in
// front of it again.
// Failure: install_fault_handler returns code `io`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hotpack/result.hpp"

namespace hotpack {

// Installs the handler, unless it is the one in place. Every Loader calls this when it opens, and
// every shard when it is mapped, so a handler that was installed in the meantime, such as that of
// Python's faulthandler, does not hide it. It stays until the process ends.
[[nodiscard]] Status install_fault_handler();

// Calls work(argument). If `work` reads a page of `memory` that cannot be read, the signal handler
// ends `work` at once (siglongjmp), and guarded() returns the offset in `memory` of the byte (or
// page) that could not be read. Otherwise it returns an empty optional. Because `work` may end
// anywhere, it must hold no lock and own nothing that a destructor releases. `work` must not call
// guarded(). Precondition: if `memory` maps a file, the handler is installed.
[[nodiscard]] std::optional<std::size_t> guarded(std::span<const std::byte> memory,
                                                 void (*work)(void*), void* argument) noexcept;

// The same for a callable that does not throw.
template <class Work>
[[nodiscard]] std::optional<std::size_t> guarded(std::span<const std::byte> memory,
                                                 Work& work) noexcept {
  return guarded(
      memory, [](void* argument) { (*static_cast<Work*>(argument))(); }, &work);
}

}  // namespace hotpack
