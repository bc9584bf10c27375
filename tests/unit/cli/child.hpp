// Code that runs in a child process, because it changes or ends the process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

// Runs `body` in a child and returns its wait status; the child exits with 0 if the body returns.
inline int status_of_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    // The test runner catches signals too.
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGABRT}) ::signal(number, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

inline bool killed_by(int status, int signal) {
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}
