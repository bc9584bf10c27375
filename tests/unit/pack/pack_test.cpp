#include "pack/pack.hpp"

#include <chrono>
#include <cmath>

#include "base/folder.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/verify.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;
using Samples = std::vector<std::uint8_t>;
using Names = std::vector<std::string>;

const std::vector<Color> kColors{{0, 0, 0}, {128, 0, 0}, {0, 128, 0}, {0, 0, 128}};
constexpr const char* kCsv =
    "name,r,g,b\nvoid,0,0,0\ncar,128,0,0\ntree,0,128,0\nnever,200,200,200\n";

std::string key_of(int number) {
  return (number % 2 == 0 ? "north/" : "south/") + std::to_string(number);
}

// Photos of two sizes with RGB masks of three of the four classes, in nested folders.
void put_street(const TempFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const int width = i % 3 == 0 ? 20 : 11, height = i % 3 == 0 ? 9 : 14;
    const auto seed = static_cast<std::uint32_t>(i + 1);
    put(folder, "images/" + key_of(i) + ".png", photo(width, height, seed));
    put(folder, "labels/" + key_of(i) + ".png",
        color_label(width, height, noise_ids(width, height, 2, seed), kColors));
  }
  folder.write("classes.csv", kCsv);
}

PackOptions street_options(const TempFolder& folder) {
  PackOptions options = options_for(folder);
  options.record.size = {16, 12};
  options.record.fit = Fit::crop_or_pad;
  options.label.classes = folder / "classes.csv";
  options.shard.shard_samples = 3;
  return options;
}

// Gives a file a time before that of any shard.
void make_older(const std::filesystem::path& path) {
  std::filesystem::last_write_time(path,
                                   std::filesystem::last_write_time(path) - std::chrono::hours(1));
}

// Photos with ids 0 … 2, all of the record's size.
void put_ids(const TempFolder& folder, int count) {
  for (int i = 0; i < count; ++i)
    put_pair(folder, std::to_string(i), static_cast<std::uint32_t>(i));
}

PackOptions id_options(const TempFolder& folder) {
  PackOptions options = options_for(folder);
  options.label.class_count = 3;
  options.shard.shard_samples = 2;
  return options;
}

Result<PackReport> run(const PackOptions& options, bool dry_run = false) {
  Recorder recorder;
  Result<PackRun> whole = pack(options, dry_run, recorder);
  if (!whole.ok()) return std::move(whole).error();
  return only_set(std::move(whole).value());
}

Error failure(const PackOptions& options) {
  const auto report = run(options);
  if (report.ok()) FAIL("the run did not fail");
  return report.error();
}

Dataset opened(const PackOptions& options) {
  auto dataset = Dataset::open(options.run.output);
  if (!dataset.ok()) FAIL(dataset.error().describe());
  return std::move(dataset).value();
}

Samples image_of(const Dataset& dataset, std::uint64_t number) {
  const auto sample = dataset.sample(number).value();
  Samples bytes(sample.image_shape().size_bytes());
  REQUIRE(sample.read_image(bytes).ok());
  return bytes;
}

Samples label_of(const Dataset& dataset, std::uint64_t number) {
  const auto sample = dataset.sample(number).value();
  Samples bytes(sample.label_shape().size_bytes());
  REQUIRE(sample.read_label(bytes).ok());
  return bytes;
}

Names keys_of(const Dataset& dataset) {
  Names keys;
  for (std::uint64_t i = 0; i < dataset.records(); ++i)
    keys.emplace_back(dataset.sample(i).value().key());
  return keys;
}

std::string findings_of(const PackOptions& options) {
  const auto report = verify_dataset(options.run.output).value();
  std::string text;
  for (const VerifyFinding& finding : report.findings) text += finding.describe() + "\n";
  return text;
}

std::uint64_t shard_bytes_of(const PackOptions& options) {
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : content_of(options.run.output))
    if (name != "dataset.json") bytes += content.size();
  return bytes;
}

// The same inputs and options, packed into another folder.
PackOptions elsewhere(PackOptions options, const std::string& name) {
  options.run.output += "-" + name;
  return options;
}

// The bytes of a fresh run with these options.
std::map<std::string, Bytes> fresh_content(const PackOptions& options) {
  const PackOptions fresh = elsewhere(options, "fresh");
  std::filesystem::remove_all(fresh.run.output);
  (void)packed(fresh);
  return content_of(fresh.run.output);
}

Bytes bad_photo() { return with_bad_png_checksum(photo(), "IDAT"); }

}  // namespace

// ---- what is packed

TEST_CASE("a reader returns a segmentation set as it was packed") {
  const TempFolder folder;
  put_street(folder, 8);
  const PackOptions options = street_options(folder);
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::packed);
  CHECK(report.records == 8);
  CHECK(report.packed_shards == 3);
  CHECK(report.skipped == 0);
  CHECK(findings_of(options) == "");
  const Dataset dataset = opened(options);
  CHECK(keys_of(dataset) == Names{"north/0", "north/2", "north/4", "north/6", "south/1", "south/3",
                                  "south/5", "south/7"});
  CHECK(dataset.classes()[1].name == "car");
  // north/2 is 11×14: padded by 2 left, cut by 1 above.
  const Samples source = photo_samples(11, 14, 3), image = image_of(dataset, 1),
                label = label_of(dataset, 1);
  const Ids ids = noise_ids(11, 14, 2, 3);
  for (std::size_t y = 0; y < 12; ++y) {
    for (std::size_t x = 0; x < 16; ++x) {
      const bool inside = x >= 2 && x < 13;
      const std::size_t from = (y + 1) * 11 + x - 2;
      CHECK(image[(y * 16 + x) * 3] == (inside ? source[3 * from] : 0));
      CHECK(label[y * 16 + x] == (inside ? 1 << ids[from] : 0));
    }
  }
}

TEST_CASE("RGB masks are packed as one_hot_it encodes them") {
  const TempFolder folder;
  put_street(folder, 3);
  PackOptions options = street_options(folder);
  options.record.label_storage = LabelStorage::one_hot;
  options.record.size = {20, 9};
  for (const std::string key : {"south/1", "north/2"}) {
    std::filesystem::remove(folder / ("images/" + key + ".png"));
    std::filesystem::remove(folder / ("labels/" + key + ".png"));
  }
  (void)packed(options);
  Samples one_hot;
  for (const std::uint16_t id : noise_ids(20, 9, 2, 1))
    for (const Color& color :
         {Color{0, 0, 0}, Color{128, 0, 0}, Color{0, 128, 0}, Color{200, 200, 200}})
      one_hot.push_back(kColors[id] == color);  // all(label == value, axis=-1)
  CHECK(label_of(opened(options), 0) == one_hot);
}

