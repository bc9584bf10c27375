#include "bench/memory_stage.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.hpp"
#include "bench/batches.hpp"
#include "bench/limits.hpp"
#include "bench/measure.hpp"
#include "bench/workers.hpp"

namespace hotpack::bench {

namespace {

constexpr unsigned kOpenings = 3;
constexpr double kLeastSteps = 8;  // that the consumer takes

// A row of the report before it is measured.
struct Planned {
  Stage stage;
  std::string work;
  Measurement measurement;
};

class MemoryStage {
 public:
  MemoryStage(const Setup& setup, const Warm& warm, unsigned threads, BenchReport& report)
      : setup_(setup), warm_(warm), threads_(threads), report_(report) {}

  Status copies() {
    ThreadBuffers buffers =
        buffers_for(warm_.records->mean_bytes(), warm_.records->largest_bytes());
    HOTPACK_ASSIGN(Measurement checked,
                   loader_measurement(setup_.plain, BatchContent::packed, VerifyChecksums::always));
    HOTPACK_ASSIGN(Measurement trusted,
                   loader_measurement(setup_.plain, BatchContent::packed, VerifyChecksums::never));
    return measure({{Stage::copies, "first epoch, CRC checked", std::move(checked)},
                    {Stage::copies, "later epochs", std::move(trusted)}},
                   "memcpy", copy_records(workers(buffers)));
  }

  // Measures the expansion without the Loader; if `training`, also with it.
  Status expansions(const Outputs& outputs, bool training) {
    HOTPACK_ASSIGN(const std::uint64_t row,
                   row_bytes(setup_.schema, outputs, warm_.records->largest_size()));
    ThreadBuffers buffers = buffers_for(row, std::max(row, warm_.records->largest_bytes()));
    HOTPACK_ASSIGN(Measurement direct,
                   expand_records(workers(buffers), setup_.schema, outputs.image, outputs.label));
    std::vector<Planned> rows{{Stage::expansion, outputs.name, std::move(direct)}};
    if (training) {
      HOTPACK_ASSIGN(Measurement batches,
                     loader_measurement(outputs, BatchContent::expanded, VerifyChecksums::never));
      rows.push_back({Stage::end_to_end, outputs.name, std::move(batches)});
    }
    // For u8, a row has as many bytes to read as to write, so memcpy is the fastest possible loop.
    if (!training) return measure(std::move(rows), "memcpy", copy_records(workers(buffers)));
    return measure(std::move(rows), "fill", fill_rows(workers(buffers), row));
  }

 private:
  [[nodiscard]] Workers workers(ThreadBuffers& buffers) const {
    return {warm_.records, &buffers, threads_};
  }

  [[nodiscard]] ThreadBuffers buffers_for(std::uint64_t row_bytes_,
                                          std::uint64_t least_bytes) const {
    return ThreadBuffers(threads_, setup_.slots * setup_.batch * row_bytes_, least_bytes);
  }

  [[nodiscard]] Result<Measurement> loader_measurement(const Outputs& outputs, BatchContent content,
                                                       VerifyChecksums verify_checksums) const {
    HOTPACK_ASSIGN(Batches opened, Batches::open(*warm_.dataset,
                                                 setup_.loader_options(threads_, outputs, content,
                                                                       verify_checksums),
                                                 warm_.steps));
    const auto batches = std::make_shared<Batches>(std::move(opened));
    return Measurement([batches](double seconds) { return batches->take(seconds); });
  }

  Status measure(std::vector<Planned> rows, const char* limit_name, Measurement limit) {
    std::vector<Measurement> turns;
    turns.reserve(rows.size() + 1);
    for (Planned& row : rows) turns.push_back(std::move(row.measurement));
    turns.push_back(std::move(limit));
    const double all_seconds = setup_.seconds * static_cast<double>(rows.size());
    HOTPACK_ASSIGN(const std::vector<Rate> rates,
                   take_turns(turns, setup_.rounds,
                              all_seconds / static_cast<double>(setup_.rounds * turns.size())));
    for (std::size_t i = 0; i < rows.size(); ++i)
      report_.rows.push_back({rows[i].stage, rows[i].work, threads_, rates[i], limit_name,
                              rates.back().bytes_per_second});
    return {};
  }

  const Setup& setup_;
  const Warm& warm_;
  unsigned threads_;
  BenchReport& report_;
};

// Measures the time from opening the folders to the first batch.
Result<double> seconds_to_first_batch(const Setup& setup, const LoaderOptions& options) {
  const double began = now_seconds();
  HOTPACK_ASSIGN(const Dataset dataset, setup.open_dataset());
  HOTPACK_ASSIGN(Batches batches, Batches::open(dataset, options));
  HOTPACK_ASSIGN(const Batch first, batches.next());
  return now_seconds() - began;
}

}  // namespace

Status measure_memory(const Setup& setup, const Warm& warm, unsigned threads, BenchReport& report) {
  MemoryStage stage(setup, warm, threads, report);
  HOTPACK_TRY(stage.copies());
  HOTPACK_TRY(stage.expansions(setup.plain, false));
  return stage.expansions(setup.training, true);
}

Result<Consumer> measure_consumer(const Setup& setup, const Warm& warm, unsigned threads,
                                  double batches_per_second) {
  const LoaderOptions options = setup.loader_options(
      threads, setup.training, BatchContent::expanded, VerifyChecksums::first_read);
  std::vector<double> openings;
  for (unsigned i = 0; i < kOpenings; ++i) {
    HOTPACK_ASSIGN(const double seconds, seconds_to_first_batch(setup, options));
    openings.push_back(seconds);
  }
  LoaderOptions steady = options;
  steady.verify_checksums = VerifyChecksums::never;
  HOTPACK_ASSIGN(Batches batches, Batches::open(*warm.dataset, steady, warm.steps));
  const double step_seconds = kStepOverService / std::max(batches_per_second, 1e-3);
  HOTPACK_ASSIGN(
      const double stalled,
      batches.wait_share(step_seconds, std::max(setup.seconds / 2, kLeastSteps * step_seconds)));
  return Consumer{median(std::move(openings)), stalled};
}

}  // namespace hotpack::bench
