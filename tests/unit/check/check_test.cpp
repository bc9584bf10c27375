#include "check/check.hpp"

#include "support/checked.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;
using Names = std::vector<std::string>;

const std::vector<Color> kColors{{0, 0, 0}, {128, 0, 0}, {0, 128, 0}};
constexpr const char* kCsv = "name,r,g,b\nvoid,0,0,0\ncar,128,0,0\ntree,0,128,0\n";

Names kinds(const CheckReport& report, Severity severity) {
  Names names;
  for (const Diagnostic& diagnostic : report.diagnostics.all())
    if (diagnostic.severity == severity) names.push_back(diagnostic.kind);
  return names;
}

// Do the examples of a diagnostic of this kind name the file?
bool names(const CheckReport& report, const std::string& kind, const std::string& path) {
  for (const Diagnostic& diagnostic : report.diagnostics.all())
    for (const Evidence& example : diagnostic.examples)
      if (diagnostic.kind == kind && example.path == path) return true;
  return false;
}

// Photos with ids 0 … 2, different ones each.
void put_ids(const TempFolder& folder, int count, const std::string& split = "") {
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint32_t>(
        i + 1 + (split.empty() ? 0 : 100 * static_cast<int>(split.size())));
    put_pair(folder, split + std::to_string(i), seed);
  }
}

PackOptions id_options(const TempFolder& folder, int classes = 3) {
  PackOptions options = options_for(folder);
  options.label.class_count = classes;
  return options;
}

Bytes jpeg_label() {
  JpegSpec spec;
  spec.width = 8, spec.height = 6, spec.color = JpegColor::gray;
  std::vector<std::uint8_t> samples(48, 0);
  std::fill(samples.begin() + 24, samples.end(), std::uint8_t{255});
  return make_jpeg(spec, samples);
}

}  // namespace

TEST_CASE("check describes a correct data set and predicts that pack succeeds") {
  const TempFolder folder;
  put_ids(folder, 6);
  const CheckReport report = checked(id_options(folder));
  CHECK(report.result == CheckResult::succeeds);
  CHECK(report.diagnostics.all().empty());
  CHECK(report.problems == 0);
  REQUIRE(report.splits.size() == 1);
  CHECK(report.splits[0].samples == 6);
  CHECK(report.images.images() == 6);
  CHECK(report.label_images.images() == 6);
  CHECK_THAT(report.labels, ContainsSubstring("labels are read as index"));
  CHECK(report.classes_counted);
  REQUIRE(report.splits[0].classes.pixels.size() == 3);
  std::uint64_t pixels = report.splits[0].classes.ignored;
  for (const std::uint64_t of_class : report.splits[0].classes.pixels) pixels += of_class;
  CHECK(pixels == 6 * 48);
  CHECK(report.splits[0].classes.labels[1] == 6);
  CHECK(report.bytes_in > 0);
}

TEST_CASE("accepted flaws of JPEGs are notes that name the files") {
  const TempFolder folder;
  put_ids(folder, 3);
  const Bytes jpeg = make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3));
  Bytes before_end = jpeg, before_scan = jpeg;
  before_end.insert(before_end.end() - 2, 64, std::byte{0x12});
  before_scan.insert(before_scan.begin() + static_cast<std::ptrdiff_t>(jpeg_segment_at(jpeg, 0xDB)),
                     64, std::byte{0x12});
  put(folder, "images/1.png", before_end);
  put(folder, "images/2.png", before_scan);
  PackOptions options = id_options(folder);
  CHECK(checked(options).result == CheckResult::refuses);
  options.record.lenient = true;
  const CheckReport report = checked(options);
  CHECK(report.result == CheckResult::succeeds);
  CHECK(names(report, "flawed-jpeg", folder / "images/1.png"));
  CHECK(names(report, "lenient-jpeg", folder / "images/2.png"));
}

