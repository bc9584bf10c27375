// The plainest parallel loop: threads that take pieces of work from a counter until the time is up,
// each with memory of its own to write to.
//
// Ownership: ThreadBuffers owns its memory. Thread-safety: take() from one thread a `thread`
// number. Failure: std::bad_alloc and std::system_error are thrown; run_bench catches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hotpack::bench {

struct Pieces {
  std::uint64_t done = 0;
  double seconds = 0;  // from the moment all threads were ready to the end of the last piece
};

// Calls work(thread, piece) for piece = 0, 1, 2, … on `threads` threads until `seconds` have
// passed, or work returns false: nothing is left. `work` must not throw.
[[nodiscard]] Pieces run_pieces(
    unsigned threads, double seconds,
    const std::function<bool(unsigned thread, std::uint64_t piece)>& work);

// Memory to write rows to, as large as a ring of slots, and shared out among the threads, so that
// no two write to the same place. Its pages are touched beforehand.
class ThreadBuffers {
 public:
  // `total_bytes` over all threads; each gets at least `least_bytes`.
  ThreadBuffers(unsigned threads, std::uint64_t total_bytes, std::uint64_t least_bytes);
  ~ThreadBuffers();
  ThreadBuffers(ThreadBuffers&& other) noexcept;
  ThreadBuffers& operator=(ThreadBuffers&&) = delete;

  // The next `bytes` ≤ least_bytes of a thread's memory, 64-byte aligned; from the start again at
  // its end.
  [[nodiscard]] std::byte* take(unsigned thread, std::uint64_t bytes);

 private:
  // On a cache line of its own.
  struct alignas(64) Share {
    std::uint64_t used = 0;
  };
  std::byte* memory_ = nullptr;
  std::uint64_t share_bytes_ = 0;
  std::vector<Share> shares_;
};

}  // namespace hotpack::bench
