// Turns the stop signals SIGINT, SIGTERM and SIGHUP into a flag. The command can then finish its
// current work, and afterwards the process ends by the signal.
//
// Process-wide state; install and remove from the main thread. stop_signal() may be called from any
// thread.
#pragma once

namespace hotpack::cli {

// While an object of this class exists, stop signals only set a flag. The second signal also
// restores the default action, so that a third one ends a process that hangs. A signal that was
// ignored when the process started (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// Returns the first stop signal that arrived; 0 if none did.
[[nodiscard]] int stop_signal();

// Ends the process by the stop signal that arrived, so that a shell reports 128 plus the signal's
// number. Returns only if no stop signal arrived.
void reraise_stop_signal();

// After this call, two kinds of writes fail instead of killing the process: those to a closed pipe
// (EPIPE), and those beyond the limit for file sizes (EFBIG).
void survive_failing_writes();

// Ends the process by SIGPIPE, as other programs end when they write to a closed pipe. Returns if
// the signal cannot be delivered.
void end_by_broken_pipe();

}  // namespace hotpack::cli
