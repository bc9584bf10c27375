#include "base/fault_guard.hpp"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace hotpack {

namespace {

// Some systems report the page of a fault, not its byte.
constexpr std::uintptr_t kPage = 4096;

// The guarded work of one thread.
struct Guard {
  std::span<const std::byte> memory;
  sigjmp_buf way_out;
  std::size_t offset = 0;  // of the fault, within the memory
};

// The Guard of this thread while guarded() runs on it, else null. The signal handler reads this
// pointer. It is a plain pointer in the thread's static block, so that reading it calls no
// function.
__attribute__((tls_model("initial-exec"))) thread_local Guard* guard_here = nullptr;

// What this handler replaced, each time that it was installed.
struct Replaced {
  struct sigaction action;
  const Replaced* earlier;
};
// The latest; null before the first. Never freed, because the signal handler may read it any time.
std::atomic<const Replaced*> replaced{nullptr};
// What this thread passes a signal on to; null if it does not. It stays if the handler leaves by a
// jump, so it counts only for a signal that was raised, which a new fault is not.
__attribute__((tls_model("initial-exec"))) thread_local const Replaced* passed_on = nullptr;

// Where to pass a signal on to. A handler that was installed over this one may put this one back
// and raise the signal again, as Python's faulthandler does; the signal then belongs to the handler
// before both.
const Replaced& next_before(const siginfo_t* info) {
  if (info->si_code > 0 || passed_on == nullptr) return *replaced.load();
  return passed_on->earlier != nullptr ? *passed_on->earlier : *passed_on;
}

bool holds(const Guard& guard, std::uintptr_t address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(guard.memory.data());
  return address >= begin - begin % kPage && address < begin + guard.memory.size();
}

[[noreturn]] void leave(Guard& guard, std::uintptr_t address, const void* context) {
  // Unblocks what a wrapper has blocked: this handler is installed without signals to block, but a
  // thread sanitizer calls it from a handler of its own, which may block some.
  ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  const auto begin = reinterpret_cast<std::uintptr_t>(guard.memory.data());
  guard.offset = address < begin ? 0 : address - begin;
  siglongjmp(guard.way_out, 1);
}

// Lets the system's default action happen. A fault occurs again as soon as the handler returns, but
// a signal that another process sent must be raised again.
void default_action(int signal, const siginfo_t* info) {
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0) ::raise(signal);
}

// Calls the handler that was installed before this one, as the system would have done: with its
// signal mask, and only once if it was installed with SA_RESETHAND.
void call_handler_before(const struct sigaction& before, int signal, siginfo_t* info,
                         void* context) {
  const auto flags = static_cast<unsigned>(before.sa_flags);
  sigset_t blocked = before.sa_mask;
  if ((flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked,
                    nullptr);  // the system restores the mask when this handler returns
  if ((flags & SA_RESETHAND) != 0) ::signal(signal, SIG_DFL);
  if ((flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  before.sa_handler(signal);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const Replaced& next = next_before(info);
  const struct sigaction& before = next.action;
  const bool plain = (before.sa_flags & SA_SIGINFO) == 0;
  if (plain && before.sa_handler == SIG_IGN && info->si_code <= 0)
    return;  // a fault cannot be ignored
  if (plain && (before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL))
    return default_action(signal, info);
  const Replaced* const outer = std::exchange(passed_on, &next);
  call_handler_before(before, signal, info, context);
  passed_on = outer;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  Guard* const guard = guard_here;
  if (guard != nullptr && info->si_code > 0 && holds(*guard, address))
    leave(*guard, address, context);
  pass_on(signal, info, context);
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_bus_error;
}

bool is_installed() {
  struct sigaction found {};
  return ::sigaction(SIGBUS, nullptr, &found) == 0 && is_ours(found);
}

// Returns 0, or an errno.
int install() {
  struct sigaction found {};
  if (::sigaction(SIGBUS, nullptr, &found) != 0) return errno;
  if (is_ours(found)) return 0;
  const Replaced* const earlier = replaced;
  replaced = new Replaced{found, earlier};
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  // SA_NODEFER: SIGBUS stays unblocked while the handler runs, because siglongjmp leaves the
  // handler without restoring the mask.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, nullptr) == 0) return 0;
  replaced = earlier;
  return errno;
}

}  // namespace

Status install_fault_handler() {
  // Without the lock, which a thread that does not exist in the child of a fork may hold.
  if (is_installed()) return {};
  static std::mutex installing;
  const std::lock_guard lock(installing);
  const int failure = install();
  if (failure != 0) return io_error("cannot install a handler of SIGBUS", {}, failure);
  return {};
}

std::optional<std::size_t> guarded(std::span<const std::byte> memory, void (*work)(void*),
                                   void* argument) noexcept {
  Guard guard;
  guard.memory = memory;
  if (sigsetjmp(guard.way_out, 0) != 0) {
    guard_here = nullptr;
    return guard.offset;
  }
  guard_here = &guard;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  work(argument);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  guard_here = nullptr;
  return std::nullopt;
}

}  // namespace hotpack
