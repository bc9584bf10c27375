// The settings of all scans of one discover(): the threads that may wait for files, the receiver of
// the number of files listed so far, and the files that are left out.
//
// A scope belongs to the thread that makes it, and ends where it began; scans of this thread find
// it by current(). Without a scope, a scan has one thread and tells nobody. A borrowed Observer
// and Exclusion must outlive the scope. Failure: a stop that the observer requests. Callers return
// it, and whoever made the scope asks the observer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "files/exclusion.hpp"
#include "hotpack/result.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

class ScanScope {
 public:
  // `observer` and `exclusion` may be null.
  ScanScope(int io_threads, Observer* observer, Exclusion* exclusion = nullptr);
  ~ScanScope();
  ScanScope(const ScanScope&) = delete;
  ScanScope& operator=(const ScanScope&) = delete;

  // The scope of this thread; null without one.
  [[nodiscard]] static ScanScope* current();

  [[nodiscard]] int io_threads() const { return io_threads_; }
  [[nodiscard]] Exclusion* exclusion() const { return exclusion_; }
  // How many threads the last scan needed, because files let it wait. The next one starts with
  // them.
  [[nodiscard]] std::size_t useful_threads() const { return useful_threads_; }
  void set_useful_threads(std::size_t count) { useful_threads_ = count; }

  // Counts listed files, and tells the observer once the scans take longer than a moment.
  [[nodiscard]] Status count(std::uint64_t files);

 private:
  using Clock = std::chrono::steady_clock;

  const int io_threads_;
  Observer* const observer_;
  Exclusion* const exclusion_;
  ScanScope* const outer_;
  std::size_t useful_threads_ = 1;
  std::uint64_t files_ = 0;
  Clock::time_point next_told_;
};

// Counts files in the scope of this thread, if there is one.
[[nodiscard]] Status count_scanned(std::uint64_t files);

// Calls ask(i), which asks the file system for something, for each i below `count`: in this thread,
// and in more threads of its scope while the file system lets them wait.
[[nodiscard]] Status for_each_file(std::size_t count, const std::function<void(std::size_t)>& ask);

}  // namespace hotpack::pipeline
