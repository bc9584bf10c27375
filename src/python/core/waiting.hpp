// Waiting for batches without the GIL, so that Ctrl-C works and Python can exit.
//
// All functions need the GIL. Failure: the errors of what is waited for; `timeout` with the whole
// time; KeyboardInterrupt and what else a signal raises; an end without a trace in other threads
// while Python exits.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>

#include "errors.hpp"
#include "hotpack/loader.hpp"

namespace hotpack::python {

// Between two of these, a waiting call looks for signals.
inline constexpr std::chrono::milliseconds kSlice{50};

// A loader that threads may wait for.
class Awaited {
 public:
  Awaited();
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;
  virtual ~Awaited() = default;

  virtual void cancel() noexcept = 0;
  [[nodiscard]] virtual LoaderPosition position() const = 0;
  [[nodiscard]] double waited() const { return waited_; }  // seconds

  // Calls attempt(slice) until it gives something else than a time-out. `seconds`: 0 waits for
  // ever.
  template <class Attempt>
  auto wait(double seconds, const Attempt& attempt) -> decltype(take(attempt(kSlice)));

 protected:
  // Call this first in the destructor.
  void forget() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  [[nodiscard]] Error late(double seconds) const;

  double waited_ = 0;  // changes with the GIL
};

// Counts a thread that waits without the GIL.
class Waiter {
 public:
  Waiter();
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  struct Waiting& all_;
};

// Throws if Python is exiting.
void refuse_at_exit();
// Ends all waiting before Python's threads are killed; see pitfalls of daemon threads in Python's
// documentation of Py_FinalizeEx.
void end_waiting();
// In a forked child: its parent's waiting threads do not exist there, and may hold the lock.
void forget_waiting();

template <class T>
bool timed_out(const Result<T>& result) {
  return !result.ok() && result.error().code == ErrorCode::timeout;
}

template <class Attempt>
auto Awaited::wait(double seconds, const Attempt& attempt) -> decltype(take(attempt(kSlice))) {
  using std::chrono::milliseconds;
  refuse_at_exit();
  auto result = attempt(milliseconds(-1));  // what is ready needs no giving up of the GIL
  if (!timed_out(result)) return take(std::move(result));
  const Clock::time_point begin = Clock::now();
  do {
    const double left = seconds - seconds_since(begin);
    if (seconds > 0 && left <= 0) raise(late(seconds));
    const auto slice =
        seconds > 0
            ? std::min(kSlice, milliseconds(1 + static_cast<int>(std::min(left, 1.0) * 1000)))
            : kSlice;
    const Waiter waiter;
    {
      const nanobind::gil_scoped_release release;
      result = attempt(slice);
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    refuse_at_exit();
  } while (timed_out(result));
  waited_ = waited_ + seconds_since(begin);
  return take(std::move(result));
}

}  // namespace hotpack::python
