#include "bench/limits.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault_guard.hpp"
#include "base/try.hpp"
#include "bench/fill.hpp"
#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"
#include "expand/placement.hpp"
#include "expand/processor.hpp"
#include "expand/scratch.hpp"

namespace hotpack::bench {

namespace {

// A piece of work: so large that the time for the counter and the clock does not matter.
constexpr std::uint64_t kPieceBytes = 512 * 1024;
// Rows of at least this size bypass the cache.
constexpr std::uint64_t kStreamedRow = 64 * 1024;

std::uint64_t rows_a_piece(std::uint64_t row_bytes) {
  return std::max<std::uint64_t>(1, kPieceBytes / std::max<std::uint64_t>(1, row_bytes));
}

// `write_row(thread, number)` returns how many bytes it wrote. It reads the record with this
// number, which may be a view of a shard, so it runs under the fault guard.
template <class WriteRow>
Result<Work> write_rows(const Workers& workers, std::uint64_t row_bytes, double seconds,
                        const WriteRow& write_row) {
  struct alignas(64) Bytes {
    std::uint64_t written = 0;
  };
  std::vector<Bytes> bytes(workers.threads);
  const std::uint64_t rows = rows_a_piece(row_bytes);
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> unreadable{kNone};
  const Pieces done =
      run_pieces(workers.threads, seconds, [&](unsigned thread, std::uint64_t piece) {
        for (std::uint64_t row = piece * rows; row < (piece + 1) * rows; ++row) {
          auto work = [&]() noexcept { bytes[thread].written += write_row(thread, row); };
          if (guarded((*workers.records)[row].memory(), work)) unreadable = row;
        }
        return unreadable == kNone;
      });
  if (unreadable != kNone) return workers.records->unreadable(unreadable);
  Work work{done.seconds, done.done * rows, 0};
  for (const Bytes& each : bytes) work.bytes += each.written;
  return work;
}

std::byte* copy(std::byte* out, std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

// Writes records as the Loader does. Each thread has a scratch of its own.
class RowExpander {
 public:
  static Result<RowExpander> make(const Workers& workers, const Schema& schema,
                                  const ImageOutput& image, const LabelOutput& label) {
    HOTPACK_ASSIGN(auto image_expander,
                   expand::ImageExpander::make(image, schema.image.channels()));
    RowExpander made(std::move(image_expander));
    if (schema.label) {
      const expand::LabelSource source{schema.label->scope, schema.label->storage,
                                       schema.label->multi, schema.class_count()};
      HOTPACK_ASSIGN(made.label_, expand::LabelExpander::make(label, source));
    }
    made.reserve(workers);
    return made;
  }

  [[nodiscard]] std::uint64_t row_bytes(PixelSize size) const {
    return image_.row_bytes(size) + label_row_bytes(size);
  }

  std::uint64_t write(const RecordViews& record, unsigned thread, ThreadBuffers& buffers) {
    const PixelSize size{record.image.shape.width, record.image.shape.height};
    const std::uint64_t image_bytes = image_.row_bytes(size), bytes = row_bytes(size);
    const auto stores = bytes >= kStreamedRow ? expand::Stores::streaming : expand::Stores::cached;
    std::byte* const out = buffers.take(thread, image_bytes);
    image_.expand(record.image, expand::identity(size), scratches_[thread], out, stores);
    if (label_)
      label_->expand(record.label, label_placement(size), scratches_[thread],
                     buffers.take(thread, bytes - image_bytes), stores);
    expand::store_fence();
    return bytes;
  }

 private:
  explicit RowExpander(expand::ImageExpander image) : image_(std::move(image)) {}

  [[nodiscard]] expand::Placement label_placement(PixelSize size) const {
    return expand::identity(whole_image_ ? PixelSize{1, 1} : size);
  }
  [[nodiscard]] std::uint64_t label_row_bytes(PixelSize size) const {
    return label_ ? label_->row_bytes(label_placement(size).output) : 0;
  }

  void reserve(const Workers& workers) {
    whole_image_ = (*workers.records)[0].label.shape.scope == LabelScope::image;
    const PixelSize size = workers.records->largest_size(),
                    label_size = label_placement(size).output;
    scratches_.resize(workers.threads);
    for (expand::Scratch& scratch : scratches_)
      scratch.reserve(std::max(image_.scratch_bytes(size, size),
                               label_ ? label_->scratch_bytes(label_size, label_size) : 0));
  }

  expand::ImageExpander image_;
  std::optional<expand::LabelExpander> label_;
  bool whole_image_ = false;
  std::vector<expand::Scratch> scratches_;
};

}  // namespace

Measurement copy_records(Workers workers) {
  return [workers](double seconds) -> Result<Work> {
    return write_rows(workers, workers.records->mean_bytes(), seconds,
                      [&](unsigned thread, std::uint64_t number) {
                        const RecordViews& record = (*workers.records)[number];
                        copy(
                            copy(workers.buffers->take(thread, record.bytes()), record.image.bytes),
                            record.label.bytes);
                        return record.bytes();
                      });
  };
}

Result<Measurement> expand_records(Workers workers, const Schema& schema, const ImageOutput& image,
                                   const LabelOutput& label) {
  HOTPACK_ASSIGN(RowExpander made, RowExpander::make(workers, schema, image, label));
  const auto expander = std::make_shared<RowExpander>(std::move(made));
  const std::uint64_t row_bytes = expander->row_bytes(workers.records->largest_size());
  return Measurement([workers, expander, row_bytes](double seconds) -> Result<Work> {
    return write_rows(workers, row_bytes, seconds, [&](unsigned thread, std::uint64_t number) {
      return expander->write((*workers.records)[number], thread, *workers.buffers);
    });
  });
}

Measurement fill_rows(Workers workers, std::uint64_t row_bytes) {
  return [workers, row_bytes](double seconds) -> Result<Work> {
    return write_rows(workers, row_bytes, seconds, [&](unsigned thread, std::uint64_t number) {
      stream_fill(workers.buffers->take(thread, row_bytes), row_bytes,
                  static_cast<std::uint8_t>(number));
      return row_bytes;
    });
  };
}

}  // namespace hotpack::bench
