#include "cli/sample_writer.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "codecs/decoder.hpp"
#include "hotpack/dataset.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;
using cli::SampleWriter;
using cli::SampleWriterOptions;

namespace {

// Packs three samples of a form and extracts them into the sub-folder "out".
void extract(const TempFolder& folder, const TinyForm& form, SampleWriterOptions options = {},
             std::vector<ClassInfo> classes = {}) {
  (void)write_pack(folder.path(), form, tiny_records(form, 3), 4);
  const auto dataset = Dataset::open(folder.path()).value();
  if (classes.empty()) classes = dataset.classes();
  const auto tree = cli::OutputTree::open(folder / "out").value();
  SampleWriter writer(*tree, options, classes);
  for (std::uint64_t i = 0; i < 3; ++i) REQUIRE(writer.write(dataset.sample(i).value()).ok());
  REQUIRE(writer.write_list(writer.take_rows()).ok());
}

std::string png(const TempFolder& folder, const std::string& name) {
  return read_text_file(folder / ("out/" + name)).value();
}

std::vector<std::uint16_t> ids_of(const std::string& file, bool* palette = nullptr) {
  codecs::Decoder decoder;
  const RawLabel label = decoder.decode_label(std::as_bytes(std::span(file)), 1000).value();
  REQUIRE(label.samples.data != nullptr);
  if (palette != nullptr) *palette = label.is_palette;
  std::vector<std::uint16_t> ids;
  for (int y = 0; y < label.height; ++y)
    ids.insert(ids.end(), label.samples.row(y), label.samples.row(y) + label.width);
  return ids;
}

std::vector<std::uint16_t> ids_of(const TinyRecord& record, std::uint16_t ignored) {
  std::vector<std::uint16_t> ids;
  for (const auto& classes : record.labels) ids.push_back(classes.empty() ? ignored : classes[0]);
  return ids;
}

}  // namespace

