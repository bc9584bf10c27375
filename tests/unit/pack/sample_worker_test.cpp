#include "pack/sample_worker.hpp"
#include "base/words.hpp"

#include "base/checksum.hpp"
#include "codecs/decoder.hpp"
#include "geometry/resample.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;
using Samples = std::vector<std::uint8_t>;

const std::vector<Color> kColors{{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
constexpr const char* kCsv = "name,r,g,b\nvoid,0,0,0\ncar,128,0,0\ntree,0,128,0\n";
constexpr std::uint16_t kNone = 255;  // ignored, in records of storage `index`

// A copy of a worker's result for one sample.
struct Worked {
  std::optional<Error> error;
  std::optional<Problem> problem;
  Samples image, label;
  format::RecordEntry entry;
  format::Sums sums;
  DiagnosticCounts diagnostics;
};

Samples samples_of(std::span<const std::byte> bytes) {
  Samples samples;
  for (const std::byte byte : bytes) samples.push_back(std::to_integer<std::uint8_t>(byte));
  return samples;
}

Worked work(SampleWorker& worker, const Prepared& run, const Schema& schema, std::size_t number) {
  PackedSample packed;
  packed.sums = format::Sums(schema.image.channels(), schema.label ? schema.class_count() : 0);
  Worked result;
  const auto problem = worker.process(run.list.samples.at(number), packed);
  if (!problem.ok()) {
    result.error = problem.error();
    return result;
  }
  result.problem = *problem;
  result.image = samples_of(packed.image);
  result.label = samples_of(packed.label);
  result.entry = packed.entry;
  result.sums = packed.sums;
  result.diagnostics = packed.diagnostics;
  return result;
}

// The first sample through a worker of its own.
Worked worked(const Prepared& run, std::size_t number = 0) {
  SampleList list = run.list;
  const Plan plan = make_plan(run.options, run.setup, list).value();
  SampleWorker worker(run.options, run.setup, plan, run.list);
  return work(worker, run, plan.schema, number);
}

Worked good(const PackOptions& options) {
  Worked result = worked(prepared(options));
  if (result.error) FAIL(result.error->describe());
  if (result.problem) FAIL(result.problem->text());
  return result;
}

Problem refused(const PackOptions& options) {
  const Worked result = worked(prepared(options));
  if (result.error) FAIL(result.error->describe());
  REQUIRE(result.problem);
  return *result.problem;
}

// Options for one image and one label; storage `index`, classes of the table unless ids are
// counted.
PackOptions one_sample(const TempFolder& folder, const Bytes& image,
                       const std::optional<Bytes>& label = {}, bool with_colors = false) {
  put(folder, "images/a.png", image);
  if (label) put(folder, "labels/a.png", *label);
  PackOptions options = options_for(folder);
  options.record.label_storage = LabelStorage::index;
  if (with_colors) {
    folder.write("classes.csv", kCsv);
    options.label.classes = folder / "classes.csv";
  }
  return options;
}

PackOptions with_ids(const TempFolder& folder, int width, int height, const Ids& ids, int classes,
                     int bit_depth = 8) {
  PackOptions options =
      one_sample(folder, photo(width, height), id_label(width, height, ids, bit_depth));
  options.record.size = {width, height};
  options.label.class_count = classes;
  return options;
}

std::uint32_t crc_of(const Samples& samples) { return crc32c(std::as_bytes(std::span(samples))); }

Samples bytes_of_ids(const Ids& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

// ---- images

TEST_CASE("an image of the record's size is packed as it is") {
  const TempFolder folder;
  const Worked result = good(one_sample(folder, photo(8, 6)));
  CHECK(result.image == photo_samples(8, 6));
  CHECK(result.label.empty());
  CHECK(result.entry.key == "a");
  CHECK(result.entry.source_size == std::array<std::int32_t, 2>{8, 6});
  CHECK(result.entry.source_region == std::array<std::int32_t, 4>{0, 0, 8, 6});
  CHECK(result.entry.source_hash[0] == xxh3_64(read_bytes(folder / "images/a.png")));
  CHECK(result.entry.source_hash[1] == 0);
  CHECK(result.entry.image_crc == crc_of(photo_samples(8, 6)));
}

TEST_CASE("planes stand one after the other with chw") {
  const TempFolder folder;
  PackOptions options = one_sample(folder, photo(8, 6));
  options.record.layout = AxisOrder::channels_first;
  const Samples interleaved = photo_samples(8, 6);
  Samples planes;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 48; ++i) planes.push_back(interleaved[3 * i + c]);
  const Worked result = good(options);
  CHECK(result.image == planes);
  CHECK(result.entry.image_crc == crc_of(planes));
}

TEST_CASE("a gray record holds the luma") {
  const TempFolder folder;
  PackOptions options = one_sample(folder, photo(8, 6));
  options.record.color = ImageColor::gray;
  const Samples rgb = photo_samples(8, 6);
  Samples luma;
  for (std::size_t i = 0; i < rgb.size(); i += 3)
    luma.push_back(static_cast<std::uint8_t>(
        (299 * rgb[i] + 587 * rgb[i + 1] + 114 * rgb[i + 2] + 500) / 1000));
  CHECK(good(options).image == luma);
}

TEST_CASE("16-bit images are shifted or scaled") {
  const TempFolder folder;
  PngSpec spec;
  spec.width = 8, spec.height = 6, spec.color = PngColor::gray, spec.bit_depth = 16;
  const Ids deep = noise_samples(8, 6, 1, 65535);
  PackOptions options = one_sample(folder, make_png(spec, deep));
  options.record.color = ImageColor::gray;
  Samples shifted, scaled;
  for (const std::uint16_t v : deep) {
    shifted.push_back(static_cast<std::uint8_t>(v >> 8));
    scaled.push_back(static_cast<std::uint8_t>((v * 255u + 32767u) / 65535u));
  }
  CHECK(good(options).image == shifted);
  options.record.depth16 = Depth16::scale;
  CHECK(good(options).image == scaled);
}

TEST_CASE("16-bit images that use few bits are counted with their brightest value") {
  const TempFolder folder;
  const auto counts_of = [&](int bit_depth, std::uint16_t largest) {
    PngSpec spec;
    spec.width = 4, spec.height = 1, spec.color = PngColor::gray, spec.bit_depth = bit_depth;
    return good(one_sample(folder, make_png(spec, Ids{0, largest, 7, 1}))).diagnostics;
  };
  const DiagnosticCounts dark = counts_of(16, 4095);
  CHECK(dark.deep_images == 1);
  CHECK(dark.brightest_of_deep == 15);
  CHECK(dark.deep_images_are_dark());
  CHECK(counts_of(16, 16383).deep_images_are_dark());
  CHECK_FALSE(counts_of(16, 16384).deep_images_are_dark());
  CHECK_FALSE(counts_of(8, 15).deep_images_are_dark());
  DiagnosticCounts all = dark;
  all.add(counts_of(16, 65535));
  CHECK(all.deep_images == 2);
  CHECK_FALSE(all.deep_images_are_dark());
}

TEST_CASE("padding has its color, and the region is that of the image") {
  const TempFolder folder;
  PackOptions options = one_sample(folder, photo(4, 9));
  options.record.fit = Fit::crop_or_pad;
  options.record.pad_color = {10, 20, 30};
  const Worked result = good(options);
  CHECK(result.entry.source_size == std::array<std::int32_t, 2>{4, 9});
  CHECK(result.entry.source_region == std::array<std::int32_t, 4>{2, -1, 4, 9});
  const Samples source = photo_samples(4, 9);
  for (std::size_t y = 0; y < 6; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const bool inside = x >= 2 && x < 6;
        CHECK(result.image[(y * 8 + x) * 3 + c] ==
              (inside ? source[((y + 1) * 4 + x - 2) * 3 + c] : 10 * (c + 1)));
      }
    }
  }
  CHECK(result.sums.pixels_counted == 4 * 6);
}