TEST_CASE("ids of every depth and palette indices are packed as stored") {
  const TempFolder folder;
  const std::vector<std::pair<std::string, int>> depths{
      {"d1", 1}, {"d2", 2}, {"d4", 4}, {"d8", 8}, {"d16", 16}};
  std::map<std::string, Ids> expected;
  for (const auto& [key, depth] : depths) {
    const Ids ids = noise_ids(8, 6, static_cast<std::uint16_t>(std::min((1 << depth) - 1, 19)));
    put(folder, "images/" + key + ".png", photo());
    put(folder, "labels/" + key + ".png", id_label(8, 6, ids, depth));
    expected[key] = ids;
    if (depth == 16) continue;
    put(folder, "images/p" + key + ".png", photo());
    put(folder, "labels/p" + key + ".png",
        palette_label(
            8, 6, ids,
            std::vector<Color>(std::min<std::size_t>(20, 1u << depth), Color{38, 75, 113}), depth));
    expected["p" + key] = ids;
  }
  PackOptions options = options_for(folder);
  options.record.label_storage = LabelStorage::index;
  (void)packed(options);
  const Dataset dataset = opened(options);
  CHECK(dataset.classes().size() == 20);
  REQUIRE(dataset.records() == expected.size());
  for (std::uint64_t i = 0; i < dataset.records(); ++i) {
    const Ids& ids = expected.at(std::string(dataset.sample(i).value().key()));
    CHECK(label_of(dataset, i) == Samples(ids.begin(), ids.end()));
  }
}

TEST_CASE("a first class that no label has is a warning, unless it is background") {
  const TempFolder folder;
  put(folder, "images/x.png", photo(2, 1));
  put(folder, "labels/x.png", id_label(2, 1, {1, 2}));
  folder.write("names.txt", "road\nfield\nwater\n");
  PackOptions options = options_for(folder);
  options.input.images = {folder / "images"};
  options.input.labels = {folder / "labels"};
  options.label.classes = folder / "names.txt";
  options.record.size = {};
  CHECK(packed(options).plan.warnings ==
        Names{"'road' (id 0) occurs in no record, and all other classes do; if the ids of the "
              "labels count from 1, give --shift-ids -1"});
  folder.write("names.txt", "background\nfield\nwater\n");
  CHECK(packed(elsewhere(options, "background")).plan.warnings.empty());
}

TEST_CASE("masks of an image are united, or become ids in byte order") {
  const TempFolder folder;
  put(folder, "in/a/images/x.png", photo(4, 2));
  put(folder, "in/a/masks/10.png", id_label(4, 2, {0, 255, 255, 0, 0, 0, 0, 0}));
  put(folder, "in/a/masks/2.png", id_label(4, 2, {0, 0, 0, 0, 0, 127, 0, 128}));
  put(folder, "in/b/images/x.png", photo(4, 2));
  put(folder, "in/b/masks/1.png", id_label(4, 2, {255, 0, 0, 0, 0, 0, 0, 0}));
  PackOptions options = options_for(folder);
  options.input.images = {folder / "in/{key}/images/*"};
  options.input.labels = {folder / "in/{key}/masks/*"};
  options.record.size = {};
  options.label.kind = LabelKind::binary;
  CHECK(packed(options).records == 2);
  CHECK(findings_of(options) == "");
  CHECK(label_of(opened(options), 0) == Samples{1, 2, 2, 1, 1, 1, 1, 2});
  CHECK(label_of(opened(options), 1) == Samples{2, 1, 1, 1, 1, 1, 1, 1});
  PackOptions objects = elsewhere(options, "objects");
  objects.label.kind = LabelKind::instances;
  CHECK_THAT(failure(elsewhere(objects, "values")).describe(),
             ContainsSubstring("masks/2.png: holds more than two values"));
  objects.label.threshold = 128;
  (void)packed(objects);
  CHECK(findings_of(objects) == "");
  CHECK(label_of(opened(objects), 0) == Samples{0, 1, 1, 0, 0, 0, 0, 2});
  CHECK(label_of(opened(objects), 1) == Samples{1, 0, 0, 0, 0, 0, 0, 0});
  CHECK(opened(objects).classes().size() == 3);
  put(folder, "in/a/masks/2.png", id_label(4, 2, {0, 0, 255, 0, 0, 0, 0, 0}));
  const Error error = failure(elsewhere(objects, "overlap"));
  CHECK_THAT(error.describe(), ContainsSubstring("masks/2.png: overlaps '") &&
                                   ContainsSubstring("masks/10.png' at x=2 y=0"));
}

TEST_CASE("ids of more than 254 objects have two bytes") {
  const TempFolder folder;
  put(folder, "in/a.png", photo(20, 15));
  for (std::size_t i = 0; i < 300; ++i) {
    Ids ids(300);
    ids[i] = 255;
    put(folder, "in/a_" + std::to_string(1000 + i) + ".png", id_label(20, 15, ids));
  }
  PackOptions options = options_for(folder);
  options.input.images = {folder / "in"};
  options.input.labels = {folder / "in/{key}_*.png"};
  options.record.size = {};
  options.label.kind = LabelKind::instances;
  (void)packed(options);
  CHECK(findings_of(options) == "");
  const Samples label = label_of(opened(options), 0);
  REQUIRE(label.size() == 600);
  for (std::size_t i = 0; i < 300; ++i)
    CHECK(static_cast<std::size_t>(label[2 * i] + 256 * label[2 * i + 1]) == i + 1);
}

TEST_CASE("samples are packed in shuffled order") {
  const TempFolder folder;
  put_ids(folder, 9);
  PackOptions options = id_options(folder);
  options.shard.shuffle_seed = 7;
  (void)packed(options);
  Prepared expected = prepared(options);
  order_samples(7, expected.list);
  Names keys;
  for (const pipeline::Sample& sample : expected.list.samples)
    keys.emplace_back(expected.list.key(sample));
  CHECK(keys_of(opened(options)) == keys);
  CHECK(findings_of(options) == "");
}

TEST_CASE("images alone are a pack without labels") {
  const TempFolder folder;
  put(folder, "images/b.png", photo(8, 6, 2));
  put(folder, "images/a.png", photo(8, 6, 1));
  const PackOptions options = options_for(folder);
  (void)packed(options);
  const Dataset dataset = opened(options);
  CHECK_FALSE(dataset.schema().label);
  CHECK(image_of(dataset, 0) == photo_samples(8, 6, 1));
  CHECK(findings_of(options) == "");
}

