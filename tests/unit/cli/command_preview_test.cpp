#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "captured.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "codecs/decoder.hpp"
#include "format/json.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/test_images.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace hotpack::test;

namespace {

struct Ran {
  int code = -1;
  std::string output;
  std::string messages;
};

Ran run(const std::vector<std::string>& words) {
  std::vector<const char*> arguments{"hotpack", "preview"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const AddCommand commands[] = {add_preview_command};
  const Captured output, messages;
  Ran ran;
  ran.code = run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(),
                              {output.descriptor(), messages.descriptor()});
  ran.output = output.text();
  ran.messages = messages.text();
  return ran;
}

Extent size_of_png(const std::string& path) {
  std::vector<std::byte> file;
  REQUIRE(read_file(path, file).ok());
  codecs::Decoder decoder;
  const auto image = decoder.decode_image(file, {});
  REQUIRE(image.ok());
  return {image->width, image->height};
}

format::Json json_of(const Ran& ran) {
  CAPTURE(ran.messages);
  auto json = format::parse_json(ran.output);
  REQUIRE(json.ok());
  return std::move(json).value();
}

void write(const TempFolder& folder, const std::string& name, const Bytes& bytes) {
  folder.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// `count` pairs of a gray image and a label of ids 0…2 under images and labels.
void write_pairs(const TempFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "/p" + std::to_string(i) + ".png";
    write(folder, "images" + name, make_gray_png(6, 4, std::vector<std::uint8_t>(24, 90)));
    write(folder, "labels" + name,
          make_gray_png(6, 4, std::vector<std::uint8_t>(24, static_cast<std::uint8_t>(i % 3))));
  }
}

}  // namespace

TEST_CASE("preview draws a pack in every form of the format") {
  TinyForm form;
  form.layout = GENERATE(AxisOrder::channels_last, AxisOrder::channels_first);
  form.color = GENERATE(ImageColor::rgb, ImageColor::gray);
  form.storage = GENERATE(LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index);
  form.scope = GENERATE(LabelScope::pixel, LabelScope::image);
  if (form.storage != LabelStorage::index)
    form.multi = form.scope == LabelScope::pixel && form.color == ImageColor::gray;
  form.image_zstd = form.label_zstd = form.layout == AxisOrder::channels_first;
  if (form.color == ImageColor::gray) form.size.reset();
  const TempFolder folder;
  (void)write_pack(folder.path(), form, tiny_records(form, 7), 3);
  const Ran ran = run({folder.path(), "-o", folder / "sheet.png", "--json"});
  CHECK(ran.code == kExitGood);
  const format::Json json = json_of(ran);
  const Extent size = size_of_png(folder / "sheet.png");
  CHECK(json["size"] == format::Json({size.width, size.height}));
  CHECK(json["samples"].size() == 7);
  CHECK(json["legend"].size() >= 3);
}

TEST_CASE("preview draws unlabeled packs and several packs on one sheet") {
  TinyForm form;
  form.labeled = false;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "train");
  std::filesystem::create_directory(folder / "val");
  (void)write_pack(folder / "train", form, tiny_records(form, 2), 4);
  (void)write_pack(folder / "val", form, tiny_records(form, 1, 5), 4);
  const format::Json two =
      json_of(run({folder / "train", folder / "val", "-o", folder / "sheet.png", "--json"}));
  CHECK(two["samples"].size() == 3);
  CHECK(two["samples"][2]["remark"] == folder / "val");
  CHECK(two["legend"].empty());
  // The folder above them stands for both.
  CHECK(json_of(run({folder.path(), "-o", folder / "sheet.png", "--json"}))["samples"] ==
        two["samples"]);
}

TEST_CASE("a sheet is reproducible, and replaces sheets but no other files") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 4), 4);
  folder.write("photo.png", "somebody's");
  REQUIRE(run({folder.path(), "-o", folder / "a.png"}).code == kExitGood);
  REQUIRE(run({folder.path(), "-o", folder / "b.png"}).code == kExitGood);
  CHECK(read_text_file(folder / "a.png").value() == read_text_file(folder / "b.png").value());
  CHECK(run({folder.path(), "-o", folder / "a.png", "--grid", "1x1"}).code == kExitGood);
  CHECK(read_text_file(folder / "a.png").value() != read_text_file(folder / "b.png").value());
  const Ran refused = run({folder.path(), "-o", folder / "photo.png"});
  CHECK(refused.code == kExitUsage);
  CHECK_THAT(refused.messages, ContainsSubstring("--force"));
  CHECK(read_text_file(folder / "photo.png").value() == "somebody's");
}

TEST_CASE("a path that is no pack is not called one because of an option") {
  const TempFolder folder;
  (void)write_pack(folder / "", {}, tiny_records({}, 4), 4);
  const auto messages = [&](const std::string& path) {
    return run({path, "-o", folder / "sheet.png", "--size", "8x8"}).messages;
  };
  CHECK_THAT(messages(folder.path()), ContainsSubstring("'" + folder.path() + "' is a pack"));
  const std::string missing = messages(folder / "nowhere");
  CHECK_THAT(missing, ContainsSubstring(folder / "nowhere") && !ContainsSubstring("is a pack"));
}

