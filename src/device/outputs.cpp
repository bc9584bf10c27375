#include "device/outputs.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"
#include "device/stream_checks.hpp"

namespace hotpack::device {
namespace {

constexpr int kContextIsDestroyed = 709;
constexpr int kFirstSticky = 700, kLastSticky = 719;  // errors that a context keeps for ever

bool is_sticky(int code) {
  return code == code::kDeinitialized ||
         (code >= kFirstSticky && code <= kLastSticky && code != kContextIsDestroyed);
}

// True if a call that failed with this code may succeed later.
bool is_passing(int code) { return code == code::kOutOfMemory || code::is_of_a_capture(code); }

}  // namespace

// Converts the driver's code of a call about a stream to a Noted. Fails if the code means that the
// context has failed.
Result<OutputPool::Noted> OutputPool::judge(const Driver& driver, const char* call, int code) {
  if (code == code::kSuccess) return Noted::yes;
  if (is_sticky(code)) return driver.check(call, code).error();
  return is_passing(code) ? Noted::later : Noted::never;
}

OutputPool::OutputPool(std::vector<std::shared_ptr<const Context>> contexts,
                       std::vector<OutputBytes> bytes, unsigned most)
    : contexts_(std::move(contexts)), bytes_(std::move(bytes)), most_(most) {
  for (List* const list : {&retried_, &free_, &unknown_, &kept_}) list->reserve(most);
}

// Runs after close(), or if nothing was leased. It must use no stream of the program, because the
// program may have destroyed them already.
OutputPool::~OutputPool() {
  for (List* const list : {&free_, &unknown_, &kept_}) {
    for (auto& memory : *list) free_late_one(std::move(memory));
  }
}

Status OutputPool::allocate() {
  while (made_ < most_) {
    HOTPACK_ASSIGN(auto memory, make());
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
    ++made_;
  }
  return {};
}

Result<std::unique_ptr<OutputMemory>> OutputPool::make() const {
  auto memory = std::make_unique<OutputMemory>();
  for (std::size_t number = 0; number < contexts_.size(); ++number) {
    OutputMemory::Part& part = memory->parts.emplace_back();
    HOTPACK_ASSIGN(part.image, DeviceMemory::take(contexts_[number], bytes_[number].image));
    HOTPACK_ASSIGN(part.label, DeviceMemory::take(contexts_[number], bytes_[number].label));
    HOTPACK_ASSIGN(part.written, Event::create(contexts_[number]));
  }
  return memory;
}

Status OutputPool::prepare() {
  const std::lock_guard one(retry_mutex_);
  {
    const std::lock_guard lock(mutex_);
    retried_.swap(unknown_);
  }
  Status done;
  for (auto& memory : retried_) {
    Status settled = settle(std::move(memory));
    if (done.ok()) done = std::move(settled);
  }
  retried_.clear();
  return done;
}

std::unique_ptr<OutputMemory> OutputPool::try_take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  auto memory = std::move(free_.back());
  free_.pop_back();
  return memory;
}

bool OutputPool::any_free() const {
  const std::lock_guard lock(mutex_);
  return !free_.empty();
}

Error OutputPool::none_left() const {
  if (most_ == 0) {
    return usage_error(
        "outputs is 0, so next() has no memory for a batch; open the loader with `outputs` of 1 or "
        "more, or call next_into() with your own memory");
  }
  std::string text =
      "all outputs are leased, so there is no memory for another batch; release a batch "
      "before you ask for the next, or open the loader with more outputs";
  const std::lock_guard lock(mutex_);
  if (!unknown_.empty()) {
    text +=
        ". " + std::to_string(unknown_.size()) + " of " + std::to_string(most_) +
        " were released while a stream that uses them was being captured; they can be used again "
        "after the capture";
  }
  if (!kept_.empty()) {
    text +=
        ". " + std::to_string(kept_.size()) + " of " + std::to_string(most_) +
        " cannot be used again, because their streams were destroyed before the release; release "
        "batches before you destroy their streams";
  }
  return {ErrorCode::busy, std::move(text), {}, {}};
}

void OutputPool::give_back(std::unique_ptr<OutputMemory> memory) noexcept {
  static_cast<void>(give_back(std::move(memory), {}));
}

