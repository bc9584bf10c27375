#include "pack/plan_file.hpp"

#include <fstream>
#include <limits>
#include <string>

#include "format/safetensors.hpp"
#include "pack/pack.hpp"
#include "pack/plan_json.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Names = std::vector<std::string>;

PackOptions id_options(const TempFolder& folder, int count = 7) {
  for (int i = 0; i < count; ++i)
    put_pair(folder, std::to_string(i), static_cast<std::uint32_t>(i));
  PackOptions options = options_for(folder);
  options.shard.shard_samples = 2;
  return options;
}

PackRun planned(const PackOptions& options, const std::string& path) {
  Recorder recorder;
  auto run = plan(options, path, recorder);
  if (!run.ok()) FAIL(run.error().describe());
  REQUIRE(run->status == PackStatus::planned);
  return std::move(run).value();
}

// Packs every part of a plan into one folder and joins them.
std::map<std::string, Bytes> packed_in_parts(const std::string& plan_file, std::uint64_t parts,
                                             const std::string& output) {
  for (std::uint64_t i = 0; i < parts; ++i) {
    PackOptions options;
    options.run.output = output;
    options.run.plan_file = plan_file;
    options.run.partition = Partition{parts - 1 - i, parts};
    (void)packed(options);
  }
  return content_of(output);
}

std::map<std::string, Bytes> shards_of_single_run(const PackOptions& options) {
  (void)packed(options);
  auto content = content_of(options.run.output);
  std::erase_if(content, [](const auto& file) { return file.first.ends_with("dataset.json"); });
  return content;
}

void require_same_bytes(const TempFolder& folder, const PackOptions& options) {
  const auto single = shards_of_single_run(options);
  REQUIRE(!single.empty());
  (void)planned(options, folder / "a.plan");
  REQUIRE(packed_in_parts(folder / "a.plan", 3, folder / "parts") == single);
}

Error open_failure(const std::string& path) {
  auto opened = PlanFile::open(path);
  REQUIRE(!opened.ok());
  return opened.error();
}

}  // namespace

TEST_CASE("parts of a plan file have the bytes of a single run") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  SECTION("ids, whose classes the plan has counted") {}
  SECTION("shuffled") { options.shard.shuffle_seed = 5; }
  SECTION("compressed") { options.shard.zstd_image = options.shard.zstd_label = true; }
  SECTION("sizes of their own") {
    put_pair(folder, "7", 7, 12, 5);
    put_pair(folder, "8", 8, 3, 9);
    options.record.size = {};
  }
  SECTION("tiles") { options.record.tile = TileOptions{{4, 4}, 1}; }
  SECTION("with every option that has a value other than its default") {
    options.record.size = {9, 5};
    options.record.fit = Fit::contain;
    options.record.image_filter = ImageFilter::lanczos;
    options.record.anchor = Anchor::top_left;
    options.record.pad_color = {10, 200, 30};
    options.record.size_mismatch = SizeMismatch::resize_label;
    options.record.exif = ExifPolicy::ignore;
    options.record.color = ImageColor::gray;
    options.record.alpha_blend = RgbColor{1, 2, 3};
    options.record.depth16 = Depth16::scale;
    options.record.max_pixels = 1000;
    options.record.lenient = true;
    options.record.label_storage = LabelStorage::index;
    options.record.layout = AxisOrder::channels_first;
    options.label.class_count = 4;
    options.label.ignore = {"1"};
    options.label.unknown = "3";
    options.label.pad_label = "2";
  }
  require_same_bytes(folder, options);
}

TEST_CASE("parts of a plan file of splits have the bytes of a single run") {
  TempFolder folder;
  PackOptions options = id_options(folder, 11);
  options.label.class_count = 3;
  options.input.split.method = SplitOptions::Method::ratio;
  options.input.split.parts = {{"train", "60"}, {"val", "40"}};
  require_same_bytes(folder, options);
  const PlanFile file = PlanFile::open(folder / "a.plan").value();
  REQUIRE(file.set_count() == 2);
  REQUIRE(Names{file.set_name(0), file.set_name(1)} == Names{"train", "val"});
  REQUIRE(file.sample_count(0) + file.sample_count(1) == 11);
}

TEST_CASE("parts of a plan file of class folders have the bytes of a single run") {
  TempFolder folder;
  for (int i = 0; i < 6; ++i)
    put(folder, "set/" + std::string(i % 2 == 0 ? "cat/" : "dog/") + std::to_string(i) + ".png",
        photo(8, 6, static_cast<std::uint32_t>(i)));
  PackOptions options;
  options.input.image_folders = {folder / "set"};
  options.record.size = {8, 6};
  options.run.output = folder / "packed";
  options.shard.shard_samples = 2;
  require_same_bytes(folder, options);
}

