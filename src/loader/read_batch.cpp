#include "hotpack/read_batch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "expand/processor.hpp"
#include "hotpack/order.hpp"
#include "loader/batch_form.hpp"
#include "loader/blocked_signals.hpp"
#include "loader/caller_memory.hpp"
#include "loader/record_source.hpp"
#include "loader/row_reading.hpp"
#include "loader/row_samples.hpp"
#include "loader/run.hpp"

namespace hotpack {

namespace {

using loader::BatchForm;
using loader::RecordShape;
using loader::RecordSource;
using loader::RowBytes;
using loader::RowScratch;

LoaderOptions loader_options(const ReadOptions& options) {
  LoaderOptions same;
  same.image = options.image;
  same.label = options.label;
  same.pad_to = options.pad_to;
  same.threads = options.threads;
  same.verify_checksums = options.verify_checksums;
  return same;
}

// What all threads of one call share.
struct Reading {
  std::unique_ptr<RecordSource> source;
  BatchForm form;
  std::span<const std::uint64_t> indices;
  BatchShapes shapes;
  PixelSize output;  // of each row
  unsigned threads = 1;
  std::size_t rows_per_item = 1;
};

Result<BatchShapes> shapes_of(const BatchForm& form, const RecordShape& record, PixelSize output,
                              std::size_t rows) {
  BatchField image;
  BatchField label;
  form.describe(record, output, rows, image, label);
  const RowBytes row = form.row_bytes(record, output);
  return BatchShapes{std::move(image.shape), std::move(label.shape), image.dtype, label.dtype,
                     row.image * rows,       row.label * rows};
}

Result<Reading> prepare(const Dataset& dataset, std::span<const std::uint64_t> indices,
                        const ReadOptions& options) {
  if (indices.empty()) return usage_error("no indices were given; give at least one sample");
  const LoaderOptions same = loader_options(options);
  HOTPACK_TRY(loader::check_options(same));
  HOTPACK_ASSIGN(auto source,
                 RecordSource::make(dataset, options.verify_checksums, FileAccess::map));
  for (const std::uint64_t index : indices) {
    if (index >= source->records())
      return usage_error("there is no sample " + std::to_string(index) + "; the data set has " +
                         std::to_string(source->records()) + ", counted from 0");
  }
  HOTPACK_ASSIGN(BatchForm form, BatchForm::make(source->schema(), same, indices.size()));
  RecordShape record = form.record();
  PixelSize output = form.output().value_or(PixelSize{});
  if (!form.output()) {  // one row, as large as its record
    HOTPACK_ASSIGN(record, loader::shape_of_sample(*source, form, indices.front()));
    output = {record.image.width, record.image.height};
  }
  HOTPACK_ASSIGN(BatchShapes shapes, shapes_of(form, record, output, indices.size()));
  const unsigned threads = loader::thread_count(same);
  const RowBytes row = form.row_bytes(record, output);
  const std::size_t rows = loader::rows_per_item(row, indices.size(), threads);
  return Reading{
      std::move(source), std::move(form), indices, std::move(shapes), output, threads, rows};
}

// Reads the rows of one batch, with several threads.
class Readers {
 public:
  Readers(const Reading& reading, const BatchBuffers& into, BatchInfo& info)
      : reading_(reading),
        into_(into),
        info_(info),
        image_row_(into.image.empty() ? 0 : reading.shapes.image_bytes / reading.indices.size()),
        label_row_(into.label.empty() ? 0 : reading.shapes.label_bytes / reading.indices.size()) {}

