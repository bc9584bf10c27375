// The threads and the memory of this process, as the system tells them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace hotpack::test {

struct OwnThread {
  std::filesystem::path folder;
  char state = '?';  // 'S': it sleeps
};

// The threads of this process. The system still lists a thread for a moment after it was joined;
// such threads are left out.
inline std::vector<OwnThread> own_threads() {
  constexpr unsigned long kEnds = 4;  // PF_EXITING of the kernel; set before a join returns
  std::vector<OwnThread> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string line, skipped;
    if (!std::getline(std::ifstream(task.path() / "stat"), line)) continue;  // gone by now
    std::istringstream words(line.substr(line.rfind(')') + 1));              // behind the name
    OwnThread found{task.path()};
    unsigned long flags = 0;
    words >> found.state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    if (words >> flags && (flags & kEnds) == 0) threads.push_back(found);
  }
  return threads;
}

// The number of threads, when there are no more than `wanted` or after a second.
inline std::size_t threads_settled(std::size_t wanted) {
  for (int i = 0; i < 1000 && own_threads().size() > wanted; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return own_threads().size();
}

// Waits until only the calling thread runs, but no longer than about 5 s.
inline void wait_until_others_sleep() {
  const auto awake = [] {
    std::size_t count = 0;
    for (const OwnThread& thread : own_threads()) count += thread.state == 'S' ? 0u : 1u;
    return count;
  };
  for (int i = 0; i < 5000 && awake() > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The resident memory of this process. The figure in statm is only near it.
inline std::size_t resident_kib() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::string word;
  while (rollup >> word && word != "Rss:") continue;
  std::size_t kib = 0;
  rollup >> kib;
  return kib;
}

}  // namespace hotpack::test