Status OutputPool::give_back(std::unique_ptr<OutputMemory> memory,
                             std::vector<StreamUse> uses) noexcept {
  memory->unnoted = std::move(uses);
  return settle(std::move(memory));
}

// Records the uses of streams that can be recorded now, and moves the memory to the matching list.
Status OutputPool::settle(std::unique_ptr<OutputMemory> memory) noexcept {
  auto noted = note_all(*memory);
  if (!noted.ok()) {
    drop(std::move(memory));
    return std::move(noted).error();
  }
  {
    const std::lock_guard lock(mutex_);
    if (*noted != Noted::yes || !closed_) {
      List& list = *noted == Noted::yes ? free_ : *noted == Noted::later ? unknown_ : kept_;
      list.push_back(std::move(memory));
      return {};
    }
    --made_;
  }
  free_late_one(std::move(memory));
  return {};
}

// Records all uses that can be recorded, and removes them. Returns the worst outcome.
Result<OutputPool::Noted> OutputPool::note_all(OutputMemory& memory) const noexcept {
  Noted worst = Noted::yes;
  std::vector<StreamUse>& uses = memory.unnoted;
  for (auto use = uses.begin(); use != uses.end();) {
    Noted noted = Noted::later;
    try {
      HOTPACK_ASSIGN(noted, note(*use, memory));
    } catch (const std::exception&) {  // the host lacks memory for an event
    }
    worst = std::max(worst, noted);
    use = noted == Noted::yes ? uses.erase(use) : use + 1;
  }
  return worst;
}

// Records how far the work of a stream has got. Fails if the context has failed.
Result<OutputPool::Noted> OutputPool::note(const StreamUse& use, OutputMemory& memory) const {
  const auto& context = contexts_[use.part];
  const CurrentContext current(*context);
  if (current.code() != code::kSuccess)
    return judge(context->driver(), "cuCtxPushCurrent", current.code());
  // On this thread, the handle of the per-thread stream does not mean the stream of the thread that
  // used the memory. So an event is recorded on the legacy stream instead, which waits for that
  // stream, as it does for all streams that are not non-blocking.
  const bool elsewhere = use.stream == kPerThreadStream && use.thread != std::this_thread::get_id();
  const StreamHandle stream = elsewhere ? kLegacyStream : use.stream;
  if (is_captured(*context, stream))
    return Noted::later;  // a record now would become a part of the graph
  OutputMemory::Part& part = memory.parts[use.part];
  if (part.used_count == part.used.size()) {
    part.used.reserve(part.used.size() + 1);
    auto event = Event::create(context);
    if (!event.ok()) return Noted::later;  // if the context has failed, the next call reports it
    part.used.push_back(*std::move(event));
  }
  const EventHandle event = part.used[part.used_count].handle();
  int code = context->api().EventRecord(event, stream);
  if (code != code::kSuccess) code = context->api().EventRecord(event, stream);
  if (code == code::kSuccess) ++part.used_count;
  return judge(context->driver(), "cuEventRecord", code);
}

void OutputPool::drop(std::unique_ptr<OutputMemory> memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    --made_;
  }
  free_late_one(std::move(memory));
}

void OutputPool::close() noexcept {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  static_cast<void>(prepare());
  const std::lock_guard one(retry_mutex_);
  {
    const std::lock_guard lock(mutex_);
    made_ -= static_cast<unsigned>(free_.size());
    retried_.swap(free_);
  }
  for (auto& memory : retried_) free_late_one(std::move(memory));
  retried_.clear();
}

// Frees memory with free_late(), because streams may still read it although its lease has ended.
void OutputPool::free_late_one(std::unique_ptr<OutputMemory> memory) noexcept {
  std::vector<Event> events;
  for (OutputMemory::Part& part : memory->parts) {
    events.push_back(std::move(part.written));
    for (Event& used : part.used) events.push_back(std::move(used));
  }
  free_late(std::shared_ptr<OutputMemory>(std::move(memory)), std::move(events));
}

std::uint64_t OutputPool::device_bytes(std::size_t part) const {
  const std::lock_guard lock(mutex_);
  return made_ * (bytes_[part].image + bytes_[part].label);
}

}  // namespace hotpack::device
