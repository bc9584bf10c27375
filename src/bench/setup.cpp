#include "bench/setup.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "bench/memory.hpp"
#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"

namespace hotpack::bench {

namespace {

constexpr std::uint64_t kMemoryPart = 4;  // a quarter of the available memory

// Any values give the same speed, but a loader without normalization would be faster.
constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kStd = {0.229F, 0.224F, 0.225F};

Outputs plain_outputs(const Schema& schema) {
  Outputs outputs{"u8", {}, {}};
  if (schema.image.layout == AxisOrder::channels_first)
    outputs.image.layout = AxisOrder::channels_first;
  if (!schema.label) return outputs;
  outputs.label.form = schema.label->multi ? LabelForm::bits : LabelForm::ids;
  outputs.name += schema.label->multi ? " + bits" : " + index";
  return outputs;
}

Outputs training_outputs(const Schema& schema) {
  Outputs outputs{"f32", {}, {}};
  outputs.image.dtype = ElementType::f32;
  outputs.image.layout = AxisOrder::channels_first;
  const int channels = schema.image.channels();
  outputs.image.mean.assign(kMean.begin(), kMean.begin() + channels);
  outputs.image.std.assign(kStd.begin(), kStd.begin() + channels);
  if (!schema.label) return outputs;
  outputs.label.form = LabelForm::one_hot;
  outputs.label.dtype = ElementType::f32;
  outputs.label.layout = AxisOrder::channels_first;
  outputs.name += " + one-hot f32";
  return outputs;
}

// Returns the size of all records. Precondition: they have one size.
PixelSize record_size(const Schema& schema) {
  const auto& shape = *schema.image.shape;
  return schema.image.layout == AxisOrder::channels_last ? PixelSize{shape[1], shape[0]}
                                                         : PixelSize{shape[2], shape[1]};
}

// Returns how many rows a batch may have. Memory must be enough for all slots of the Loader and for
// buffers of the same size for the plain loop that it is compared with.
Result<std::uint64_t> rows_in_memory(const Setup& setup) {
  HOTPACK_ASSIGN(const std::uint64_t bytes,
                 row_bytes(setup.schema, setup.training, record_size(setup.schema)));
  return std::max<std::uint64_t>(
      1, setup.memory_bytes / (2 * setup.slots * std::max<std::uint64_t>(1, bytes)));
}

Status choose_batch(Setup& setup, std::uint64_t wanted) {
  setup.batch = std::min(wanted, setup.records);
  if (!setup.schema.image.shape) {
    if (setup.batch > 1) setup.notes.push_back("batches of 1 sample: the records differ in size");
    setup.batch = 1;
    return {};
  }
  HOTPACK_ASSIGN(const std::uint64_t most, rows_in_memory(setup));
  if (most < setup.batch) {
    setup.notes.push_back("batches of " + std::to_string(most) + " samples instead of " +
                          std::to_string(setup.batch) +
                          ": slots and buffers take at most a quarter of the free memory");
    setup.batch = most;
  } else if (setup.batch < wanted) {
    setup.notes.push_back("batches of " + std::to_string(setup.batch) + " samples instead of " +
                          std::to_string(wanted) + ": there are no more");
  }
  return {};
}

}  // namespace

Result<std::uint64_t> row_bytes(const Schema& schema, const Outputs& outputs, PixelSize size) {
  HOTPACK_ASSIGN(const auto image,
                 expand::ImageExpander::make(outputs.image, schema.image.channels()));
  if (!schema.label) return image.row_bytes(size);
  const expand::LabelSource source{schema.label->scope, schema.label->storage, schema.label->multi,
                                   schema.class_count()};
  HOTPACK_ASSIGN(const auto label, expand::LabelExpander::make(outputs.label, source));
  return image.row_bytes(size) +
         label.row_bytes(schema.label->scope == LabelScope::image ? PixelSize{1, 1} : size);
}

std::vector<unsigned> thread_counts(unsigned cores) {
  std::vector<unsigned> counts;
  for (unsigned count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

Result<Setup> Setup::make(std::span<const std::string> folders, const BenchOptions& options) {
  Setup setup;
  setup.folders.assign(folders.begin(), folders.end());
  HOTPACK_ASSIGN(const Dataset dataset, setup.open_dataset());
  if (dataset.records() == 0)
    return usage_error("there is nothing to measure: the pack has no samples");
  for (const ShardInfo& shard : dataset.shards()) setup.shard_paths.push_back(shard.path);
  setup.schema = dataset.schema();
  setup.records = dataset.records();
  setup.seconds = options.seconds;
  setup.cores = usable_cores();
  setup.threads = options.threads.empty() ? thread_counts(setup.cores) : options.threads;
  setup.memory_bytes = available_memory() / kMemoryPart;
  setup.plain = plain_outputs(setup.schema);
  setup.training = training_outputs(setup.schema);
  HOTPACK_TRY(choose_batch(setup, options.batch));
  return setup;
}

LoaderOptions Setup::loader_options(unsigned loader_threads, const Outputs& outputs,
                                    BatchContent content, VerifyChecksums verify_checksums) const {
  LoaderOptions options;
  options.global_batch_size = batch;
  options.seed = 1;
  options.last_batch = LastBatch::wrap;
  if (content == BatchContent::expanded) {
    options.image = outputs.image;
    options.label = outputs.label;
  }
  options.content = content;
  options.threads = loader_threads;
  options.prefetch_batches = slots;
  options.verify_checksums = verify_checksums;
  return options;
}

}  // namespace hotpack::bench
