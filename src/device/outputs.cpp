#include "device/outputs.hpp"

#include <utility>

#include "base/try.hpp"
#include "device/late_free.hpp"

namespace hotpack::device {

OutputPool::OutputPool(std::vector<std::shared_ptr<const Context>> contexts, std::vector<OutputBytes> bytes, unsigned most)
    : contexts_(std::move(contexts)), bytes_(std::move(bytes)), most_(most) {}

OutputPool::~OutputPool() { close(); }

Status OutputPool::prepare() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || !free_.empty() || made_ == most_) return {};
    ++made_;
  }
  auto memory = allocate();
  const std::lock_guard lock(mutex_);
  if (!memory.ok()) {
    --made_;
    return std::move(memory).error();
  }
  free_.push_back(*std::move(memory));
  return {};
}

std::unique_ptr<OutputMemory> OutputPool::try_take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  auto memory = std::move(free_.back());
  free_.pop_back();
  return memory;
}

bool OutputPool::all_leased() const {
  const std::lock_guard lock(mutex_);
  return free_.empty() && made_ == most_;
}

Result<std::unique_ptr<OutputMemory>> OutputPool::allocate() const {
  auto memory = std::make_unique<OutputMemory>();
  for (std::size_t number = 0; number < contexts_.size(); ++number) {
    OutputMemory::Part& part = memory->parts.emplace_back();
    HOTPACK_ASSIGN(part.image, DeviceMemory::take(contexts_[number], bytes_[number].image));
    HOTPACK_ASSIGN(part.label, DeviceMemory::take(contexts_[number], bytes_[number].label));
    HOTPACK_ASSIGN(part.written, Event::create(contexts_[number]));
  }
  return memory;
}

void OutputPool::give_back(std::unique_ptr<OutputMemory> memory) noexcept {
  std::vector<std::unique_ptr<OutputMemory>> leaving;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) --made_;
    (closed_ ? leaving : free_).push_back(std::move(memory));
  }
  free_all(std::move(leaving));
}

void OutputPool::drop(std::unique_ptr<OutputMemory> memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    --made_;
  }
  std::vector<std::unique_ptr<OutputMemory>> leaving;
  leaving.push_back(std::move(memory));
  free_all(std::move(leaving));
}

void OutputPool::close() noexcept {
  std::vector<std::unique_ptr<OutputMemory>> leaving;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    made_ -= static_cast<unsigned>(free_.size());
    leaving.swap(free_);
  }
  free_all(std::move(leaving));
}

// Streams may still read what leases have let go of.
void OutputPool::free_all(std::vector<std::unique_ptr<OutputMemory>> all) noexcept {
  for (auto& memory : all) {
    std::vector<Event> events;
    for (OutputMemory::Part& part : memory->parts) {
      events.push_back(std::move(part.written));
      for (Event& used : part.used) events.push_back(std::move(used));
    }
    free_late(std::shared_ptr<OutputMemory>(std::move(memory)), std::move(events));
  }
}

std::uint64_t OutputPool::device_bytes(std::size_t part) const {
  const std::lock_guard lock(mutex_);
  return made_ * (bytes_[part].image + bytes_[part].label);
}

}  // namespace hotpack::device