TEST_CASE("class folders are one-hot vectors, and another pack shares their table") {
  const TempFolder folder;
  for (const std::string name : {"train/bee/1.png", "train/ant/2.png", "train/wasp/3.png",
                                 "val/bee/4.png", "val/wasp/5.png"})
    put(folder, name, photo(8, 6, static_cast<std::uint32_t>(name.size())));
  PackOptions train;
  train.input.image_folders = {folder / "train"};
  train.record.size = {8, 6};
  train.run.output = folder / "packed-train";
  (void)packed(train);
  PackOptions val = train;
  val.input.image_folders = {folder / "val"};
  val.label.classes = train.run.output;
  val.run.output = folder / "packed-val";
  const PackReport report = packed(val);
  const Dataset first = opened(train), second = opened(val);
  CHECK(first.classes() == second.classes());
  CHECK(label_of(first, 0) == Samples{1});  // ant
  CHECK(label_of(second, 0) == Samples{2});
  CHECK(label_of(second, 1) == Samples{4});
  CHECK(report.plan.warnings == Names{"class 'ant' has no image"});
  CHECK(findings_of(val) == "");
  CHECK(Dataset::open({train.run.output, val.run.output}).value().records() == 5);
}

TEST_CASE("a color table is shared through a pack") {
  const TempFolder folder;
  put_street(folder, 4);
  const PackOptions options = street_options(folder);
  (void)packed(options);
  PackOptions second = elsewhere(options, "second");
  second.label.classes = options.run.output;
  (void)packed(second);
  CHECK(content_of(second.run.output) == content_of(options.run.output));
}

TEST_CASE("a pack without classes has none to share") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  const PackOptions plain = options_for(folder);
  (void)packed(plain);
  put_ids(folder, 1);
  std::filesystem::remove(folder / "images/a.png");
  PackOptions options = elsewhere(options_for(folder), "second");
  options.label.classes = plain.run.output;
  CHECK(failure(options).code == ErrorCode::usage);
}

// ---- statistics

namespace {

struct SlowStatistics {
  std::array<std::uint64_t, 3> sums{}, squares{};
  std::uint64_t counted = 0, ignored = 0;
  std::vector<std::uint64_t> pixels, samples, labeled;
};

// From the packed records, pixel by pixel.
SlowStatistics slow_statistics(const Dataset& dataset) {
  SlowStatistics slow;
  slow.pixels.resize(dataset.classes().size());
  slow.samples = slow.labeled = slow.pixels;
  for (std::uint64_t i = 0; i < dataset.records(); ++i) {
    const auto sample = dataset.sample(i).value();
    const Samples image = image_of(dataset, i), label = label_of(dataset, i);
    const auto region = sample.source().region;
    std::vector<std::uint64_t> histogram(slow.pixels.size());
    std::uint64_t labeled = 0;
    for (std::int64_t p = 0; p < 16 * 12; ++p) {
      const std::int64_t x = p % 16, y = p / 16;
      const bool inside = x >= region[0] && x < region[0] + region[2] && y >= region[1] &&
                          y < region[1] + region[3];
      const auto at = static_cast<std::size_t>(p);
      for (std::size_t c = 0; c < 3 && inside; ++c) {
        slow.sums[c] += image[3 * at + c];
        slow.squares[c] += std::uint64_t{image[3 * at + c]} * image[3 * at + c];
      }
      slow.counted += inside;
      if (label[at] == 255) {
        ++slow.ignored;
      } else {
        ++histogram[label[at]];
        ++labeled;
      }
    }
    for (std::size_t c = 0; c < histogram.size(); ++c) {
      if (histogram[c] == 0) continue;
      slow.pixels[c] += histogram[c];
      ++slow.samples[c];
      slow.labeled[c] += labeled;
    }
  }
  return slow;
}

}  // namespace

TEST_CASE("statistics equal those of a slow computation over the packed records") {
  const TempFolder folder;
  put_street(folder, 7);
  // One label without cars, so that classes are in different samples.
  put(folder, "labels/south/3.png", color_label(20, 9, noise_ids(20, 9, 0), kColors));
  PackOptions options = street_options(folder);
  options.record.label_storage = LabelStorage::index;
  (void)packed(options);
  const Dataset dataset = opened(options);
  const Statistics statistics = dataset.statistics().value();
  const SlowStatistics slow = slow_statistics(dataset);
  CHECK(statistics.pixels == slow.pixels);
  CHECK(statistics.samples == slow.samples);
  CHECK(statistics.ignored == slow.ignored);
  CHECK(slow.samples == std::vector<std::uint64_t>{7, 6, 6, 0});
  const auto n = static_cast<double>(slow.counted);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(statistics.mean[c] == static_cast<double>(slow.sums[c]) / n / 255);
    const std::uint64_t spread = slow.counted * slow.squares[c] - slow.sums[c] * slow.sums[c];
    CHECK(statistics.std[c] == std::sqrt(static_cast<double>(spread)) / n / 255);
  }
  const std::uint64_t all = slow.pixels[0] + slow.pixels[1] + slow.pixels[2];
  std::vector<double> frequencies;
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(statistics.weights_inverse[c] ==
          static_cast<double>(all) / static_cast<double>(4 * slow.pixels[c]));
    frequencies.push_back(static_cast<double>(slow.pixels[c]) /
                          static_cast<double>(slow.labeled[c]));
  }
  auto sorted = frequencies;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(statistics.weights_median[c] == sorted[1] / frequencies[c]);
  CHECK_FALSE(statistics.weights_inverse[3]);
  CHECK_FALSE(statistics.weights_median[3]);
}

// ---- the plan

