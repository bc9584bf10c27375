// Makes threads that are started while an object exists block all signals, except those for faults
// that a thread causes itself. So other signals, such as those from the terminal, reach only the
// program's own threads.
//
// For one thread. Never fails.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace hotpack::loader {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace hotpack::loader