TEST_CASE("a check reports all problems in one run") {
  const TempFolder folder;
  put_ids(folder, 8);
  put(folder, "images/alone.png", photo(8, 6, 50));
  put(folder, "labels/lost.png", noise_label());
  put(folder, "images/0.png", truncated(photo(8, 6, 60), 120));
  put(folder, "images/1.png", text_file("no image"));
  put(folder, "images/2.png", photo(9, 6, 61));
  put(folder, "labels/3.png", id_label(8, 6, Ids(48, 9)));
  put(folder, "labels/4.png", {});
  const CheckReport report = checked(id_options(folder));
  CHECK(report.result == CheckResult::refuses);
  CHECK(names(report, "orphan-image", folder / "images/alone.png"));
  CHECK(names(report, "orphan-label", folder / "labels/lost.png"));
  CHECK(names(report, "damaged-image", folder / "images/0.png"));
  CHECK(names(report, "unreadable-header", folder / "images/1.png"));
  CHECK(names(report, "unreadable-header", folder / "labels/4.png"));
  CHECK(names(report, "size-mismatch", folder / "images/2.png"));
  CHECK(names(report, "unknown-value", folder / "labels/3.png"));
  CHECK(report.splits[0].bad == 5);
  CHECK(report.problems == 7);
}

TEST_CASE("a problem of an image does not hide a problem of its label") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "images/0.png", truncated(photo(8, 6, 60), 120));
  put(folder, "labels/0.png", id_label(8, 6, Ids(48, 9)));
  put(folder, "images/1.png", text_file("no image"));
  put(folder, "labels/1.png", truncated(noise_label(), 60));
  const CheckReport report = checked(id_options(folder));
  CHECK(names(report, "damaged-image", folder / "images/0.png"));
  CHECK(names(report, "unknown-value", folder / "labels/0.png"));
  CHECK(names(report, "unreadable-header", folder / "images/1.png"));
  CHECK(names(report, "damaged-image", folder / "labels/1.png"));
}

TEST_CASE("refused labels count their known pixels and report absent classes") {
  const TempFolder folder;
  put_ids(folder, 2);
  Ids ids(48, 1);
  ids.back() = 9;
  put(folder, "labels/0.png", id_label(8, 6, ids));
  put(folder, "labels/1.png", id_label(8, 6, Ids(48, 0)));
  const CheckReport report = checked(id_options(folder));
  CHECK(report.splits[0].classes.pixels == std::vector<std::uint64_t>{48, 47, 0});
  CHECK(report.splits[0].classes.ignored == 0);
  const Diagnostic* never = find(report, "class-never-seen");
  REQUIRE(never != nullptr);
  CHECK(never->title == "1 of 3 classes never occurs: '2'");
}

TEST_CASE("a photo among the labels is reported without making all labels photos") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "labels/1.png", photo(64, 48));
  put(folder, "images/1.png", photo(64, 48, 9));
  put(folder, "labels/2.png", id_label(8, 6, Ids(48, 9)));
  PackOptions options = id_options(folder);
  const CheckReport report = checked(options);
  CHECK(report.classes_known);
  CHECK(kinds(report, Severity::problem) == Names{"label-form", "unknown-value"});
  CHECK(names(report, "label-form", folder / "labels/1.png"));
  CHECK(names(report, "photo-as-label", folder / "labels/1.png"));
  SECTION("skipping bad samples does not answer a question that would stop pack") {
    options.run.skip_errors = true;
    const CheckReport skipping = checked(options);
    CHECK(find(skipping, "open-question") != nullptr);
    CHECK(skipping.result == CheckResult::refuses);
  }
}

TEST_CASE("labels that pack would ask about do not end the check") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "images/3.png", truncated(photo(8, 6, 60), 120));
  SECTION("JPEG labels are refused") {
    for (int i = 0; i < 4; ++i) put(folder, "labels/" + std::to_string(i) + ".png", jpeg_label());
  }
  SECTION("masks of 0 and 255") {
    for (int i = 0; i < 4; ++i)
      put(folder, "labels/" + std::to_string(i) + ".png",
          id_label(8, 6, Ids{0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255,
                             0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255,
                             0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255}));
  }
  const CheckReport report = checked(options_for(folder));
  CHECK(report.result == CheckResult::refuses);
  CHECK_FALSE(report.classes_known);
  CHECK_FALSE(report.classes_counted);
  CHECK(find(report, "open-question") != nullptr);
  CHECK(names(report, "damaged-image", folder / "images/3.png"));
  CHECK(report.images.images() == 4);
  CHECK_FALSE(report.estimate.has_value());
}