TEST_CASE("the plan's bytes are those of shards whose records hold every class") {
  const TempFolder folder;
  put_street(folder, 8);
  for (const LabelStorage storage :
       {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
    for (const bool gray : {false, true}) {
      PackOptions options =
          elsewhere(street_options(folder),
                    std::to_string(static_cast<int>(storage)) + (gray ? "gray" : "rgb"));
      options.record.label_storage = storage;
      if (gray)
        options.record.color = ImageColor::gray, options.record.layout = AxisOrder::channels_first;
      const PackReport plan = run(options, true).value();
      CHECK(plan.status == PackStatus::planned);
      CHECK_FALSE(plan.plan.exact);
      CHECK(plan.plan.bytes_to_write == plan.plan.shard_bytes_total);
      CHECK_FALSE(std::filesystem::exists(options.run.output));
      const PackReport report = packed(options);
      std::uint64_t rows = 0;  // of label.classes
      for (const std::uint64_t samples : report.statistics->samples) rows += samples;
      const std::uint64_t most = plan.plan.samples * plan.schema->class_count();
      CHECK(report.bytes_out == plan.plan.shard_bytes_total - 8 * (most - rows));
      CHECK(shard_bytes_of(options) == report.bytes_out);
    }
  }
}

TEST_CASE("compressed packs are planned by an upper bound") {
  const TempFolder folder;
  put_street(folder, 8);
  PackOptions options = street_options(folder);
  options.shard.zstd_image = options.shard.zstd_label = true;
  const PackReport plan = run(options, true).value();
  CHECK_FALSE(plan.plan.exact);
  (void)packed(options);
  CHECK(shard_bytes_of(options) <= plan.plan.shard_bytes_total);
  CHECK(findings_of(options) == "");
}

TEST_CASE("kept shards do not count as bytes to write") {
  const TempFolder folder;
  put_ids(folder, 5);
  const PackOptions options = id_options(folder);
  (void)packed(options);
  const std::uint64_t all = shard_bytes_of(options);
  const std::uint64_t second =
      std::filesystem::file_size(options.run.output + "/shard-00001-of-00003.safetensors");
  std::filesystem::remove(options.run.output + "/shard-00001-of-00003.safetensors");
  const PackReport plan = run(options, true).value();
  CHECK(plan.plan.kept_shards == 2);
  const std::uint64_t more = plan.plan.shard_bytes_total - all;  // rows of label.classes, at most
  CHECK(plan.plan.bytes_to_write == second + more);
  CHECK(more <= 8 * 2 * plan.schema->class_count());
}

// ---- the same bytes

TEST_CASE("the number of threads changes no byte") {
  const TempFolder folder;
  put_street(folder, 12);
  put(folder, "images/" + key_of(5) + ".png", bad_photo());
  std::vector<PackOptions> forms(4, street_options(folder));
  forms[1].shard.zstd_image = forms[1].shard.zstd_label = true;
  forms[2].shard.zstd_label = true;
  forms[2].record.label_storage = LabelStorage::index;
  forms[3].shard.shuffle_seed = 3;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    PackOptions one = elsewhere(forms[i], std::to_string(i) + "-1"),
                eight = elsewhere(forms[i], std::to_string(i) + "-8");
    one.run.skip_errors = eight.run.skip_errors = true;
    eight.run.threads = 8;
    const PackReport first = packed(one), second = packed(eight);
    CHECK(first.skipped == 1);
    CHECK(content_of(one.run.output) == content_of(eight.run.output));
    CHECK(first.problems.text() == second.problems.text());
    CHECK(findings_of(one) == "");
  }
}

TEST_CASE("the folder of the inputs changes no byte") {
  const TempFolder folder, other;
  put_street(folder, 5);
  put_street(other, 5);
  (void)packed(street_options(folder));
  (void)packed(street_options(other));
  CHECK(content_of(folder / "packed") == content_of(other / "packed"));
}

// ---- bad samples

TEST_CASE("a bad file is refused by its header, before anything is written") {
  const TempFolder folder;
  put_ids(folder, 3);
  put(folder, "labels/1.png", noise_label(9, 9));
  const PackOptions options = id_options(folder);
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::refused);
  CHECK(report.problems.group(ProblemKind::size_mismatch).count == 1);
  CHECK_FALSE(std::filesystem::exists(options.run.output));
}

TEST_CASE("a damaged image stops the run with its name and leaves no partial file") {
  const TempFolder folder;
  put_ids(folder, 5);
  put(folder, "images/1.png", bad_photo());
  const PackOptions options = id_options(folder);
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::data);
  CHECK(error.path == folder / "images/1.png");
  CHECK_THAT(error.message,
             ContainsSubstring("--on-error skip") && ContainsSubstring("hotpack check"));
  CHECK(content_of(options.run.output).empty());
}

TEST_CASE("finished shards survive a failed run and --on-error skip continues") {
  const TempFolder folder;
  put_ids(folder, 6);
  put(folder, "images/5.png", bad_photo());
  PackOptions options = id_options(folder);
  CHECK(failure(options).code == ErrorCode::data);
  CHECK_FALSE(std::filesystem::exists(options.run.output + "/dataset.json"));
  CHECK(std::filesystem::exists(options.run.output + "/shard-00000-of-00003.safetensors"));
  options.run.skip_errors = true;
  const PackReport report = packed(options);
  CHECK(report.kept_shards == 2);
  CHECK(report.packed_shards == 1);
  CHECK(report.skipped == 1);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("a skipped sample makes its shard shorter and moves nothing else") {
  const TempFolder folder;
  put_ids(folder, 6);
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  const auto whole = fresh_content(options);
  put(folder, "images/2.png", with_bad_png_checksum(read_bytes(folder / "images/2.png"), "IDAT"));
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::packed);
  CHECK(report.skipped == 1);
  CHECK(report.records == 5);
  const auto content = content_of(options.run.output);
  CHECK(content.at("shard-00000-of-00003.safetensors") ==
        whole.at("shard-00000-of-00003.safetensors"));
  CHECK(content.at("shard-00002-of-00003.safetensors") ==
        whole.at("shard-00002-of-00003.safetensors"));
  CHECK(keys_of(opened(options)) == Names{"0", "1", "3", "4", "5"});
  CHECK(opened(options).skipped() == 1);
  CHECK(findings_of(options) == "");
}