TEST_CASE("images and ids are restored from every storage and layout") {
  for (const LabelStorage storage :
       {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
    for (const AxisOrder layout : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      const TempFolder folder;
      TinyForm form;
      form.storage = storage;
      form.layout = layout;
      form.image_zstd = layout == AxisOrder::channels_first;
      extract(folder, form);
      const TinyRecord record = tiny_records(form, 3)[2];
      const std::string image_file = png(folder, "images/street/sample 0002.png");
      codecs::Decoder decoder;
      const ConstPixels image =
          decoder.decode_image(std::as_bytes(std::span(image_file)), {}).value();
      CHECK(std::equal(record.image.begin(), record.image.begin() + 18, image.row(0)));
      CHECK(std::equal(record.image.begin() + 4 * 18, record.image.end(), image.row(4)));
      bool palette = true;
      CHECK(ids_of(png(folder, "labels/street/sample 0002.png"), &palette) == ids_of(record, 255));
      CHECK_FALSE(palette);  // class 1 has no color
    }
  }
}

TEST_CASE("classes with colors become a palette image unless ids are requested") {
  const TinyForm form;
  std::vector<ClassInfo> classes = tiny_schema(form).classes;
  classes[1].color = RgbColor{1, 2, 3};
  for (const bool ids : {false, true}) {
    const TempFolder folder;
    SampleWriterOptions options;
    options.ids = ids;
    extract(folder, form, options, classes);
    bool palette = ids;
    CHECK(ids_of(png(folder, "labels/street/sample 0001.png"), &palette) ==
          ids_of(tiny_records(form, 3)[1], 255));
    CHECK(palette == !ids);
  }
}

TEST_CASE("ids above 255 classes have 16 bits") {
  const TempFolder folder;
  TinyForm form;
  form.classes = 300;
  extract(folder, form);
  CHECK(ids_of(png(folder, "labels/street/sample 0000.png")) ==
        ids_of(tiny_records(form, 1)[0], 65535));
}

TEST_CASE("several classes per pixel give one image per class") {
  const TempFolder folder;
  TinyForm form;
  form.multi = true;
  extract(folder, form);
  const TinyRecord record = tiny_records(form, 1)[0];
  for (std::uint16_t c = 0; c < 3; ++c) {
    std::vector<std::uint16_t> wanted;
    for (const auto& classes : record.labels)
      wanted.push_back(std::count(classes.begin(), classes.end(), c) != 0 ? 255 : 0);
    CHECK(ids_of(png(folder, "labels/street/sample 0000.class-" + std::to_string(c) + ".png")) ==
          wanted);
  }
}

TEST_CASE("labels of whole images become a list") {
  const TempFolder folder;
  TinyForm form;
  form.scope = LabelScope::image;
  auto classes = tiny_schema(form).classes;
  for (ClassInfo& info : classes) info.name += ", \"it\"";
  extract(folder, form, {}, classes);
  const std::string list = read_text_file(folder / "out/labels.csv").value();
  CHECK_THAT(list, ContainsSubstring("image,class,id\nstreet/sample 0000.png,\"class "));
  CHECK_THAT(list, ContainsSubstring("class 2, \"\"it\"\"\",2\n"));
  CHECK(std::count(list.begin(), list.end(), '\n') == 4);
  CHECK_FALSE(std::filesystem::exists(folder / "out/labels"));
}

TEST_CASE("arrays have the shape of what is stored") {
  const TempFolder folder;
  TinyForm form;
  form.classes = 9;
  form.layout = AxisOrder::channels_first;
  SampleWriterOptions options;
  options.npy = true;
  extract(folder, form, options);
  const TinyRecord record = tiny_records(form, 1)[0];
  const std::string image = read_text_file(folder / "out/images/street/sample 0000.npy").value();
  CHECK_THAT(image, ContainsSubstring("'|u1', 'fortran_order': False, 'shape': (5, 6, 3), }"));
  CHECK(image.substr(128) == std::string(record.image.begin(), record.image.end()));
  CHECK_THAT(read_text_file(folder / "out/labels/street/sample 0000.npy").value(),
             ContainsSubstring("'shape': (5, 6, 2), }"));
}

TEST_CASE("files that exist are kept unless forced") {
  const TempFolder folder;
  const TinyForm form;
  folder.write("out/images/street/sample 0000.png", "precious");
  (void)write_pack(folder.path(), form, tiny_records(form, 1), 4);
  const auto dataset = Dataset::open(folder.path()).value();
  SampleWriterOptions options;
  const auto tree = cli::OutputTree::open(folder / "out").value();
  SampleWriter careful(*tree, options, dataset.classes());
  const Status refused = careful.write(dataset.sample(0).value());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK(png(folder, "images/street/sample 0000.png") == "precious");
  options.force = true;
  SampleWriter forced(*tree, options, dataset.classes());
  CHECK(forced.write(dataset.sample(0).value()).ok());
  CHECK(png(folder, "images/street/sample 0000.png") != "precious");
}

namespace {

// The second sample of a pack of three.
struct OneOfThree {
  TempFolder folder;
  Dataset dataset = [this] {
    (void)write_pack(folder.path(), {}, tiny_records({}, 3), 4);
    return Dataset::open(folder.path()).value();
  }();
  Sample sample = dataset.sample(1).value();
  std::string key{sample.key()};
};

}  // namespace

TEST_CASE("a sample of which one file cannot be written leaves no other file") {
  const OneOfThree packed;
  const auto& [folder, dataset, sample, key] = packed;
  folder.write("out/labels/" + key + ".png", "of the user");
  const auto tree = cli::OutputTree::open(folder / "out").value();
  SampleWriterOptions options;
  options.npy = true;
  SampleWriter writer(*tree, options, dataset.classes());
  CHECK(writer.write(sample).error().code == ErrorCode::usage);
  CHECK_FALSE(std::filesystem::exists(folder / ("out/images/" + key + ".png")));
  CHECK_FALSE(std::filesystem::exists(folder / ("out/images/" + key + ".npy")));
  CHECK(png(folder, "labels/" + key + ".png") == "of the user");
  std::filesystem::remove(folder / ("out/labels/" + key + ".png"));
  CHECK(writer.write(sample).ok());
}

TEST_CASE("a forced sample that fails leaves what it replaced, and nothing else") {
  const OneOfThree packed;
  const auto& [folder, dataset, sample, key] = packed;
  folder.write("out/images/" + key + ".png", "older");
  folder.write("out/labels/" + key + ".png/in the way", "");
  const auto tree = cli::OutputTree::open(folder / "out").value();
  SampleWriterOptions options;
  options.npy = options.force = true;
  SampleWriter writer(*tree, options, dataset.classes());
  CHECK(writer.write(sample).error().code == ErrorCode::usage);
  CHECK(png(folder, "images/" + key + ".png") != "older");
  CHECK_FALSE(std::filesystem::exists(folder / ("out/images/" + key + ".npy")));
}

TEST_CASE("a key that leads out of the folder never reaches the writer") {
  const TempFolder folder;
  auto records = tiny_records({}, 1);
  for (const char* key : {"../out of it", "/absolute", "a/../../b"}) {
    records[0].key = key;
    (void)write_pack(folder.path(), {}, records, 4);
    CHECK(Dataset::open(folder.path()).value().sample(0).error().code == ErrorCode::damaged);
  }
}

TEST_CASE("ignored pixels get a color that no class has") {
  TinyForm form;
  std::vector<ClassInfo> classes = tiny_schema(form).classes;
  classes[0].color = RgbColor{224, 224, 192};
  classes[1].color = RgbColor{224, 224, 193};
  const TempFolder folder;
  extract(folder, form, {}, classes);
  const std::string file = png(folder, "labels/street/sample 0000.png");
  const auto colors = file.find("PLTE") + 4;
  CHECK(file.substr(colors, 3) == "\xE0\xE0\xC0");
  CHECK(file.substr(colors + 3 * 255, 3) == "\xE0\xE0\xC2");
}
