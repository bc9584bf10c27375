// Keeps signals that a program sends to itself or gets from a terminal with its own threads: threads started in the scope have them
// blocked. Only faults stay with the thread that makes them.
//
// One thread. Never fails.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace hotpack::loader {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace hotpack::loader
