#include "pack/image_loader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "codecs/decode_memory.hpp"
#include "codecs/decoder.hpp"
#include "codecs/image_info.hpp"
#include "files/file_kind.hpp"
#include "geometry/nearest.hpp"
#include "geometry/resample.hpp"
#include "label_setup/orientation.hpp"
#include "label_setup/source_file.hpp"
#include "labels/one_hot.hpp"
#include "labels/packed_color.hpp"
#include "pack/jpeg_scale.hpp"
#include "pack/mask_hashes.hpp"

namespace hotpack::pipeline {

namespace {

std::uint64_t brightest_sample(ConstPixels pixels) {
  const std::ptrdiff_t samples = std::ptrdiff_t{pixels.width} * pixels.channels;
  std::uint8_t brightest = 0;
  for (int y = 0; y < pixels.height; ++y)
    brightest = std::max(brightest, *std::max_element(pixels.row(y), pixels.row(y) + samples));
  return brightest;
}

bool has_more_than_two_values(ConstIds samples) {
  if (samples.data == nullptr) return false;
  const std::uint16_t first = samples.row(0)[0];
  std::uint16_t other = first;
  for (int y = 0; y < samples.height; ++y)
    for (int x = 0; x < samples.width; ++x) {
      const std::uint16_t value = samples.row(y)[x];
      if (value == first || value == other) continue;
      if (other != first) return true;
      other = value;
    }
  return false;
}

// If other options would accept the unknown values, explains why they are unknown. Else empty.
std::string limit_text(const labels::DecodeReport& report, const LabelSetup& setup) {
  constexpr std::string_view kNearest = "nearest:";
  constexpr std::string_view kLargest = "id 65535";
  if (setup.unknown.starts_with(kNearest))
    return "; farther than " + setup.unknown.substr(kNearest.size()) + " from every class's color";
  const auto is_color = [](const labels::UnknownValue& value) { return value.color.has_value(); };
  const auto is_large = [&](const labels::UnknownValue& value) {
    return value.text.size() > kLargest.size();
  };
  if (setup.rgb_id == labels::RgbId::tens_of_red &&
      std::any_of(report.unknown.begin(), report.unknown.end(), is_color))
    return "; with the formula r/10*256+g, red is a multiple of 10, so another formula may be "
           "meant";
  if (setup.rgb_id == labels::RgbId::low_first &&
      std::any_of(report.unknown.begin(), report.unknown.end(), is_large))
    return "; ids above 65535 are probably segments, not classes (is --rgb-id the right formula?)";
  return "";
}

// True if every unknown color is that of a class with red and blue exchanged.
bool has_exchanged_colors(const labels::DecodeReport& report, const LabelSetup& setup) {
  const auto is_of = [](const ClassInfo& info, const LabelSource& source) {
    return std::find(info.sources.begin(), info.sources.end(), source) != info.sources.end();
  };
  const auto is_exchanged = [&](const labels::UnknownValue& value) {
    if (!value.color) return false;
    const LabelSource source = color_text(labels::exchanged(*value.color));
    return std::any_of(setup.table.classes.begin(), setup.table.classes.end(),
                       [&](const ClassInfo& info) { return is_of(info, source); });
  };
  return std::all_of(report.unknown.begin(), report.unknown.end(), is_exchanged) &&
         report.unknown_kinds == report.unknown.size();
}

std::string unknown_text(const labels::DecodeReport& report, const LabelSetup& setup,
                         std::uint64_t pixels) {
  constexpr std::size_t kListed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, report.unknown.size()); ++i) {
    const labels::UnknownValue& value = report.unknown[i];
    if (i > 0) text += "; ";
    text += std::to_string(value.count) + " pixels of unknown " + value.text +
            ", first at x=" + std::to_string(value.x) + " y=" + std::to_string(value.y);
  }
  if (report.unknown_kinds > kListed)
    text += "; " + std::to_string(report.unknown_kinds) + " different unknown values in all";
  text +=
      " (" + std::to_string(report.unknown_pixels) + " of " + std::to_string(pixels) + " pixels)";
  text += limit_text(report, setup);
  constexpr std::uint64_t kManyKinds = 16;
  if (report.unknown_kinds > kManyKinds)
    text +=
        "; so many values occur in labels that were resized or saved as JPEG, and in photos (are "
        "--images and --labels swapped?)";
  return text;
}