// ---- JPEGs decoded at a fraction of their size

namespace {

constexpr Extent kLargeJpeg{584, 576};  // 72 times the record of 8×6, turned or not

// Options for one JPEG that a viewer turns as `orientation` says.
PackOptions large_jpeg(const TempFolder& folder, int orientation = 1) {
  const JpegSpec spec{.width = kLargeJpeg.width, .height = kLargeJpeg.height};
  const Bytes jpeg = make_jpeg(spec, photo_samples(spec.width, spec.height));
  put(folder, "images/a.jpg", with_exif_orientation(jpeg, orientation));
  PackOptions options = options_for(folder);
  options.record.image_filter = ImageFilter::area;
  options.record.exif = ExifPolicy::apply;
  return options;
}

// The JPEG decoded at a fraction of its size, then resized by area.
Samples resized_jpeg(const TempFolder& folder, int denominator) {
  codecs::ImageOptions decode;
  decode.apply_orientation = true;
  decode.jpeg_denominator = denominator;
  codecs::Decoder decoder;
  const ConstPixels pixels =
      decoder.decode_image(read_bytes(folder / "images/a.jpg"), decode).value();
  Samples resized(std::size_t{8} * 6 * 3);
  geometry::Resampler resampler;
  const std::array<std::uint8_t, 3> black{};
  REQUIRE(resampler
              .place(pixels, {0, 0, 8, 6}, ImageFilter::area, black.data(),
                     {resized.data(), 8, 6, 3, std::size_t{8} * 3})
              .ok());
  return resized;
}

}  // namespace

TEST_CASE("a large JPEG is decoded at a fraction of its size unless that is off") {
  for (const int orientation : {1, 3, 6}) {
    CAPTURE(orientation);
    const TempFolder folder;
    PackOptions options = large_jpeg(folder, orientation);
    const Worked scaled = good(options);
    options.record.jpeg_scale = JpegScale::off;
    const Worked whole = good(options);
    CHECK(scaled.image == resized_jpeg(folder, 8));
    CHECK(whole.image == resized_jpeg(folder, 1));
    CHECK(scaled.image != whole.image);
  }
}

