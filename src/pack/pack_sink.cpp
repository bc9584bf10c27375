#include "pack/pack_sink.hpp"

#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "pack/shard_delivery.hpp"
#include "pack/skipped_file.hpp"

namespace hotpack::pipeline {

Committer::Committer(ShardVisitor deliver, std::function<bool()> gives_up)
    : deliver_(std::move(deliver)), gives_up_(std::move(gives_up)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // the thread cannot be started; give() commits instead
  }
}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status Committer::give(std::size_t shard, std::unique_ptr<writer::ShardWriter> shard_writer) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    commit_one(lock, shard, std::move(shard_writer));
    return error_ ? Status(*error_) : Status();
  }
  changed_.wait(lock, [&] { return waiting_.size() < kWaiting || error_; });
  if (error_) return *error_;
  waiting_.emplace_back(shard, std::move(shard_writer));
  changed_.notify_all();
  return {};
}

Result<std::map<std::size_t, writer::FinishedShard>> Committer::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (error_) return *error_;
  return std::move(finished_);
}

void Committer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || closing_; });
    if (waiting_.empty()) return;
    auto [shard, shard_writer] = std::move(waiting_.front());
    waiting_.pop_front();
    commit_one(lock, shard, std::move(shard_writer));
    changed_.notify_all();
  }
}

// Commits one shard; releases the lock meanwhile. After a failure, nothing more is committed.
void Committer::commit_one(std::unique_lock<std::mutex>& lock, std::size_t shard,
                           std::unique_ptr<writer::ShardWriter> shard_writer) {
  const bool ended = error_.has_value() || (gives_up_ && gives_up_());
  lock.unlock();
  std::optional<Result<writer::FinishedShard>> outcome;
  if (!ended) outcome = commit(shard, *shard_writer);
  shard_writer.reset();
  lock.lock();
  if (!outcome) return;
  if (outcome->ok()) {
    note_finished(shard, std::move(*outcome).value());
  } else if (!error_) {
    error_ = std::move(*outcome).error();
  }
}

void Committer::note_finished(std::size_t shard, writer::FinishedShard finished) {
  try {
    finished_.emplace(shard, std::move(finished));
  } catch (const std::bad_alloc&) {
    error_ = Error{ErrorCode::io, "out of memory", {}, {}};
  }
}

Result<writer::FinishedShard> Committer::commit(std::size_t shard,
                                                writer::ShardWriter& shard_writer) const {
  try {
    Result<writer::FinishedShard> finished = shard_writer.commit();
    if (finished.ok() && deliver_) HOTPACK_TRY(deliver_(shard, *finished));
    return finished;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::io,
                 "not enough memory for the tables of a shard; choose a smaller --shard-size",
                 {},
                 {}};
  } catch (const std::exception& exception) {
    return internal_error(exception.what());
  }
}

struct PackSink::OpenShard : ShardSink {
  explicit OpenShard(std::unique_ptr<writer::ShardWriter> shard_writer)
      : writer(std::move(shard_writer)) {}
  Status write_payload(const writer::PayloadPlace& place, const PackedSample& sample) override {
    return writer->write_payload(place, sample.image, sample.label);
  }
  std::unique_ptr<writer::ShardWriter> writer;
};

PackSink::PackSink(const RunInput& input, ProblemLog& problems, std::uint64_t skipped_before,
                   ShardVisitor deliver, std::function<bool()> gives_up)
    : input_(input),
      problems_(problems),
      skipped_(skipped_before),
      committer_(std::move(deliver), std::move(gives_up)) {}

Result<std::shared_ptr<ShardSink>> PackSink::open_shard(std::size_t shard) {
  writer::ShardSpec spec{
      writing_folder(input_.options.run), shard,
      input_.plan.shards.size(),          &input_.plan.schema,
      input_.plan.metadata(shard),        input_.plan.contents(input_.plan.shards[shard])};
  HOTPACK_ASSIGN(std::unique_ptr<writer::ShardWriter> created,
                 writer::ShardWriter::create(std::move(spec)));
  auto opened = std::make_shared<OpenShard>(std::move(created));
  const std::lock_guard lock(mutex_);
  open_.emplace(shard, opened);
  return std::shared_ptr<ShardSink>(std::move(opened));
}

Status PackSink::accept(Outcome& outcome) {
  if (outcome.problem) return refuse_or_skip(outcome);
  writer::ShardWriter* shard_writer = nullptr;
  {
    const std::lock_guard lock(mutex_);
    shard_writer = open_.at(outcome.shard)->writer.get();
  }
  return shard_writer->add(outcome.place, outcome.entry, outcome.sums, outcome.image_frame,
                           outcome.label_frame);
}

Status PackSink::refuse_or_skip(Outcome& outcome) {
  const Problem& problem = *outcome.problem;
  // An ambiguous label is a question about all labels, so it stops the run even with --on-error
  // skip.
  if (!input_.options.run.skip_errors || problem.kind == ProblemKind::ambiguous_label)
    return Error{ErrorCode::data,
                 problem.detail + ". What to do: " + std::string(problem_advice(problem.kind)) +
                     ". `hotpack check` with the same inputs lists every problem at once",
                 problem.path,
                 {}};
  const Sample& sample = input_.list.samples[static_cast<std::size_t>(
      input_.plan.shards[outcome.shard].first + outcome.slot)];
  if (!input_.options.run.skipped_file.empty())
    skipped_lines_ += skipped_line(input_.list.key(sample), problem.path, problem.detail);
  const std::string text = problem.text();
  problems_.add(std::move(*outcome.problem));
  ++skipped_;
  if (input_.options.run.max_errors && skipped_ > *input_.options.run.max_errors)
    return data_error(std::to_string(skipped_) +
                      " samples could not be packed, --max-errors allows " +
                      std::to_string(*input_.options.run.max_errors) + "; the last: " + text);
  const std::lock_guard lock(mutex_);
  open_.at(outcome.shard)->writer->skip();
  return {};
}

Status PackSink::finish_shard(std::size_t shard) {
  std::unique_ptr<writer::ShardWriter> shard_writer;
  {
    const std::lock_guard lock(mutex_);
    shard_writer = std::move(open_.at(shard)->writer);
    open_.erase(shard);
  }
  return committer_.give(shard, std::move(shard_writer));
}

}  // namespace hotpack::pipeline