TEST_CASE("samples that headers refuse are skipped too") {
  const TempFolder folder;
  put_ids(folder, 4);
  put(folder, "images/0.png", text_file("no image"));
  put(folder, "labels/1.png", noise_label(9, 9));
  put(folder, "labels/2.png", id_label(8, 6, Ids(48, 77)));
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  options.run.skipped_file = folder / "skipped.tsv";
  const PackReport report = packed(options);
  CHECK(report.skipped == 3);
  CHECK(keys_of(opened(options)) == Names{"3"});
  CHECK(findings_of(options) == "");
  const Bytes bytes = read_bytes(folder / "skipped.tsv");
  const std::string lines(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CHECK_THAT(lines, ContainsSubstring("0\t" + folder / "images/0.png\t"));
  CHECK_THAT(lines, ContainsSubstring("1\t" + folder / "images/1.png\tis 8x6, its label"));
  CHECK_THAT(lines, ContainsSubstring("2\t" + folder / "labels/2.png\t48 pixels of unknown id 77"));
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
}

TEST_CASE("a shard of skipped samples alone is a shard without records") {
  const TempFolder folder;
  put_ids(folder, 4);
  for (const std::string name : {"images/2.png", "images/3.png"}) put(folder, name, bad_photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  (void)packed(options);
  CHECK(opened(options).shards()[1].records == 0);
  CHECK(findings_of(options) == "");
}

TEST_CASE("option --max-errors limits what is skipped") {
  const TempFolder folder;
  put_ids(folder, 6);
  for (const std::string name : {"images/2.png", "images/4.png"}) put(folder, name, bad_photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  options.run.max_errors = 1;
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message,
             ContainsSubstring("--max-errors allows 1") && ContainsSubstring("images/4.png"));
  options.run.max_errors = 2;
  CHECK(packed(options).skipped == 2);
}

TEST_CASE("option --accept-skips tells how many skips are accepted") {
  const TempFolder folder;
  put_ids(folder, 6);
  for (const std::string name : {"images/2.png", "images/4.png"}) put(folder, name, bad_photo());
  PackOptions options = id_options(folder);
  options.run.accepted_skips = AcceptedSkips{2, std::nullopt};
  CHECK_THAT(failure(options).message, ContainsSubstring("--on-error skip"));
  options.run.skip_errors = true;
  CHECK(packed(options).accepted == 2);
  CHECK(packed(options).accepted == 2);  // complete already
  options.run.accepted_skips = AcceptedSkips{0, 34.0};
  CHECK(packed(options).accepted == 2);  // of 6 samples
  options = elsewhere(options, "part");
  options.run.partition = Partition{1, 3};  // samples 2 and 3
  options.run.accepted_skips = AcceptedSkips{0, 50.0};
  for (int run = 0; run < 2; ++run) {
    const PackReport part = packed(options);
    CHECK(part.skipped == 1);
    CHECK(part.accepted == 1);
  }
  options.run.accepted_skips.reset();
  CHECK_FALSE(packed(options).accepted);
}

// ---- partitions and foreign files

namespace {

// Six samples in three shards, packed by three partitions.
struct Thirds {
  Thirds() {
    put_ids(folder, 6);
    options = id_options(folder);
    options.run.partition = Partition{1, 3};
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return options.run.output + "/" + name;
  }
  void put_foreign(const std::string& name) const {
    std::filesystem::create_directories(options.run.output);
    std::ofstream(path(name)) << kForeign;
  }
  [[nodiscard]] bool is_foreign(const std::string& name) const {
    std::ifstream file(path(name));
    return std::string(std::istreambuf_iterator<char>(file), {}) == kForeign;
  }

  static constexpr const char* kForeign =
      "somebody's work, longer than the start of a shard of ours";
  static constexpr const char* kFirst = "shard-00000-of-00003.safetensors";
  static constexpr const char* kOwn = "shard-00001-of-00003.safetensors";
  static constexpr const char* kThird = "shard-00002-of-00003.safetensors";
  TempFolder folder;
  PackOptions options;
};

}  // namespace

TEST_CASE("a partition does not replace a foreign file, also with --force") {
  Thirds thirds;
  PackOptions first = thirds.options;
  first.run.partition = Partition{0, 3};
  (void)packed(first);
  thirds.put_foreign(Thirds::kOwn);
  for (const bool force : {false, true}) {
    thirds.options.run.force = force;
    CHECK_THAT(failure(thirds.options).message, ContainsSubstring(Thirds::kOwn));
    CHECK(thirds.is_foreign(Thirds::kOwn));
  }
}

TEST_CASE("a partition does not remove a foreign file that looks like a shard") {
  Thirds thirds;
  PackOptions first = thirds.options;
  first.run.partition = Partition{0, 3};
  (void)packed(first);
  thirds.put_foreign("shard-00003-of-00004.safetensors");
  CHECK_THAT(failure(thirds.options).message, ContainsSubstring("shard-00003-of-00004"));
  CHECK(thirds.is_foreign("shard-00003-of-00004.safetensors"));
}

TEST_CASE("a partition leaves the shards of the others alone") {
  Thirds thirds;
  PackOptions first = thirds.options;
  first.run.partition = Partition{0, 3};
  (void)packed(first);
  thirds.put_foreign(Thirds::kThird);
  for (const bool force : {false, true}) {
    thirds.options.run.force = force;
    CHECK(packed(thirds.options).packed_shards == 1);
    CHECK(thirds.is_foreign(Thirds::kThird));
    CHECK(std::filesystem::exists(thirds.path(Thirds::kFirst)));
  }
}

TEST_CASE("a partition without shards makes its folder, for the merge") {
  Thirds thirds;
  thirds.options.run.partition = Partition{3, 7};
  CHECK(run(thirds.options, true).ok());
  CHECK_FALSE(std::filesystem::exists(thirds.options.run.output));
  CHECK(packed(thirds.options).status == PackStatus::complete);
  CHECK(std::filesystem::is_empty(thirds.options.run.output));
}

TEST_CASE("a list that cannot be written does not hide why packing failed") {
  const TempFolder folder;
  put_ids(folder, 6);
  put(folder, "images/2.png", bad_photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  options.run.max_errors = 0;
  std::filesystem::create_directory(folder / "lists");
  options.run.skipped_file = folder / "lists/skipped.tsv";
  class Remover : public Recorder {
   public:
    explicit Remover(std::string path) : path_(std::move(path)) {}
    void progress(const Progress& progress) override {
      if (progress.stage == "packing") std::filesystem::remove_all(path_);
    }

   private:
    std::string path_;
  } remover(folder / "lists");
  const auto report = pack(options, false, remover);
  REQUIRE_FALSE(report.ok());
  CHECK_FALSE(std::filesystem::exists(folder / "lists"));
  CHECK_THAT(report.error().message, ContainsSubstring("--max-errors allows 0"));
}

TEST_CASE("skipped samples of kept shards are listed again") {
  const TempFolder folder;
  put_ids(folder, 6);
  put(folder, "images/0.png", bad_photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  (void)packed(options);
  std::filesystem::remove(options.run.output + "/shard-00002-of-00003.safetensors");
  options.run.skipped_file = folder / "skipped.tsv";
  const PackReport report = packed(options);
  CHECK(report.kept_shards == 2);
  CHECK(report.skipped == 1);
  CHECK(read_bytes(folder / "skipped.tsv") ==
        text_file("0\t" + folder / "images/0.png\tskipped by an earlier run\n"));
}

TEST_CASE("a file that cannot be read is never skipped") {
  const TempFolder folder;
  put_ids(folder, 4);
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  // The survey reads headers first; the file goes away behind it.
  class Remover : public Recorder {
   public:
    explicit Remover(std::string path) : path_(std::move(path)) {}
    void message(Level, std::string_view) override { std::filesystem::remove(path_); }

   private:
    std::string path_;
  } remover(folder / "labels/3.png");
  const auto report = pack(options, false, remover);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::io);
  CHECK(report.error().path == folder / "labels/3.png");
  CHECK_FALSE(std::filesystem::exists(options.run.output + "/dataset.json"));
}

TEST_CASE("a label that may hold colors or ids is never skipped") {
  const TempFolder folder;
  put_street(folder, 6);
  put(folder, "labels/north/2.png", noise_label(11, 14, 2));
  put(folder, "images/south/5.png",
      with_bad_png_checksum(read_bytes(folder / "images/south/5.png"), "IDAT"));
  PackOptions options = street_options(folder);
  options.run.skip_errors = true;
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::data);
  CHECK(error.path == folder / "labels/north/2.png");
  CHECK_THAT(error.message, ContainsSubstring("--label-kind index"));
}

TEST_CASE("orphans and duplicates stop a pack at the start despite skipping") {
  const TempFolder folder;
  put_ids(folder, 3);
  put(folder, "images/orphan.png", photo());
  put(folder, "images/2.jpg", photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::refused);
  CHECK(report.problems.count() == 2);
  CHECK_FALSE(std::filesystem::exists(options.run.output));
  std::filesystem::remove(folder / "images/2.jpg");
  options.input.skip_orphans = true;
  const PackReport without = packed(options);
  CHECK(without.status == PackStatus::packed);
  CHECK(without.records == 3);
}

TEST_CASE("a decompression bomb is refused by its header") {
  const TempFolder folder;
  put_ids(folder, 2);
  put(folder, "images/1.png",
      with_png_byte(with_png_byte(photo(), "IHDR", 2, std::byte{0xFF}), "IHDR", 6,
                    std::byte{0xFF}));
  CHECK(packed(id_options(folder)).problems.group(ProblemKind::too_large).count == 1);
  PackOptions small = id_options(folder);
  put(folder, "images/1.png", photo());
  small.record.max_pixels = 47;
  CHECK(packed(small).problems.group(ProblemKind::too_large).count == 2);
}

TEST_CASE("a pack without --lenient is packed again with it") {
  const TempFolder folder;
  put_ids(folder, 2);
  Bytes jpeg = make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3));
  jpeg.insert(jpeg.begin() + static_cast<std::ptrdiff_t>(jpeg_segment_at(jpeg, 0xDB)), 3,
              std::byte{0x12});
  put(folder, "images/1.png", jpeg);
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  CHECK(packed(options).skipped == 1);
  options.record.lenient = true;
  CHECK_THAT(failure(options).message, ContainsSubstring("--lenient now, without --lenient then"));
  options.run.force = true;
  const PackReport again = packed(options);
  CHECK(again.skipped == 0);
  CHECK(again.diagnostics.lenient_jpegs == 1);
}

