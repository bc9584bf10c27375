// The last stage of packing: writes records into shards, lists skipped samples, and commits
// finished shards (flush, rename) in a thread of its own while the workers go on.
//
// Thread-safety: that of Sink. Call finish() after the run, from the same thread. Ownership: owns
// the writers; writers that are not committed leave no file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pack/run.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

// Called with each committed shard, by one thread at a time.
using ShardVisitor =
    std::function<Status(std::size_t shard, const writer::FinishedShard& finished)>;

// Commits shards one after the other in a thread of its own, and passes each to `deliver`, if there
// is one. give() passes it a shard; it blocks while kWaiting shards are waiting. If the thread
// cannot be started, give() commits the shard itself. Once `gives_up` returns
// true, shards that wait are dropped: their commands may take long, and the next run packs them
// again.
class Committer {
 public:
  static constexpr std::size_t kWaiting = 2;
  Committer(ShardVisitor deliver, std::function<bool()> gives_up);
  ~Committer();  // commits all given writers
  // Returns the first failure so far, if any.
  [[nodiscard]] Status give(std::size_t shard, std::unique_ptr<writer::ShardWriter> shard_writer);
  // Waits until all given writers are committed.
  [[nodiscard]] Result<std::map<std::size_t, writer::FinishedShard>> finish();

 private:
  void run();
  void commit_one(std::unique_lock<std::mutex>& lock, std::size_t shard,
                  std::unique_ptr<writer::ShardWriter> shard_writer);
  void note_finished(std::size_t shard, writer::FinishedShard finished);
  [[nodiscard]] Result<writer::FinishedShard> commit(std::size_t shard,
                                                     writer::ShardWriter& shard_writer) const;

  const ShardVisitor deliver_;
  const std::function<bool()> gives_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::size_t, std::unique_ptr<writer::ShardWriter>>> waiting_;
  std::map<std::size_t, writer::FinishedShard> finished_;
  std::optional<Error> error_;
  bool closing_ = false;
  std::thread thread_;  // the last member, because the thread uses those above
};

class PackSink : public Sink {
 public:
  // `deliver` and `gives_up` may be empty.
  PackSink(const RunInput& input, ProblemLog& problems, std::uint64_t skipped_before,
           ShardVisitor deliver, std::function<bool()> gives_up);

  [[nodiscard]] Result<std::shared_ptr<ShardSink>> open_shard(std::size_t shard) override;
  [[nodiscard]] Status accept(Outcome& outcome) override;
  [[nodiscard]] Status finish_shard(std::size_t shard) override;

  // Waits for the commits and returns the shards that this run wrote.
  [[nodiscard]] Result<std::map<std::size_t, writer::FinishedShard>> finish() {
    return committer_.finish();
  }
  [[nodiscard]] const std::string& skipped_lines() const { return skipped_lines_; }

 private:
  struct OpenShard;
  [[nodiscard]] Status refuse_or_skip(Outcome& outcome);

  const RunInput& input_;
  ProblemLog& problems_;
  std::uint64_t skipped_;
  std::string skipped_lines_;  // lines of the --skipped file
  std::mutex mutex_;           // guards open_, which the input and the output stage change
  std::map<std::size_t, std::shared_ptr<OpenShard>> open_;
  Committer committer_;
};

}  // namespace hotpack::pipeline
