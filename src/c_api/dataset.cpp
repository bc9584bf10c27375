// The functions hotpack_dataset_….
#include "hotpack/dataset.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"
#include "c_api/text.hpp"
#include "hotpack/hotpack.h"

namespace hotpack::c_api {
namespace {

Result<std::vector<std::string>> folder_list(const char* const* folders, std::size_t count) {
  HOTPACK_TRY(require(folders, "folders"));
  std::vector<std::string> list;
  for (std::size_t i = 0; i < count; ++i) {
    HOTPACK_TRY(require(folders[i], "folder"));
    list.emplace_back(folders[i]);
  }
  return list;
}

std::int32_t label_kind_number(const Schema& schema) {
  if (!schema.label) return HOTPACK_LABEL_NONE;
  return schema.label->scope == LabelScope::pixel ? HOTPACK_LABEL_PIXEL : HOTPACK_LABEL_IMAGE;
}

std::int32_t label_storage_number(const Schema& schema) {
  if (!schema.label) return HOTPACK_STORAGE_NONE;
  switch (schema.label->storage) {
    case LabelStorage::bits:
      return HOTPACK_STORAGE_BITS;
    case LabelStorage::one_hot:
      return HOTPACK_STORAGE_ONE_HOT;
    case LabelStorage::index:
      break;
  }
  return HOTPACK_STORAGE_INDEX;
}

// Sets image_height and image_width of `info` from the image's stored shape. Leaves both 0 if the
// records have different sizes.
void set_image_size(const ImageField& image, hotpack_dataset_info& info) {
  if (!image.shape) return;
  const std::size_t first = image.layout == AxisOrder::channels_last ? 0 : 1;
  info.image_height = (*image.shape)[first];
  info.image_width = (*image.shape)[first + 1];
}

hotpack_dataset_info info_of(const Dataset& dataset) {
  const Schema& schema = dataset.schema();
  hotpack_dataset_info info{};
  info.records = dataset.records();
  info.skipped = dataset.skipped();
  info.shards = dataset.shards().size();
  info.packs = dataset.packs().size();
  info.classes = dataset.classes().size();
  set_image_size(schema.image, info);
  info.image_channels = schema.image.channels();
  info.image_layout = schema.image.layout == AxisOrder::channels_last ? HOTPACK_CHANNELS_LAST
                                                                      : HOTPACK_CHANNELS_FIRST;
  info.label_scope = label_kind_number(schema);
  info.label_storage = label_storage_number(schema);
  info.label_multi = schema.label && schema.label->multi ? 1 : 0;
  return info;
}

hotpack_sample_info info_of(const Sample& sample) {
  const SampleSource source = sample.source();
  hotpack_sample_info info{};
  info.image_bytes = sample.image_shape().size_bytes();
  info.label_bytes = sample.has_label() ? sample.label_shape().size_bytes() : 0;
  info.image_height = sample.image_shape().height;
  info.image_width = sample.image_shape().width;
  info.source_height = source.height;
  info.source_width = source.width;
  std::copy(source.region.begin(), source.region.end(), info.region);
  info.key_bytes = sample.key().size();
  return info;
}

// Computes the data set's statistics once; they live as long as the handle.
Result<const Statistics*> statistics_of(const hotpack_dataset& handle) {
  const std::scoped_lock lock(handle.statistics_mutex);
  if (!handle.statistics) {
    HOTPACK_ASSIGN(handle.statistics, handle.dataset->statistics());
  }
  return &*handle.statistics;
}

double number_or_nan(const std::vector<std::optional<double>>& numbers, std::size_t index) {
  const bool there = index < numbers.size() && numbers[index].has_value();
  return there ? *numbers[index] : std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t count_or_zero(const std::vector<std::uint64_t>& counts, std::size_t index) {
  return index < counts.size() ? counts[index] : 0;
}

// Writes the keys, each with a NUL, to `into`, which has room for them or is null, and their
// places.
void write_keys(const std::vector<std::string>& keys, char* into, std::uint64_t* offsets) {
  std::uint64_t place = 0;
  for (const std::string& key : keys) {
    if (offsets != nullptr) *offsets++ = place;
    if (into != nullptr) {
      std::ranges::copy(key, into + place);
      into[place + key.size()] = '\0';
    }
    place += key.size() + 1;
  }
}

// Implements hotpack_dataset_keys.
Status copy_keys(const std::vector<std::string>& keys, char* into, std::size_t size,
                 std::size_t* length, std::uint64_t* offsets) {
  std::size_t bytes = 0;
  for (const std::string& key : keys) bytes += key.size() + 1;
  if (length != nullptr) *length = bytes;
  if (into != nullptr || size != 0) {
    HOTPACK_TRY(require(into, "keys"));
    if (size < bytes)
      return option_error("size", "the keys have " + std::to_string(bytes) +
                                      " bytes with their NULs; there is room for " +
                                      std::to_string(size));
  }
  write_keys(keys, into, offsets);
  return {};
}

std::span<std::uint8_t> bytes_at(void* memory, std::size_t size) {
  return {static_cast<std::uint8_t*>(memory), size};
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_dataset_open(const char* folder, hotpack_dataset** dataset) {
  return hotpack_dataset_open_many(&folder, 1, dataset);
}

hotpack_status hotpack_dataset_open_many(const char* const* folders, size_t count,
                                         hotpack_dataset** dataset) {
  return open_handle(dataset, [&](hotpack_dataset& handle) -> Status {
    HOTPACK_ASSIGN(const auto list, folder_list(folders, count));
    HOTPACK_ASSIGN(handle.dataset, Dataset::open(list));
    return {};
  });
}

hotpack_status hotpack_dataset_subset(const hotpack_dataset* dataset, const uint64_t* numbers,
                                      size_t count, hotpack_dataset** subset) {
  return open_handle(subset, [&](hotpack_dataset& handle) -> Status {
    HOTPACK_ASSIGN(const Dataset* const whole, open_dataset(dataset));
    HOTPACK_ASSIGN(const auto chosen, numbers_of(numbers, count));
    HOTPACK_ASSIGN(handle.dataset, whole->subset(chosen));
    return {};
  });
}

void hotpack_dataset_close(hotpack_dataset* dataset) { delete dataset; }

const char* hotpack_dataset_error(const hotpack_dataset* dataset) { return latest_error(dataset); }

hotpack_status hotpack_dataset_error_info(const hotpack_dataset* dataset,
                                          hotpack_error_info* info) {
  return latest_error_info(dataset, info);
}

hotpack_status hotpack_dataset_describe(const hotpack_dataset* dataset,
                                        hotpack_dataset_info* info) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    return give_struct(info_of(open), info, "hotpack_dataset_info");
  });
}

uint64_t hotpack_dataset_records(const hotpack_dataset* dataset) {
  return dataset == nullptr || !dataset->dataset ? 0 : dataset->dataset->records();
}

uint64_t hotpack_dataset_classes(const hotpack_dataset* dataset) {
  return dataset == nullptr || !dataset->dataset ? 0 : dataset->dataset->classes().size();
}

const char* hotpack_dataset_fingerprint(const hotpack_dataset* dataset) {
  return dataset == nullptr || !dataset->dataset ? "" : dataset->dataset->fingerprint().c_str();
}

const char* hotpack_dataset_class_name(const hotpack_dataset* dataset, uint64_t class_id) {
  return class_id < hotpack_dataset_classes(dataset)
             ? dataset->dataset->classes()[class_id].name.c_str()
             : "";
}

hotpack_status hotpack_dataset_class_color(const hotpack_dataset* dataset, uint64_t class_id,
                                           uint8_t rgb[3]) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(rgb, "rgb"));
    HOTPACK_ASSIGN(const ClassInfo* const found, find_class(open, class_id));
    if (!found->color) return HOTPACK_NOT_FOUND;
    std::copy(found->color->begin(), found->color->end(), rgb);
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_mean_std(const hotpack_dataset* dataset, double* mean, double* std,
                                        size_t channels) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(mean, "mean"));
    HOTPACK_TRY(require(std, "std"));
    const auto expected = static_cast<std::size_t>(open.schema().image.channels());
    if (channels != expected) {
      return option_error("channels", "channels is " + std::to_string(channels) +
                                          "; it must be the number of channels of the images, " +
                                          std::to_string(expected));
    }
    HOTPACK_ASSIGN(const Statistics* const known, statistics_of(*dataset));
    for (std::size_t c = 0; c < channels; ++c) {
      mean[c] = number_or_nan(known->mean, c);
      std[c] = number_or_nan(known->std, c);
    }
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_class_statistics(const hotpack_dataset* dataset, uint64_t class_id,
                                                hotpack_class_statistics* statistics) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(statistics, "statistics"));
    HOTPACK_TRY(find_class(open, class_id));
    HOTPACK_ASSIGN(const Statistics* const known, statistics_of(*dataset));
    hotpack_class_statistics found{};
    found.pixels = count_or_zero(known->pixels, class_id);
    found.samples = count_or_zero(known->samples, class_id);
    found.weight_inverse = number_or_nan(known->weights_inverse, class_id);
    found.weight_median = number_or_nan(known->weights_median, class_id);
    HOTPACK_TRY(write_struct(found, statistics, "hotpack_class_statistics"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_ignored_pixels(const hotpack_dataset* dataset, uint64_t* pixels) {
  return with_dataset(dataset, [&](const Dataset&) -> Outcome {
    HOTPACK_TRY(require(pixels, "pixels"));
    HOTPACK_ASSIGN(const Statistics* const known, statistics_of(*dataset));
    *pixels = known->ignored;
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_sample(const hotpack_dataset* dataset, uint64_t number,
                                      hotpack_sample_info* info) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_ASSIGN(const Sample sample, open.sample(number));
    HOTPACK_TRY(write_struct(info_of(sample), info, "hotpack_sample_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_key(const hotpack_dataset* dataset, uint64_t number, char* key,
                                   size_t size, size_t* length) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_ASSIGN(const Sample sample, open.sample(number));
    HOTPACK_ASSIGN(const std::string own, sample.copied_key());
    HOTPACK_TRY(copy_text(own, key, size, length));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_keys(const hotpack_dataset* dataset, uint64_t first, uint64_t count,
                                    char* keys, size_t size, size_t* length, uint64_t* offsets) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_ASSIGN(const auto found, open.copied_keys(first, count));
    HOTPACK_TRY(copy_keys(found, keys, size, length, offsets));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_read_image(const hotpack_dataset* dataset, uint64_t number,
                                          void* into, size_t size) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(into, "into"));
    HOTPACK_ASSIGN(const Sample sample, open.sample(number));
    HOTPACK_TRY(sample.read_image(bytes_at(into, size)));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_read_label(const hotpack_dataset* dataset, uint64_t number,
                                          void* into, size_t size) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(into, "into"));
    HOTPACK_ASSIGN(const Sample sample, open.sample(number));
    HOTPACK_TRY(sample.read_label(bytes_at(into, size)));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_find(const hotpack_dataset* dataset, const char* key,
                                    uint64_t* number) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(key, "key"));
    HOTPACK_TRY(require(number, "number"));
    HOTPACK_ASSIGN(const std::optional<std::uint64_t> found, open.find(key));
    if (!found) return HOTPACK_NOT_FOUND;
    *number = *found;
    return HOTPACK_OK;
  });
}
