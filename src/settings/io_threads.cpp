#include "settings/io_threads.hpp"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <utility>

namespace hotpack::pipeline {

namespace {

// A new thread costs some ten microseconds.
constexpr std::chrono::microseconds kWorthAThread{500};
constexpr int kWaitsPerWork = 3;  // a thread waits if it computes at most a third of the time

std::chrono::nanoseconds computed_by_this_thread() {
  struct timespec time {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

IoThreads::IoThreads(int most, std::function<void()> work)
    : most_(static_cast<std::size_t>(std::max(1, most))), work_(std::move(work)) {}

IoThreads::~IoThreads() { join_all(); }

void IoThreads::grow_to(std::size_t count) {
  const std::lock_guard lock(mutex_);
  while (started_ < count && start_locked()) {
  }
}

void IoThreads::add_one() {
  const std::lock_guard lock(mutex_);
  start_locked();
}

std::size_t IoThreads::count() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

bool IoThreads::start_locked() {
  if (refused_ || started_ >= most_) return false;
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::exception&) {  // the system starts no more, or memory is exhausted
    refused_ = true;
    return false;
  }
  ++started_;
  return true;
}

void IoThreads::run() noexcept {
  try {
    work_();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

// A thread may start others until it ends, so the list is read again after each end.
void IoThreads::join_all() {
  while (true) {
    std::thread next;
    {
      const std::lock_guard lock(mutex_);
      if (threads_.empty()) return;
      next = std::move(threads_.back());
      threads_.pop_back();
    }
    next.join();
  }
}

void IoThreads::join() {
  join_all();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

WaitMeter::WaitMeter()
    : start_(std::chrono::steady_clock::now()), computed_(computed_by_this_thread()) {}

bool WaitMeter::waited() const {
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - start_;
  return passed >= kWorthAThread &&
         passed >= kWaitsPerWork * (computed_by_this_thread() - computed_);
}

}  // namespace hotpack::pipeline
