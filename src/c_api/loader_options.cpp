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

// Reads the fields that are numbers and choices.
Status read_plain(const hotpack_loader_options& from, LoaderOptions& to) {
  // <api: c loader conversion>
  // clang-format off
  if (from.batch_size != 0) to.batch_size = from.batch_size;
  if (from.global_batch_size != 0) to.global_batch_size = from.global_batch_size;
  to.seed = from.seed;
  to.epoch = from.epoch;
  to.rank = from.rank;
  to.world_size = from.world_size;
  HOTPACK_ASSIGN(to.last_batch, choose("last_batch", from.last_batch,
                 {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}));
  HOTPACK_ASSIGN(to.shuffle, choose("shuffle", from.shuffle,
                 {Shuffle::full, Shuffle::block, Shuffle::none}));
  to.block_samples = from.block_samples;
  to.window_blocks = from.window_blocks;
  HOTPACK_ASSIGN(to.content, choose("content", from.content,
                 {BatchContent::expanded, BatchContent::packed}));
  to.threads = from.threads;
  to.prefetch_batches = from.prefetch_batches;
  HOTPACK_ASSIGN(to.verify_checksums, choose("verify_checksums", from.verify_checksums,
                 {VerifyChecksums::first_read, VerifyChecksums::always, VerifyChecksums::never}));
  HOTPACK_ASSIGN(to.access, choose("access", from.access,
                 {FileAccess::map, FileAccess::read}));
  to.memory_budget_bytes = from.memory_budget_bytes;
  HOTPACK_TRY(refuse_reserved("hotpack_loader_options", {from.reserved}));
  // clang-format on
  // </api>
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

}  // namespace

hotpack_loader_options default_options() {
  hotpack_loader_options options{};
  options.struct_size = sizeof options;
  // <api: c loader defaults>
  options.world_size = 1;
  options.last_batch = HOTPACK_LAST_BATCH_DROP;
  options.shuffle = HOTPACK_SHUFFLE_FULL;
  options.block_samples = 256;
  options.window_blocks = 16;
  options.image_dtype = HOTPACK_DTYPE_U8;
  options.image_layout = HOTPACK_CHANNELS_LAST;
  options.label_form = HOTPACK_FORM_IDS;
  options.label_dtype = HOTPACK_DTYPE_DEFAULT;
  options.label_layout = HOTPACK_CHANNELS_LAST;
  options.content = HOTPACK_CONTENT_EXPANDED;
  options.crop = HOTPACK_CROP_NONE;
  options.min_area = 0.08;
  options.max_area = 1;
  options.min_ratio = 3.0 / 4.0;
  options.max_ratio = 4.0 / 3.0;
  options.prefetch_batches = 3;
  options.verify_checksums = HOTPACK_VERIFY_FIRST_READ;
  options.access = HOTPACK_ACCESS_MAP;
  options.timeout_ms = 600000;
  // </api>
  return options;
}

Result<LoaderOptions> loader_options(const hotpack_loader_options& from) {
  LoaderOptions options;
  HOTPACK_TRY(read_plain(from, options));
  HOTPACK_TRY(read_image(from, options));
  HOTPACK_TRY(read_label(from, options));
  HOTPACK_TRY(read_augment(from, options));
  HOTPACK_ASSIGN(options.timeout, milliseconds(from.timeout_ms));
  HOTPACK_TRY(read_allocator(from, options));
  if (from.resume != nullptr) {
    HOTPACK_ASSIGN(options.resume, LoaderState::parse(from.resume));
  }
  return options;
}

hotpack_read_options default_read_options() {
  hotpack_read_options options{};
  options.struct_size = sizeof options;
  // <api: c read defaults>
  options.image_dtype = HOTPACK_DTYPE_U8;
  options.image_layout = HOTPACK_CHANNELS_LAST;
  options.label_form = HOTPACK_FORM_IDS;
  options.label_dtype = HOTPACK_DTYPE_DEFAULT;
  options.label_layout = HOTPACK_CHANNELS_LAST;
  options.verify_checksums = HOTPACK_VERIFY_FIRST_READ;
  // </api>
  return options;
}

Result<ReadOptions> read_options(const hotpack_read_options& from) {
  HOTPACK_TRY(refuse_reserved("hotpack_read_options", {from.reserved}));
  hotpack_loader_options to = default_options();
  // <api: c read copy>
  to.image_dtype = from.image_dtype;
  to.image_layout = from.image_layout;
  to.image_mean = from.image_mean;
  to.image_std = from.image_std;
  to.image_channels = from.image_channels;
  to.label_form = from.label_form;
  to.label_dtype = from.label_dtype;
  to.label_layout = from.label_layout;
  to.label_ignore_channel = from.label_ignore_channel;
  to.label_has_ignore_index = from.label_has_ignore_index;
  to.label_ignore_index = from.label_ignore_index;
  to.pad_width = from.pad_width;
  to.pad_height = from.pad_height;
  to.threads = from.threads;
  to.verify_checksums = from.verify_checksums;
  // </api>
  HOTPACK_ASSIGN(LoaderOptions own, loader_options(to));
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
