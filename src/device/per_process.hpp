// Makes one object of a type per process.
//
// Ownership: the first call makes the object, and nobody destroys it: at exit the driver may be
// gone while threads still use the object. A forked child gets a new object, because threads, locks
// and objects of the driver belong to its parent. Thread-safe.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace hotpack::device {

template <class T>
T& of_this_process() {
  struct Node {
    pid_t process;
    const Node* parents;  // of the parent process; this process does not use it
    T object = {};
  };
  static std::atomic<Node*> current{nullptr};
  const pid_t process = ::getpid();
  Node* node = current.load();
  if (node != nullptr && node->process == process) return node->object;
  auto* const fresh = new Node{process, node};
  if (current.compare_exchange_strong(node, fresh)) return fresh->object;
  delete fresh;  // another thread has made the object first
  return node->object;
}

}  // namespace hotpack::device