TEST_CASE("JPEG labels are examined by nearest color even though they are refused") {
  const TempFolder folder;
  put_ids(folder, 3);
  JpegSpec spec;
  spec.width = 8, spec.height = 6;
  std::vector<std::uint8_t> samples;
  for (int i = 0; i < 48; ++i)
    samples.insert(samples.end(), kColors[i < 24 ? 0 : 1].begin(), kColors[i < 24 ? 0 : 1].end());
  for (int i = 0; i < 3; ++i)
    put(folder, "labels/" + std::to_string(i) + ".png", make_jpeg(spec, samples));
  folder.write("classes.csv", kCsv);
  PackOptions options = options_for(folder);
  options.label.classes = folder / "classes.csv";
  const CheckReport report = checked(options);
  CHECK(report.result == CheckResult::refuses);
  CHECK(kinds(report, Severity::problem) == Names{"open-question"});
  CHECK(report.splits[0].classes.labels == std::vector<std::uint64_t>{3, 3, 0});
  CHECK_THAT(report.labels,
             ContainsSubstring("unknown colors take the class of the nearest color"));
}

TEST_CASE("a broken class file is one diagnostic, and everything else is examined") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i) {
    put(folder, "images/" + std::to_string(i) + ".png", photo(8, 6, 1));
    put(folder, "labels/" + std::to_string(i) + ".png",
        color_label(8, 6, noise_ids(8, 6, 2), kColors));
  }
  folder.write("classes.csv", "name,r,g,b\nvoid,0,0,0\ncar,128,0,300\n");
  PackOptions options = options_for(folder);
  options.label.classes = folder / "classes.csv";
  const CheckReport report = checked(options);
  CHECK(kinds(report, Severity::problem) == Names{"class-file"});
  CHECK(kinds(report, Severity::warning) == Names{"duplicate-image"});
}

TEST_CASE("an unknown color is one diagnostic, however many labels contain it") {
  const TempFolder folder;
  folder.write("classes.csv",
               "name,r,g,b\nvoid,0,0,0\ncar,128,0,9\ntree,0,128,0\n");  // car's blue is wrong
  for (int i = 0; i < 12; ++i) {
    const auto seed = static_cast<std::uint32_t>(i);
    put(folder, "images/" + std::to_string(i) + ".png", photo(8, 6, seed));
    put(folder, "labels/" + std::to_string(i) + ".png",
        color_label(8, 6, noise_ids(8, 6, 2, seed), kColors));
  }
  PackOptions options = options_for(folder);
  options.label.classes = folder / "classes.csv";
  const CheckReport report = checked(options);
  REQUIRE(kinds(report, Severity::problem) == Names{"unknown-value"});
  const Diagnostic& diagnostic = *find(report, "unknown-value");
  CHECK(diagnostic.count == 12);
  CHECK(diagnostic.value == "color (128,0,0)");
  CHECK_THAT(diagnostic.advice,
             ContainsSubstring("'car', at distance 9, and that class never occurs"));
  SECTION("--unknown handles them") {
    options.label.unknown = "nearest:9";
    const CheckReport settled = checked(options);
    CHECK(settled.result == CheckResult::succeeds);
    CHECK(find(settled, "nearest-color") != nullptr);
  }
}

TEST_CASE("option --on-error skip leaves out bad samples up to --max-errors") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "images/0.png", text_file("no image"));
  put(folder, "images/1.png", text_file("no image"));
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  CHECK(checked(options).result == CheckResult::leaves_out);
  options.run.max_errors = 1;
  CHECK(checked(options).result == CheckResult::refuses);
}

TEST_CASE("option --max-pixels refuses a larger image by its header") {
  const TempFolder folder;
  put_ids(folder, 3);
  put(folder, "images/1.png", photo(40, 30));
  PackOptions options = id_options(folder);
  options.record.max_pixels = 100;
  const CheckReport report = checked(options);
  CHECK(names(report, "too-large", folder / "images/1.png"));
}