TEST_CASE("a JPEG decoded at a fraction keeps its own size in the record's source") {
  const TempFolder folder;
  const Worked upright = good(large_jpeg(folder));
  CHECK(upright.entry.source_size == std::array<std::int32_t, 2>{584, 576});
  CHECK(upright.entry.source_region == std::array<std::int32_t, 4>{0, 0, 8, 6});
  const Worked turned = good(large_jpeg(folder, 6));
  CHECK(turned.entry.source_size == std::array<std::int32_t, 2>{576, 584});
}

TEST_CASE("a large JPEG that is only cropped is decoded whole") {
  const TempFolder folder;
  PackOptions options = large_jpeg(folder);
  options.record.fit = Fit::crop_or_pad;
  const Samples fractions_allowed = good(options).image;
  options.record.jpeg_scale = JpegScale::off;
  CHECK(fractions_allowed == good(options).image);
}

// ---- labels

TEST_CASE("ids of every depth are packed raw") {
  for (const int depth : {1, 2, 4, 8, 16}) {
    const TempFolder folder;
    const auto most = static_cast<std::uint16_t>(std::min(199, (1 << depth) - 1));
    const Ids ids = noise_ids(20, 15, most);
    INFO(depth << " bits");
    const Worked result = good(with_ids(folder, 20, 15, ids, most + 1, depth));
    CHECK(result.label == bytes_of_ids(ids));
    CHECK(result.entry.source_hash[1] == xxh3_64(read_bytes(folder / "labels/a.png")));
    CHECK(result.entry.label_crc == crc_of(result.label));
  }
}

TEST_CASE("more than 255 classes take two bytes per id") {
  const TempFolder folder;
  const Ids ids{0, 299, 65535, 256};
  const Worked result = good(with_ids(folder, 2, 2, ids, 300, 16));
  CHECK(result.label == Samples{0, 0, 43, 1, 255, 255, 0, 1});
  CHECK(result.sums.ignored == 1);
}

TEST_CASE("palette labels hold their indices, whatever their colors") {
  for (const int depth : {1, 2, 4, 8}) {
    const TempFolder folder;
    const auto most = static_cast<std::uint16_t>(std::min(9, (1 << depth) - 1));
    const Ids ids = noise_ids(8, 6, most);
    std::vector<Color> palette;
    for (int i = 0; i <= most; ++i)
      palette.push_back({static_cast<std::uint8_t>(128 - i), 0, static_cast<std::uint8_t>(9 * i)});
    PackOptions options = one_sample(folder, photo(), palette_label(8, 6, ids, palette, depth));
    options.label.class_count = most + 1;
    INFO(depth << " bits");
    CHECK(good(options).label == bytes_of_ids(ids));
  }
}

Bytes stuffed_jpeg(unsigned before, JpegColor color = JpegColor::ycbcr) {
  Bytes file = make_jpeg({.width = 8, .height = 6, .color = color},
                         smooth_samples(8, 6, color == JpegColor::gray ? 1 : 3));
  const std::size_t place = before == 0xD9 ? file.size() - 2 : jpeg_segment_at(file, before);
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(place), 64, std::byte{0x12});
  return file;
}

TEST_CASE("JPEGs with flaws are counted as always accepted or as lenient") {
  const TempFolder folder;
  PackOptions options = one_sample(folder, stuffed_jpeg(0xD9), stuffed_jpeg(0xD9, JpegColor::gray));
  options.label.kind = LabelKind::binary;
  CHECK(good(options).diagnostics.flawed_jpegs == 2);
  CHECK(good(options).diagnostics.lenient_jpegs == 0);
  put(folder, "images/a.png", stuffed_jpeg(0xC4));
  const Problem problem = refused(options);
  CHECK(problem.kind == ProblemKind::damaged_image);
  CHECK_THAT(problem.detail, ContainsSubstring("--lenient packs it"));
  options.record.lenient = true;
  CHECK(good(options).diagnostics.flawed_jpegs == 1);
  CHECK(good(options).diagnostics.lenient_jpegs == 1);
  put(folder, "labels/a.png", stuffed_jpeg(0xDB, JpegColor::gray));
  CHECK(good(options).diagnostics.lenient_jpegs == 2);
}