// ---- again

TEST_CASE("a complete pack is left alone, with its first report") {
  const TempFolder folder;
  put_ids(folder, 5);
  put(folder, "images/0.png", bad_photo());
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  const PackReport first = packed(options);
  const auto time = std::filesystem::last_write_time(options.run.output + "/dataset.json");
  // Nothing but names, sizes and times of inputs is examined.
  put(folder, "images/1.png", Bytes(read_bytes(folder / "images/1.png").size()));
  make_older(folder / "images/1.png");
  const PackReport again = packed(options);
  CHECK(again.status == PackStatus::complete);
  CHECK(again.records == first.records);
  CHECK(again.skipped == first.skipped);
  CHECK(again.statistics == first.statistics);
  CHECK(again.bytes_out == first.bytes_out);
  CHECK(std::filesystem::last_write_time(options.run.output + "/dataset.json") == time);
}

TEST_CASE("a complete pack is found without --num-classes or reading labels") {
  const TempFolder folder;
  put_ids(folder, 4);
  PackOptions options = id_options(folder);
  options.label.class_count.reset();
  (void)packed(options);
  for (int i = 0; i < 4; ++i) {
    const std::string name = "labels/" + std::to_string(i) + ".png";
    put(folder, name, Bytes(read_bytes(folder / name).size()));
    make_older(folder / name);
  }
  CHECK(packed(options).status == PackStatus::complete);
}

TEST_CASE("lost and damaged shards are packed again, the result is the same") {
  const TempFolder folder;
  put_street(folder, 11);
  const PackOptions options = street_options(folder);
  (void)packed(options);
  const auto before = content_of(options.run.output);
  std::filesystem::remove(options.run.output + "/dataset.json");
  std::filesystem::remove(options.run.output + "/shard-00000-of-00004.safetensors");
  folder.write("packed/shard-00002-of-00004.safetensors",
               std::string(reinterpret_cast<const char*>(
                               before.at("shard-00002-of-00004.safetensors").data()),
                           5000));
  folder.write("packed/.shard-00001-of-00004.safetensors.0123456789abcdef.tmp", "of a killed run");
  const PackReport report = packed(options);
  CHECK(report.kept_shards == 2);
  CHECK(report.packed_shards == 2);
  REQUIRE(report.plan.warnings.size() == 1);
  CHECK_THAT(report.plan.warnings[0], ContainsSubstring("shard-00002-of-00004"));
  CHECK(content_of(options.run.output) == before);
}

