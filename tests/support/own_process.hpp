// Test cases that need a process of their own, for example because they change what a signal does:
// hidden test cases of the same program. Also tells whether an emulator runs the process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace hotpack::test {

// The program that runs programs of this target, or null if the machine does. scripts/run-aarch64
// sets it.
inline const char* emulator() { return std::getenv("HOTPACK_EMULATOR"); }

// qemu 7.2 aborts if the child of a fork starts threads.
inline bool is_emulated() { return emulator() != nullptr; }

// Runs one test case of this program, without its output. Returns how the process ended: its exit
// code, or 1000 plus its signal.
inline int end_of_process(const char* test_case) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const pid_t child = fork();
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stdout);
    if (const char* const runner = emulator())
      execl(runner, runner, program.c_str(), test_case, "-w", "NoTests", nullptr);
    execl(program.c_str(), program.c_str(), test_case, "-w", "NoTests", nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace hotpack::test