TEST_CASE("a large sample takes its memory from the budget until it is freed") {
  const TempFolder folder;
  const Prepared run = prepared(one_sample(folder, photo(200, 100)));
  SampleList list = run.list;
  const Plan plan = make_plan(run.options, run.setup, list).value();
  MemoryBudget budget(1'000'000, 100);
  SampleWorker worker(run.options, run.setup, plan, run.list, &budget);
  const Worked first = work(worker, run, plan.schema, 0);
  REQUIRE_FALSE(first.error);
  const Worked again = work(worker, run, plan.schema, 0);  // no sample waits for the one before
  CHECK(again.image == first.image);
  worker.free_large();
  const auto all = budget.take(750'000, "all");  // would wait forever otherwise
  CHECK(all.ok());

  MemoryBudget small(100'000, 100);
  SampleWorker refusing(run.options, run.setup, plan, run.list, &small);
  const Worked refused = work(refusing, run, plan.schema, 0);
  REQUIRE(refused.error);
  CHECK(refused.error->code == ErrorCode::io);
  CHECK_THAT(refused.error->message, ContainsSubstring(folder / "images/a.png"));
}

TEST_CASE("an index beyond the palette is kept and counted") {
  const TempFolder folder;
  const Ids ids(48, 7);
  PackOptions options =
      one_sample(folder, photo(), palette_label(8, 6, ids, {{0, 0, 0}, {1, 1, 1}}));
  options.label.class_count = 8;
  const Worked result = good(options);
  CHECK(result.label == bytes_of_ids(ids));
  CHECK(result.diagnostics.beyond_palette == 1);
}

TEST_CASE("RGB masks equal the result of one_hot_it in every storage") {
  const TempFolder folder;
  const Ids ids = noise_ids(8, 6, 2);
  PackOptions options = one_sample(folder, photo(), color_label(8, 6, ids, kColors), true);
  const Bytes mask = read_bytes(folder / "labels/a.png");
  options.record.label_storage = LabelStorage::one_hot;
  Samples one_hot, bits;
  for (const std::uint16_t id : ids) {
    std::uint8_t packed_bits = 0;
    for (std::size_t c = 0; c < kColors.size(); ++c) {
      const bool equal = kColors[id] == kColors[c];  // all(label == value, axis=-1)
      one_hot.push_back(equal);
      if (equal) packed_bits = static_cast<std::uint8_t>(packed_bits | (1u << c));
    }
    bits.push_back(packed_bits);
  }
  CHECK(good(options).label == one_hot);
  options.record.label_storage = LabelStorage::bits;
  CHECK(good(options).label == bits);
  options.record.label_storage = LabelStorage::index;
  CHECK(good(options).label == bytes_of_ids(ids));
}

TEST_CASE("255 is ignored in 8-bit ids unless a class has that id") {
  const TempFolder folder;
  const Ids ids{0, 255, 1, 255};
  const Worked ignored = good(with_ids(folder, 2, 2, ids, 2));
  CHECK(ignored.label == Samples{0, kNone, 1, kNone});
  CHECK(ignored.sums.ignored == 2);
  const Worked meant = good(with_ids(folder, 2, 2, ids, 256));
  CHECK(meant.label == Samples{0, 0, 255, 0, 1, 0, 255, 0});
  CHECK(meant.sums.ignored == 0);
}

TEST_CASE("option --ignore by id and by name") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 9, 1, 0}, 2);
  options.label.ignore = {"9"};
  CHECK(good(options).label == Samples{0, kNone, 1, 0});
  options.label.ignore = {"9", "0"};
  CHECK(good(options).label == Samples{kNone, kNone, 1, kNone});
}

TEST_CASE("an unknown color refuses the sample, with color, count and place") {
  const TempFolder folder;
  const std::vector<Color> colors{{0, 0, 0}, {128, 0, 0}, {0, 0, 128}, {7, 7, 7}};
  Ids ids(48, 0);
  ids[8 + 3] = ids[20] = ids[47] = 2;
  ids[40] = 3;
  const Problem problem =
      refused(one_sample(folder, photo(), color_label(8, 6, ids, colors), true));
  CHECK(problem.kind == ProblemKind::unknown_value);
  CHECK(problem.path == folder / "labels/a.png");
  CHECK(problem.detail ==
        "3 pixels of unknown color (0,0,128), first at x=3 y=1; 1 pixels of unknown color (7,7,7), "
        "first at x=0 y=5 (4 of 48 pixels)");
}

TEST_CASE("colors with red and blue exchanged are a problem of their own") {
  const TempFolder folder;
  folder.write("classes.csv", "name,r,g,b\nground,0,0,0\nroad,128,64,0\nsign,9,0,7\n");
  const auto problem_of = [&](const std::vector<Color>& colors) {
    PackOptions options = one_sample(folder, photo(2, 2), color_label(2, 2, {0, 1, 2, 1}, colors));
    options.label.classes = folder / "classes.csv";
    return refused(options).kind;
  };
  CHECK(problem_of({{0, 0, 0}, {0, 64, 128}, {7, 0, 9}}) == ProblemKind::exchanged_colors);
  CHECK(problem_of({{0, 0, 0}, {128, 64, 0}, {7, 0, 9}}) == ProblemKind::exchanged_colors);
  CHECK(problem_of({{0, 0, 0}, {0, 64, 128}, {7, 0, 8}}) == ProblemKind::unknown_value);
}

TEST_CASE("an unknown id refuses the sample") {
  const TempFolder folder;
  const Problem problem = refused(with_ids(folder, 2, 2, {0, 1, 5, 5}, 2));
  CHECK(problem.kind == ProblemKind::unknown_value);
  CHECK(problem.detail == "2 pixels of unknown id 5, first at x=0 y=1 (2 of 4 pixels)");
}

