// Working and waiting without the GIL, so that other threads run, Ctrl-C works and Python can exit.
//
// Python kills threads that ask for the GIL while it exits, which C++ does not survive: every part
// of the module that gives up the GIL does so by unlocked() or Awaited::wait().
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
  // ever. `first_try`: attempt(-1) tells at once whether something is ready, which needs no giving
  // up of the GIL.
  template <class Attempt>
  auto wait(double seconds, bool first_try, const Attempt& attempt)
      -> decltype(take(attempt(kSlice)));

 protected:
  // Call this first in the destructor.
  void forget() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  // Adds the time of its life to `seconds`.
  struct Stopwatch {
    double& seconds;
    Clock::time_point begin = Clock::now();
    ~Stopwatch() { seconds += seconds_since(begin); }
  };
  [[nodiscard]] Error late(double seconds) const;

  double waited_ = 0;  // changes with the GIL
};

// Counts a thread that is without the GIL.
class Waiter {
 public:
  Waiter();
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  struct Waiting& all_;
};

// Gives up the GIL. If Python has ended when it wants it back, the thread sleeps until the process
// ends.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

// Throws if Python is exiting.
void refuse_at_exit();
[[nodiscard]] bool is_exiting() noexcept;
// Ends all waiting before Python's threads are killed; see pitfalls of daemon threads in Python's
// documentation of Py_FinalizeEx.
void end_waiting();
// In a forked child: its parent's waiting threads do not exist there, and may hold the lock.
void forget_waiting();

// What work() returns, which does it without the GIL.
template <class Work>
auto unlocked(const Work& work) {
  refuse_at_exit();
  const Waiter waiter;
  auto result = [&] {
    const Released released;
    return work();
  }();
  refuse_at_exit();
  return result;
}

// As unlocked(), for what must be done while Python exits, too; then with the GIL.
template <class Work>
void unlocked_unless_exiting(const Work& work) {
  if (is_exiting()) return work();
  const Waiter waiter;
  const Released released;
  work();
}

template <class T>
bool timed_out(const Result<T>& result) {
  return !result.ok() && result.error().code == ErrorCode::timeout;
}

template <class Attempt>
auto Awaited::wait(double seconds, bool first_try, const Attempt& attempt)
    -> decltype(take(attempt(kSlice))) {
  using std::chrono::milliseconds;
  if (first_try) {
    refuse_at_exit();
    auto ready = attempt(milliseconds(-1));
    if (!timed_out(ready)) return take(std::move(ready));
  }
  const Stopwatch watch{waited_};
  while (true) {
    const double left = seconds - seconds_since(watch.begin);
    const auto slice =
        seconds > 0
            ? std::min(kSlice,
                       milliseconds(1 + static_cast<int>(std::clamp(left, 0.0, 1.0) * 1000)))
            : kSlice;
    auto result = unlocked([&] { return attempt(slice); });
    if (!timed_out(result)) return take(std::move(result));
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (seconds > 0 && seconds_since(watch.begin) >= seconds) raise(late(seconds));
  }
}

}  // namespace hotpack::python