// False if the header was refused; its width is then 0.
bool is_usable(const FileHeader& header) { return header.info.width > 0; }

void inspect_files(const SampleHeaders& headers, const std::array<std::uint64_t, 2>& hash,
                   SampleInspection& inspection) {
  inspection.source_hash = hash;
  if (is_usable(headers.image)) inspection.image = headers.image.info;
  if (!headers.labels.empty() && is_usable(headers.labels.front()))
    inspection.label = headers.labels.front().info;
}

ConstPixels cut(ConstPixels image, Extent size) {
  return {image.data, size.width, size.height, image.channels, image.row_bytes};
}
ConstIds cut(ConstIds ids, Extent size) {
  return {ids.data, size.width, size.height, ids.channels, ids.row_bytes};
}
Extent extent_of(const auto& image) { return {image.width, image.height}; }
std::size_t area(Extent size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// True if an image fills its canvas without resampling.
bool fills(Extent source, const Canvas& canvas) {
  return canvas.size == source && canvas.region == Region{0, 0, source.width, source.height};
}

Error changed_image(const std::string& path, Extent planned, Extent found, bool plan_is_fixed) {
  const auto text = [](Extent size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
  };
  const std::string change =
      "was " + (planned == Extent{} ? std::string("unreadable") : text(planned)) +
      " during planning and is now " + text(found) + ": the file has changed";
  if (plan_is_fixed)
    return data_error(change + ". Restore it, or make the plan again with `hotpack plan`", path);
  return Error{ErrorCode::io, change + ". Run the same command again", path, {}};
}

}  // namespace

Outcome damaged_or_fatal(const Error& error, const std::string& path, ProblemKind kind) {
  if (error.code == ErrorCode::data) return std::optional(Problem{kind, path, error.message});
  // A decoder reads from memory, so code `io` means a lack of memory, not a bad file. This error
  // stops every command, even `check`.
  return Error{error.code, path + ": " + error.message, {}, error.offset};
}

std::array<std::uint8_t, 3> pad_pixel(const Schema& schema) {
  std::array<std::uint8_t, 3> pixel{};
  for (std::size_t c = 0; c < schema.geometry.pad_color.size(); ++c)
    pixel[c] = static_cast<std::uint8_t>(schema.geometry.pad_color[c]);
  return pixel;
}

struct ImageLoader::Impl {
  Impl(const RecordOptions& record_options, const LabelSetup& label_setup, const Plan& sample_plan,
       const SampleList& sample_list, MemoryBudget* memory)
      : options(record_options),
        setup(label_setup),
        plan(sample_plan),
        schema(plan.schema),
        list(sample_list),
        budget(memory),
        scales_jpegs(plan.scales_jpegs),
        plan_is_fixed(plan.is_fixed) {
    if (!plan_is_fixed) return;
    image_reader.keep_to_plan();
    label_reader.keep_to_plan();
  }

  // True if the sample's image was already loaded for another of its tiles.
  [[nodiscard]] bool has(const Sample& sample) const {
    return options.tile && ready && text == sample.image.text;
  }
  Status load(const Sample& sample, SampleInspection* inspection);

  MemoryBudget::Room room;  // destroyed after all buffers
  bool ready = false;
  std::uint64_t text =
      0;  // identifies the loaded image: the position of its file name in the arena
  LoadedImage loaded;

