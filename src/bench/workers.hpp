// The simplest parallel loop: threads take the numbers of pieces of work from a shared counter
// until the time is over. Each thread writes to memory of its own.
//
// Ownership: ThreadBuffers owns its memory. Thread-safety: for each `thread` number, only one
// thread may call take(). Failure: std::bad_alloc and std::system_error are thrown; run_bench
// catches them.
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

// Calls work(thread, piece) for piece = 0, 1, 2, … on `threads` threads. Ends after `seconds`, or
// as soon as `work` returns false because no work is left. `work` must not throw.
[[nodiscard]] Pieces run_pieces(
    unsigned threads, double seconds,
    const std::function<bool(unsigned thread, std::uint64_t piece)>& work);

// Memory for the batch rows that plain loops write, as large as all slots of a Loader together.
// Each thread has a share of its own. The constructor touches all pages.
class ThreadBuffers {
 public:
  // `total_bytes` over all threads; each gets at least `least_bytes`.
  ThreadBuffers(unsigned threads, std::uint64_t total_bytes, std::uint64_t least_bytes);
  ~ThreadBuffers();
  ThreadBuffers(ThreadBuffers&& other) noexcept;
  ThreadBuffers& operator=(ThreadBuffers&&) = delete;

  // Returns the address of the next `bytes` bytes in the share of a thread, aligned to 64 bytes;
  // after the end of the share, those at its start again. Precondition: bytes ≤ least_bytes.
  [[nodiscard]] std::byte* take(unsigned thread, std::uint64_t bytes);

 private:
  // on a cache line of its own, so that threads do not disturb each other
  struct alignas(64) Share {
    std::uint64_t used = 0;
  };
  std::byte* memory_ = nullptr;
  std::uint64_t share_bytes_ = 0;
  std::vector<Share> shares_;
};

}  // namespace hotpack::bench