TEST_CASE("many unknown colors show an interpolated label or swapped folders") {
  const TempFolder folder;
  CHECK_THAT(refused(one_sample(folder, photo(), photo(8, 6, 5), true)).detail,
             ContainsSubstring("unknown values in all") && ContainsSubstring("resized") &&
                 ContainsSubstring("swapped"));
}

TEST_CASE("options --unknown ignore and CLASS resolve and count unknown values") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 1, 5, 5}, 2);
  options.label.unknown = "ignore";
  Worked result = good(options);
  CHECK(result.label == Samples{0, 1, kNone, kNone});
  CHECK(result.diagnostics.unknown_pixels == 2);
  CHECK(result.diagnostics.unknown_samples == 1);
  options.label.unknown = "1";
  result = good(options);
  CHECK(result.label == Samples{0, 1, 1, 1});
  CHECK(result.sums.classes[1].pixels == 3);
}

TEST_CASE("ignored and unknown pixels are all-zero vectors in one-hot storage") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 255, 5, 1}, 2);
  options.label.unknown = "ignore";
  options.record.label_storage = LabelStorage::bits;
  CHECK(good(options).label == Samples{1, 0, 0, 2});
  options.record.label_storage = LabelStorage::one_hot;
  CHECK(good(options).label == Samples{1, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("binary masks are cut at the threshold") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 127, 128, 255}, 2);
  options.label.class_count.reset();
  options.label.kind = LabelKind::binary;
  CHECK(good(options).label == Samples{0, 0, 1, 1});
  options.label.threshold = 100;
  CHECK(good(options).label == Samples{0, 1, 1, 1});
}

TEST_CASE("padding of labels is ignored, or a class") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 1, 1, 0}, 2);
  options.record.size = {4, 2};
  options.record.fit = Fit::crop_or_pad;
  Worked result = good(options);
  CHECK(result.label == Samples{kNone, 0, 1, kNone, kNone, 1, 0, kNone});
  CHECK(result.sums.ignored == 4);
  CHECK(result.sums.classes[1].labeled == 4);
  options.label.pad_label = "1";
  result = good(options);
  CHECK(result.label == Samples{1, 0, 1, 1, 1, 1, 0, 1});
  CHECK(result.sums.ignored == 0);
}

TEST_CASE("a class folder's class is the whole label") {
  const TempFolder folder;
  put(folder, "folders/ant/1.png", photo());
  put(folder, "folders/bee/2.png", photo());
  PackOptions options;
  options.input.image_folders = {folder / "folders"};
  options.record.size = {8, 6};
  const Prepared run = prepared(options);
  const Worked ant = worked(run, 0), bee = worked(run, 1);
  CHECK(ant.label == Samples{1});
  CHECK(bee.label == Samples{2});
  CHECK(bee.entry.source_hash[1] == 0);
  CHECK(bee.sums.classes[1].pixels == 1);
  CHECK(bee.sums.classes[0].samples == 0);
}

TEST_CASE("classes are counted where they are") {
  const TempFolder folder;
  const Worked result = good(with_ids(folder, 2, 2, {0, 2, 2, 255}, 3));
  using Count = format::Sums::ClassCount;
  CHECK(result.sums.classes == std::vector<Count>{{1, 1, 3}, {0, 0, 0}, {2, 1, 3}});
  CHECK(result.sums.ignored == 1);
  CHECK(result.sums.skipped == 0);
}

TEST_CASE("varying alpha of a label is counted") {
  const TempFolder folder;
  PngSpec spec;
  spec.width = 2, spec.height = 2, spec.color = PngColor::gray_alpha;
  PackOptions options =
      one_sample(folder, photo(2, 2), make_png(spec, Ids{0, 255, 1, 255, 1, 9, 0, 255}));
  options.record.size = {2, 2};
  options.label.class_count = 2;
  const Worked result = good(options);
  CHECK(result.label == Samples{0, 1, 1, 0});
  CHECK(result.diagnostics.alpha_varies == 1);
}

// ---- image and label together

TEST_CASE("different sizes refuse the sample or are resized separately") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 1, 1, 0}, 2);
  put(folder, "images/a.png", photo(4, 4));
  CHECK(refused(options).kind == ProblemKind::size_mismatch);
  options.record.size_mismatch = SizeMismatch::each_to_target;
  options.record.size = {4, 4};
  const Worked result = good(options);
  CHECK(result.image == photo_samples(4, 4));
  CHECK(result.label == Samples{0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0});
  CHECK(result.diagnostics.label_resized == 1);
}

namespace {

// A JPEG of smooth colors, stored 8×6, that a viewer turns.
PackOptions turned(const TempFolder& folder, int orientation, Extent label) {
  PackOptions options = one_sample(folder, {}, noise_label(label.width, label.height));
  std::filesystem::remove(folder / "images/a.png");
  put(folder, "images/a.jpg",
      with_exif_orientation(make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3)),
                            orientation));
  options.record.fit = Fit::crop_or_pad;
  return options;
}

}  // namespace