 private:
  Outcome load_image_of(const Sample& sample, SampleInspection* inspection);
  Outcome read_files(const Sample& sample);
  Outcome probe(std::span<const std::byte> bytes, const std::string& path, codecs::ImageInfo& info);
  Outcome read_label(const SourceFile& file, std::uint64_t& hash);
  Outcome read_masks(const Sample& sample);
  [[nodiscard]] int denominator() const;
  [[nodiscard]] codecs::ImageOptions image_options() const;
  [[nodiscard]] std::uint64_t decoded_bytes(const FileHeader& label) const;
  [[nodiscard]] std::uint64_t label_bytes() const;
  Status take_room(std::uint64_t bytes, const std::string& path);
  Status take_room_for(const Sample& sample);
  void count_flaw(const codecs::JpegFlaw& flaw, const std::string& path,
                  SampleInspection* inspection);
  [[nodiscard]] bool is_transparent();
  Outcome decode_image(SampleInspection* inspection);
  Outcome decode_label(SampleInspection* inspection);
  Outcome decode_mask(const Mask& mask, std::size_t number, SampleInspection* inspection,
                      ConstIds& ids);
  Outcome decode_masks(const Sample& sample, SampleInspection* inspection);
  Outcome merge_masks(const Sample& sample, SampleInspection* inspection);
  Status inspect_label_of_bad_image(const Sample& sample, const Problem& image_problem,
                                    SampleInspection& inspection);
  Outcome decode_ids(std::span<const std::byte> file, const std::string& path,
                     SampleInspection* inspection, ConstIds& ids);
  [[nodiscard]] Problem overlap(std::span<const Mask> masks, std::size_t first, std::size_t second,
                                std::size_t place) const;
  ConstIds matched_to_image(ConstIds ids);
  Status draw_canvas();

  const RecordOptions& options;
  const LabelSetup& setup;
  const Plan& plan;
  const Schema& schema;
  const SampleList& list;
  MemoryBudget* const budget;
  const bool scales_jpegs;
  const bool plan_is_fixed;

  std::span<const std::byte> image_file, label_file;
  SourceReader image_reader, label_reader;
  codecs::Decoder image_decoder, label_decoder;
  geometry::Resampler resampler;
  geometry::NearestPlacer placer, matcher;
  labels::DecodeReport report;
  std::vector<std::uint64_t> mask_hashes;
  Buffer canvas_pixels, canvas_ids, canvas_label, source_ids, matched_ids, merged_ids, record_ids;
};

Outcome ImageLoader::Impl::probe(std::span<const std::byte> bytes, const std::string& path,
                                 codecs::ImageInfo& info) {
  Result<codecs::Probe> probe = codecs::probe(bytes, true);
  if (!probe.ok())
    return std::optional(Problem{ProblemKind::unreadable_header, path, probe.error().message});
  if (probe->need_more)
    return std::optional(Problem{ProblemKind::unreadable_header, path, "the header is incomplete"});
  info = probe->info;
  return std::optional<Problem>();
}

Outcome ImageLoader::Impl::read_label(const SourceFile& file, std::uint64_t& hash) {
  FileHeader& header = loaded.headers.labels.emplace_back();
  header.path = list.labels.path(file);
  HOTPACK_ASSIGN(label_file, label_reader.read(header.path, file.bytes));
  hash = xxh3_64(label_file);
  return probe(label_file, header.path, header.info);
}

Outcome ImageLoader::Impl::read_masks(const Sample& sample) {
  mask_hashes.clear();
  for (const Mask& mask : list.masks_of(sample)) {
    std::uint64_t hash = 0;
    HOTPACK_ASSIGN(auto problem, read_label(mask.file, hash));
    if (problem) return problem;
    if (mask.class_id == kNoClass && !list.merges_masks)
      return std::optional(Problem{ProblemKind::unknown_folder, list.mask_path(mask),
                                   "'" + list.mask_names[mask.name] + "' is not a class"});
    mask_hashes.push_back(hash);
  }
  loaded.hash[1] = hash_of_hashes(mask_hashes);
  return std::optional<Problem>();
}

// Reads the files of a sample and their headers. Sets the hashes even if a header is unusable.
Outcome ImageLoader::Impl::read_files(const Sample& sample) {
  loaded.headers.clear();
  loaded.hash = {};
  FileHeader& image = loaded.headers.image;
  image.path = list.image_path(sample);
  image.info = {};
  HOTPACK_ASSIGN(image_file, image_reader.read(image.path, sample.image.bytes));
  loaded.hash[0] = xxh3_64(image_file);
  HOTPACK_ASSIGN(auto problem, probe(image_file, image.path, image.info));
  if (problem) return problem;
  if (list.has_label_files) {
    HOTPACK_ASSIGN(problem, read_label(sample.label, loaded.hash[1]));
  } else if (setup.multi || list.merges_masks) {
    HOTPACK_ASSIGN(problem, read_masks(sample));
  }
  return problem;
}