TEST_CASE("a label beyond --max-pixels takes no memory, others need room") {
  const TempFolder folder;
  put_ids(folder, 3);
  put(folder, "images/1.png", photo(40, 30));
  put(folder, "labels/1.png", noise_label(500, 500, 3));
  PackOptions options = id_options(folder);
  options.label.kind = LabelKind::index;
  options.run.max_memory = 1'000'000;  // the label takes about as much, and may take three quarters
  options.record.max_pixels = 1000;
  CHECK(names(checked(options), "too-large", folder / "images/1.png"));
  put(folder, "images/1.png", photo(600, 500));
  options.record.max_pixels = 500 * 500;
  Recorder recorder;
  const auto refused = check(options, false, recorder);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring(folder / "labels/1.png: decoding"));
}

TEST_CASE("splits are checked together, with copies and classes across them") {
  const TempFolder folder;
  put_ids(folder, 4, "train/");
  put_ids(folder, 3, "val/");
  put(folder, "images/val/1.png", photo(8, 6, 1 + 100 * 6));  // that of train/0
  for (int i = 0; i < 3; ++i)
    put(folder, "labels/val/" + std::to_string(i) + ".png",
        noise_label(8, 6, 1, static_cast<std::uint32_t>(i)));
  PackOptions options = id_options(folder);
  options.input.split.method = SplitOptions::Method::folder;
  const CheckReport report = checked(options);
  CHECK(report.result == CheckResult::succeeds);
  REQUIRE(report.splits.size() == 2);
  CHECK(report.splits[0].name == "train");
  CHECK(report.splits[1].samples == 3);
  const Diagnostic* twin = find(report, "duplicate-between-splits");
  REQUIRE(twin != nullptr);
  CHECK(twin->title == "1 of 3 images of 'val' is in 'train' too");
  CHECK(twin->examples[0].path == folder / "images/val/1.png");
  REQUIRE(find(report, "class-not-in-every-split") != nullptr);
  CHECK(find(report, "class-not-in-every-split")->title ==
        "1 of 3 classes is not in every split: '2' (not in val)");
  CHECK(find(report, "class-never-seen") == nullptr);
}

TEST_CASE("class folders count images per class and report contradicting copies") {
  const TempFolder folder;
  for (int i = 0; i < 3; ++i) {
    put(folder, "root/ant/" + std::to_string(i) + ".png",
        photo(8, 6, static_cast<std::uint32_t>(i)));
    put(folder, "root/bee/" + std::to_string(i) + ".png",
        photo(8, 6, static_cast<std::uint32_t>(i + 10)));
  }
  put(folder, "root/bee/3.png", photo(8, 6, 0));
  PackOptions options;
  options.input.image_folders = {folder / "root"};
  options.record.size = {8, 6};
  for (const bool headers_only : {false, true}) {
    const CheckReport report = checked(options, headers_only);
    CHECK(report.result == CheckResult::succeeds);
    CHECK(report.classes_counted);
    CHECK(report.splits[0].classes.pixels == std::vector<std::uint64_t>{3, 4});
    CHECK((find(report, "conflicting-labels") != nullptr) == !headers_only);
  }
}

TEST_CASE("images with an EXIF orientation are reported with their treatment") {
  const TempFolder folder;
  JpegSpec spec;
  spec.width = 8, spec.height = 6;
  const Bytes jpeg = make_jpeg(spec, smooth_samples(8, 6, 3));
  put(folder, "images/stored.jpg", with_exif_orientation(jpeg, 6));
  put(folder, "labels/stored.png", noise_label(8, 6));
  put(folder, "images/turned.jpg", with_exif_orientation(jpeg, 8));
  put(folder, "labels/turned.png", noise_label(6, 8));
  put(folder, "images/either.jpg", with_exif_orientation(jpeg, 3));
  put(folder, "labels/either.png", noise_label(8, 6));
  const CheckReport report = checked(id_options(folder));
  CHECK(kinds(report, Severity::problem) == Names{"orientation"});
  CHECK(names(report, "orientation", folder / "images/either.jpg"));
  CHECK(names(report, "exif-orientation", folder / "images/stored.jpg"));
  CHECK(names(report, "exif-orientation", folder / "images/turned.jpg"));
  CHECK(report.images.orientations()[6] == 1);
}

