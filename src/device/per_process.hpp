// One object of a type for each process.
//
// Ownership: made at the first call, never destroyed: at exit the driver may be gone, and threads may still use it. The child of a fork
// gets a fresh one, as threads, locks and what is in the driver are its parent's. Thread-safe.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace hotpack::device {

template <class T>
T& of_this_process() {
  struct Node {
    pid_t process;
    const Node* parents;  // of the process that this one was forked from: nobody touches it here
    T object = {};
  };
  static std::atomic<Node*> current{nullptr};
  const pid_t process = ::getpid();
  Node* node = current.load();
  if (node != nullptr && node->process == process) return node->object;
  auto* const fresh = new Node{process, node};
  if (current.compare_exchange_strong(node, fresh)) return fresh->object;
  delete fresh;  // another thread was faster
  return node->object;
}

}  // namespace hotpack::device