// Returns the denominator of the fraction of its size at which the image is decoded; 1: full size.
int ImageLoader::Impl::denominator() const {
  const codecs::ImageInfo& info = loaded.headers.image.info;
  const bool whole = oriented_size(info, loaded.rotate) == loaded.size;
  const bool is_jpeg =
      info.format == codecs::FileFormat::jpeg && describe_name(loaded.headers.image.path).is_jpeg;
  if (!scales_jpegs || !whole || !is_jpeg) return 1;
  const Region& region = loaded.canvas.region;
  return jpeg_denominator(options.image_filter, loaded.size, {region.width, region.height});
}

void ImageLoader::Impl::count_flaw(const codecs::JpegFlaw& flaw, const std::string& path,
                                   SampleInspection* inspection) {
  if (!flaw.found()) return;
  ++(flaw.lenient ? loaded.diagnostics.lenient_jpegs : loaded.diagnostics.flawed_jpegs);
  if (inspection != nullptr) inspection->flawed.push_back({path, flaw});
}

codecs::ImageOptions ImageLoader::Impl::image_options() const {
  codecs::ImageOptions decode;
  decode.channels = schema.image.channels();
  decode.depth16 = options.depth16;
  decode.apply_orientation = loaded.rotate;
  decode.blend = options.alpha_blend;
  decode.max_pixels = options.max_pixels;
  decode.jpeg_denominator = denominator();
  decode.lenient = options.lenient;
  return decode;
}

// Estimates the memory for a label: raw, and its ids.
std::uint64_t ImageLoader::Impl::decoded_bytes(const FileHeader& label) const {
  return codecs::label_memory(label_file.size(), label.info) +
         2 * area({label.info.width, label.info.height});
}

// Estimates the memory for the largest label and, if --size-mismatch resizes it, its ids in the
// size of the image. Masks are decoded one after the other.
std::uint64_t ImageLoader::Impl::label_bytes() const {
  std::uint64_t most = 0;
  for (const FileHeader& label : loaded.headers.labels) most = std::max(most, decoded_bytes(label));
  const bool resized = options.size_mismatch == SizeMismatch::resize_label && most > 0 &&
                       loaded.headers.label_size() != loaded.size;
  const Extent merged =
      list.merges_masks ? loaded.headers.label_size().value_or(Extent{}) : Extent{};
  return most + (resized ? 2 * area(loaded.size) : 0) + 2 * area(merged);
}

Status ImageLoader::Impl::take_room(std::uint64_t bytes, const std::string& path) {
  if (budget == nullptr) return {};
  room = {};
  HOTPACK_ASSIGN(room, budget->take(bytes + image_file.size() + label_file.size(), path));
  return {};
}

// Waits for memory for a sample: its decoded files, the canvas of tiles, and its record, which may
// exist a second time with its axes exchanged or compressed.
Status ImageLoader::Impl::take_room_for(const Sample& sample) {
  std::uint64_t bytes =
      codecs::image_memory(image_file.size(), loaded.headers.image.info, image_options()) +
      label_bytes();
  const RecordBytes record = plan.bytes_of(sample);
  bytes += record.total() + (options.layout == AxisOrder::channels_first ? record.image : 0) +
           (plan.compressed() ? record.total() : 0);
  if (options.tile && !fills(loaded.size, loaded.canvas))
    bytes += area(loaded.canvas.size) * (static_cast<std::uint64_t>(schema.image.channels()) + 2);
  const std::uint64_t one_hot =
      setup.multi ? labels::encoded_bytes(schema.label->storage, area(loaded.canvas.size),
                                          schema.class_count())
                  : 0;
  if (one_hot <= kMaxCanvasBytes) bytes += one_hot;  // decode_masks() refuses more
  return take_room(bytes, loaded.headers.image.path);
}

// True if the alpha of the image is 0 everywhere: only what is behind it can be seen.
bool ImageLoader::Impl::is_transparent() {
  if (!loaded.headers.image.info.has_alpha) return false;
  codecs::ImageOptions decode = image_options();
  for (const RgbColor behind : {RgbColor{0, 0, 0}, RgbColor{255, 255, 255}}) {
    decode.blend = behind;
    const Result<ConstPixels> seen = image_decoder.decode_image(image_file, decode);
    if (!seen.ok() || !has_only(*seen, behind)) return false;
  }
  return true;
}

