#include "settings/memory_budget.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastDefault = 256 * kMebibyte;

std::string size_text(std::uint64_t bytes) {
  const bool small = bytes < 10 * kMebibyte;
  const std::uint64_t unit = small ? 1024 : kMebibyte;
  return number_text(bytes / unit + (bytes % unit > 0)) + (small ? " KiB" : " MiB");
}

}  // namespace

MemoryBudget::Room::Room(Room&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}

MemoryBudget::Room& MemoryBudget::Room::operator=(Room&& other) noexcept {
  leave();
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = other.bytes_;
  return *this;
}

void MemoryBudget::Room::leave() noexcept {
  if (budget_ == nullptr) return;
  {
    const std::lock_guard lock(budget_->mutex_);
    budget_->used_ -= bytes_;
  }
  std::exchange(budget_, nullptr)->left_.notify_all();
}

MemoryBudget::MemoryBudget(std::optional<std::uint64_t> limit, int threads,
                           const UsableMemory& usable)
    : limit_(limit.value_or(std::max(kLeastDefault, usable.bytes / 2))),
      threads_(static_cast<std::uint64_t>(std::max(1, threads))),
      kept_(limit_ / 4 / threads_),
      shared_(limit_ - kept_ * threads_),
      most_alone_(limit ? shared_ : std::max(limit_, usable.bytes)),
      origin_(limit                       ? ""
              : usable.bytes / 2 < limit_ ? "at least this much"
              : usable.of_cgroup          ? "half of what the cgroup's memory limit leaves"
                                          : "half of the available memory") {}

Result<MemoryBudget::Room> MemoryBudget::take(std::uint64_t bytes, const std::string& path) {
  if (bytes <= kept_) return Room();
  if (bytes > most_alone_) return refusal(bytes, path);
  std::unique_lock lock(mutex_);
  if (bytes > shared_ / threads_) {
    ++limited_;
    largest_ = std::max(largest_, bytes);
  }
  left_.wait(lock, [&] { return used_ == 0 || (used_ < shared_ && bytes <= shared_ - used_); });
  used_ += bytes;
  return Room(*this, bytes);
}

std::string MemoryBudget::limit_text() const {
  return "--max-memory " + size_text(limit_) + (origin_.empty() ? "" : ", by default " + origin_);
}

Error MemoryBudget::refusal(std::uint64_t bytes, const std::string& path) const {
  const std::uint64_t wanted = (bytes / 3 * 4 / kMebibyte + 1) * kMebibyte;
  const std::string limit = origin_.empty() ? "one image may take " + size_text(shared_) +
                                                  ", three quarters of " + limit_text()
                                            : "the process may use " + size_text(most_alone_);
  return {ErrorCode::io,
          path + ": decoding this image takes about " + size_text(bytes) + " of memory, and " +
              limit + ". Give --max-memory " + std::to_string(wanted / kMebibyte) +
              "MiB if there is so much, or leave such images out with a smaller --max-pixels and "
              "--on-error skip",
          {},
          {}};
}

std::optional<std::string> MemoryBudget::notice() const {
  const std::lock_guard lock(mutex_);
  if (threads_ == 1 || limited_ < 2) return std::nullopt;
  return "large images were decoded fewer at once than -j " + std::to_string(threads_) +
         " allows: the largest takes about " + size_text(largest_) + " of memory, so " +
         std::to_string(std::max<std::uint64_t>(1, shared_ / largest_)) + " of its size at once (" +
         limit_text() + ")";
}

}  // namespace hotpack::pipeline
