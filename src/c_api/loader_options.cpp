#include "c_api/loader_options.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "c_api/choices.hpp"
#include "c_api/option_error.hpp"
#include "c_api/user_memory.hpp"

namespace hotpack::c_api {

namespace {

constexpr std::size_t kMostChannels = 64;
// the longest timeout in milliseconds, about 35 years; it does not overflow a clock
constexpr std::int64_t kLongestWait = std::int64_t{1} << 40;

Status read_order(const hotpack_loader_options& from, LoaderOptions& to) {
  to.global_batch_size = from.global_batch_size;
  to.seed = from.seed;
  to.epoch = from.epoch;
  to.rank = from.rank;
  to.world_size = from.world_size;
  to.block_samples = from.block_samples;
  to.window_blocks = from.window_blocks;
  HOTPACK_ASSIGN(to.last_batch,
                 choose("last_batch", from.last_batch,
                        {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}));
  HOTPACK_ASSIGN(to.shuffle,
                 choose("shuffle", from.shuffle, {Shuffle::full, Shuffle::block, Shuffle::none}));
  return {};
}

// Refuses an option that has an effect only together with `needed`, if `needed` was not set.
Status refuse_unused(bool unused, const char* option, const char* needed) {
  if (!unused) return {};
  return option_error(option, std::string(option) + " is set without " + needed +
                                  ", so it would have no effect; set both, or leave it as" +
                                  " the init function wrote it");
}

Result<AxisOrder> axis_order(const char* option, std::int32_t number) {
  return choose(option, number, {AxisOrder::channels_last, AxisOrder::channels_first});
}

Status read_image(const hotpack_loader_options& from, LoaderOptions& to) {
  HOTPACK_ASSIGN(const auto type, type_choice("image_dtype", from.image_dtype));
  to.image.dtype = type.value_or(ElementType::u8);
  HOTPACK_ASSIGN(to.image.layout, axis_order("image_layout", from.image_layout));
  if (from.image_mean == nullptr && from.image_std == nullptr) {
    return refuse_unused(from.image_channels != 0, "image_channels", "image_mean and image_std");
  }
  if (from.image_mean == nullptr || from.image_std == nullptr)
    return option_error("image_mean",
                        "one of image_mean and image_std is NULL; set both, or leave both NULL");
  if (from.image_channels == 0 || from.image_channels > kMostChannels) {
    return option_error("image_channels", "image_channels is " +
                                              std::to_string(from.image_channels) +
                                              "; it must be the number of elements of image_mean");
  }
  to.image.mean.assign(from.image_mean, from.image_mean + from.image_channels);
  to.image.std.assign(from.image_std, from.image_std + from.image_channels);
  return {};
}

Status read_label(const hotpack_loader_options& from, LoaderOptions& to) {
  HOTPACK_ASSIGN(to.label.form, choose("label_form", from.label_form,
                                       {LabelForm::ids, LabelForm::one_hot, LabelForm::bits}));
  HOTPACK_ASSIGN(to.label.dtype, type_choice("label_dtype", from.label_dtype));
  HOTPACK_ASSIGN(to.label.layout, axis_order("label_layout", from.label_layout));
  HOTPACK_ASSIGN(to.label.ignore_channel, flag("label_ignore_channel", from.label_ignore_channel));
  HOTPACK_ASSIGN(const bool ignore_index,
                 flag("label_has_ignore_index", from.label_has_ignore_index));
  HOTPACK_TRY(refuse_unused(!ignore_index && from.label_ignore_index != 0, "label_ignore_index",
                            "label_has_ignore_index"));
  if (ignore_index) to.label.ignore_index = from.label_ignore_index;
  HOTPACK_ASSIGN(to.content,
                 choose("content", from.content, {BatchContent::expanded, BatchContent::packed}));
  return {};
}

ResizedCrop resized_crop(const hotpack_loader_options& from) {
  return {{from.crop_width, from.crop_height},
          from.min_area,
          from.max_area,
          from.min_ratio,
          from.max_ratio};
}

// Refuses options of a kind of crop that was not chosen.
Status check_crop_options(const hotpack_loader_options& from, bool cropped, bool resized) {
  const ResizedCrop defaults;
  const auto moved = [resized](double value, double otherwise) {
    return !resized && value != otherwise;
  };
  HOTPACK_TRY(refuse_unused(!cropped && from.crop_width != 0, "crop_width", "crop"));
  HOTPACK_TRY(refuse_unused(!cropped && from.crop_height != 0, "crop_height", "crop"));
  HOTPACK_TRY(
      refuse_unused(moved(from.min_area, defaults.min_area), "min_area", "HOTPACK_CROP_RESIZED"));
  HOTPACK_TRY(
      refuse_unused(moved(from.max_area, defaults.max_area), "max_area", "HOTPACK_CROP_RESIZED"));
  HOTPACK_TRY(refuse_unused(moved(from.min_ratio, defaults.min_ratio), "min_ratio",
                            "HOTPACK_CROP_RESIZED"));
  return refuse_unused(moved(from.max_ratio, defaults.max_ratio), "max_ratio",
                       "HOTPACK_CROP_RESIZED");
}

Status read_padding(const hotpack_loader_options& from, LoaderOptions& to) {
  HOTPACK_TRY(
      refuse_unused(from.pad_width != 0 && from.pad_height == 0, "pad_width", "pad_height"));
  HOTPACK_TRY(
      refuse_unused(from.pad_height != 0 && from.pad_width == 0, "pad_height", "pad_width"));
  if (from.pad_width != 0) to.pad_to = PixelSize{from.pad_width, from.pad_height};
  return {};
}

Status read_augment(const hotpack_loader_options& from, LoaderOptions& to) {
  to.augment.horizontal_flip = from.horizontal_flip;
  to.augment.vertical_flip = from.vertical_flip;
  enum class Kind { none, random, center, resized };
  HOTPACK_ASSIGN(const Kind kind, choose("crop", from.crop,
                                         {Kind::none, Kind::random, Kind::center, Kind::resized}));
  HOTPACK_TRY(check_crop_options(from, kind != Kind::none, kind == Kind::resized));
  if (kind == Kind::resized) {
    to.augment.resized_crop = resized_crop(from);
  } else if (kind != Kind::none) {
    to.augment.crop = Crop{{from.crop_width, from.crop_height}, kind == Kind::random};
  }
  if (from.reserved != 0)
    return option_error(
        "reserved",
        "reserved of hotpack_loader_options must be 0; call hotpack_loader_options_init first");
  return read_padding(from, to);
}

Status read_allocator(const hotpack_loader_options& from, LoaderOptions& to) {
  if (from.allocate == nullptr && from.free == nullptr) {
    return refuse_unused(from.allocator_user != nullptr, "allocator_user", "allocate and free");
  }
  if (from.allocate == nullptr || from.free == nullptr)
    return option_error("allocate",
                        "one of allocate and free is NULL; set both, or leave both NULL");
  to.allocator = std::make_shared<UserMemory>(from.allocate, from.free, from.allocator_user);
  return {};
}

Status read_resources(const hotpack_loader_options& from, LoaderOptions& to) {
  to.threads = from.threads;
  to.prefetch_batches = from.prefetch_batches;
  to.memory_budget_bytes = from.memory_budget_bytes;
  HOTPACK_ASSIGN(to.verify_checksums, choose("verify_checksums", from.verify_checksums,
                                             {VerifyChecksums::first_read, VerifyChecksums::always,
                                              VerifyChecksums::never}));
  HOTPACK_ASSIGN(to.access, choose("access", from.access, {FileAccess::map, FileAccess::read}));
  HOTPACK_ASSIGN(to.timeout, milliseconds(from.timeout_ms));
  return read_allocator(from, to);
}

}  // namespace

hotpack_loader_options default_options() {
  const LoaderOptions own;
  const ResizedCrop crop;
  hotpack_loader_options options{};
  options.struct_size = sizeof options;
  options.global_batch_size = own.global_batch_size;
  options.world_size = own.world_size;
  options.block_samples = own.block_samples;
  options.window_blocks = own.window_blocks;
  options.image_dtype = HOTPACK_DTYPE_U8;
  options.min_area = crop.min_area;
  options.max_area = crop.max_area;
  options.min_ratio = crop.min_ratio;
  options.max_ratio = crop.max_ratio;
  options.prefetch_batches = own.prefetch_batches;
  options.timeout_ms = own.timeout.count();
  return options;
}

Result<LoaderOptions> loader_options(const hotpack_loader_options& from) {
  LoaderOptions options;
  HOTPACK_TRY(read_order(from, options));
  HOTPACK_TRY(read_image(from, options));
  HOTPACK_TRY(read_label(from, options));
  HOTPACK_TRY(read_augment(from, options));
  HOTPACK_TRY(read_resources(from, options));
  if (from.resume != nullptr) {
    HOTPACK_ASSIGN(options.resume, LoaderState::parse(from.resume));
  }
  return options;
}

hotpack_read_options default_read_options() {
  const ReadOptions own;
  hotpack_read_options options{};
  options.struct_size = sizeof options;
  options.image_dtype = type_number(own.image.dtype);
  return options;
}

Result<ReadOptions> read_options(const hotpack_read_options& from) {
  if (from.reserved != 0)
    return option_error(
        "reserved",
        "reserved of hotpack_read_options must be 0; call hotpack_read_options_init first");
  hotpack_loader_options same = default_options();
  same.image_dtype = from.image_dtype;
  same.image_layout = from.image_layout;
  same.image_mean = from.image_mean;
  same.image_std = from.image_std;
  same.image_channels = from.image_channels;
  same.label_form = from.label_form;
  same.label_dtype = from.label_dtype;
  same.label_layout = from.label_layout;
  same.label_ignore_channel = from.label_ignore_channel;
  same.label_has_ignore_index = from.label_has_ignore_index;
  same.label_ignore_index = from.label_ignore_index;
  same.pad_width = from.pad_width;
  same.pad_height = from.pad_height;
  same.threads = from.threads;
  same.verify_checksums = from.verify_checksums;
  HOTPACK_ASSIGN(LoaderOptions own, loader_options(same));
  return ReadOptions{std::move(own.image), own.label, own.pad_to, own.threads,
                     own.verify_checksums};
}

Result<std::chrono::milliseconds> milliseconds(std::int64_t count) {
  if (count < 0)
    return option_error("timeout_ms", "timeout_ms is " + std::to_string(count) +
                                          "; it must not be negative, 0 waits forever");
  return std::chrono::milliseconds(std::min(count, kLongestWait));
}

}  // namespace hotpack::c_api