Outcome ImageLoader::Impl::decode_image(SampleInspection* inspection) {
  const FileHeader& header = loaded.headers.image;
  const codecs::ImageOptions decode = image_options();
  const Result<ConstPixels> source = image_decoder.decode_image(image_file, decode);
  if (!source.ok()) return damaged_or_fatal(source.error(), header.path);
  count_flaw(image_decoder.flaw(), header.path, inspection);
  if (header.info.bit_depth == 16) {
    ++loaded.diagnostics.deep_images;
    loaded.diagnostics.brightest_of_deep =
        std::max(loaded.diagnostics.brightest_of_deep, brightest_sample(*source));
  }
  loaded.pixels = decode.jpeg_denominator > 1 ? *source : cut(*source, loaded.size);
  loaded.diagnostics.rotated += loaded.rotate && header.info.orientation != 1;
  loaded.diagnostics.left_as_stored +=
      !loaded.rotate && header.info.orientation != 1 && options.exif == ExifPolicy::automatic;
  return std::optional<Problem>();
}

Outcome ImageLoader::Impl::decode_ids(std::span<const std::byte> file, const std::string& path,
                                      SampleInspection* inspection, ConstIds& ids) {
  const Result<RawLabel> raw =
      label_decoder.decode_label(file, options.max_pixels, options.lenient);
  if (!raw.ok()) return damaged_or_fatal(raw.error(), path);
  count_flaw(label_decoder.flaw(), path, inspection);
  const std::size_t pixels = area({raw->width, raw->height});
  const MutableIds plane{source_ids.reserve_as<std::uint16_t>(pixels), raw->width, raw->height, 1,
                         static_cast<std::size_t>(raw->width) * 2};
  report = {};
  const Status status = setup.decoder->decode(*raw, plane, report);
  if (inspection != nullptr) {
    inspect_label(*raw, report, status.ok() ? ConstIds(plane) : ConstIds(), *inspection);
    if (loaded.pixels.data != nullptr)
      inspection->defects.shows_label |= shows_label(loaded.pixels, *raw);
  }
  if (status.ok() && setup.numbers_objects() && !setup.rules->threshold && !raw->lossy &&
      has_more_than_two_values(raw->samples))
    return std::optional(
        Problem{ProblemKind::label_form, path,
                "holds more than two values, and the mask of one object has two; give --label-kind "
                "index if the values are ids, or --threshold N if edges are soft"});
  const ProblemKind form =
      report.ambiguous ? ProblemKind::ambiguous_label : ProblemKind::label_form;
  if (!status.ok()) return std::optional(Problem{form, path, status.error().message});
  if (report.unknown_pixels > 0 && setup.refuses_unknown())
    return std::optional(Problem{has_exchanged_colors(report, setup) ? ProblemKind::exchanged_colors
                                                                     : ProblemKind::unknown_value,
                                 path, unknown_text(report, setup, pixels)});
  loaded.diagnostics.unknown_samples += report.unknown_pixels > 0;
  loaded.diagnostics.unknown_pixels += report.unknown_pixels;
  loaded.diagnostics.nearest_pixels += report.nearest_pixels;
  loaded.diagnostics.beyond_palette += report.beyond_palette;
  loaded.diagnostics.channels_differ += report.channels_differ;
  loaded.diagnostics.alpha_varies += report.alpha_varies;
  ids = plane;
  return std::optional<Problem>();
}

// Makes label and image equal in size as --size-mismatch says, and returns the label's ids. With
// `each-to-target`, returns the ids unchanged, because the label is resampled later, when it is
// placed in the record.
ConstIds ImageLoader::Impl::matched_to_image(ConstIds ids) {
  if (options.size_mismatch == SizeMismatch::crop_min) return cut(ids, loaded.size);
  if (options.size_mismatch != SizeMismatch::resize_label || extent_of(ids) == loaded.size)
    return ids;
  const MutableIds matched{matched_ids.reserve_as<std::uint16_t>(area(loaded.size)),
                           loaded.size.width, loaded.size.height, 1,
                           static_cast<std::size_t>(loaded.size.width) * 2};
  matcher.place(ids, {0, 0, loaded.size.width, loaded.size.height}, options.label_filter,
                setup.pad_id, matched);
  return matched;
}

