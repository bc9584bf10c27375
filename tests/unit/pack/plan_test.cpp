#include "pack/plan.hpp"
#include "base/words.hpp"

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/schema_json.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Names = std::vector<std::string>;

// A list that needs no files: keys, with the sizes of images and labels.
SampleList list_of(const Names& keys, std::string_view extension = ".png") {
  SampleList list;
  list.images.roots = list.labels.roots = {{"/data", ""}};
  list.has_label_files = true;
  for (const std::string& key : keys) {
    Sample sample;
    const auto add_file = [&](FileList& files, SourceFile& file) {
      file.text = files.arena.add(key, extension);
      file.text_length = static_cast<std::uint16_t>(key.size() + 4);
      file.bytes = 100 + key.size();
    };
    add_file(list.images, sample.image);
    add_file(list.labels, sample.label);
    sample.image.key = sample.image.text;
    sample.image.key_length = static_cast<std::uint16_t>(key.size());
    list.samples.push_back(sample);
  }
  return list;
}

Names numbered_keys(int count) {
  Names keys;
  for (int i = 0; i < count; ++i) keys.push_back("city/" + std::to_string(i));
  return keys;
}

Names keys_of(const SampleList& list) {
  Names keys;
  for (const Sample& sample : list.samples) keys.emplace_back(list.key(sample));
  return keys;
}

// 12 classes per pixel.
LabelSetup id_setup(int classes = 12) {
  LabelSetup setup;
  setup.scope = LabelScope::pixel;
  labels::LabelRules rules;
  auto decoder = labels::LabelDecoder::create(labels::numbered_classes(classes), rules).value();
  setup.table = decoder.table();
  setup.decoder = std::move(decoder);
  setup.label_kind = "index";
  setup.unknown = "error";
  setup.pad_label = "ignore";
  return setup;
}

PackOptions options_of(int width = 8, int height = 6) {
  PackOptions options;
  options.record.size = {width, height};
  return options;
}

Plan planned(const PackOptions& options, SampleList& list, const LabelSetup& setup = id_setup()) {
  return make_plan(options, setup, list).value();
}

std::vector<std::uint64_t> sizes_of(const Plan& plan) {
  std::vector<std::uint64_t> sizes;
  for (const ShardPlan& shard : plan.shards) sizes.push_back(shard.samples);
  return sizes;
}

}  // namespace

TEST_CASE("samples stand in the order of their keys' bytes") {
  SampleList list = list_of({"b", "a/z", "é", "a-b", "B", "10", "9"});
  order_samples(std::nullopt, list);
  CHECK(keys_of(list) == Names{"10", "9", "B", "a-b", "a/z", "b", "é"});
}

TEST_CASE("shuffled order is that of XXH3-128 over seed and key") {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0x0123456789ABCDEF}}) {
    std::vector<std::pair<Hash128, std::string>> ranked;
    for (const std::string& key : numbered_keys(200)) {
      std::string text(8, '\0');
      for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(seed >> (8 * i));
      ranked.emplace_back(xxh3_128(text + key), key);
    }
    std::sort(ranked.begin(), ranked.end());
    Names expected;
    for (const auto& [rank, key] : ranked) expected.push_back(key);
    SampleList list = list_of(numbered_keys(200));
    order_samples(seed, list);
    CHECK(keys_of(list) == expected);
    CHECK(keys_of(list) != numbered_keys(200));
  }
}

TEST_CASE("shuffled order does not depend on the order before") {
  Names backwards = numbered_keys(50);
  std::reverse(backwards.begin(), backwards.end());
  SampleList one = list_of(numbered_keys(50)), other = list_of(backwards);
  order_samples(3, one);
  order_samples(3, other);
  CHECK(keys_of(one) == keys_of(other));
}