TEST_CASE("an image is rotated if its label fits the rotated image") {
  const TempFolder folder;
  const Worked result = good(turned(folder, 6, {6, 8}));
  CHECK(result.entry.source_size == std::array<std::int32_t, 2>{6, 8});
  CHECK(result.diagnostics.rotated == 1);
}

TEST_CASE("an image is not rotated if its label fits the stored pixels") {
  const TempFolder folder;
  const Worked result = good(turned(folder, 6, {8, 6}));
  CHECK(result.entry.source_size == std::array<std::int32_t, 2>{8, 6});
  CHECK(result.diagnostics.rotated == 0);
  CHECK(result.diagnostics.left_as_stored == 1);
}

TEST_CASE("an unresolved orientation refuses the sample until a policy is given") {
  const TempFolder folder;
  PackOptions options = turned(folder, 3, {8, 6});
  CHECK(refused(options).kind == ProblemKind::orientation);
  options.record.exif = ExifPolicy::ignore;
  const Worked stored = good(options);
  CHECK(stored.diagnostics.rotated == 0);
  CHECK(stored.diagnostics.left_as_stored == 0);  // as was asked
  options.record.exif = ExifPolicy::apply;
  const Worked applied = good(options);
  CHECK(applied.diagnostics.rotated == 1);
  Samples backwards;
  for (std::size_t i = 48; i-- > 0;)
    for (std::size_t c = 0; c < 3; ++c) backwards.push_back(stored.image[3 * i + c]);
  CHECK(applied.image == backwards);
}

// ---- what is refused

TEST_CASE("a damaged image gives no record") {
  const TempFolder folder;
  const Bytes whole = photo(64, 64);
  const Bytes jpeg = make_jpeg({.width = 64, .height = 64}, photo_samples(64, 64));
  for (const Bytes& bytes :
       {truncated(whole, whole.size() / 2), truncated(whole, whole.size() - 12),
        with_bad_png_checksum(whole, "IDAT"), truncated(jpeg, jpeg.size() / 2),
        truncated(jpeg, jpeg.size() - 2)}) {
    const Problem problem = refused(one_sample(folder, bytes));
    CHECK(problem.kind == ProblemKind::damaged_image);
    CHECK(problem.path == folder / "images/a.png");
  }
}

TEST_CASE("a damaged label gives no record") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 1, 1, 0}, 2);
  put(folder, "labels/a.png", with_bad_png_checksum(id_label(2, 2, {0, 1, 1, 0}), "IDAT"));
  const Problem problem = refused(options);
  CHECK(problem.kind == ProblemKind::damaged_image);
  CHECK(problem.path == folder / "labels/a.png");
}

TEST_CASE("a header that promises too many pixels is refused before they are made") {
  const TempFolder folder;
  // 0x00FFFF00 pixels wide: a few hundred bytes that would fill many gigabytes.
  const Bytes bomb =
      with_png_byte(with_png_byte(photo(), "IHDR", 2, std::byte{0xFF}), "IHDR", 6, std::byte{0xFF});
  const Problem problem = refused(one_sample(folder, bomb));
  CHECK(problem.kind == ProblemKind::too_large);
  CHECK_THAT(problem.detail, ContainsSubstring("the limit is 268435456"));
}

TEST_CASE("a label of another form than the others is refused with advice") {
  const TempFolder folder;
  PackOptions options = with_ids(folder, 2, 2, {0, 1, 1, 0}, 2);
  Prepared run = prepared(options);
  put(folder, "labels/a.png", photo(2, 2));
  run.list = samples_of(options);
  const Worked result = worked(run);
  REQUIRE(result.problem);
  CHECK(result.problem->kind == ProblemKind::label_form);
  CHECK_THAT(std::string(problem_advice(result.problem->kind)), ContainsSubstring("--label-kind"));
}

TEST_CASE("gray labels without a class color that may be ids are ambiguous") {
  const TempFolder folder;
  const Problem problem = refused(one_sample(folder, photo(), noise_label(8, 6, 2), true));
  CHECK(problem.kind == ProblemKind::ambiguous_label);
  CHECK(problem.path == folder / "labels/a.png");
  CHECK_THAT(problem.detail, ContainsSubstring("--label-kind"));
}

TEST_CASE("a label that changed since the plan stops the run") {
  const TempFolder folder;
  const Prepared run = prepared(with_ids(folder, 2, 2, {0, 1, 1, 0}, 2));
  put(folder, "labels/a.png", with_tail(id_label(2, 2, {0, 1, 1, 0}), "longer"));
  const Worked result = worked(run);
  REQUIRE(result.error);
  CHECK(result.error->code == ErrorCode::io);
  CHECK(result.error->path == folder / "labels/a.png");
}

// ---- one worker, many samples