Outcome ImageLoader::Impl::decode_label(SampleInspection* inspection) {
  HOTPACK_ASSIGN(auto problem, decode_ids(label_file, loaded.headers.labels.front().path,
                                          inspection, loaded.ids));
  if (problem) return problem;
  loaded.classes.as_packed = !options.tile && fills(extent_of(loaded.ids), loaded.canvas);
  if (!loaded.classes.as_packed) find_classes(loaded.ids, schema.class_count(), loaded.classes.ids);
  loaded.diagnostics.label_resized += extent_of(loaded.ids) != loaded.size;
  loaded.ids = matched_to_image(loaded.ids);
  return problem;
}

// For `check`: inspects the label of a sample that is refused because of its image. If the label
// has a problem too, stores it in inspection.label_problem.
Status ImageLoader::Impl::inspect_label_of_bad_image(const Sample& sample,
                                                     const Problem& image_problem,
                                                     SampleInspection& inspection) {
  if (!list.has_label_files || !inspection.label_pixels.empty()) return {};
  std::optional<Problem> problem;
  if (loaded.headers.labels.empty()) {
    HOTPACK_ASSIGN(problem, read_label(sample.label, loaded.hash[1]));
    inspect_files(loaded.headers, loaded.hash, inspection);
  }
  const FileHeader& label = loaded.headers.labels.front();
  if (!problem && is_usable(label) && check_pixel_limit(label.info, options.max_pixels).ok()) {
    if (!room.large()) HOTPACK_TRY(take_room(decoded_bytes(label), label.path));
    ConstIds ids;
    HOTPACK_ASSIGN(problem, decode_ids(label_file, label.path, &inspection, ids));
  }
  if (problem && problem->path != image_problem.path) inspection.label_problem = std::move(problem);
  return {};
}

// For tiles: draws the whole fitted image and label, unless they already fill the canvas.
Status ImageLoader::Impl::draw_canvas() {
  const auto& [size, region] = loaded.canvas;
  const auto width = static_cast<std::size_t>(size.width);
  if (!fills(extent_of(loaded.pixels), loaded.canvas)) {
    const int channels = loaded.pixels.channels;
    const std::size_t row_bytes = width * static_cast<std::size_t>(channels);
    const MutablePixels canvas{
        canvas_pixels.reserve_as<std::uint8_t>(row_bytes * static_cast<std::size_t>(size.height)),
        size.width, size.height, channels, row_bytes};
    HOTPACK_TRY(resampler.place(loaded.pixels, region, options.image_filter,
                                pad_pixel(schema).data(), canvas));
    loaded.pixels = canvas;
  }
  if (loaded.ids.data == nullptr || fills(extent_of(loaded.ids), loaded.canvas)) return {};
  const MutableIds canvas{canvas_ids.reserve_as<std::uint16_t>(area(size)), size.width, size.height,
                          1, width * 2};
  placer.place(loaded.ids, region, options.label_filter, setup.pad_id, canvas);
  loaded.ids = canvas;
  return {};
}

// The problem of two masks, the `first`-th (counted from 1) and `second` (from 0), that share a
// pixel.
Problem ImageLoader::Impl::overlap(std::span<const Mask> masks, std::size_t first,
                                   std::size_t second, std::size_t place) const {
  const auto width = static_cast<std::size_t>(loaded.headers.label_size()->width);
  return {ProblemKind::label_form, list.mask_path(masks[second]),
          "overlaps " + quoted_text(list.mask_path(masks[first - 1])) +
              " at x=" + std::to_string(place % width) + " y=" + std::to_string(place / width) +
              ", and a pixel belongs to one object; repair one of the masks, or give --label-kind "
              "binary for the union"};
}

// Reads and decodes a mask, the second time, because all masks of an image together may be too
// large to keep in memory.
Outcome ImageLoader::Impl::decode_mask(const Mask& mask, std::size_t number,
                                       SampleInspection* inspection, ConstIds& ids) {
  const std::string path = list.mask_path(mask);
  HOTPACK_ASSIGN(const auto file, label_reader.read(path, mask.file.bytes));
  if (xxh3_64(file) != mask_hashes[number])
    return Error{ErrorCode::io, "changed while it was read; run the same command again", path, {}};
  return decode_ids(file, path, inspection, ids);
}