TEST_CASE("a stopped run leaves no temporary file and is continued") {
  const TempFolder folder;
  put_street(folder, 30);
  const PackOptions options = street_options(folder);
  Recorder recorder;
  recorder.stop_after = 10;
  const PackReport stopped = only_set(pack(options, false, recorder).value());
  CHECK(stopped.status == PackStatus::stopped);
  CHECK(stopped.packed_shards >= 3);
  const auto left = content_of(options.run.output);
  CHECK(left.size() == stopped.packed_shards);
  CHECK(left.count("dataset.json") == 0);
  const PackReport report = packed(options);
  CHECK(report.kept_shards == stopped.packed_shards);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("an input of another size is noticed, and its shard alone packed again") {
  const TempFolder folder;
  put_ids(folder, 6);
  const PackOptions options = id_options(folder);
  (void)packed(options);
  put(folder, "labels/3.png",
      with_png_chunk(noise_label(8, 6, 2, 3), "tEXt", text_file("Comment\0edited")));
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::packed);
  CHECK(report.kept_shards == 2);
  CHECK(report.changed_shards == 1);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("an input of the same size is noticed by --recheck") {
  const TempFolder folder;
  put_ids(folder, 6);
  PackOptions options = id_options(folder);
  (void)packed(options);
  const Bytes before = id_label(8, 6, Ids(48, 1)), after = id_label(8, 6, Ids(48, 2));
  REQUIRE(before.size() == after.size());
  put(folder, "labels/3.png", before);
  (void)packed(options);
  put(folder, "labels/3.png", after);
  make_older(folder / "labels/3.png");
  CHECK(packed(options).status == PackStatus::complete);
  options.run.recheck = true;
  const PackReport report = packed(options);
  CHECK(report.status == PackStatus::packed);
  CHECK(report.kept_shards == 2);
  CHECK(report.changed_shards == 1);
  CHECK(content_of(options.run.output) == fresh_content(options));
  CHECK(packed(options).status == PackStatus::complete);
}

TEST_CASE("an edited input of the same size is noticed by its time") {
  const TempFolder folder;
  put_ids(folder, 6);
  PackOptions options = id_options(folder);
  const std::string edited = GENERATE("images/3.png", "labels/3.png");
  const Bytes original = read_bytes(folder / edited);
  const Bytes before = with_png_chunk(original, "tEXt", text_file("Comment one"));
  const Bytes after = with_png_chunk(original, "tEXt", text_file("Comment two"));
  put(folder, edited, before);
  (void)packed(options);
  put(folder, edited, before);  // a new time, the same contents
  CHECK(packed(options).status == PackStatus::complete);
  put(folder, edited, after);
  SECTION("in a run of all shards") {
    const PackReport report = packed(options);
    CHECK(report.status == PackStatus::packed);
    CHECK(report.kept_shards == 2);
    CHECK(report.plan.warnings.empty());
  }
  SECTION("in the partition of its shard") {
    std::uint64_t written = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      options.run.partition = Partition{i, 3};
      written += packed(options).packed_shards;
    }
    CHECK(written == 1);
    options.run.partition.reset();
    (void)packed(options);
  }
  CHECK(content_of(options.run.output) == fresh_content(options));
  CHECK(packed(options).status == PackStatus::complete);
}

TEST_CASE("an edited mask of several is noticed by its time") {
  const TempFolder folder;
  const auto mask = [](std::uint16_t id) {
    return with_png_chunk(id_label(8, 6, Ids(48, 255)), "tEXt",
                          text_file(id == 0 ? "Comment one" : "Comment two"));
  };
  for (const std::string key : {"0", "1", "2"}) {
    put(folder, "images/" + key + ".png", photo(8, 6));
    put(folder, "labels/" + key + "_road.png", mask(0));
  }
  PackOptions options = options_for(folder);
  options.input.mask_per_class = "{key}_{class}";
  options.shard.shard_samples = 1;
  (void)packed(options);
  CHECK(packed(options).status == PackStatus::complete);
  put(folder, "labels/1_road.png", mask(1));
  CHECK(packed(options).kept_shards == 2);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("option --recheck tries skipped samples again") {
  const TempFolder folder;
  put_ids(folder, 4);
  const Bytes good = read_bytes(folder / "images/1.png");
  put(folder, "images/1.png", with_bad_png_checksum(good, "IDAT"));
  PackOptions options = id_options(folder);
  options.run.skip_errors = true;
  CHECK(packed(options).skipped == 1);
  put(folder, "images/1.png", good);
  const bool old = GENERATE(false, true);
  if (old) make_older(folder / "images/1.png");
  if (old) CHECK(packed(options).skipped == 1);
  options.run.recheck = old;
  CHECK(packed(options).skipped == 0);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("samples that were added or removed make a new plan in the same folder") {
  const TempFolder folder;
  put_ids(folder, 6);
  const PackOptions options = id_options(folder);
  (void)packed(options);
  put_ids(folder, 9);
  CHECK(packed(options).records == 9);
  CHECK(content_of(options.run.output) == fresh_content(options));
  for (const std::string side : {"images/", "labels/"})
    for (int i = 2; i < 9; ++i)
      std::filesystem::remove(folder / (side + std::to_string(i) + ".png"));
  CHECK(packed(options).records == 2);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("the first JPEG among PNGs makes a new plan, not another option") {
  const TempFolder folder;
  put_ids(folder, 6);
  const PackOptions options = id_options(folder);
  (void)packed(options);
  put(folder, "images/j.jpg", make_jpeg({.width = 8, .height = 6}, smooth_samples(8, 6, 3)));
  put(folder, "labels/j.png", noise_label());
  CHECK(packed(options).records == 7);
  CHECK(content_of(options.run.output) == fresh_content(options));
  PackOptions other = options;
  other.record.jpeg_scale = JpegScale::off;
  CHECK_THAT(failure(other).message, ContainsSubstring("--jpeg-scale off now, auto then"));
}

TEST_CASE("other options are refused by name, and --force replaces the pack") {
  const TempFolder folder;
  put_ids(folder, 5);
  PackOptions options = id_options(folder);
  (void)packed(options);
  const auto before = content_of(options.run.output);
  options.record.label_storage = LabelStorage::index;
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("storage") && ContainsSubstring("--force"));
  CHECK(content_of(options.run.output) == before);
  options.shard.shard_samples = 4;
  options.run.force = true;
  CHECK(packed(options).packed_shards == 2);
  CHECK(content_of(options.run.output) == fresh_content(options));
}

TEST_CASE("option --force packs everything again, to the same bytes") {
  const TempFolder folder;
  put_ids(folder, 5);
  PackOptions options = id_options(folder);
  (void)packed(options);
  const auto before = content_of(options.run.output);
  options.run.force = true;
  const PackReport report = packed(options);
  CHECK(report.packed_shards == 3);
  CHECK(report.kept_shards == 0);
  CHECK(content_of(options.run.output) == before);
}

TEST_CASE("a foreign file in the output folder is kept and refused with --force") {
  const TempFolder folder;
  put_ids(folder, 2);
  PackOptions options = id_options(folder);
  folder.write("packed/thesis.txt", "years of work");
  for (const bool force : {false, true}) {
    options.run.force = force;
    const Error error = failure(options);
    CHECK(error.code == ErrorCode::usage);
    CHECK_THAT(error.message, ContainsSubstring("thesis.txt"));
  }
  CHECK(content_of(options.run.output).size() == 1);
}

TEST_CASE("an output folder that cannot be created is an I/O error") {
  const TempFolder folder;
  put_ids(folder, 2);
  PackOptions options = id_options(folder);
  folder.write("file", "x");
  options.run.output = folder / "file/packed";
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::io);
  options.run.output.clear();
  CHECK(failure(options).code == ErrorCode::usage);
}

// ---- check

TEST_CASE("progress counts samples to the end") {
  const TempFolder folder;
  put_ids(folder, 5);
  Recorder recorder;
  (void)pack(id_options(folder), false, recorder).value();
  CHECK(recorder.last.stage == "packing");
  CHECK(recorder.last.samples_done == 5);
  CHECK(recorder.last.samples_total == 5);
  CHECK(recorder.last.bytes_in > 0);
  CHECK(recorder.last.bytes_out == 5 * (8 * 6 * 3 + 8 * 6));
  CHECK_THAT(recorder.messages, ContainsSubstring("labels are read as index"));
}

// ---- several sets

TEST_CASE("an unlabeled split is packed next to labeled ones") {
  const TempFolder folder;
  for (const std::string split : {"train", "val", "test"}) {
    put(folder, split + "/a.png", photo());
    if (split != "test")
      put(folder, split + "_labels/a.png", noise_label(8, 6, split == "train" ? 1 : 2));
  }
  PackOptions options;
  options.input.root = folder.path();
  options.record.size = {8, 6};
  TempFolder output;
  options.run.output = output / "packed";
  Recorder recorder;
  const PackRun run = pack(options, false, recorder).value();
  CHECK(run.status == PackStatus::packed);
  REQUIRE(run.sets.size() == 3);
  std::map<std::string, Dataset> sets;
  for (const PackReport& set : run.sets) {
    CHECK(verify_dataset(set.output).value().ok());
    sets.emplace(set.split, Dataset::open(set.output).value());
  }
  CHECK_FALSE(sets.at("test").schema().label);
  CHECK(sets.at("train").classes().size() == 3);  // val has the third
  CHECK(sets.at("train").classes() == sets.at("val").classes());
  CHECK(only_set(pack(options, false, recorder).value()).status == PackStatus::complete);
  CHECK_THAT(recorder.messages, ContainsSubstring("train"));
}

TEST_CASE("splits are not packed into the folder of a pack") {
  const TempFolder folder;
  put_ids(folder, 4);
  const PackOptions one = id_options(folder);
  (void)packed(one);
  PackOptions several = one;
  several.input.split.method = SplitOptions::Method::hash;
  several.input.split.parts = {{"train", "50"}, {"val", "50"}};
  const Error error = failure(several);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("is a packed data set. This input makes several"));
}

