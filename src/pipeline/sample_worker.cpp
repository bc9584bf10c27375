#include "pipeline/sample_worker.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "codecs/decoder.hpp"
#include "geometry/nearest.hpp"
#include "geometry/resample.hpp"
#include "labels/one_hot.hpp"
#include "pipeline/channel_sums.hpp"
#include "pipeline/header_survey.hpp"
#include "pipeline/orientation.hpp"
#include "pipeline/source_file.hpp"

namespace hotpack::pipeline {

namespace {

using Verdict = Result<std::optional<Problem>>;

std::string unknown_text(const labels::DecodeReport& report, std::uint64_t pixels) {
  constexpr std::size_t kListed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, report.unknown.size()); ++i) {
    const labels::UnknownValue& value = report.unknown[i];
    if (i > 0) text += "; ";
    text += std::to_string(value.count) + " pixels of unknown " + value.text + ", first at x=" + std::to_string(value.x) +
            " y=" + std::to_string(value.y);
  }
  if (report.unknown_kinds > kListed) text += "; " + std::to_string(report.unknown_kinds) + " unknown values in all";
  text += " (" + std::to_string(report.unknown_pixels) + " of " + std::to_string(pixels) + " pixels)";
  constexpr std::uint64_t kManyKinds = 16;
  if (report.unknown_kinds > kManyKinds)
    text += "; so many values look like an interpolated or lossy label, or like a photo (are --images and --labels swapped?)";
  return text;
}

// hwc to chw.
void split_planes(ConstPicture picture, std::byte* out) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t pixels = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < pixels; ++i) out[c * pixels + i] = static_cast<std::byte>(picture.data[i * channels + c]);
}

}  // namespace

void Remarks::add(const Remarks& other) {
  label_resized += other.label_resized;
  unknown_samples += other.unknown_samples;
  unknown_pixels += other.unknown_pixels;
  beyond_palette += other.beyond_palette;
  channels_differ += other.channels_differ;
  alpha_varies += other.alpha_varies;
  rotated += other.rotated;
}

struct SampleWorker::Impl {
  Impl(const PackOptions& pack_options, const LabelSetup& label_setup, const Schema& record_schema, const SampleList& sample_list)
      : options(pack_options.record), setup(label_setup), schema(record_schema), list(sample_list) {}

  Verdict process(const Sample& sample, PackedSample& out);

 private:
  // The files of one sample and what their headers say.
  struct Files {
    std::string image_path, label_path;
    std::span<const std::byte> image, label;
    codecs::PictureInfo image_info;
    std::optional<codecs::PictureInfo> label_info;
    bool rotate = false;
  };

  Verdict open_files(const Sample& sample, Files& files, format::RecordEntry& entry);
  Verdict probe(std::span<const std::byte> bytes, const std::string& path, codecs::PictureInfo& info);
  Verdict pack_image(const Files& files, PackedSample& out);
  Verdict pack_label_file(const Files& files, PackedSample& out);
  Verdict decode_ids(const Files& files, PackedSample& out, ConstIds& ids);
  void pack_folder_label(const Sample& sample, PackedSample& out);
  void encode_label(std::span<const std::uint16_t> ids, PackedSample& out);

  const RecordOptions& options;
  const LabelSetup& setup;
  const Schema& schema;
  const SampleList& list;

  SourceReader image_reader, label_reader;
  codecs::Decoder image_decoder, label_decoder;
  geometry::Resampler resampler;
  geometry::NearestPlacer placer;
  labels::DecodeReport report;
  std::vector<std::uint64_t> histogram;
  Buffer record_pixels, planes, source_ids, record_ids, label_bytes;
};

Verdict SampleWorker::Impl::probe(std::span<const std::byte> bytes, const std::string& path, codecs::PictureInfo& info) {
  Result<codecs::Probe> probe = codecs::probe(bytes, true);
  if (!probe.ok()) return std::optional(Problem{ProblemKind::unreadable_header, path, probe.error().message});
  if (probe->need_more) return std::optional(Problem{ProblemKind::unreadable_header, path, "the header is incomplete"});
  info = probe->info;
  return std::optional<Problem>();
}

