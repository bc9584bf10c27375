// A small pack on disk, the expected contents of its batches by the plainest formulas, and short
// ways to run a Loader, for tests of `loader`.
//
// Ownership: a TinyPack owns its folder. Not thread-safe. Failure throws std::logic_error with
// the Loader's own text.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

namespace hotpack::test {

using Bytes = std::vector<std::byte>;

inline constexpr std::chrono::milliseconds kLong{20000};  // a test that takes so long has failed

// Shards of `per_shard` records in their own folder. Pixels are those of samples from number
// `first` on.
class TinyPack {
 public:
  explicit TinyPack(const TinyForm& form = {}, std::size_t records = 12, std::size_t per_shard = 4,
                    std::size_t first = 0);
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }
  [[nodiscard]] Dataset open() const;
  [[nodiscard]] std::string shard_path(std::size_t shard) const;
  // The offset of the stored image of sample `number` in its shard's file; not for compressed
  // images.
  [[nodiscard]] std::uint64_t image_offset(std::size_t number) const;
  // Changes one byte of that image, in place.
  void damage_image(std::size_t number) const;
  // Changes the first byte of a shard's first frame; for compressed images.
  void damage_first_frame(std::size_t shard) const;

 private:
  void change_byte(std::size_t shard, std::uint64_t offset) const;
  TempFolder folder_;
  TinyForm form_;
  std::vector<TinyRecord> records_;
  std::size_t per_shard_;
};

// One row of a batch, copied.
struct Row {
  std::int64_t sample = -1;
  std::string key;
  SampleCrop box;
  Bytes image;
  Bytes label;
  bool operator==(const Row&) const = default;
};

struct BatchCopy {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::size_t valid = 0;
  std::vector<std::int64_t> image_shape;
  std::vector<std::int64_t> label_shape;
  std::vector<Row> rows;
  bool operator==(const BatchCopy&) const = default;
};

[[nodiscard]] BatchCopy copy_of(const Batch& batch);
// The rows of several ranks' batches of one step, joined.
[[nodiscard]] std::vector<Row> joined(const std::vector<BatchCopy>& ranks);

// The expected row of `sample` without augmentation or padding, computed with Dataset::sample;
// −1: an empty row.
[[nodiscard]] Row expected_row(const Dataset& dataset, const LoaderOptions& options,
                               std::int64_t sample);
// The samples of a step of this rank, from EpochOrder and StepPlan.
[[nodiscard]] std::vector<std::int64_t> expected_samples(std::uint64_t records,
                                                         const LoaderOptions& options,
                                                         std::uint64_t epoch, std::uint64_t step);

[[nodiscard]] Loader open_loader(const Dataset& dataset, const LoaderOptions& options);
// The error text of this opening; throws if it succeeds.
[[nodiscard]] std::string refusal_of(const Dataset& dataset, const LoaderOptions& options);
// Throws at an error, at the end of an epoch, and after `timeout`.
[[nodiscard]] Batch next_batch(Loader& loader, std::chrono::milliseconds timeout = kLong);
[[nodiscard]] Error next_error(Loader& loader);                      // throws if there is none
void skip(Loader& loader, std::uint64_t steps);                      // throws as next_batch
[[nodiscard]] bool at_end_of_epoch(Loader& loader);                  // consumes the end
[[nodiscard]] std::vector<BatchCopy> rest_of_epoch(Loader& loader);  // and consumes its end

// The options with a memory budget that allows no more slots than prefetch_batches.
[[nodiscard]] LoaderOptions with_fixed_slots(const Dataset& dataset, LoaderOptions options);

// Small batches in file order on one thread, for tests that count steps.
[[nodiscard]] LoaderOptions in_file_order(std::uint64_t global_batch_size);

}  // namespace hotpack::test
