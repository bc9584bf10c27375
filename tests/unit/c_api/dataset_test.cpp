#include "hotpack/dataset.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "hotpack/build_info.hpp"
#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack::test;

namespace {

std::string add_pack(const TempFolder& folder, const std::string& name, const TinyForm& form,
                     std::size_t count, std::size_t first = 0) {
  std::filesystem::create_directory(folder / name);
  (void)write_pack(folder / name, form, tiny_records(form, count, first), 3, 1);
  return folder / name;
}

// A data set of 7 samples, open as long as the object.
struct OpenPack {
  explicit OpenPack(const TinyForm& tiny = {})
      : form(tiny), path(add_pack(folder, "pack", tiny, 7)) {
    REQUIRE(hotpack_dataset_open(path.c_str(), &dataset) == HOTPACK_OK);
  }
  ~OpenPack() { hotpack_dataset_close(dataset); }
  OpenPack(const OpenPack&) = delete;
  OpenPack& operator=(const OpenPack&) = delete;

  TempFolder folder;
  TinyForm form;
  std::string path;
  hotpack_dataset* dataset = nullptr;
};

hotpack_dataset_info described(const hotpack_dataset* dataset) {
  hotpack_dataset_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_dataset_describe(dataset, &info) == HOTPACK_OK);
  return info;
}

std::string error_of(const hotpack_dataset* dataset) { return hotpack_dataset_error(dataset); }

}  // namespace

TEST_CASE("a data set that does not open gives a handle with the reason") {
  const TempFolder folder;
  hotpack_dataset* dataset = nullptr;
  CHECK(hotpack_dataset_open((folder / "none").c_str(), &dataset) == HOTPACK_ERROR_IO);
  REQUIRE(dataset != nullptr);
  const std::string reason = error_of(dataset);
  CHECK(reason.find("none") != std::string::npos);
  CHECK(hotpack_dataset_records(dataset) == 0);
  std::uint64_t number = 77;
  CHECK(hotpack_dataset_find(dataset, "x", &number) == HOTPACK_ERROR_USAGE);
  CHECK(number == 77);
  CHECK(error_of(dataset) == reason);
  hotpack_dataset_close(dataset);
}