Verdict SampleWorker::Impl::open_files(const Sample& sample, Files& files, format::RecordEntry& entry) {
  files.image_path = list.image_path(sample);
  HOTPACK_ASSIGN(files.image, image_reader.read(files.image_path, sample.image.bytes));
  entry.source_hash = {xxh3_64(files.image), 0};
  HOTPACK_ASSIGN(auto problem, probe(files.image, files.image_path, files.image_info));
  if (problem) return problem;
  std::optional<Extent> label_size;
  if (list.has_label_files) {
    files.label_path = list.label_path(sample);
    HOTPACK_ASSIGN(files.label, label_reader.read(files.label_path, sample.label.bytes));
    entry.source_hash[1] = xxh3_64(files.label);
    HOTPACK_ASSIGN(problem, probe(files.label, files.label_path, files.label_info.emplace()));
    if (problem) return problem;
    label_size = Extent{files.label_info->width, files.label_info->height};
  }
  if (problem = check_headers(files.image_info, files.image_path, files.label_info, files.label_path, options); problem) return problem;
  files.rotate = applies_orientation(options.exif, files.image_info, label_size).value_or(false);
  return problem;
}

Verdict SampleWorker::Impl::pack_image(const Files& files, PackedSample& out) {
  codecs::ImageOptions decode;
  decode.channels = schema.image.channels();
  decode.depth16 = options.depth16;
  decode.apply_orientation = files.rotate;
  decode.max_pixels = options.max_pixels;
  const Result<ConstPicture> source = image_decoder.decode_image(files.image, decode);
  if (!source.ok()) return std::optional(Problem{ProblemKind::damaged_picture, files.image_path, source.error().message});
  out.remarks.rotated += files.rotate && files.image_info.orientation != 1;

  const Extent source_size{source->width, source->height};
  const Region region = fit_region(options.fit, options.anchor, source_size, options.size);
  const std::size_t row_bytes = static_cast<std::size_t>(options.size.width) * static_cast<std::size_t>(decode.channels);
  const std::size_t bytes = row_bytes * static_cast<std::size_t>(options.size.height);
  const MutablePicture record{record_pixels.reserve_as<std::uint8_t>(bytes), options.size.width, options.size.height, decode.channels,
                              row_bytes};
  std::array<std::uint8_t, 3> pad{};
  for (std::size_t c = 0; c < schema.geometry.pad_color.size(); ++c) pad[c] = static_cast<std::uint8_t>(schema.geometry.pad_color[c]);
  HOTPACK_TRY(resampler.place(*source, region, options.image_filter, pad.data(), record));
  add_channel_sums(record, region, out.sums);

  out.entry.source_size = {source_size.width, source_size.height};
  out.entry.source_region = {region.x, region.y, region.width, region.height};
  out.image = {reinterpret_cast<const std::byte*>(record.data), bytes};
  if (options.layout == ImageLayout::chw && decode.channels > 1) {
    split_planes(record, planes.reserve(bytes));
    out.image = {planes.data(), bytes};
  }
  out.entry.image_crc = crc32c(out.image);
  return std::optional<Problem>();
}