TEST_CASE("packs of other splits are refused, and --force removes them") {
  const TempFolder folder;
  put_ids(folder, 12);
  PackOptions options = id_options(folder);
  options.input.split.method = SplitOptions::Method::hash;
  const auto divide = [&](const std::vector<SplitOptions::Part>& parts) {
    options.input.split.parts = parts;
  };
  Recorder recorder;
  const auto packs = [&] { return names_in_folder(options.run.output).value(); };
  divide({{"a", "25"}, {"train", "50"}, {"val", "25"}});
  CHECK(pack(options, false, recorder).value().status == PackStatus::packed);
  CHECK(pack(options, false, recorder).value().status == PackStatus::complete);
  divide({{"train", "50"}, {"dev", "50"}});
  const Error error = failure(options);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("also holds packs that are no splits of this run "
                                              "('a', 'val')") &&
                                ContainsSubstring("--force"));
  CHECK_FALSE(pack(options, true, recorder).ok());
  options.run.force = true;
  put(folder, "packed/val/notes.txt", {});
  CHECK_THAT(failure(options).message, ContainsSubstring("notes.txt: was not made by hotpack"));
  CHECK(packs().size() == 3);
  std::filesystem::remove(options.run.output + "/val/notes.txt");
  CHECK(pack(options, true, recorder).ok());
  CHECK(packs().size() == 3);
  CHECK(pack(options, false, recorder).value().status == PackStatus::packed);
  CHECK(packs() == std::vector<std::string>{"dev", "train"});
}

TEST_CASE("one data set is not packed into the folder of splits") {
  const TempFolder folder;
  put_ids(folder, 4);
  PackOptions options = id_options(folder);
  PackOptions several = options;
  several.input.split.method = SplitOptions::Method::hash;
  several.input.split.parts = {{"train", "50"}, {"val", "50"}};
  Recorder recorder;
  CHECK(pack(several, false, recorder).ok());
  CHECK_THAT(failure(options).message,
             ContainsSubstring("holds packed data sets in folders of their own, the first in "
                               "'train'"));
}

// ---- records of their own size

TEST_CASE("images of mixed sizes are packed, verified and kept, bad ones skipped") {
  const TempFolder folder;
  for (int i = 0; i < 6; ++i) {
    put(folder, "images/" + std::to_string(i) + ".png",
        photo(8 + i, 20 - 2 * i, static_cast<std::uint32_t>(i)));
    put(folder, "labels/" + std::to_string(i) + ".png",
        noise_label(8 + i, 20 - 2 * i, 2, static_cast<std::uint32_t>(i)));
  }
  put(folder, "images/3.png", with_bad_png_checksum(photo(11, 14), "IDAT"));
  PackOptions options = id_options(folder);
  options.record.size = {};
  options.run.skip_errors = true;
  options.shard.shard_samples = 4;
  for (const bool zstd : {false, true}) {
    options.run.output = folder / (zstd ? "packed_zstd" : "packed");
    options.shard.zstd_image = zstd;
    const PackReport report = packed(options);
    CHECK(report.records == 5);
    CHECK(report.skipped == 1);
    CHECK(verify_dataset(options.run.output).value().ok());
    const Dataset dataset = opened(options);
    const hotpack::Sample sample = dataset.sample(4).value();
    std::vector<std::uint8_t> pixels(sample.image_shape().size_bytes());
    CHECK(sample.image_shape().width == 13);
    CHECK(sample.read_image(pixels).ok());
    CHECK(pixels == photo_samples(13, 10, 5));
    CHECK(packed(options).status == PackStatus::complete);
  }
}

TEST_CASE("tiles of several images give one pack for any thread count") {
  const TempFolder folder;
  for (int i = 0; i < 5; ++i) {
    put(folder, "images/" + std::to_string(i) + ".png",
        photo(30 + i, 21, static_cast<std::uint32_t>(i)));
    put(folder, "labels/" + std::to_string(i) + ".png",
        noise_label(30 + i, 21, 2, static_cast<std::uint32_t>(i)));
  }
  PackOptions options = id_options(folder);
  options.record.size = {};
  options.record.tile = TileOptions{{10, 9}, 3};
  options.shard.shard_samples = 7;
  const PackReport one = packed(options);
  CHECK(verify_dataset(options.run.output).value().ok());
  CHECK(one.records == one.plan.samples);
  PackOptions eight = elsewhere(options, "eight");
  eight.run.threads = 8;
  (void)packed(eight);
  CHECK(content_of(eight.run.output) == content_of(options.run.output));
  CHECK(packed(options).status == PackStatus::complete);
  options.run.recheck = true;
  CHECK(packed(options).status == PackStatus::complete);
}
