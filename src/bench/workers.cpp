#include "bench/workers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <latch>
#include <new>
#include <thread>
#include <utility>

#include "bench/measure.hpp"

namespace hotpack::bench {

namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// The times at which a thread began its first piece and ended its last.
struct Span {
  double began = 0;
  double ended = 0;
};

// Returns the time from the first beginning to the last end.
double length_of(const std::vector<Span>& spans) {
  double began = spans.front().began, ended = spans.front().ended;
  for (const Span& span : spans) {
    began = std::min(began, span.began);
    ended = std::max(ended, span.ended);
  }
  return ended - began;
}

}  // namespace

Pieces run_pieces(unsigned threads, double seconds,
                  const std::function<bool(unsigned, std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next{0}, done{0};
  std::latch ready(static_cast<std::ptrdiff_t>(threads) + 1);
  std::vector<Span> spans(
      threads);  // each thread measures itself: this thread may sleep while they work
  const auto loop = [&](unsigned thread) {
    ready.arrive_and_wait();
    Span& span = spans[thread];
    span.began = span.ended = now_seconds();
    do {
      if (!work(thread, next.fetch_add(1, std::memory_order_relaxed))) return;
      done.fetch_add(1, std::memory_order_relaxed);
      span.ended = now_seconds();
    } while (span.ended < span.began + seconds);
  };
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  try {
    while (workers.size() < threads)
      workers.emplace_back(loop, static_cast<unsigned>(workers.size()));
  } catch (...) {
    ready.count_down(static_cast<std::ptrdiff_t>(threads - workers.size()) +
                     1);  // lets the threads that wait continue and end
    throw;
  }
  ready.arrive_and_wait();
  workers.clear();  // joins the threads
  return {done.load(), length_of(spans)};
}

ThreadBuffers::ThreadBuffers(unsigned threads, std::uint64_t total_bytes, std::uint64_t least_bytes)
    : shares_(threads) {
  share_bytes_ =
      rounded_up(std::max({total_bytes / threads, least_bytes, std::uint64_t{1}}), kHugePage);
  const std::uint64_t all = share_bytes_ * threads;
  void* const memory =
      ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, all, MADV_HUGEPAGE);  // optional: a limit is the best rate of the machine
  memory_ = static_cast<std::byte*>(memory);
  std::memset(memory_, 1, all);
}

ThreadBuffers::~ThreadBuffers() {
  if (memory_ != nullptr) ::munmap(memory_, share_bytes_ * shares_.size());
}

ThreadBuffers::ThreadBuffers(ThreadBuffers&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      share_bytes_(other.share_bytes_),
      shares_(std::move(other.shares_)) {}

std::byte* ThreadBuffers::take(unsigned thread, std::uint64_t bytes) {
  std::uint64_t& used = shares_[thread].used;
  if (bytes > share_bytes_ - used) used = 0;
  std::byte* const place = memory_ + thread * share_bytes_ + used;
  used = std::min(rounded_up(used + bytes, 64), share_bytes_);
  return place;
}

}  // namespace hotpack::bench
