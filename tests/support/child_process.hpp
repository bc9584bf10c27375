// Work in a forked child, for tests of what a process does at a fork or at its end.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>

namespace hotpack::test {

// How a child that calls `work` ends: 0 or 1 as `work` returns true or false, unless it exits by
// itself; 128 plus the number of the signal that killed it; −1 if there is no child.
inline int status_of_child(const std::function<bool()>& work) {
  std::cout.flush();  // otherwise the child prints the buffered text again
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that hangs has failed
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace hotpack::test