TEST_CASE("record sizes are those of every storage") {
  PackOptions options = options_of();
  SampleList list = list_of({"a"});
  CHECK(planned(options, list).largest.image == 8 * 6 * 3);
  CHECK(planned(options, list).largest.label == 8 * 6 * 2);
  options.record.label_storage = LabelStorage::one_hot;
  CHECK(planned(options, list).largest.label == 8 * 6 * 12);
  options.record.label_storage = LabelStorage::index;
  CHECK(planned(options, list).largest.label == 8 * 6);
  CHECK(planned(options, list, id_setup(300)).largest.label == 8 * 6 * 2);
  CHECK(planned(options, list, {}).largest.label == 0);
  options.record.color = ImageColor::gray;
  CHECK(planned(options, list).largest.image == 8 * 6);
}

TEST_CASE("shards are cut by the bytes of a record") {
  PackOptions options = options_of();  // 144 + 96 bytes per record
  SampleList list = list_of(numbered_keys(10));
  options.shard.shard_bytes = 240 * 4 - 1;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{3, 3, 3, 1});
  options.shard.shard_bytes = 240 * 4;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{4, 4, 2});
  options.shard.shard_bytes = 240 * 5;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{5, 5});
  options.shard.shard_bytes = 1;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>(10, 1));
  options.shard.shard_bytes = 256 << 20;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{10});
}

TEST_CASE("compression does not move a shard's boundary") {
  PackOptions options = options_of();
  SampleList list = list_of(numbered_keys(10));
  options.shard.shard_bytes = 240 * 4;
  options.shard.zstd_image = options.shard.zstd_label = true;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{4, 4, 2});
}

TEST_CASE("option --shard-samples cuts by count, whatever the bytes") {
  PackOptions options = options_of();
  SampleList list = list_of(numbered_keys(10));
  options.shard.shard_bytes = 1;
  options.shard.shard_samples = 4;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{4, 4, 2});
  options.shard.shard_samples = 1000;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{10});
}

TEST_CASE("no sample at all is one shard without records") {
  SampleList list = list_of({});
  const Plan plan = planned(options_of(), list);
  CHECK(sizes_of(plan) == std::vector<std::uint64_t>{0});
  CHECK(plan.identity.samples == 0);
}

TEST_CASE("shards follow each other and know their keys' bytes") {
  PackOptions options = options_of();
  options.shard.shard_samples = 4;
  SampleList list = list_of(numbered_keys(11));
  const Plan plan = planned(options, list);
  std::uint64_t next = 0;
  for (const ShardPlan& shard : plan.shards) {
    CHECK(shard.first == next);
    std::uint64_t bytes = 0;
    for (std::uint64_t s = next; s < next + shard.samples; ++s)
      bytes += list.key(list.samples[static_cast<std::size_t>(s)]).size();
    CHECK(shard.key_bytes == bytes);
    next += shard.samples;
  }
  CHECK(next == 11);
}

TEST_CASE("the plan's keys are digested in byte order, shuffled or not") {
  SampleList list = list_of({"b", "a", "c"});
  const std::string expected = xxh3_128(std::string_view("a\0b\0c\0", 6)).text();
  PackOptions options = options_of();
  CHECK(planned(options, list).identity.keys == expected);
  options.shard.shuffle_seed = 99;
  CHECK(planned(options, list).identity.keys == expected);
}

TEST_CASE("a shard's sources are digested as the format says") {
  SampleList list = list_of({"a", "bc"});
  list.samples[1].class_id = 5;
  std::string text;
  const auto add = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  };
  text += std::string("a\0", 2);
  add(101, 8), add(101, 8), add(0xFFFFFFFF, 4);
  text += std::string("bc\0", 3);
  add(102, 8), add(102, 8), add(5, 4);
  CHECK(planned(options_of(), list).shards[0].sources == xxh3_128(text).text());
}

TEST_CASE("a file of another size changes the sources of its shard alone") {
  PackOptions options = options_of();
  options.shard.shard_samples = 2;
  SampleList list = list_of(numbered_keys(6));
  const Plan before = planned(options, list);
  list.samples[3].label.bytes += 1;
  const Plan after = planned(options, list);
  CHECK(after.shards[0].sources == before.shards[0].sources);
  CHECK(after.shards[1].sources != before.shards[1].sources);
  CHECK(after.shards[2].sources == before.shards[2].sources);
  CHECK(after.plan_text == before.plan_text);
}

