#include "waiting.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace nb = nanobind;

namespace hotpack::python {

// What must end before Python does: threads that wait in a loader without the GIL.
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<Awaited*> loaders;
  int waiters = 0;
  std::atomic<bool> over{false};
  std::atomic<bool> abandoned{false};  // Python did not wait for all threads
};

namespace {

// Of this process; never destroyed, because a daemon thread may still use it.
std::atomic<Waiting*> waiting_here{new Waiting};
Waiting& waiting() { return *waiting_here; }

}  // namespace

Awaited::Awaited() {
  const std::lock_guard lock(waiting().mutex);
  waiting().loaders.insert(this);
}

void Awaited::forget() noexcept {
  const std::lock_guard lock(waiting().mutex);
  waiting().loaders.erase(this);
}

Error Awaited::late(double seconds) const {
  const LoaderPosition at = position();
  std::string text = std::to_string(seconds);
  text.resize(std::min(text.size(), text.find('.') + 4));
  return {ErrorCode::timeout,
          "step " + std::to_string(at.step) + " of epoch " + std::to_string(at.epoch) +
              " was not ready after " + text +
              " s; nothing is lost: call again, or use a longer timeout",
          {},
          {}};
}

Waiter::Waiter() : all_(waiting()) {
  const std::lock_guard lock(all_.mutex);
  ++all_.waiters;
}

Waiter::~Waiter() {
  {
    const std::lock_guard lock(all_.mutex);
    --all_.waiters;
  }
  all_.changed.notify_all();
}

Released::~Released() {
  while (waiting().abandoned) std::this_thread::sleep_for(std::chrono::hours(1));
  PyEval_RestoreThread(state_);
}

bool is_exiting() noexcept { return waiting().over; }

void refuse_at_exit() {
  if (!is_exiting()) return;
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) {
    PyErr_SetNone(PyExc_SystemExit);  // ends the thread without a trace, as sys.exit() does
    throw nb::python_error();
  }
  raise({ErrorCode::cancelled, "Python is exiting, so hotpack does nothing more", {}, {}});
}

void end_waiting() {
  Waiting& all = waiting();
  all.over = true;
  const nb::gil_scoped_release release;
  std::unique_lock lock(all.mutex);
  for (Awaited* const loader : all.loaders) loader->cancel();
  all.abandoned =
      !all.changed.wait_for(lock, std::chrono::seconds(10), [&] { return all.waiters == 0; });
}

void forget_waiting() { waiting_here = new Waiting; }

}  // namespace hotpack::python
