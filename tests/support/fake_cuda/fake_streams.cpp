#include "support/fake_cuda/fake_streams.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::test {
namespace {

void need(Operation& operation, const OperationPtr& other) {
  if (other != nullptr && !other->done) operation.needs.push_back(other);
}

bool clash(const Use& one, const Use& other) {
  return one.block == other.block && (one.writes || other.writes) &&
         one.begin < other.begin + other.bytes && other.begin < one.begin + one.bytes;
}

bool clash(const Operation& one, const Operation& other) {
  return std::any_of(one.uses.begin(), one.uses.end(), [&](const Use& use) {
    return std::any_of(other.uses.begin(), other.uses.end(),
                       [&](const Use& second) { return clash(use, second); });
  });
}

}  // namespace

FakeStreams::~FakeStreams() {
  // One by one: an operation that went with all that it needs would go as deep as the stream is
  // long.
  for (const auto& stream : streams_) {
    for (const auto& operation : stream->pending) operation->needs.clear();
  }
}

std::shared_ptr<FakeStream> FakeStreams::add(FakeContext& context, bool blocking) {
  std::erase_if(streams_, [](const std::shared_ptr<FakeStream>& stream) {
    return stream.use_count() == 1 && stream->pending.empty();
  });
  auto stream = std::make_shared<FakeStream>();
  stream->context = &context;
  stream->blocking = blocking;
  stream->number = numbers_++;
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
    if (other.get() != &stream && other->blocking && other->context == stream.context)
      need(operation, other->last);
  }
}

void FakeStreams::visit_all_before(const Operation& operation) {
  ++visits_;
  std::vector<const Operation*> open{&operation};
  while (!open.empty()) {
    const Operation& next = *open.back();
    open.pop_back();
    for (const auto& needed : next.needs) {
      if (!needed->done && std::exchange(needed->visit, visits_) != visits_)
        open.push_back(needed.get());
    }
  }
}

const Operation* FakeStreams::rival(FakeStream& stream, Operation& operation) {
  Operation given;  // as it would be
  add_needs(stream, given);
  visit_all_before(given);
  for (const auto& other : streams_) {
    if (other->context->broken != 0) continue;
    for (const auto& pending : other->pending) {
      if (pending->visit != visits_ && clash(operation, *pending)) return pending.get();
    }
  }
  return nullptr;
}

OperationPtr FakeStreams::give(FakeStream& stream, Operation operation) {
  auto given = std::make_shared<Operation>(std::move(operation));
  given->stream = &stream;
  add_needs(stream, *given);
  for (const Use& use : given->uses) ++use.block->pending;
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
    if (!run_any(From::favored)) break;
  }
  run_needed(operation);
}

void FakeStreams::run_needed(const OperationPtr& operation) {
  std::vector<OperationPtr> open{operation};
  while (!open.empty()) {
    const OperationPtr next = open.back();
    const auto missing = std::find_if(next->needs.begin(), next->needs.end(),
                                      [](const OperationPtr& needed) { return !needed->done; });
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
  for (const Use& use : operation->uses) --use.block->pending;
  operation->uses.clear();
  if (operation->module != nullptr) --operation->module->pending;
  operation->module.reset();
  operation->stream->pending.pop_front();
}

bool FakeStreams::due(const Operation& operation) {
  return !operation.closed && operation.stream->context->broken == 0 &&
         std::all_of(operation.needs.begin(), operation.needs.end(),
                     [](const OperationPtr& needed) { return needed->done; });
}

bool FakeStreams::run_any(From from) {
  candidates_.clear();
  for (const auto& stream : streams_) {
    const bool wanted = from == From::all || ((mood_.favored >> (stream->number % 64)) & 1) != 0;
    if (wanted && !stream->pending.empty() && due(*stream->pending.front()))
      candidates_.push_back(stream.get());
  }
  if (candidates_.empty()) return false;
  run_one(OperationPtr(candidates_[draw(candidates_.size())]->pending.front()));
  return true;
}

void FakeStreams::change_mood() {
  constexpr std::uint64_t kMost[] = {0, 0, 1, 3};
  mood_.calls_left = 1 + draw(24);
  mood_.most = kMost[draw(4)];
  mood_.favored = draw(~std::uint64_t{0});
}

void FakeStreams::run_some() {
  if (schedule_ != Schedule::random || running_) return;
  if (mood_.calls_left == 0) change_mood();
  --mood_.calls_left;
  for (std::uint64_t left = draw(mood_.most + 1); left > 0 && run_any(From::favored); --left) {
  }
}

void FakeStreams::run_all() {
  while (run_any(From::all)) {
  }
}

std::vector<OperationPtr> FakeStreams::last_of(const FakeContext& context) const {
  std::vector<OperationPtr> all;
  for (const auto& stream : streams_) {
    if (stream->context == &context && !stream->pending.empty())
      all.push_back(stream->pending.back());
  }
  return all;
}

void FakeStreams::abandon(const FakeContext& context) {
  for (const auto& stream : streams_) {
    if (stream->context != &context) continue;
    for (const auto& operation : stream->pending) {
      for (const Use& use : operation->uses) --use.block->pending;
      operation->uses.clear();
      if (operation->module != nullptr) --operation->module->pending;
      operation->module.reset();
    }
  }
}

void FakeStreams::unblocked() {
  if (schedule_ == Schedule::eager && !running_) run_all();
}

bool FakeStreams::polled_enough(Operation& operation) {
  if (operation.polls == 0)
    operation.polls = 1 + static_cast<unsigned>(draw(3));  // queries yet to come
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
