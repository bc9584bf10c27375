#include "support/fake_cuda/fake_streams.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::test {
namespace {

void need(Operation& operation, const OperationPtr& other) {
  if (other != nullptr && !other->done) operation.needs.push_back(other);
}

}  // namespace

FakeStreams::~FakeStreams() {
  // One by one: an operation that went with all that it needs would go as deep as the stream is long.
  for (const auto& stream : streams_) {
    for (const auto& operation : stream->pending) operation->needs.clear();
  }
}

std::shared_ptr<FakeStream> FakeStreams::add(FakeContext& context, bool blocking) {
  std::erase_if(streams_, [](const std::shared_ptr<FakeStream>& stream) { return stream.use_count() == 1 && stream->pending.empty(); });
  auto stream = std::make_shared<FakeStream>();
  stream->context = &context;
  stream->blocking = blocking;
  streams_.push_back(stream);
  return stream;
}

void FakeStreams::add_needs(FakeStream& stream, Operation& operation) const {
  need(operation, stream.last);
  if (!stream.blocking) return;
  if (!stream.legacy) {
    if (stream.context->legacy != nullptr) need(operation, stream.context->legacy->last);
    return;
  }
  for (const auto& other : streams_) {
    if (other.get() != &stream && other->blocking && other->context == stream.context) need(operation, other->last);
  }
}

OperationPtr FakeStreams::give(FakeStream& stream, Operation operation) {
  auto given = std::make_shared<Operation>(std::move(operation));
  given->stream = &stream;
  add_needs(stream, *given);
  for (const auto& block : given->uses) ++block->pending;
  if (given->module != nullptr) ++given->module->pending;
  stream.pending.push_back(given);
  stream.last = given;
  if (schedule_ == Schedule::eager && !running_) {
    const Obstacle found = obstacle(given);
    if (!found.block && found.broken == 0) run(given);
  }
  return given;
}

Obstacle FakeStreams::obstacle(const OperationPtr& operation) {
  Obstacle found;
  ++visits_;
  std::vector<Operation*> open{operation.get()};
  while (!open.empty()) {
    Operation& next = *open.back();
    open.pop_back();
    if (next.done || std::exchange(next.visit, visits_) == visits_) continue;
    found.block |= next.closed;
    if (next.stream->context->broken != 0) found.broken = next.stream->context->broken;
    for (const auto& needed : next.needs) open.push_back(needed.get());
  }
  return found;
}

void FakeStreams::run(const OperationPtr& operation) {
  // What is needed, and now and then something that is not.
  while (schedule_ == Schedule::random && !operation->done && draw(2) == 0) {
    if (!run_any()) break;
  }
  run_needed(operation);
}

void FakeStreams::run_needed(const OperationPtr& operation) {
  std::vector<OperationPtr> open{operation};
  while (!open.empty()) {
    const OperationPtr next = open.back();
    const auto missing = std::find_if(next->needs.begin(), next->needs.end(), [](const OperationPtr& needed) { return !needed->done; });
    if (!next->done && missing != next->needs.end()) {
      open.push_back(*missing);
      continue;
    }
    if (!next->done) run_one(next);
    open.pop_back();
  }
}

void FakeStreams::run_one(const OperationPtr& operation) {
  running_ = true;
  if (operation->work) operation->work();
  running_ = false;
  operation->done = true;
  operation->finished = std::chrono::steady_clock::now();
  operation->needs.clear();
  operation->work = nullptr;
  for (const auto& block : operation->uses) --block->pending;
  operation->uses.clear();
  if (operation->module != nullptr) --operation->module->pending;
  operation->module.reset();
  operation->stream->pending.pop_front();
}

bool FakeStreams::due(const Operation& operation) {
  return !operation.closed && operation.stream->context->broken == 0 &&
         std::all_of(operation.needs.begin(), operation.needs.end(), [](const OperationPtr& needed) { return needed->done; });
}

bool FakeStreams::run_any() {
  candidates_.clear();
  for (const auto& stream : streams_) {
    if (!stream->pending.empty() && due(*stream->pending.front())) candidates_.push_back(stream.get());
  }
  if (candidates_.empty()) return false;
  run_one(OperationPtr(candidates_[draw(candidates_.size())]->pending.front()));
  return true;
}

void FakeStreams::run_some() {
  if (schedule_ != Schedule::random || running_) return;
  for (std::uint64_t left = draw(4); left > 0 && run_any(); --left) {
  }
}

void FakeStreams::run_all() {
  while (run_any()) {
  }
}

bool FakeStreams::polled_enough(Operation& operation) {
  if (operation.polls == 0) operation.polls = 1 + static_cast<unsigned>(draw(3));  // queries yet to come
  return --operation.polls == 0;
}

std::uint64_t FakeStreams::draw(std::uint64_t below) {
  random_ += 0x9E3779B97F4A7C15u;  // splitmix64
  std::uint64_t word = random_;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return (word ^ (word >> 31)) % below;
}

}  // namespace hotpack::test
