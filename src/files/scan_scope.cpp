#include "files/scan_scope.hpp"

#include "base/error.hpp"

namespace hotpack::pipeline {

namespace {

// Shorter scans are not worth a line of progress.
constexpr std::chrono::milliseconds kFirstTold{500};
constexpr std::chrono::milliseconds kToldEvery{50};

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

void ScanScope::count(std::uint64_t files) {
  files_ += files;
  if (observer_ == nullptr || Clock::now() < next_told_) return;
  next_told_ = Clock::now() + kToldEvery;
  Progress progress;
  progress.stage = "listing files";
  progress.samples_done = files_;
  observer_->progress(progress);
}

Status ScanScope::go_on() const {
  if (observer_ == nullptr || !observer_->stop_requested()) return {};
  return data_error("the search for samples was stopped");
}

Status count_scanned(std::uint64_t files) {
  ScanScope* const scope = ScanScope::current();
  if (scope == nullptr) return {};
  scope->count(files);
  return scope->go_on();
}

}  // namespace hotpack::pipeline
