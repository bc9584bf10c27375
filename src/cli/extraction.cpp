#include "cli/extraction.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"

namespace hotpack::cli {

namespace {

class Extraction {
 public:
  Extraction(const Dataset& dataset, const SampleNumbers& chosen, OutputTree& tree,
             const SampleWriterOptions& options,
             const std::function<bool(const ExtractionProgress&)>& progress)
      : dataset_(dataset), chosen_(chosen), tree_(tree), options_(options), tell_(progress) {
    progress_.samples_total = chosen ? chosen->size() : dataset.records();
    const auto& label = dataset.schema().label;
    if (label && label->scope == LabelScope::image) rows_.resize(progress_.samples_total);
  }

  Result<Extracted> run(unsigned threads) {
    run_workers(
        static_cast<unsigned>(std::clamp<std::uint64_t>(progress_.samples_total, 1, threads)));
    if (error_) return std::move(*error_);
    Extracted done{.files = files_,
                   .samples = progress_.samples_done,
                   .bytes = bytes_,
                   .complete = progress_.samples_done == progress_.samples_total,
                   .any_unlabeled = any_unlabeled_};
    if (!done.complete || (rows_.empty() && !options_.class_file)) return done;
    SampleWriter writer(tree_, options_, dataset_.classes());
    std::string list;
    for (const std::string& rows : rows_) list += rows;
    HOTPACK_TRY(writer.write_list(list));
    HOTPACK_TRY(writer.write_classes());
    done.files += writer.files();
    done.bytes += writer.bytes();
    return done;
  }

 private:
  // Runs work() on up to `count` threads including this one; on fewer if the system starts no more.
  void run_workers(unsigned count) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < count; ++i) {
      try {
        others.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        break;
      }
    }
    work();
  }

  // Extracts samples until none is left or one fails. Threads take samples in order, so when all
  // threads have ended, every sample before the failed one has been tried.
  void work() {
    std::optional<SampleWriter> writer;
    while (!stopped_.load(std::memory_order_relaxed)) {
      const std::uint64_t i = next_.fetch_add(1);
      if (i >= progress_.samples_total) break;
      Status status = [&]() -> Status {
        try {
          if (!writer) writer.emplace(tree_, options_, dataset_.classes());
          return write(*writer, i);
        } catch (const std::bad_alloc&) {
          return out_of_memory();
        }
      }();
      if (!status.ok()) fail(i, std::move(status).error());
    }
    if (!writer) return;
    files_ += writer->files();
    bytes_ += writer->bytes();
  }

  Status write(SampleWriter& writer, std::uint64_t i) {
    HOTPACK_ASSIGN(const Sample sample, dataset_.sample(chosen_ ? (*chosen_)[i] : i));
    HOTPACK_TRY(writer.write(sample));
    std::string rows = writer.take_rows();
    const std::lock_guard lock(telling_);
    if (!rows_.empty()) {
      any_unlabeled_ = any_unlabeled_ || rows.ends_with(",,\n");
      rows_[i] = std::move(rows);
    }
    ++progress_.samples_done;
    progress_.bytes += sample.image_shape().size_bytes() +
                       (sample.has_label() ? sample.label_shape().size_bytes() : 0);
    if (!tell_(progress_)) stopped_ = true;
    return {};
  }

  void fail(std::uint64_t i, Error error) {
    const std::lock_guard lock(telling_);
    stopped_ = true;
    if (error_ && failed_ < i) return;
    failed_ = i;
    error_ = std::move(error);
  }

  const Dataset& dataset_;
  const SampleNumbers& chosen_;
  OutputTree& tree_;
  const SampleWriterOptions& options_;
  const std::function<bool(const ExtractionProgress&)>& tell_;
  std::atomic<std::uint64_t> next_{0}, files_{0}, bytes_{0};
  std::atomic<bool> stopped_{false};
  std::mutex telling_;  // guards the members below
  ExtractionProgress progress_;
  std::vector<std::string> rows_;  // of labels.csv, one element per sample
  bool any_unlabeled_ = false;
  std::optional<Error> error_;
  std::uint64_t failed_ = 0;
};

}  // namespace

Result<Extracted> extract_samples(const Dataset& dataset, const SampleNumbers& chosen,
                                  OutputTree& tree, const SampleWriterOptions& options,
                                  unsigned threads,
                                  const std::function<bool(const ExtractionProgress&)>& progress) {
  return Extraction(dataset, chosen, tree, options, progress).run(threads);
}

}  // namespace hotpack::cli
