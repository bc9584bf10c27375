#include "bench/disk_stage.hpp"

#include <array>
#include <cstdio>
#include <optional>

#include "base/try.hpp"
#include "bench/batches.hpp"
#include "bench/measure.hpp"
#include "bench/page_cache.hpp"
#include "bench/plain_read.hpp"

namespace hotpack::bench {

namespace {

constexpr unsigned kDiskRounds = 3;
constexpr double kStillThere =
    0.02;  // if this share of the pages stays in memory, reads are not cold

class DiskStage {
 public:
  explicit DiskStage(const Setup& setup) : setup_(setup) {}

  Status run(BenchReport& report) {
    HOTPACK_TRY(drop());
    const std::array<Measurement, 3> turns = {loader_turn(Shuffle::full),
                                              loader_turn(Shuffle::block), plain_turn()};
    std::vector<Rate> rates;
    if (warm_share_ < kStillThere) {
      HOTPACK_ASSIGN(rates, take_turns(turns, kDiskRounds, setup_.seconds));
    }
    if (warm_share_ >= kStillThere) {
      report.notes.push_back(refusal());
      return {};
    }
    add_row(report, "shuffled", rates[0], rates[2]);
    add_row(report, "shuffled by blocks", rates[1], rates[2]);
    return {};
  }

 private:
  Status drop() {
    HOTPACK_TRY(drop_pages(setup_.shard_paths));
    HOTPACK_ASSIGN(const Residency left, residency(setup_.shard_paths));
    warm_share_ = std::max(warm_share_, left.share());
    return {};
  }

  Measurement loader_turn(Shuffle shuffle) {
    // Every round reads another epoch, because on a virtual machine the host may still have the
    // records of the round before in its own cache.
    return [this, shuffle, epoch = std::uint64_t{0}](double seconds) mutable {
      return read_batches(shuffle, epoch++, seconds);
    };
  }

  Measurement plain_turn() {
    return [this, round = 0U](double seconds) mutable -> Result<Work> {
      HOTPACK_TRY(drop());
      return plain_read(setup_.shard_paths, threads_, seconds,
                        static_cast<double>(round++) / kDiskRounds);
    };
  }

  Result<Work> read_batches(Shuffle shuffle, std::uint64_t epoch, double seconds) {
    HOTPACK_TRY(drop());
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    LoaderOptions options =
        setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::first_read);
    options.shuffle = shuffle;
    options.epoch = epoch;
    Work work;
    const double began = now_seconds();
    HOTPACK_ASSIGN(Loader loader, Loader::open(dataset, options));
    threads_ = loader.threads();
    while (work.seconds < seconds) {
      HOTPACK_ASSIGN(const std::optional<Batch> batch, loader.next());
      if (!batch) break;  // the whole epoch was read
      work.samples += batch->num_valid();
      work.bytes += batch_bytes(*batch);
      work.seconds = now_seconds() - began;
    }
    return work;
  }

  void add_row(BenchReport& report, const char* work, const Rate& rate, const Rate& limit) const {
    report.rows.push_back(
        {Stage::disk, work, threads_, rate, "plain read", limit.bytes_per_second});
  }

  [[nodiscard]] std::string refusal() const {
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.0f %%", 100 * warm_share_);
    return std::string("cold reads were not measured: ") + percent +
           " of the pack stayed in memory after its pages were dropped (a file system that lives "
           "in memory, a file that another process "
           "has mapped, or another user's file)";
  }

  const Setup& setup_;
  unsigned threads_ = 1;   // the number that the Loader chose
  double warm_share_ = 0;  // the largest share that stayed in memory
};

}  // namespace

Status measure_disk(const Setup& setup, BenchReport& report) {
  return DiskStage(setup).run(report);
}

}  // namespace hotpack::bench