TEST_CASE("the schema says everything that changes a packed byte") {
  PackOptions options = options_of(640, 480);
  options.record.layout = AxisOrder::channels_first;
  options.record.fit = Fit::contain;
  options.record.anchor = Anchor::top_left;
  options.record.pad_color = {1, 2, 3};
  options.record.size_mismatch = SizeMismatch::each_to_target;
  options.record.exif = ExifPolicy::ignore;
  options.record.depth16 = Depth16::scale;
  options.shard.shuffle_seed = 11;
  options.shard.zstd_label = true;
  options.shard.zstd_level = 3;
  const Schema schema = make_schema(options, id_setup());
  CHECK(schema.image.shape == std::array<std::int64_t, 3>{3, 480, 640});
  CHECK(schema.label->shape == std::vector<std::int64_t>{480, 640, 2});
  CHECK(schema.geometry.size == std::array<std::int64_t, 2>{640, 480});
  CHECK(schema.geometry.fit == "contain");
  CHECK(schema.geometry.pad_color == std::vector<std::int64_t>{1, 2, 3});
  CHECK(schema.options.anchor == "top-left");
  CHECK(schema.options.size_mismatch == "each-to-target");
  CHECK(schema.options.shuffle == 11);
  using Options = std::vector<std::pair<std::string, std::string>>;
  CHECK(schema.options.more == Options{{"label_kind", "\"index\""},
                                       {"threshold", "null"},
                                       {"unknown", "\"error\""},
                                       {"pad_label", "\"ignore\""},
                                       {"exif", "\"ignore\""},
                                       {"alpha", "\"drop\""},
                                       {"depth16", "\"scale\""},
                                       {"zstd_fields", "[\"label\"]"},
                                       {"zstd_level", "3"}});
  CHECK(format::decode_schema(format::encode_schema(schema).value(), 0).value() == schema);
}

TEST_CASE("the schema names --jpeg-scale only if it makes a difference") {
  const auto records_it = [](const PackOptions& options, std::string_view extension) {
    SampleList list = list_of(numbered_keys(3), extension);
    const Plan plan = planned(options, list);
    const bool recorded = plan.schema_text.find(R"("jpeg_scale":)") != std::string::npos;
    CHECK(plan.scales_jpegs == (recorded && options.record.jpeg_scale == JpegScale::automatic));
    return recorded;
  };
  PackOptions options = options_of();
  CHECK(records_it(options, ".jpg"));
  CHECK(records_it(options, ".JPE"));
  CHECK_FALSE(records_it(options, ".png"));
  for (const ImageFilter filter : {ImageFilter::linear, ImageFilter::nearest}) {
    options.record.image_filter = filter;
    CHECK_FALSE(records_it(options, ".jpg"));
  }
  for (const ImageFilter filter : {ImageFilter::lanczos_pillow12_1, ImageFilter::lanczos}) {
    options.record.image_filter = filter;
    CHECK(records_it(options, ".jpg"));
  }
  options.record.fit = Fit::crop_or_pad;
  CHECK_FALSE(records_it(options, ".jpg"));
  options.record.fit = Fit::contain;
  options.record.jpeg_scale = JpegScale::off;
  CHECK(records_it(options, ".jpg"));
  CHECK_FALSE(records_it(options, ".png"));
}

TEST_CASE("threads, error policy and shard size are no part of the schema") {
  SampleList list = list_of(numbered_keys(3));
  const Plan plan = planned(options_of(), list);
  PackOptions other = options_of();
  other.run.threads = 7;
  other.run.skip_errors = other.run.force = other.run.recheck = true;
  other.run.output = "elsewhere";
  other.shard.shard_samples = 1;
  other.input.skip_orphans = true;
  CHECK(planned(other, list).schema_text == plan.schema_text);
}

TEST_CASE("a gray record pads with the color's luma") {
  PackOptions options = options_of();
  options.record.color = ImageColor::gray;
  options.record.pad_color = {255, 0, 128};
  CHECK(make_schema(options, id_setup()).geometry.pad_color ==
        std::vector<std::int64_t>{(299 * 255 + 114 * 128 + 500) / 1000});
}