  Status run() {
    const std::size_t items =
        (reading_.indices.size() + reading_.rows_per_item - 1) / reading_.rows_per_item;
    const std::size_t helpers = std::min<std::size_t>(reading_.threads, items) - 1;
    std::vector<std::thread> threads;
    threads.reserve(helpers);
    {
      const loader::BlockedSignals blocked;
      for (std::size_t i = 0; i < helpers; ++i) {
        try {
          threads.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
          break;  // fewer threads do the same
        }
      }
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (error_) return std::move(*error_);
    return {};
  }

 private:
  // Takes rows until none is left. After an error, only earlier rows are still of interest.
  void work() noexcept {
    RowScratch scratch;
    while (true) {
      const std::size_t first = next_.fetch_add(reading_.rows_per_item);
      if (first >= reading_.indices.size() || first > error_row_) break;
      const std::size_t last = std::min(first + reading_.rows_per_item, reading_.indices.size());
      for (std::size_t row = first; row < last; ++row) {
        Status read = or_out_of_memory([&] { return read_row(row, scratch); });
        if (read.ok()) continue;
        fail(row, std::move(read).error());
        break;
      }
    }
    expand::store_fence();
  }

  Status read_row(std::size_t row, RowScratch& scratch) {
    const std::uint64_t sample = reading_.indices[row];
    HOTPACK_ASSIGN(const RecordShape record,
                   loader::shape_of_sample(*reading_.source, reading_.form, sample));
    const SampleCrop box = draw_crop(  // no augmentation: the whole record
        reading_.form.augment(), {record.image.width, record.image.height}, 0, 0, sample);
    auto placed = reading_.form.place(record, box);
    if (!placed.ok()) return loader::at_sample(*reading_.source, std::move(placed).error(), sample);
    const loader::RowTarget target{record, *placed,
                                   into_.image.empty() ? nullptr : &into_.image[row * image_row_],
                                   into_.label.empty() ? nullptr : &into_.label[row * label_row_]};
    if (placed->output != reading_.output) return loader::written_over(*reading_.source, sample);
    HOTPACK_TRY(loader::read_into(*reading_.source, reading_.form, sample, target, scratch,
                                  info_.keys[row]));
    info_.crops[row] = box;
    return {};
  }

  void fail(std::size_t row, Error error) {
    const std::lock_guard lock(failing_);
    if (error_ && error_row_ <= row) return;
    error_ = std::move(error);
    error_row_ = row;
  }

  const Reading& reading_;
  const BatchBuffers& into_;
  BatchInfo& info_;
  const std::uint64_t image_row_;
  const std::uint64_t label_row_;
  std::atomic<std::size_t> next_{0};
  std::mutex failing_;
  std::atomic<std::size_t> error_row_{SIZE_MAX};  // the lowest row that failed
  std::optional<Error> error_;
};

BatchInfo info_of(const Reading& reading) {
  BatchInfo info;
  info.batch_size = info.num_valid = reading.indices.size();
  info.indices.assign(reading.indices.begin(), reading.indices.end());
  info.keys.resize(reading.indices.size());
  info.crops.resize(reading.indices.size());
  info.image_shape = reading.shapes.image;
  info.label_shape = reading.shapes.label;
  info.image_dtype = reading.shapes.image_dtype;
  info.label_dtype = reading.shapes.label_dtype;
  return info;
}

}  // namespace

Result<BatchShapes> read_batch_shapes(const Dataset& dataset,
                                      std::span<const std::uint64_t> indices,
                                      const ReadOptions& options) {
  return or_out_of_memory([&]() -> Result<BatchShapes> {
    HOTPACK_ASSIGN(Reading reading, prepare(dataset, indices, options));
    return std::move(reading.shapes);
  });
}

Result<BatchInfo> read_batch(const Dataset& dataset, std::span<const std::uint64_t> indices,
                             const ReadOptions& options, const BatchBuffers& into) {
  return or_out_of_memory([&]() -> Result<BatchInfo> {
    HOTPACK_ASSIGN(const Reading reading, prepare(dataset, indices, options));
    const BatchShapes& shapes = reading.shapes;
    HOTPACK_TRY(loader::check_buffer("image", into.image, shapes.image_bytes, shapes.image_dtype));
    HOTPACK_TRY(loader::check_buffer("label", into.label, shapes.label_bytes, shapes.label_dtype));
    BatchInfo info = info_of(reading);
    HOTPACK_TRY(Readers(reading, into, info).run());
    return info;
  });
}

}  // namespace hotpack