TEST_CASE("with headers only, check reads no pixels and reports header problems") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "images/0.png", truncated(photo(8, 6, 60), 120));
  put(folder, "images/1.png", photo(9, 6, 61));
  put(folder, "labels/2.png", id_label(8, 6, Ids(48, 9)));
  PackOptions options = id_options(folder);
  const CheckReport report = checked(options, true);
  CHECK(report.headers_only);
  CHECK(kinds(report, Severity::problem) == Names{"size-mismatch"});
  CHECK(report.images.images() == 4);
  CHECK_FALSE(report.classes_counted);
  CHECK(report.bytes_in == 0);
  SECTION("where classes would have to be counted, they stay unknown") {
    options.label.class_count.reset();
    const CheckReport uncounted = checked(options, true);
    CHECK_FALSE(uncounted.classes_known);
    CHECK(kinds(uncounted, Severity::problem) == Names{"size-mismatch"});
    put(folder, "labels/3.png", jpeg_label());
    CHECK(kinds(checked(options, true), Severity::problem) ==
          Names{"size-mismatch", "open-question"});
  }
}

TEST_CASE("the estimate is what pack would write in each storage") {
  const TempFolder folder;
  put_ids(folder, 5);
  PackOptions options = id_options(folder, 10);
  options.record.size = {4, 4};
  options.shard.shard_samples = 2;
  const CheckReport report = checked(options);
  REQUIRE(report.estimate.has_value());
  CHECK(report.estimate->records == 5);
  CHECK(report.estimate->shards == 3);
  CHECK(report.estimate->image_bytes == 5 * 4 * 4 * 3);
  REQUIRE(report.estimate->storages.size() == 3);
  CHECK(report.estimate->storages[0].label_bytes == 5 * 16 * 2);
  CHECK(report.estimate->storages[1].label_bytes == 5 * 16 * 10);
  CHECK(report.estimate->storages[2].label_bytes == 5 * 16);
}

TEST_CASE("a pack that does not fit on the disk is reported") {
  const TempFolder folder;
  for (int i = 0; i < 300; ++i) put(folder, "images/" + std::to_string(i) + ".png", photo());
  PackOptions options = options_for(folder);
  options.record.size = {20000, 20000};
  const CheckReport report = checked(options, true);
  REQUIRE(report.estimate.has_value());
  CHECK(report.estimate->chosen_bytes() == std::uint64_t{300} * 20000 * 20000 * 3);
  const bool fits = free_bytes_at(options.run.output).value() >= report.estimate->chosen_bytes();
  CHECK((find(report, "disk-space") == nullptr) == fits);
}

TEST_CASE("an image that is cut into tiles is reported once, not once per tile") {
  const TempFolder folder;
  put_ids(folder, 2);
  put(folder, "images/0.png", photo(16, 12, 3));
  put(folder, "labels/0.png", id_label(16, 12, Ids(192, 9)));
  PackOptions options = id_options(folder);
  options.record.size = {};
  options.record.fit = Fit::none;
  options.record.tile = TileOptions{{4, 4}, 0};
  options.shard.shuffle_seed = 7;
  const CheckReport report = checked(options);
  CHECK(report.problems == 1);
  CHECK(report.images.images() == 2);
  CHECK(find(report, "duplicate-image") == nullptr);
  CHECK(report.estimate->records > 2);
}

TEST_CASE("if no sample is found, that is the only problem") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  put(folder, "labels/b.png", noise_label());
  const CheckReport report = checked(options_for(folder));
  CHECK(report.result == CheckResult::refuses);
  const Diagnostic* diagnostic = find(report, "no-samples");
  REQUIRE(diagnostic != nullptr);
  CHECK_THAT(diagnostic->title, ContainsSubstring("no image and label share a key"));
}

TEST_CASE("a check fails only if nothing can be checked") {
  const TempFolder folder;
  put_ids(folder, 2);
  Recorder recorder;
  PackOptions options = id_options(folder);
  options.input.images = {folder / "nowhere"};
  CHECK(check(options, false, recorder).error().code == ErrorCode::io);
  options = id_options(folder);
  options.shard.zstd_level = 99;
  CHECK(check(options, false, recorder).error().code == ErrorCode::usage);
}