TEST_CASE("parts of a plan file of masks per class have the bytes of a single run") {
  TempFolder folder;
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(i);
    put(folder, "images/" + key + ".png", photo(8, 6, static_cast<std::uint32_t>(i)));
    std::vector<std::uint16_t> mask(48, 0);
    mask[static_cast<std::size_t>(i)] = 255;
    put(folder, "labels/" + key + "_car.png", id_label(8, 6, mask));
    if (i % 2 == 0) put(folder, "labels/" + key + "_tree.png", id_label(8, 6, mask));
  }
  PackOptions options = options_for(folder);
  options.input.mask_per_class = "{key}_{class}";
  options.shard.shard_samples = 2;
  require_same_bytes(folder, options);
}

TEST_CASE("a part reads the samples of its own shards only") {
  TempFolder folder;
  (void)planned(id_options(folder), folder / "a.plan");
  const PlanFile file = PlanFile::open(folder / "a.plan").value();
  REQUIRE(file.shard_count(0) == 4);
  const PlannedSet part = file.read(0, {1, 3}).value();
  REQUIRE(part.plan.shards.size() == 4);
  REQUIRE(part.list.samples.size() == 4);
  REQUIRE(part.list.key(part.list.samples.front()) == "2");
  REQUIRE(part.plan.shards[1].first == 0);
  REQUIRE(part.plan.shards[2].first == 2);
  REQUIRE(part.plan.shards[0].sources.empty());
  REQUIRE(part.plan.shards[3].samples == 1);
}

TEST_CASE("an input that changed after the plan is refused by name") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  (void)planned(options, folder / "a.plan");
  std::string expected;
  SECTION("another size in bytes") {
    put(folder, "images/3.png", photo(8, 6, 99));
    std::ofstream(folder / "images/3.png", std::ios::app) << "more";
    expected = "after the plan was made";
  }
  SECTION("the same size in bytes, but another picture size") {
    const auto same_size = [&](int width, int height) {
      Bytes bytes = photo(width, height, 3);
      bytes.resize(2000);
      put(folder, "images/3.png", bytes);
      Bytes label = noise_label(width, height);
      label.resize(1000);
      put(folder, "labels/3.png", label);
    };
    same_size(8, 6);
    (void)planned(options, folder / "a.plan");
    same_size(6, 8);
    expected = "was 8x6 during planning and is now 6x8";
  }
  PackOptions part;
  part.run.output = folder / "packed";
  part.run.plan_file = folder / "a.plan";
  Recorder recorder;
  const auto run = pack(part, false, recorder);
  REQUIRE(!run.ok());
  REQUIRE(run.error().code == ErrorCode::data);
  REQUIRE(run.error().path == folder / "images/3.png");
  REQUIRE_THAT(run.error().message, ContainsSubstring(expected));
  REQUIRE_THAT(run.error().message, ContainsSubstring("hotpack plan"));
}

TEST_CASE("a plan refuses inputs that a pack refuses") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  put(folder, "images/orphan.png", photo());
  Recorder recorder;
  const auto run = plan(options, folder / "a.plan", recorder);
  REQUIRE(run.ok());
  REQUIRE(run->status == PackStatus::refused);
  REQUIRE(!std::filesystem::exists(folder / "a.plan"));
}

TEST_CASE("a plan replaces a plan, and no other file") {
  TempFolder folder;
  const PackOptions options = id_options(folder);
  (void)planned(options, folder / "a.plan");
  (void)planned(options, folder / "a.plan");
  folder.write("notes.txt", "mine");
  Recorder recorder;
  for (const std::string path : {"notes.txt", "images", "missing/a.plan"}) {
    const auto run = plan(options, folder / path, recorder);
    REQUIRE(!run.ok());
    REQUIRE(run.error().code == ErrorCode::usage);
  }
  REQUIRE(read_bytes(folder / "notes.txt") == text_file("mine"));
}

TEST_CASE("equal inputs and options make equal plan files") {
  TempFolder folder;
  const PackOptions options = id_options(folder);
  (void)planned(options, folder / "a.plan");
  (void)planned(options, folder / "b.plan");
  REQUIRE(read_bytes(folder / "a.plan") == read_bytes(folder / "b.plan"));
}