// Reads the masks of a sample and merges them into one label: object i of a sample has id i or, in
// a union, 1. Other pixels have id 0, or are ignored if a mask has no class for them and no other
// mask has them in its foreground.
Outcome ImageLoader::Impl::merge_masks(const Sample& sample, SampleInspection* inspection) {
  const Extent size = *loaded.headers.label_size();
  const MutableIds merged{merged_ids.reserve_as<std::uint16_t>(area(size)), size.width, size.height,
                          1, static_cast<std::size_t>(size.width) * 2};
  std::fill_n(merged.data, area(size), std::uint16_t{0});
  const std::span<const Mask> masks = list.masks_of(sample);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    ConstIds ids;
    HOTPACK_ASSIGN(auto problem, decode_mask(masks[i], i, inspection, ids));
    if (problem) return problem;
    if (extent_of(ids) != size)
      return std::optional(Problem{ProblemKind::size_mismatch, list.mask_path(masks[i]),
                                   "differs in size from " +
                                       quoted_text(list.mask_path(masks.front())) +
                                       ", and the masks of an image are merged"});
    const auto id = static_cast<std::uint16_t>(setup.numbers_objects() ? i + 1 : 1);
    for (std::size_t place = 0; place < area(size); ++place) {
      std::uint16_t& pixel = merged.data[place];
      if (ids.data[place] == 0) continue;
      if (id > 1 && pixel != 0 && pixel != labels::kIgnored)
        return std::optional(overlap(masks, pixel, i, place));
      if (ids.data[place] == 1)
        pixel = id;
      else if (pixel == 0)
        pixel = labels::kIgnored;
    }
  }
  if (inspection != nullptr) {
    RawLabel label;
    label.width = size.width;
    label.height = size.height;
    label.bit_depth = 16;
    label.samples = merged;
    inspect_label(label, {}, merged, *inspection);
  }
  loaded.diagnostics.label_resized += size != loaded.size;
  loaded.ids = matched_to_image(merged);
  return std::optional<Problem>();
}

namespace {

// Counts those pixels of a mask that an earlier mask of its class has as background, so that each
// pixel of the class counts once. `seen` has the pixels of the earlier masks, one byte each.
void count_once(ConstIds ids, std::vector<std::uint8_t>& seen, LabelInspection& label) {
  seen.resize(area(extent_of(ids)));
  std::uint64_t again = 0;
  for (std::size_t place = 0; place < seen.size(); ++place) {
    if (ids.data[place] != 1) continue;
    again += seen[place];
    seen[place] = 1;
  }
  if (again == 0) return;
  std::vector<ValueCount>& classes = label.classes;
  if (classes.empty() || classes.front().value != 0) classes.insert(classes.begin(), {0, 0});
  classes.front().pixels += again;
  for (ValueCount& found : classes)
    if (found.value == 1) found.pixels -= again;
  std::erase_if(classes, [](const ValueCount& found) { return found.pixels == 0; });
}

}  // namespace

// Reads the masks of a sample and sets the bits of each mask's class in the record or canvas.
Outcome ImageLoader::Impl::decode_masks(const Sample& sample, SampleInspection* inspection) {
  const auto& [size, region] = loaded.canvas;
  const std::uint64_t bytes =
      labels::encoded_bytes(schema.label->storage, area(size), schema.class_count());
  if (bytes > kMaxCanvasBytes)
    return std::optional(Problem{
        ProblemKind::too_large, loaded.headers.image.path,
        "its label takes " + std::to_string(bytes) + " bytes, the limit is " +
            std::to_string(kMaxCanvasBytes) + "; give a smaller --size" +
            (schema.label->storage == LabelStorage::bits ? "" : ", or --label-storage bits")});
  const std::span<std::byte> one_hot(canvas_label.reserve(static_cast<std::size_t>(bytes)),
                                     static_cast<std::size_t>(bytes));
  std::memset(one_hot.data(), 0, one_hot.size());
  std::size_t number = 0;
  loaded.classes.as_packed = false;
  std::uint32_t last_class = kNoClass;
  std::vector<std::uint8_t> seen;  // pixels of the class in earlier masks
  for (const Mask& mask : list.masks_of(sample)) {
    std::vector<std::uint32_t> found;
    ConstIds ids;
    HOTPACK_ASSIGN(auto problem, decode_mask(mask, number++, inspection, ids));
    if (problem) return problem;
    find_classes(ids, 2, found);
    if (std::exchange(last_class, mask.class_id) != mask.class_id) seen.clear();
    if (inspection != nullptr) count_once(ids, seen, inspection->label_pixels.back());
    std::vector<std::uint32_t>& classes = loaded.classes.ids;
    const bool again = !classes.empty() && classes.back() == mask.class_id;
    if (!found.empty() && found.back() == 1 && !again) classes.push_back(mask.class_id);
    loaded.diagnostics.label_resized += extent_of(ids) != loaded.size;
    const MutableIds record{record_ids.reserve_as<std::uint16_t>(area(size)), size.width,
                            size.height, 1, static_cast<std::size_t>(size.width) * 2};
    placer.place(matched_to_image(ids), region, options.label_filter, setup.pad_id, record);
    labels::add_class({record.data, area(size)}, mask.class_id, schema.class_count(),
                      schema.label->storage, one_hot);
  }
  loaded.one_hot = one_hot;
  return std::optional<Problem>();
}

