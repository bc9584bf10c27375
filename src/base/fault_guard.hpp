// Reading mapped files without dying of SIGBUS, which the system raises when a mapped file has shrunk or its disk fails.
//
// Thread-safe. The handler acts on a thread that is inside guarded() and only for an address inside the guarded memory; every other SIGBUS
// goes to the handler that was installed before (or to the default action). A handler that the program installs later comes first: it has
// to pass on what is not its own.
// Failure: install_fault_handler gives code `io`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hotpack/result.hpp"

namespace hotpack {

// Installs the handler, once for the process; later calls do nothing. It stays until the process ends.
[[nodiscard]] Status install_fault_handler();
[[nodiscard]] bool fault_handler_installed() noexcept;

// Calls work(argument). Where it reads a page of `memory` that cannot be read, it is left at once (siglongjmp: it must own nothing that a
// destructor releases, and hold no lock), and the result is the offset in `memory` of what could not be read (or of its page); else
// nothing. Does not nest. Precondition: the handler is installed.
[[nodiscard]] std::optional<std::size_t> guarded(std::span<const std::byte> memory, void (*work)(void*), void* argument) noexcept;

// The same for a callable that throws nothing.
template <class Work>
[[nodiscard]] std::optional<std::size_t> guarded(std::span<const std::byte> memory, Work& work) noexcept {
  return guarded(
      memory, [](void* argument) { (*static_cast<Work*>(argument))(); }, &work);
}

}  // namespace hotpack
