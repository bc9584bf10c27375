#include "files/scan_scope.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "settings/io_threads.hpp"

namespace hotpack::pipeline {

namespace {

// Shorter scans are not worth a line of progress.
constexpr std::chrono::milliseconds kFirstTold{500};
constexpr std::chrono::milliseconds kToldEvery{50};

constexpr std::size_t kBlock = 8;  // files that a thread asks for at once

thread_local ScanScope* scope_of_thread = nullptr;

}  // namespace

ScanScope::ScanScope(int io_threads, Observer* observer, Exclusion* exclusion)
    : io_threads_(io_threads),
      observer_(observer),
      exclusion_(exclusion),
      outer_(scope_of_thread),
      next_told_(Clock::now() + kFirstTold) {
  scope_of_thread = this;
}

ScanScope::~ScanScope() { scope_of_thread = outer_; }

ScanScope* ScanScope::current() { return scope_of_thread; }

Status ScanScope::count(std::uint64_t files) {
  files_ += files;
  if (observer_ == nullptr) return {};
  if (observer_->stop_requested()) return data_error("the search for samples was stopped");
  if (Clock::now() < next_told_) return {};
  next_told_ = Clock::now() + kToldEvery;
  Progress progress;
  progress.stage = "listing files";
  progress.samples_done = files_;
  observer_->progress(progress);
  return {};
}

Status count_scanned(std::uint64_t files) {
  ScanScope* const scope = ScanScope::current();
  return scope == nullptr ? Status() : scope->count(files);
}

Status for_each_file(std::size_t count, const std::function<void(std::size_t)>& ask) {
  std::atomic<std::size_t> next = 0;
  Status stopped;
  IoThreads* others = nullptr;
  const auto work = [&](bool is_caller) {
    for (std::size_t first = 0; (first = next.fetch_add(kBlock)) < count;) {
      const WaitMeter meter;
      for (std::size_t i = first; i < std::min(first + kBlock, count); ++i) ask(i);
      if (meter.waited() && next < count) others->add_one();
      if (is_caller) stopped = count_scanned(0);
      if (is_caller && !stopped.ok()) next = count;
    }
  };
  ScanScope* const scope = ScanScope::current();
  IoThreads threads(scope == nullptr ? 1 : scope->io_threads(), [&] { work(false); });
  others = &threads;
  if (scope != nullptr) threads.grow_to(std::min(scope->useful_threads(), count / kBlock + 1));
  work(true);
  threads.join();
  if (scope != nullptr)
    scope->set_useful_threads(std::max(scope->useful_threads(), threads.count()));
  return stopped;
}

}  // namespace hotpack::pipeline