Outcome ImageLoader::Impl::load_image_of(const Sample& sample, SampleInspection* inspection) {
  Outcome outcome = read_files(sample);
  if (inspection != nullptr) inspect_files(loaded.headers, loaded.hash, *inspection);
  if (!outcome.ok() || *outcome) return outcome;
  if (auto problem = check_headers(loaded.headers, options); problem) return problem;
  const codecs::ImageInfo& info = loaded.headers.image.info;
  loaded.rotate =
      applies_orientation(options.exif, info, loaded.headers.label_size()).value_or(false);
  loaded.size = packed_source_size(loaded.headers, options);
  const bool surveyed = plan_needs_sizes(options) || sample.size != Extent{};
  if (surveyed && sample.size != loaded.size)
    return changed_image(loaded.headers.image.path, sample.size, loaded.size, plan_is_fixed);
  loaded.canvas = canvas_of(options, loaded.size);
  HOTPACK_TRY(take_room_for(sample));
  const bool transparent = inspection != nullptr && is_transparent();
  HOTPACK_ASSIGN(auto problem, decode_image(inspection));
  if (!problem && inspection != nullptr) {
    inspection->brightness = brightness_grid(loaded.pixels);
    inspection->defects = find_defects(loaded.pixels);
    inspection->defects.transparent = transparent;
    inspection->counts = loaded.diagnostics;
  }
  if (!problem && list.has_label_files) {
    HOTPACK_ASSIGN(problem, decode_label(inspection));
  } else if (!problem && list.merges_masks) {
    HOTPACK_ASSIGN(problem, merge_masks(sample, inspection));
  } else if (!problem && setup.multi) {
    HOTPACK_ASSIGN(problem, decode_masks(sample, inspection));
  }
  if (!problem && options.tile) HOTPACK_TRY(draw_canvas());
  return problem;
}

Status ImageLoader::Impl::load(const Sample& sample, SampleInspection* inspection) {
  ready = false;
  loaded.pixels = {};
  loaded.ids = {};
  loaded.one_hot = {};
  loaded.classes = {};
  loaded.diagnostics = {};
  HOTPACK_ASSIGN(loaded.problem, load_image_of(sample, inspection));
  if (loaded.problem && inspection != nullptr)
    HOTPACK_TRY(inspect_label_of_bad_image(sample, *loaded.problem, *inspection));
  text = sample.image.text;
  ready = true;
  return {};
}

ImageLoader::ImageLoader(const RecordOptions& options, const LabelSetup& setup, const Plan& plan,
                         const SampleList& list, MemoryBudget* budget)
    : impl_(std::make_unique<Impl>(options, setup, plan, list, budget)) {}
ImageLoader::~ImageLoader() = default;
ImageLoader::ImageLoader(ImageLoader&&) noexcept = default;

bool ImageLoader::is_large() const { return impl_->room.large(); }

Result<const LoadedImage*> ImageLoader::load(const Sample& sample, SampleInspection* inspection) {
  if (!impl_->has(sample)) HOTPACK_TRY(impl_->load(sample, inspection));
  return &std::as_const(impl_->loaded);
}

}  // namespace hotpack::pipeline
