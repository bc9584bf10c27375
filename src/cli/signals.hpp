// Stop signals as a flag: SIGINT, SIGTERM and SIGHUP request an orderly end, after which the
// command dies of the signal.
//
// Process-wide state; install and remove from the main thread. stop_signal() may be called from any
// thread.
#pragma once

namespace hotpack::cli {

// While it lives, the stop signals only set a flag. After the second one the default action is
// back, so that a third ends a process that does not come to its end. A signal that was ignored at
// the start (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// The first stop signal that arrived, 0 if none did.
[[nodiscard]] int stop_signal();

// Ends the process by the stop signal that arrived, so that the parent sees 128 + its number;
// returns if none did.
void reraise_stop_signal();

// Makes writes to a closed pipe (EPIPE) and beyond a limit of file sizes (EFBIG) fail instead of
// killing the process.
void survive_failing_writes();

// Ends the process as a write to a closed pipe ends others (SIGPIPE); returns if the signal is
// blocked for good.
void end_by_broken_pipe();

}  // namespace hotpack::cli