TEST_CASE("earlier samples of a worker change nothing") {
  const TempFolder folder;
  for (int i = 0; i < 6; ++i) {
    const int width = i % 2 == 0 ? 40 : 5, height = i % 3 == 0 ? 30 : 4;
    put(folder, "images/" + std::to_string(i) + ".png",
        i == 3 ? truncated(photo(width, height), 60)
               : photo(width, height, static_cast<std::uint32_t>(i)));
    put(folder, "labels/" + std::to_string(i) + ".png",
        noise_label(width, height, 2, static_cast<std::uint32_t>(i)));
  }
  PackOptions options = options_for(folder);
  options.record.fit = Fit::contain;
  options.label.class_count = 3;
  Prepared run{options, samples_of(options), {}};
  Recorder recorder;
  ProblemLog problems;
  const std::vector<SampleList*> lists{&run.list};
  run.setup = resolve_labels(run.options, lists, {}, recorder, problems).value();
  const Plan plan = make_plan(run.options, run.setup, run.list).value();
  SampleWorker used(run.options, run.setup, plan, run.list);
  for (std::size_t i = 0; i < 6; ++i) {
    const Worked again = work(used, run, plan.schema, i), fresh = worked(run, i);
    CHECK(again.problem.has_value() == (i == 3));
    CHECK(again.image == fresh.image);
    CHECK(again.label == fresh.label);
    CHECK(again.sums == fresh.sums);
  }
}

// ---- records of their own size

namespace {

// Options for one image and its ids, packed at the image's own size.
PackOptions own_size(const TempFolder& folder, Extent image, Extent label, int classes = 3) {
  put(folder, "images/a.png", photo(image.width, image.height));
  put(folder, "labels/a.png",
      noise_label(label.width, label.height, static_cast<std::uint16_t>(classes - 1)));
  PackOptions options = options_for(folder);
  options.record.size = {};
  options.record.label_storage = LabelStorage::index;
  options.label.class_count = classes;
  return options;
}

Samples noise_id_bytes(int width, int height, std::uint16_t most = 2) {
  return bytes_of_ids(noise_ids(width, height, most));
}

}  // namespace

TEST_CASE("with fit none a record has and reports the size of its image") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {11, 7}, {11, 7});
  const Worked result = good(options);
  CHECK(result.image == photo_samples(11, 7));
  CHECK(result.label == noise_id_bytes(11, 7));
  CHECK(result.entry.image_shape == std::array<std::int32_t, 3>{7, 11, 3});
  CHECK(result.entry.label_shape == std::array<std::int32_t, 3>{7, 11, 1});
  CHECK(result.entry.source_region == std::array<std::int32_t, 4>{0, 0, 11, 7});
  CHECK(result.entry.image_stored == 11 * 7 * 3);
  options.record.layout = AxisOrder::channels_first;
  CHECK(good(options).entry.image_shape == std::array<std::int32_t, 3>{3, 7, 11});
}

TEST_CASE("records are padded to a multiple around the anchor") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {6, 4}, {6, 4});
  options.record.pad_multiple = 4;
  options.record.anchor = Anchor::top_left;
  Worked result = good(options);
  CHECK(result.entry.image_shape == std::array<std::int32_t, 3>{4, 8, 3});
  CHECK(result.entry.source_region == std::array<std::int32_t, 4>{0, 0, 6, 4});
  CHECK(result.sums.pixels_counted == 24);
  CHECK(result.sums.ignored == 8);
  for (std::size_t y = 0; y < 4; ++y) CHECK(result.label[y * 8 + 6] == kNone);
  options.record.anchor = Anchor::center;
  CHECK(good(options).entry.source_region == std::array<std::int32_t, 4>{1, 0, 6, 4});
}

TEST_CASE("option crop-min keeps the common upper left part of image and label") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {10, 6}, {8, 7});
  options.record.size_mismatch = SizeMismatch::crop_min;
  const Worked result = good(options);
  CHECK(result.entry.image_shape == std::array<std::int32_t, 3>{6, 8, 3});
  CHECK(result.entry.source_size == std::array<std::int32_t, 2>{8, 6});
  const Samples image = photo_samples(10, 6), label = noise_id_bytes(8, 7);
  for (std::size_t y = 0; y < 6; ++y) {
    for (std::size_t x = 0; x < 8; ++x) {
      CHECK(result.label[y * 8 + x] == label[y * 8 + x]);
      CHECK(result.image[(y * 8 + x) * 3] == image[(y * 10 + x) * 3]);
    }
  }
}

TEST_CASE("option resize-label first resizes the label to the image") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {4, 4}, {2, 2}, 2);
  put(folder, "labels/a.png", id_label(2, 2, {0, 1, 1, 0}));
  options.record.size_mismatch = SizeMismatch::resize_label;
  const Worked result = good(options);
  CHECK(result.label == Samples{0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0});
  CHECK(result.diagnostics.label_resized == 1);
}

TEST_CASE("an image that changed its size since the plan stops the run") {
  const TempFolder folder;
  const PackOptions options = own_size(folder, {6, 4}, {6, 4});
  Prepared run = prepared(options);
  run.list.samples[0].size = {7, 4};
  const Worked result = worked(run);
  REQUIRE(result.error);
  CHECK(result.error->code == ErrorCode::io);
  CHECK_THAT(result.error->message,
             ContainsSubstring("was 7x4") && ContainsSubstring("is now 6x4"));
}

