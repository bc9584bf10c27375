// Lists the fields of every struct that crosses the C ABI. A program that was compiled with an
// older header passes a shorter struct; the lists say after which fields such a struct may end.
//
// Pure functions; thread-safe. They do not fail. A struct whose list lacks a field does not
// compile.
#pragma once

#include <cstddef>

#include "hotpack/hotpack.h"
#include "hotpack/hotpack_device.h"

namespace hotpack::c_api {

// Returns true if a struct of `size` bytes ends after a whole field of Struct. Pass pointers to all
// fields, in their order.
template <class Struct, class... Field>
[[nodiscard]] constexpr bool ends_with_field(std::size_t size, Field Struct::*...) {
  // NOLINTBEGIN(bugprone-sizeof-expression): some fields are pointers, and here the size of the
  // pointer itself is meant
  static_assert((sizeof(Field) + ...) == sizeof(Struct),
                "a field is not listed, or the struct has a gap");
  std::size_t end = 0;
  return ((end += sizeof(Field), end == size) || ...);
  // NOLINTEND(bugprone-sizeof-expression)
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_error_info*, std::size_t size) {
  using S = hotpack_error_info;
  return ends_with_field(size, &S::struct_size, &S::message, &S::path, &S::offset, &S::record,
                         &S::key, &S::option, &S::status, &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_build_info*, std::size_t size) {
  using S = hotpack_build_info;
  return ends_with_field(size, &S::struct_size, &S::version, &S::compiler, &S::zstd,
                         &S::instructions);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_dataset_info*, std::size_t size) {
  using S = hotpack_dataset_info;
  return ends_with_field(size, &S::struct_size, &S::records, &S::skipped, &S::shards, &S::packs,
                         &S::classes, &S::image_height, &S::image_width, &S::image_channels,
                         &S::image_layout, &S::label_scope, &S::label_storage, &S::label_multi,
                         &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_label_source*, std::size_t size) {
  using S = hotpack_label_source;
  return ends_with_field(size, &S::struct_size, &S::text, &S::id);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_geometry_info*, std::size_t size) {
  using S = hotpack_geometry_info;
  return ends_with_field(size, &S::struct_size, &S::width, &S::height, &S::fit, &S::image_filter,
                         &S::label_filter, &S::pad_color);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_class_statistics*, std::size_t size) {
  using S = hotpack_class_statistics;
  return ends_with_field(size, &S::struct_size, &S::pixels, &S::samples, &S::weight_inverse,
                         &S::weight_median);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_sample_info*, std::size_t size) {
  using S = hotpack_sample_info;
  return ends_with_field(size, &S::struct_size, &S::image_bytes, &S::label_bytes, &S::image_height,
                         &S::image_width, &S::source_height, &S::source_width, &S::region,
                         &S::key_bytes);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_batch_info*, std::size_t size) {
  using S = hotpack_batch_info;
  return ends_with_field(size, &S::struct_size, &S::epoch, &S::step, &S::batch_size, &S::num_valid,
                         &S::image, &S::label);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_batch_buffers*, std::size_t size) {
  using S = hotpack_batch_buffers;
  return ends_with_field(size, &S::struct_size, &S::image, &S::image_bytes, &S::label,
                         &S::label_bytes, &S::indices, &S::crops);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_verify_options*, std::size_t size) {
  using S = hotpack_verify_options;
  return ends_with_field(size, &S::struct_size, &S::max_findings, &S::threads, &S::reserved,
                         &S::progress, &S::progress_user);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_verify_report_info*, std::size_t size) {
  using S = hotpack_verify_report_info;
  return ends_with_field(size, &S::struct_size, &S::finding_count, &S::findings, &S::damaged_files,
                         &S::notes, &S::shards, &S::records, &S::size_bytes, &S::ok, &S::stopped,
                         &S::aligned, &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_verify_finding_info*,
                                              std::size_t size) {
  using S = hotpack_verify_finding_info;
  return ends_with_field(size, &S::struct_size, &S::description, &S::file, &S::key, &S::text,
                         &S::record, &S::offset, &S::status, &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_cuda_info*, std::size_t size) {
  using S = hotpack_cuda_info;
  return ends_with_field(size, &S::struct_size, &S::devices, &S::kernels, &S::driver_version,
                         &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_cuda_device_info*, std::size_t size) {
  using S = hotpack_cuda_device_info;
  return ends_with_field(size, &S::struct_size, &S::name, &S::memory_bytes, &S::free_bytes,
                         &S::ordinal, &S::major, &S::minor, &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_residency_info*, std::size_t size) {
  using S = hotpack_residency_info;
  return ends_with_field(size, &S::struct_size, &S::packed_bytes, &S::reason, &S::residency,
                         &S::reserved);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_device_loader_statistics_info*,
                                              std::size_t size) {
  using S = hotpack_device_loader_statistics_info;
  return ends_with_field(size, &S::struct_size, &S::batches, &S::copied_bytes, &S::pinned_bytes,
                         &S::device_bytes, &S::wait_seconds, &S::load_seconds);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_device_batch_info*, std::size_t size) {
  using S = hotpack_device_batch_info;
  return ends_with_field(size, &S::struct_size, &S::stream, &S::epoch, &S::step, &S::batch_size,
                         &S::num_valid, &S::image, &S::label, &S::device, &S::reserved);
}

// <api: c field lists>
// clang-format off
[[nodiscard]] constexpr bool has_whole_fields(const hotpack_loader_options*, std::size_t size) {
  using S = hotpack_loader_options;
  return ends_with_field(
      size, &S::struct_size, &S::batch_size, &S::global_batch_size, &S::seed, &S::epoch, &S::rank,
      &S::world_size, &S::last_batch, &S::shuffle, &S::block_samples, &S::window_blocks, &S::resume,
      &S::image_dtype, &S::image_layout, &S::image_mean, &S::image_std, &S::image_channels,
      &S::label_form, &S::label_dtype, &S::label_layout, &S::label_ignore_channel,
      &S::label_has_ignore_index, &S::content, &S::label_ignore_index, &S::horizontal_flip,
      &S::vertical_flip, &S::crop, &S::reserved, &S::crop_width, &S::crop_height, &S::min_area,
      &S::max_area, &S::min_ratio, &S::max_ratio, &S::pad_width, &S::pad_height, &S::threads,
      &S::prefetch_batches, &S::verify_checksums, &S::access, &S::timeout_ms,
      &S::memory_budget_bytes, &S::allocate, &S::free, &S::allocator_user);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_read_options*, std::size_t size) {
  using S = hotpack_read_options;
  return ends_with_field(
      size, &S::struct_size, &S::image_dtype, &S::image_layout, &S::image_mean, &S::image_std,
      &S::image_channels, &S::label_form, &S::label_dtype, &S::label_layout,
      &S::label_ignore_channel, &S::label_has_ignore_index, &S::reserved, &S::label_ignore_index,
      &S::pad_width, &S::pad_height, &S::threads, &S::verify_checksums);
}

[[nodiscard]] constexpr bool has_whole_fields(const hotpack_device_loader_options*, std::size_t size) {
  using S = hotpack_device_loader_options;
  return ends_with_field(
      size, &S::struct_size, &S::loader, &S::device, &S::residency, &S::device_budget_bytes,
      &S::progress, &S::progress_user);
}
// clang-format on
// </api>

}  // namespace hotpack::c_api