TEST_CASE("a check can be stopped") {
  const TempFolder folder;
  put_ids(folder, 40);
  Recorder recorder;
  recorder.stop_after = 3;
  PackOptions options = id_options(folder);
  const auto report = check(options, false, recorder);
  REQUIRE(report.ok());
  CHECK(report->result == CheckResult::stopped);
}

TEST_CASE("masks of several classes are checked one by one") {
  const TempFolder folder;
  for (int i = 0; i < 3; ++i) {
    const std::string key = std::to_string(i);
    put(folder, "images/" + key + ".png", photo(8, 6, static_cast<std::uint32_t>(i)));
    put(folder, "labels/" + key + "_cat.png", id_label(8, 6, Ids(48, 255)));
    put(folder, "labels/" + key + "_dog.png", id_label(8, 6, Ids(48, i == 0 ? 255 : 0)));
  }
  PackOptions options = options_for(folder);
  options.input.mask_per_class = "{key}_{class}";
  const CheckReport report = checked(options);
  CHECK(report.result == CheckResult::succeeds);
  CHECK(report.diagnostics.all().empty());
  CHECK(report.splits[0].classes.pixels == std::vector<std::uint64_t>{3 * 48, 48});
  REQUIRE(report.estimate.has_value());
  CHECK(report.estimate->storages.size() == 2);  // a pixel of two classes has no index
  SECTION("a mask that cannot be read is named") {
    put(folder, "labels/1_dog.png", truncated(id_label(8, 6, Ids(48, 255)), 50));
    CHECK(names(checked(options), "damaged-image", folder / "labels/1_dog.png"));
  }
}

TEST_CASE("a split without labels is checked as images only") {
  const TempFolder folder;
  put_ids(folder, 3, "train/");
  for (int i = 0; i < 2; ++i)
    put(folder, "images/test/" + std::to_string(i) + ".png",
        photo(8, 6, static_cast<std::uint32_t>(70 + i)));
  PackOptions options;
  options.input.root = folder.path();
  options.label.class_count = 3;
  const CheckReport report = checked(options);
  CHECK(report.result == CheckResult::succeeds);
  CHECK(find(report, "class-not-in-every-split") == nullptr);
  CHECK_FALSE(report.layout.empty());
  REQUIRE(report.splits.size() == 2);
  CHECK(report.estimate->storages.size() == 3);
}

namespace {

void put_label(const TempFolder& folder, const Bytes& label) {
  put(folder, "images/a.png", photo(2, 2));
  put(folder, "labels/a.png", label);
}

}  // namespace

TEST_CASE("an ignored class is not reported as never occurring") {
  const TempFolder folder;
  put_label(folder, id_label(2, 2, {0, 1, 2, 1}));
  PackOptions options = options_for(folder);
  options.label.class_count = 3;
  options.label.ignore = {"2"};
  const CheckReport report = checked(options);
  CHECK(find(report, "class-never-seen") == nullptr);
  CHECK(report.ignored_classes == std::vector<bool>{false, false, true});
}

TEST_CASE("ids that count from 1 are reported without --num-classes too") {
  const TempFolder folder;
  put_label(folder, id_label(2, 2, {1, 2, 3, 1}));
  const CheckReport report = checked(options_for(folder));
  REQUIRE(find(report, "one-based-ids") != nullptr);
  CHECK(find(report, "one-based-ids")->options == Names{"--shift-ids -1"});
}

TEST_CASE("ids without a class table are listed, like colors") {
  const TempFolder folder;
  put_label(folder, id_label(2, 2, {0, 64, 128, 200}));
  const CheckReport report = checked(options_for(folder));
  REQUIRE(report.colors.has_value());
  CHECK(report.colors->ids);
  CHECK(report.colors->colors.size() == 4);
}

TEST_CASE("class folders without images cause one warning") {
  const TempFolder folder;
  for (const std::string name : {"a/1", "b/2"})
    put(folder, "set/" + name + ".png", photo(8, 6, name.back() == '1' ? 1U : 2U));
  for (const std::string name : {"c", "d"})
    std::filesystem::create_directories(folder / "set/" + name);
  PackOptions options;
  options.input.image_folders = {folder / "set"};
  const CheckReport report = checked(options);
  CHECK(find(report, "class-never-seen") != nullptr);
  CHECK(find(report, "class-table") == nullptr);
}