TEST_CASE("option --html writes one page, with or without a sheet") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 4), 4);
  const Ran ran = run({folder.path(), "--html", folder / "page.html"});
  CHECK(ran.code == kExitGood);
  const std::string page = read_text_file(folder / "page.html").value();
  CHECK_THAT(page,
             ContainsSubstring("data:image/png;base64,iVBOR") && ContainsSubstring("class 2"));
  CHECK(ran.output == folder / "page.html" + std::string(": 4 of 4 samples\n"));
  CHECK_FALSE(std::filesystem::exists(folder / "sheet.png"));
  CHECK(json_of(run({folder.path(), "--html", folder / "page.html", "--json"}))["size"].is_null());
  CHECK(run({folder.path(), "--html", folder / "page.html", "-o", folder / "sheet.png"}).code ==
        kExitGood);
  CHECK(read_text_file(folder / "page.html").value() == page);
}

TEST_CASE("options --grid and --width shape the sheet, too many keys are refused") {
  const TempFolder folder;
  const auto records = tiny_records({}, 6);
  (void)write_pack(folder.path(), {}, records, 4);
  const format::Json json = json_of(
      run({folder.path(), "-o", folder / "s.png", "--grid", "2x2", "--width", "100", "--json"}));
  CHECK(json["columns"] == 2);
  CHECK(json["samples"].size() == 4);
  CHECK(run({folder.path(), "-o", folder / "s.png", "--grid", "1x1", "--keys", records[0].key,
             "--keys", records[1].key})
            .code == kExitUsage);
  CHECK(run({folder.path(), "-o", folder / "s.png", "--grid", "0x3"}).code == kExitUsage);
  CHECK_THAT(run({folder.path(), "-o", folder / "s.png", "--size", "5x5"}).messages,
             ContainsSubstring("--size"));
}

TEST_CASE("a damaged record stops the sheet with exit code 4 and leaves no file") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".safetensors") continue;
    std::fstream shard(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    shard.seekp(4096 + 3);
    shard.put('\x7f');
  }
  const Ran ran = run({folder.path(), "-o", folder / "sheet.png"});
  CHECK(ran.code == kExitDamaged);
  CHECK_FALSE(std::filesystem::exists(folder / "sheet.png"));
  CHECK(run({folder / "nothing", "-o", folder / "sheet.png"}).code == kExitIo);
  std::filesystem::remove(folder / "dataset.json");
  CHECK(run({folder.path(), "-o", folder / "sheet.png"}).code ==
        kExitDamaged);                             // an unfinished pack is no folder of raw images
  CHECK(run({folder.path()}).code == kExitUsage);  // neither -o nor --html
}

TEST_CASE("preview of raw data takes the options of pack and shows class shares") {
  const TempFolder folder;
  write_pairs(folder, 6);
  const Ran ran = run({"--images", folder / "images", "--labels", folder / "labels",
                       "--num-classes", "3", "--size", "12x8", "-o", folder / "s.png", "--json"});
  CHECK(ran.code == kExitGood);
  const format::Json json = json_of(ran);
  CHECK(json["samples"].size() == 6);
  CHECK(json["samples"][0]["size"] == format::Json({12, 8}));
  CHECK(json["legend_heading"] ==
        "classes, and their shares of the labeled pixels of the samples shown");
  CHECK(json["legend"][0]["share"].get<double>() > 0.33);
  const format::Json rich =
      json_of(run({"--images", folder / "images", "--labels", folder / "labels", "--num-classes",
                   "3", "--class", "2", "-o", folder / "s.png", "--json"}));
  CHECK(rich["samples"].size() == 2);
  CHECK(rich["samples"][0]["key"] == "p2");
}

TEST_CASE("a sample that cannot be packed shows its reason in its cell only") {
  const TempFolder folder;
  write_pairs(folder, 3);
  write(folder, "labels/p1.png", make_gray_png(6, 4, std::vector<std::uint8_t>(24, 77)));
  write(folder, "images/orphan.png", make_gray_png(6, 4, std::vector<std::uint8_t>(24, 1)));
  const std::vector<std::string> inputs{
      "--images", folder / "images", "--labels", folder / "labels", "--num-classes",
      "3",        "--size",          "6x4"};
  auto words = inputs;
  words.insert(words.end(), {"-o", folder / "s.png", "--json"});
  const Ran ran = run(words);
  CHECK(ran.code == kExitData);
  const format::Json json = json_of(ran);
  REQUIRE(json["samples"].size() == 3);
  CHECK_THAT(json["samples"][1]["problem"].get<std::string>(), ContainsSubstring("77"));
  CHECK(json["samples"][2]["problem"].is_null());
  CHECK_THAT(ran.messages, ContainsSubstring("hotpack check"));
  words.insert(words.end(), {"--keys", "p0,p2"});
  CHECK(run(words).code == kExitGood);
}