Verdict SampleWorker::Impl::decode_ids(const Files& files, PackedSample& out, ConstIds& ids) {
  const Result<RawLabel> raw = label_decoder.decode_label(files.label, options.max_pixels);
  if (!raw.ok()) return std::optional(Problem{ProblemKind::damaged_picture, files.label_path, raw.error().message});
  const std::size_t pixels = static_cast<std::size_t>(raw->width) * static_cast<std::size_t>(raw->height);
  const MutableIds plane{source_ids.reserve_as<std::uint16_t>(pixels), raw->width, raw->height, 1,
                         static_cast<std::size_t>(raw->width) * 2};
  report = {};
  const Status status = setup.decoder->decode(*raw, plane, report);
  const ProblemKind form = report.ambiguous ? ProblemKind::ambiguous_label : ProblemKind::label_form;
  if (!status.ok()) return std::optional(Problem{form, files.label_path, status.error().message});
  if (report.unknown_pixels > 0 && setup.unknown == "error")
    return std::optional(Problem{ProblemKind::unknown_value, files.label_path, unknown_text(report, pixels)});
  out.remarks.unknown_samples += report.unknown_pixels > 0;
  out.remarks.unknown_pixels += report.unknown_pixels;
  out.remarks.beyond_palette += report.beyond_palette;
  out.remarks.channels_differ += report.channels_differ;
  out.remarks.alpha_varies += report.alpha_varies;
  ids = plane;
  return std::optional<Problem>();
}

Verdict SampleWorker::Impl::pack_label_file(const Files& files, PackedSample& out) {
  ConstIds source;
  HOTPACK_ASSIGN(auto problem, decode_ids(files, out, source));
  if (problem) return problem;
  const Extent label_size{source.width, source.height};
  out.remarks.label_resized += label_size.width != out.entry.source_size[0] || label_size.height != out.entry.source_size[1];
  // The whole label lies where the whole image lies, also when it has another size.
  const auto& [x, y, width, height] = out.entry.source_region;
  const Region region{x, y, width, height};
  const std::size_t pixels = static_cast<std::size_t>(options.size.width) * static_cast<std::size_t>(options.size.height);
  const MutableIds record{record_ids.reserve_as<std::uint16_t>(pixels), options.size.width, options.size.height, 1,
                          static_cast<std::size_t>(options.size.width) * 2};
  placer.place(source, region, options.label_filter, setup.pad_id, record);
  encode_label({record.data, pixels}, out);
  return problem;
}

void SampleWorker::Impl::pack_folder_label(const Sample& sample, PackedSample& out) {
  const auto id = static_cast<std::uint16_t>(sample.class_id);
  encode_label({&id, 1}, out);
}

void SampleWorker::Impl::encode_label(std::span<const std::uint16_t> ids, PackedSample& out) {
  const std::size_t classes = schema.class_count();
  const std::uint64_t bytes = labels::encoded_bytes(schema.label->storage, ids.size(), classes);
  const std::span<std::byte> encoded(label_bytes.reserve(static_cast<std::size_t>(bytes)), static_cast<std::size_t>(bytes));
  labels::encode_ids(ids, classes, schema.label->storage, encoded);
  out.label = encoded;
  out.entry.label_crc = crc32c(encoded);
  out.sums.ignored = labels::count_ids(ids, classes, histogram);
  for (std::size_t c = 0; c < classes; ++c)
    out.sums.classes[c] = {histogram[c], histogram[c] > 0 ? 1u : 0u, histogram[c] > 0 ? ids.size() - out.sums.ignored : 0};
}

Verdict SampleWorker::Impl::process(const Sample& sample, PackedSample& out) {
  out.entry = {};
  out.entry.key = list.key(sample);
  out.sums.clear();
  out.image = out.label = {};
  out.remarks = {};
  Files files;
  HOTPACK_ASSIGN(auto problem, open_files(sample, files, out.entry));
  if (problem) return problem;
  HOTPACK_ASSIGN(problem, pack_image(files, out));
  if (problem || !setup.kind) return problem;
  if (setup.kind == LabelKind::pixel) return pack_label_file(files, out);
  pack_folder_label(sample, out);
  return problem;
}

SampleWorker::SampleWorker(const PackOptions& options, const LabelSetup& setup, const Schema& schema, const SampleList& list)
    : impl_(std::make_unique<Impl>(options, setup, schema, list)) {}
SampleWorker::~SampleWorker() = default;
SampleWorker::SampleWorker(SampleWorker&&) noexcept = default;

Result<std::optional<Problem>> SampleWorker::process(const Sample& sample, PackedSample& out) { return impl_->process(sample, out); }

}  // namespace hotpack::pipeline