TEST_CASE("a damaged plan is refused") {
  TempFolder folder;
  (void)planned(id_options(folder), folder / "a.plan");
  const Bytes good = read_bytes(folder / "a.plan");
  const auto put_bytes = [&](const Bytes& bytes) { put(folder, "bad.plan", bytes); };
  SECTION("cut off") {
    for (std::size_t size = 0; size < good.size(); size += 97) {
      put_bytes(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
      const Error error = open_failure(folder / "bad.plan");
      REQUIRE(error.path == folder / "bad.plan");
      REQUIRE((error.code == ErrorCode::damaged || error.code == ErrorCode::io));
    }
  }
  SECTION("a changed byte, which the file's checksums or rules find") {
    for (std::size_t i = 0; i < good.size(); i += 13) {
      Bytes bad = good;
      bad[i] ^= std::byte{0x10};
      put_bytes(bad);
      const auto opened = PlanFile::open(folder / "bad.plan");
      const bool found = !opened.ok() || !opened->read(0, {0, opened->shard_count(0)}).ok();
      REQUIRE(found);
    }
  }
  SECTION("another file") {
    folder.write("bad.plan", "hello");
    REQUIRE_THAT(open_failure(folder / "bad.plan").message,
                 ContainsSubstring("is not a plan of hotpack"));
  }
}

TEST_CASE("a plan file is a safetensors file with a table of shards") {
  TempFolder folder;
  (void)planned(id_options(folder), folder / "a.plan");
  const Bytes bytes = read_bytes(folder / "a.plan");
  const auto container = format::read_container(bytes).value();
  Names names;
  for (const format::Tensor& tensor : container.tensors) names.push_back(tensor.name);
  REQUIRE(names == Names{"shards", "crc32c", "frames"});
  REQUIRE(container.tensors[0].shape == std::vector<std::uint64_t>{4, 10});
  REQUIRE(container.metadata.front() ==
          std::pair<std::string, std::string>{"hotpack.plan_format", "1.1"});
}

TEST_CASE("the folder of a pack from other samples is not replaced by a plan") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  options.label.class_count = 3;
  (void)packed(options);
  put_pair(folder, "new", 77);
  (void)planned(options, folder / "a.plan");
  PackOptions part;
  part.run.output = options.run.output;
  part.run.plan_file = folder / "a.plan";
  Recorder recorder;
  const auto run = pack(part, false, recorder);
  REQUIRE(!run.ok());
  REQUIRE(run.error().code == ErrorCode::usage);
  REQUIRE_THAT(run.error().message, ContainsSubstring("other samples"));
}

TEST_CASE("force removes no shard if an input changed after the plan") {
  TempFolder folder;
  (void)planned(id_options(folder), folder / "a.plan");
  PackOptions part;
  part.run.output = folder / "packed";
  part.run.plan_file = folder / "a.plan";
  (void)packed(part);
  const auto before = content_of(folder / "packed");
  put(folder, "labels/3.png", photo(30, 30));
  part.run.force = true;
  Recorder recorder;
  const auto run = pack(part, false, recorder);
  REQUIRE(!run.ok());
  REQUIRE(run.error().path == folder / "labels/3.png");
  REQUIRE_THAT(run.error().message, ContainsSubstring("Nothing was removed"));
  REQUIRE(content_of(folder / "packed") == before);
}

TEST_CASE("a plan tells which files its parts will skip") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  options.label.class_count = 3;
  options.run.skip_errors = true;
  const Bytes good = read_bytes(folder / "images/3.png");
  folder.write("images/3.png", "rubbish");
  const PackRun run = planned(options, folder / "a.plan");
  REQUIRE(run.sets.front().plan.warnings.size() == 1);
  REQUIRE_THAT(run.sets.front().plan.warnings.front(), ContainsSubstring("images/3.png"));
  PackOptions part;
  part.run = options.run;
  part.run.plan_file = folder / "a.plan";
  REQUIRE(packed(part).skipped == 1);
  put(folder, "images/3.png", good);
  (void)planned(options, folder / "a.plan");
  const PackReport again = packed(part);
  REQUIRE(again.skipped == 0);
  REQUIRE(again.kept_shards == 3);
  REQUIRE(again.packed_shards == 1);
}

TEST_CASE("a plan holds the largest values that options may have") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  options.record.max_pixels = std::numeric_limits<std::uint64_t>::max();
  options.shard.shuffle_seed = std::numeric_limits<std::uint64_t>::max();
  require_same_bytes(folder, options);
}

TEST_CASE("a plan finds inputs behind a link and the folder above its target") {
  TempFolder folder;
  PackOptions options = id_options(folder);
  std::filesystem::create_directories(folder / "elsewhere/deep");
  std::filesystem::create_directory_symlink(folder / "elsewhere/deep", folder / "link");
  std::filesystem::rename(folder / "images", folder / "elsewhere/images");
  options.input.images = {folder / "link/../images"};
  require_same_bytes(folder, options);
}
