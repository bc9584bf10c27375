#include "cli/signals.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace hotpack::cli {

namespace {

constexpr std::array kStopSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> first_signal{0};
std::atomic<int> signal_count{0};
std::array<struct sigaction, kStopSignals.size()> actions_before;

void die_of(int number) {
  ::signal(number, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(number);
}

static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may use lock-free atomics only");

extern "C" void note_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  if (signal_count.fetch_add(1) + 1 < 2) return;
  for (const int each : kStopSignals) ::signal(each, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  signal_count = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int number : kStopSignals) ::sigaddset(&action.sa_mask, number);
  for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
    ::sigaction(kStopSignals[i], nullptr, &actions_before[i]);
    if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(kStopSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kStopSignals.size(); ++i)
    ::sigaction(kStopSignals[i], &actions_before[i], nullptr);
}

int stop_signal() { return first_signal; }

void reraise_stop_signal() {
  if (stop_signal() != 0) die_of(stop_signal());
}

void end_by_broken_pipe() { die_of(SIGPIPE); }

void survive_failing_writes() {
  for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);
}

}  // namespace hotpack::cli