// ---- tiles

TEST_CASE("tiles hold their part of image and label and their position") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {10, 7}, {10, 7});
  options.record.tile = TileOptions{{4, 4}, 1};
  Prepared run = prepared(options);
  cut_into_tiles(options.record, run.list);
  REQUIRE(run.list.samples.size() == 6);  // 0, 3, 6 across; 0, 3 down
  CHECK(run.list.key(run.list.samples[1]) == "a@3,0");
  const Plan plan = make_plan(run.options, run.setup, run.list).value();
  CHECK(plan.schema.geometry.fit == "tile");
  CHECK(plan.schema.geometry.size == std::array<std::int64_t, 2>{4, 4});
  SampleWorker worker(run.options, run.setup, plan, run.list);
  const Samples image = photo_samples(10, 7), label = noise_id_bytes(10, 7);
  for (std::size_t t = 0; t < run.list.samples.size(); ++t) {
    const Sample& tile = run.list.samples[t];
    const Worked result = work(worker, run, plan.schema, t);
    REQUIRE_FALSE(result.error);
    REQUIRE_FALSE(result.problem);
    CHECK(result.entry.source_region ==
          std::array<std::int32_t, 4>{-tile.tile_x, -tile.tile_y, 10, 7});
    CHECK(result.sums.pixels_counted == 16);
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 4; ++x) {
        const std::size_t from = (y + static_cast<std::size_t>(tile.tile_y)) * 10 + x +
                                 static_cast<std::size_t>(tile.tile_x);
        CHECK(result.label[y * 4 + x] == label[from]);
        CHECK(result.image[(y * 4 + x) * 3 + 2] == image[from * 3 + 2]);
      }
    }
  }
}

TEST_CASE("an image smaller than a tile is padded at its end") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {3, 2}, {3, 2});
  options.record.tile = TileOptions{{4, 4}, 0};
  Prepared run = prepared(options);
  cut_into_tiles(options.record, run.list);
  REQUIRE(run.list.samples.size() == 1);
  CHECK(run.list.key(run.list.samples[0]) == "a@0,0");
  const Worked result = worked(run);
  CHECK(result.sums.pixels_counted == 6);
  CHECK(result.sums.ignored == 10);
  CHECK(result.label[3] == kNone);
}

TEST_CASE("tiles are cut from the image scaled by its short side") {
  const TempFolder folder;
  PackOptions options = own_size(folder, {20, 10}, {20, 10});
  options.record.size = {5, 5};
  options.record.fit = Fit::short_side;
  options.record.tile = TileOptions{{5, 5}, 0};
  Prepared run = prepared(options);
  cut_into_tiles(options.record, run.list);
  REQUIRE(run.list.samples.size() == 2);  // 10×5
  CHECK(worked(run, 1).entry.source_region == std::array<std::int32_t, 4>{-5, 0, 10, 5});
}

// ---- several masks

TEST_CASE("every mask sets its class bit, pixels may have several or none") {
  const TempFolder folder;
  put(folder, "images/a.png", photo(2, 2));
  put(folder, "masks/a_road.png", id_label(2, 2, {255, 255, 0, 0}));
  put(folder, "masks/a_car.png", id_label(2, 2, {0, 200, 0, 0}));
  PackOptions options = options_for(folder);
  options.input.labels = {folder / "masks"};
  options.input.mask_per_class = "{key}_{class}";
  options.record.size = {2, 2};
  Worked result = good(options);
  CHECK(result.label == Samples{2, 3, 0, 0});  // car is bit 0, road bit 1
  using Count = format::Sums::ClassCount;
  CHECK(result.sums.classes == std::vector<Count>{{1, 1, 2}, {2, 1, 2}});
  CHECK(result.sums.ignored == 2);
  CHECK(result.entry.source_hash[1] != 0);
  options.record.label_storage = LabelStorage::one_hot;
  CHECK(good(options).label == Samples{0, 1, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("a tile beyond the masks has no class, whatever the sample before it") {
  const TempFolder folder;
  for (const auto& [key, side] : {std::pair{"a", 4}, {"b", 2}}) {
    put(folder, std::string("images/") + key + ".png", photo(side, side));
    put(folder, std::string("masks/") + key + "_car.png",
        id_label(side, side, Ids(static_cast<std::size_t>(side * side), 255)));
  }
  PackOptions options = options_for(folder);
  options.input.labels = {folder / "masks"};
  options.input.mask_per_class = "{key}_{class}";
  options.record.size = {};
  options.record.tile = TileOptions{{4, 4}, 0};
  Prepared run = prepared(options);
  cut_into_tiles(options.record, run.list);
  const Plan plan = make_plan(run.options, run.setup, run.list).value();
  SampleWorker worker(run.options, run.setup, plan, run.list);
  CHECK(work(worker, run, plan.schema, 0).label == Samples(16, 1));
  CHECK(work(worker, run, plan.schema, 1).label ==
        Samples{1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}