TEST_CASE("a failure names the file, or the argument that is wrong") {
  const TempFolder folder;
  hotpack_dataset* dataset = nullptr;
  hotpack_error_info info;
  info.struct_size = sizeof info;
  CHECK(hotpack_dataset_error_info(nullptr, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_open((folder / "none").c_str(), &dataset) == HOTPACK_ERROR_IO);
  REQUIRE(hotpack_dataset_error_info(dataset, &info) == HOTPACK_OK);
  CHECK(info.status == HOTPACK_ERROR_IO);
  CHECK(std::string(info.path).find(folder / "none") == 0);
  CHECK(error_of(dataset).find(info.message) != std::string::npos);
  hotpack_dataset_close(dataset);

  const OpenPack pack;
  REQUIRE(hotpack_dataset_error_info(pack.dataset, &info) == HOTPACK_OK);
  CHECK(info.status == HOTPACK_OK);
  CHECK(hotpack_dataset_sample(pack.dataset, 0, nullptr) == HOTPACK_ERROR_USAGE);
  REQUIRE(hotpack_dataset_error_info(pack.dataset, &info) == HOTPACK_OK);
  CHECK(std::string(info.option) == "info");
  CHECK(std::string(info.path).empty());
}

TEST_CASE("reads of a shard that was cut while mapped return an error") {
  const OpenPack pack;
  std::vector<std::uint8_t> memory(1000);
  REQUIRE(hotpack_dataset_read_image(pack.dataset, 1, memory.data(), memory.size()) == HOTPACK_OK);
  const std::string shard = pack.path + "/shard-00000-of-00003.safetensors";
  std::filesystem::resize_file(shard, 0);
  char key[100];
  hotpack_sample_info sample;
  sample.struct_size = sizeof sample;
  std::uint64_t number = 0;
  hotpack_error_info info;
  info.struct_size = sizeof info;
  const auto expect = [&](hotpack_status status, std::int64_t record) {
    CHECK(status == HOTPACK_ERROR_DAMAGED);
    REQUIRE(hotpack_dataset_error_info(pack.dataset, &info) == HOTPACK_OK);
    CHECK(info.path == shard);
    CHECK(info.record == record);
    CHECK(info.offset >= 0);
  };
  const hotpack_dataset* const dataset = pack.dataset;
  expect(hotpack_dataset_read_image(dataset, 1, memory.data(), memory.size()), 1);
  expect(hotpack_dataset_read_label(dataset, 2, memory.data(), memory.size()), 2);
  expect(hotpack_dataset_sample(dataset, 2, &sample), 2);
  expect(hotpack_dataset_key(dataset, 1, key, sizeof key, nullptr), 1);
  expect(hotpack_dataset_keys(dataset, 2, 1, key, sizeof key, nullptr, nullptr), 2);
  expect(hotpack_dataset_find(dataset, "absent", &number), 0);
}

TEST_CASE("arguments that are NULL are refused, not followed") {
  hotpack_dataset* dataset = nullptr;
  CHECK(hotpack_dataset_open(nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_open(nullptr, &dataset) == HOTPACK_ERROR_USAGE);
  CHECK(error_of(dataset).find("folder is NULL") != std::string::npos);
  hotpack_dataset_close(dataset);
  CHECK(hotpack_dataset_open_many(nullptr, 2, &dataset) == HOTPACK_ERROR_USAGE);
  hotpack_dataset_close(dataset);
  CHECK(hotpack_dataset_open_many(nullptr, 0, &dataset) == HOTPACK_ERROR_USAGE);
  hotpack_dataset_close(dataset);

  const OpenPack pack;
  CHECK(hotpack_dataset_describe(pack.dataset, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_class_color(pack.dataset, 0, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_mean_std(pack.dataset, nullptr, nullptr, 3) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_class_statistics(pack.dataset, 0, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_ignored_pixels(pack.dataset, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_sample(pack.dataset, 0, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_key(pack.dataset, 0, nullptr, 100, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_image(pack.dataset, 0, nullptr, 100) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_label(pack.dataset, 0, nullptr, 100) == HOTPACK_ERROR_USAGE);
  std::uint64_t number = 0;
  CHECK(hotpack_dataset_find(pack.dataset, nullptr, &number) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_find(pack.dataset, "x", nullptr) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("functions answer without a data set") {
  hotpack_dataset_info info;
  info.struct_size = sizeof info;
  hotpack_sample_info sample;
  sample.struct_size = sizeof sample;
  hotpack_class_statistics statistics;
  statistics.struct_size = sizeof statistics;
  double numbers[3];
  std::uint64_t number = 0;
  std::uint8_t bytes[3];
  char text[8];
  hotpack_dataset_close(nullptr);
  CHECK(error_of(nullptr).empty());
  CHECK(hotpack_dataset_records(nullptr) == 0);
  CHECK(hotpack_dataset_classes(nullptr) == 0);
  CHECK(std::string(hotpack_dataset_class_name(nullptr, 0)).empty());
  CHECK(hotpack_dataset_describe(nullptr, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_class_color(nullptr, 0, bytes) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_mean_std(nullptr, numbers, numbers, 3) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_class_statistics(nullptr, 0, &statistics) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_ignored_pixels(nullptr, &number) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_sample(nullptr, 0, &sample) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_key(nullptr, 0, text, sizeof text, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_image(nullptr, 0, bytes, 3) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_label(nullptr, 0, bytes, 3) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_find(nullptr, "x", &number) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("a data set's description follows its schema") {
  const OpenPack pack;
  const hotpack_dataset_info info = described(pack.dataset);
  CHECK(info.records == 7);
  CHECK(info.skipped == 1);
  CHECK(info.shards == 3);
  CHECK(info.packs == 1);
  CHECK(info.classes == 3);
  CHECK(info.image_height == 5);
  CHECK(info.image_width == 6);
  CHECK(info.image_channels == 3);
  CHECK(info.image_layout == HOTPACK_CHANNELS_LAST);
  CHECK(info.label_scope == HOTPACK_LABEL_PIXEL);
  CHECK(info.label_storage == HOTPACK_STORAGE_BITS);
  CHECK(info.label_multi == 0);
  CHECK(hotpack_dataset_records(pack.dataset) == 7);
}

TEST_CASE("every form of images and labels is distinguished") {
  TinyForm form;
  form.layout = hotpack::AxisOrder::channels_first;
  form.storage = hotpack::LabelStorage::one_hot;
  form.multi = true;
  {
    const OpenPack pack(form);
    const hotpack_dataset_info info = described(pack.dataset);
    CHECK(info.image_layout == HOTPACK_CHANNELS_FIRST);
    CHECK(info.image_height == 5);
    CHECK(info.image_width == 6);
    CHECK(info.label_storage == HOTPACK_STORAGE_ONE_HOT);
    CHECK(info.label_multi == 1);
  }
  form = {};
  form.color = hotpack::ImageColor::gray;
  form.scope = hotpack::LabelScope::image;
  form.storage = hotpack::LabelStorage::index;
  form.size.reset();
  {
    const OpenPack pack(form);
    const hotpack_dataset_info info = described(pack.dataset);
    CHECK(info.image_height == 0);
    CHECK(info.image_width == 0);
    CHECK(info.image_channels == 1);
    CHECK(info.label_scope == HOTPACK_LABEL_IMAGE);
    CHECK(info.label_storage == HOTPACK_STORAGE_INDEX);
  }
  form = {};
  form.labeled = false;
  const OpenPack pack(form);
  const hotpack_dataset_info info = described(pack.dataset);
  CHECK(info.label_scope == HOTPACK_LABEL_NONE);
  CHECK(info.label_storage == HOTPACK_STORAGE_NONE);
  std::uint8_t byte = 0;
  CHECK(hotpack_dataset_read_label(pack.dataset, 0, &byte, 1) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("classes have names, and colors if they have one") {
  const OpenPack pack;
  const auto schema = tiny_schema(pack.form);
  REQUIRE(hotpack_dataset_classes(pack.dataset) == schema.classes.size());
  for (std::size_t i = 0; i < schema.classes.size(); ++i) {
    CHECK(hotpack_dataset_class_name(pack.dataset, i) == schema.classes[i].name);
    std::uint8_t rgb[3] = {1, 2, 3};
    const hotpack_status status = hotpack_dataset_class_color(pack.dataset, i, rgb);
    CHECK(status == (schema.classes[i].color ? HOTPACK_OK : HOTPACK_NOT_FOUND));
    if (schema.classes[i].color)
      CHECK(hotpack::RgbColor{rgb[0], rgb[1], rgb[2]} == *schema.classes[i].color);
  }
  std::uint8_t rgb[3];
  CHECK(std::string(hotpack_dataset_class_name(pack.dataset, 3)).empty());
  CHECK(hotpack_dataset_class_color(pack.dataset, 3, rgb) == HOTPACK_ERROR_USAGE);
  CHECK(error_of(pack.dataset).find("there is no class 3") == 0);
}

TEST_CASE("statistics are those of the data set") {
  const OpenPack pack;
  const auto statistics = hotpack::Dataset::open(pack.path).value().statistics().value();
  double mean[3], std[3];
  REQUIRE(hotpack_dataset_mean_std(pack.dataset, mean, std, 3) == HOTPACK_OK);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(mean[c] == *statistics.mean[c]);
    CHECK(std[c] == *statistics.std[c]);
  }
  CHECK(hotpack_dataset_mean_std(pack.dataset, mean, std, 1) == HOTPACK_ERROR_USAGE);
  hotpack_class_statistics found;
  found.struct_size = sizeof found;
  REQUIRE(hotpack_dataset_class_statistics(pack.dataset, 2, &found) == HOTPACK_OK);
  CHECK(found.pixels == statistics.pixels[2]);
  CHECK(found.samples == statistics.samples[2]);
  CHECK(found.weight_inverse == *statistics.weights_inverse[2]);
  CHECK(found.weight_median == *statistics.weights_median[2]);
  CHECK(hotpack_dataset_class_statistics(pack.dataset, 3, &found) == HOTPACK_ERROR_USAGE);
  std::uint64_t ignored = 0;
  REQUIRE(hotpack_dataset_ignored_pixels(pack.dataset, &ignored) == HOTPACK_OK);
  CHECK(ignored == statistics.ignored);
}

TEST_CASE("weights of a class that does not occur are NaN") {
  TinyForm form;
  form.classes = 40;
  const OpenPack pack(form);
  hotpack_class_statistics found;
  found.struct_size = sizeof found;
  bool seen = false;
  for (std::uint64_t id = 0; id < 40; ++id) {
    REQUIRE(hotpack_dataset_class_statistics(pack.dataset, id, &found) == HOTPACK_OK);
    CHECK(std::isnan(found.weight_inverse) == (found.pixels == 0));
    seen = seen || found.pixels == 0;
  }
  CHECK(seen);
}

TEST_CASE("samples are read as they are stored") {
  const OpenPack pack;
  const auto records = tiny_records(pack.form, 7);
  for (std::size_t i = 0; i < records.size(); ++i) {
    hotpack_sample_info info;
    info.struct_size = sizeof info;
    REQUIRE(hotpack_dataset_sample(pack.dataset, i, &info) == HOTPACK_OK);
    CHECK(info.image_height == 5);
    CHECK(info.source_width == records[i].source.width);
    CHECK(info.region[0] == records[i].region.x);
    CHECK(info.region[3] == records[i].region.height);
    std::vector<std::byte> image(info.image_bytes), label(info.label_bytes);
    REQUIRE(hotpack_dataset_read_image(pack.dataset, i, image.data(), image.size()) == HOTPACK_OK);
    REQUIRE(hotpack_dataset_read_label(pack.dataset, i, label.data(), label.size()) == HOTPACK_OK);
    CHECK(image == stored_image(pack.form, records[i]));
    CHECK(label == stored_label(pack.form, records[i]));
    CHECK(hotpack_dataset_read_image(pack.dataset, i, image.data(), image.size() - 1) ==
          HOTPACK_ERROR_USAGE);
    std::string key(info.key_bytes + 1, '#');
    REQUIRE(hotpack_dataset_key(pack.dataset, i, key.data(), key.size(), nullptr) == HOTPACK_OK);
    CHECK(std::string(key.c_str()) == records[i].key);
    std::uint64_t number = 99;
    REQUIRE(hotpack_dataset_find(pack.dataset, key.c_str(), &number) == HOTPACK_OK);
    CHECK(number == i);
  }
  std::byte byte{};
  CHECK(hotpack_dataset_read_image(pack.dataset, 7, &byte, 1) == HOTPACK_ERROR_USAGE);
  std::uint64_t number = 99;
  CHECK(hotpack_dataset_find(pack.dataset, "nowhere", &number) == HOTPACK_NOT_FOUND);
  CHECK(number == 99);
}

TEST_CASE("a key's length can be queried first") {
  const OpenPack pack;
  std::size_t length = 0;
  REQUIRE(hotpack_dataset_key(pack.dataset, 0, nullptr, 0, &length) == HOTPACK_OK);
  std::string key(length, '#');
  CHECK(hotpack_dataset_key(pack.dataset, 0, key.data(), length, &length) == HOTPACK_ERROR_USAGE);
  CHECK(key == std::string(length, '#'));
  key.resize(length + 1);
  CHECK(hotpack_dataset_key(pack.dataset, 0, key.data(), length + 1, nullptr) == HOTPACK_OK);
}

TEST_CASE("many keys come in one call, each with a NUL") {
  const OpenPack pack;
  const auto records = tiny_records(pack.form, 7);
  std::size_t length = 0;
  std::uint64_t offsets[7];
  REQUIRE(hotpack_dataset_keys(pack.dataset, 2, 4, nullptr, 0, &length, nullptr) == HOTPACK_OK);
  std::vector<char> keys(length + 1, '#');
  REQUIRE(hotpack_dataset_keys(pack.dataset, 2, 4, keys.data(), length, nullptr, offsets) ==
          HOTPACK_OK);
  const char* next = keys.data();
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::string(next) == records[2 + i].key);
    CHECK(keys.data() + offsets[i] == next);
    next += records[2 + i].key.size() + 1;
  }
  CHECK(next == keys.data() + length);
  CHECK(keys.back() == '#');
  keys.assign(keys.size(), '#');
  length = 0;
  CHECK(hotpack_dataset_keys(pack.dataset, 0, 7, keys.data(), keys.size(), &length, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(length > keys.size());
  CHECK(keys == std::vector<char>(keys.size(), '#'));
  CHECK(hotpack_dataset_keys(pack.dataset, 7, 0, nullptr, 0, &length, nullptr) == HOTPACK_OK);
  CHECK(length == 0);
  CHECK(hotpack_dataset_keys(pack.dataset, 6, 2, nullptr, 0, &length, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_keys(pack.dataset, 0, 1, nullptr, 9, &length, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_keys(nullptr, 0, 0, nullptr, 0, &length, nullptr) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("a data set in C has the fingerprint of the one in C++") {
  const OpenPack pack;
  const auto own = hotpack::Dataset::open(pack.path).value();
  CHECK(hotpack_dataset_fingerprint(pack.dataset) == own.fingerprint());
  CHECK(std::string(hotpack_dataset_fingerprint(nullptr)).empty());
  const std::vector<std::uint64_t> numbers{4, 2};
  hotpack_dataset* subset = nullptr;
  REQUIRE(hotpack_dataset_subset(pack.dataset, numbers.data(), 2, &subset) == HOTPACK_OK);
  CHECK(hotpack_dataset_fingerprint(subset) == own.subset(numbers).value().fingerprint());
  hotpack_dataset_close(subset);
}

TEST_CASE("several packs form one data set, or report their difference") {
  const TempFolder folder;
  TinyForm other;
  other.classes = 4;
  const std::string a = add_pack(folder, "a", {}, 4), b = add_pack(folder, "b", {}, 3, 4),
                    c = add_pack(folder, "c", other, 2);
  hotpack_dataset* dataset = nullptr;
  const char* const fit[] = {a.c_str(), b.c_str()};
  REQUIRE(hotpack_dataset_open_many(fit, 2, &dataset) == HOTPACK_OK);
  CHECK(hotpack_dataset_records(dataset) == 7);
  CHECK(described(dataset).packs == 2);
  double mean[3], std[3];
  CHECK(hotpack_dataset_mean_std(dataset, mean, std, 3) == HOTPACK_OK);
  hotpack_dataset_close(dataset);
  const char* const unfit[] = {a.c_str(), c.c_str()};
  CHECK(hotpack_dataset_open_many(unfit, 2, &dataset) == HOTPACK_ERROR_USAGE);
  CHECK_FALSE(error_of(dataset).empty());
  hotpack_dataset_close(dataset);
}

TEST_CASE("the size of a struct must be set") {
  const OpenPack pack;
  hotpack_dataset_info info{};
  CHECK(hotpack_dataset_describe(pack.dataset, &info) == HOTPACK_ERROR_USAGE);
  CHECK(error_of(pack.dataset).find("sizeof(hotpack_dataset_info)") != std::string::npos);
}

TEST_CASE("class sources, ignored values and geometry are those of the schema") {
  const OpenPack pack;
  const auto schema = tiny_schema(pack.form);
  hotpack_label_source source;
  source.struct_size = sizeof source;
  for (std::uint64_t id = 0; id < schema.classes.size(); ++id) {
    const auto& sources = schema.classes[id].sources;
    REQUIRE(hotpack_dataset_class_sources(pack.dataset, id) == sources.size());
    for (std::uint64_t number = 0; number < sources.size(); ++number) {
      REQUIRE(hotpack_dataset_class_source(pack.dataset, id, number, &source) == HOTPACK_OK);
      CHECK(source.text == nullptr);
      CHECK(source.id == std::get<std::int64_t>(sources[number]));
    }
    CHECK(hotpack_dataset_class_source(pack.dataset, id, sources.size(), &source) ==
          HOTPACK_NOT_FOUND);
  }
  CHECK(hotpack_dataset_class_sources(pack.dataset, 3) == 0);
  CHECK(hotpack_dataset_class_source(pack.dataset, 3, 0, &source) == HOTPACK_ERROR_USAGE);
  REQUIRE(hotpack_dataset_ignored_sources(pack.dataset) == schema.ignore.size());
  REQUIRE(hotpack_dataset_ignored_source(pack.dataset, 0, &source) == HOTPACK_OK);
  CHECK(source.id == 255);
  CHECK(hotpack_dataset_ignored_source(pack.dataset, schema.ignore.size(), &source) ==
        HOTPACK_NOT_FOUND);

  hotpack_geometry_info geometry;
  geometry.struct_size = sizeof geometry;
  REQUIRE(hotpack_dataset_geometry(pack.dataset, &geometry) == HOTPACK_OK);
  CHECK(geometry.width == 6);
  CHECK(geometry.height == 5);
  CHECK(geometry.fit == schema.geometry.fit);
  CHECK(geometry.image_filter == schema.geometry.image_filter);
  CHECK(geometry.label_filter == schema.geometry.label_filter);
  for (std::size_t c = 0; c < schema.geometry.pad_color.size(); ++c)
    CHECK(geometry.pad_color[c] == schema.geometry.pad_color[c]);
}

TEST_CASE("sources and geometry of no data set are refused") {
  hotpack_label_source source;
  source.struct_size = sizeof source;
  hotpack_geometry_info geometry;
  geometry.struct_size = sizeof geometry;
  CHECK(hotpack_dataset_class_sources(nullptr, 0) == 0);
  CHECK(hotpack_dataset_ignored_sources(nullptr) == 0);
  CHECK(hotpack_dataset_class_source(nullptr, 0, 0, &source) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_ignored_source(nullptr, 0, &source) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_geometry(nullptr, &geometry) == HOTPACK_ERROR_USAGE);
  const OpenPack pack;
  CHECK(hotpack_dataset_class_source(pack.dataset, 0, 0, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_geometry(pack.dataset, nullptr) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("the library reports what it is made of") {
  hotpack_build_info info{};
  CHECK(hotpack_build_describe(nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_build_describe(&info) == HOTPACK_ERROR_USAGE);
  info.struct_size = sizeof info;
  REQUIRE(hotpack_build_describe(&info) == HOTPACK_OK);
  const hotpack::BuildInfo own = hotpack::build_info();
  CHECK(info.version == own.version);
  CHECK(info.compiler == own.compiler);
  CHECK(info.zstd == own.zstd);
  CHECK(info.instructions == own.instructions);
}

TEST_CASE("the library reports its version") {
  CHECK(hotpack_abi_version() == HOTPACK_ABI_VERSION);
  CHECK(std::string(hotpack_version()).find('.') != std::string::npos);
}
