// Threads that mostly wait for files, as those of a network file system let them wait. They are
// apart from the threads that compute (arena.hpp), because many calls can wait at the same time
// even on one core.
//
// Starts with few threads and adds more only while pieces of work wait: on a fast disk, threads
// that have nothing to wait for would only get into each other's way.
//
// Ownership: IoThreads owns its threads; the destructor waits for their end. Thread-safe. Failure:
// a thread that the system does not start is done without; an exception of the work is thrown again
// by join().
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hotpack::pipeline {

class IoThreads {
 public:
  // `work` runs on each thread, and returns when nothing is left to do. At most `most` threads run
  // it, including the caller's, which calls `work` itself.
  IoThreads(int most, std::function<void()> work);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  // Makes the number of threads grow to `count`, including the caller's, or to `most`.
  void grow_to(std::size_t count);
  // Starts one more thread; to call after a piece of work that waited.
  void add_one();
  // How many threads were started so far, including the caller's.
  [[nodiscard]] std::size_t count() const;
  // Waits for the end of all threads. Throws the first exception that ended one.
  void join();

 private:
  bool start_locked();
  void run() noexcept;
  void join_all();

  const std::size_t most_;
  const std::function<void()> work_;
  mutable std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::size_t started_ = 1;  // with the caller's
  bool refused_ = false;     // the system does not start more
  std::exception_ptr failure_;
};

// Measures whether the current thread waits during a piece of work. A value; not thread-safe.
class WaitMeter {
 public:
  WaitMeter();
  // True if the thread has waited most of the time since the construction, and for long enough that
  // another thread is worth its start.
  [[nodiscard]] bool waited() const;

 private:
  std::chrono::steady_clock::time_point start_;
  std::chrono::nanoseconds computed_;  // by this thread, at the start
};

}  // namespace hotpack::pipeline