TEST_CASE("an unlabeled set has no label options and compresses no label") {
  PackOptions options = options_of();
  options.shard.zstd_label = true;
  const Schema schema = make_schema(options, {});
  CHECK_FALSE(schema.label);
  CHECK(schema.classes.empty());
  CHECK(schema.options.engines.empty());
  CHECK(schema.options.more.size() == 7);
}

TEST_CASE("a record too large to be meant is refused") {
  PackOptions options = options_of(65535, 65535);
  SampleList list = list_of({"a"});
  const auto plan = make_plan(options, id_setup(), list);
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().code == ErrorCode::usage);
  CHECK_THAT(plan.error().message, ContainsSubstring("--size"));
}

// ---- records of different sizes

namespace {

// Samples of these sizes, packed as they are.
SampleList list_of_sizes(const std::vector<Extent>& sizes) {
  SampleList list = list_of(numbered_keys(static_cast<int>(sizes.size())));
  for (std::size_t i = 0; i < sizes.size(); ++i) list.samples[i].size = sizes[i];
  return list;
}

PackOptions own_sizes() {
  PackOptions options;
  options.record.label_storage = LabelStorage::index;
  return options;
}

}  // namespace

TEST_CASE("with fit none records differ in bytes and the schema has no size") {
  SampleList list = list_of_sizes({{10, 10}, {3, 5}, {}});
  const Plan plan = planned(own_sizes(), list);
  CHECK(plan.mixed());
  CHECK_FALSE(plan.schema.image.shape);
  CHECK_FALSE(plan.schema.label->shape);
  CHECK_FALSE(plan.schema.geometry.size);
  CHECK(plan.schema.geometry.fit == "none");
  CHECK(plan.bytes_of(list.samples[1]).image == 45);
  CHECK(plan.bytes_of(list.samples[1]).label == 15);
  CHECK(plan.bytes_of(list.samples[2]).total() == 0);
  CHECK(plan.largest.total() == 400);
  CHECK(plan.shards[0].bytes.image == 345);
  CHECK(format::decode_schema(plan.schema_text, 0).value() == plan.schema);
}

TEST_CASE("a shard of mixed sizes closes before the size limit, with one at least") {
  SampleList list = list_of_sizes(
      {{10, 10}, {10, 10}, {20, 20}, {}, {5, 5}, {10, 10}});  // 400, 400, 1600, 0, 100, 400 bytes
  PackOptions options = own_sizes();
  options.shard.shard_bytes = 800;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{2, 1, 3});
  options.shard.shard_bytes = 799;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{1, 1, 1, 3});
  options.shard.shard_bytes = 1;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>(6, 1));
  options.shard.shard_samples = 4;
  CHECK(sizes_of(planned(options, list)) == std::vector<std::uint64_t>{4, 2});
}

TEST_CASE("padding to a multiple counts in a record's bytes") {
  SampleList list = list_of_sizes({{10, 3}});
  PackOptions options = own_sizes();
  options.record.pad_multiple = 8;
  CHECK(planned(options, list).bytes_of(list.samples[0]).image == 16 * 8 * 3);
}

TEST_CASE("tiles take the place of their image, each with its own key") {
  SampleList list = list_of_sizes({{10, 4}, {4, 4}, {}});
  PackOptions options = own_sizes();
  options.record.tile = TileOptions{{4, 4}, 1};
  cut_into_tiles(options.record, list);
  CHECK(keys_of(list) ==
        Names{"city/0@0,0", "city/0@3,0", "city/0@6,0", "city/1@0,0", "city/2@0,0"});
  CHECK(list.samples[1].tile_x == 3);
  const Plan plan = planned(options, list);
  CHECK(plan.schema.image.shape == std::array<std::int64_t, 3>{4, 4, 3});
  using Options = std::vector<std::pair<std::string, std::string>>;
  Options tile_options;
  for (const auto& option : plan.schema.options.more)
    if (option.first.starts_with("tile")) tile_options.push_back(option);
  CHECK(tile_options ==
        Options{{"tile_overlap", "1"}, {"tiled_fit", "\"none\""}, {"tiled_size", "null"}});
  CHECK(format::decode_schema(plan.schema_text, 0).value() == plan.schema);
}
