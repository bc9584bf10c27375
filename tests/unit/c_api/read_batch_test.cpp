#include "hotpack/read_batch.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "c_api/loader_options.hpp"
#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// A pack of twelve samples, open in C and in C++.
struct OpenPack {
  explicit OpenPack(const TinyForm& form = {}) : pack(form), own(pack.open()) {
    REQUIRE(hotpack_dataset_open(pack.folder().c_str(), &dataset) == HOTPACK_OK);
  }
  ~OpenPack() { hotpack_dataset_close(dataset); }
  OpenPack(const OpenPack&) = delete;
  OpenPack& operator=(const OpenPack&) = delete;
  [[nodiscard]] std::string error() const { return hotpack_dataset_error(dataset); }
  [[nodiscard]] hotpack_error_info error_info() const {
    hotpack_error_info info;
    info.struct_size = sizeof info;
    REQUIRE(hotpack_dataset_error_info(dataset, &info) == HOTPACK_OK);
    return info;
  }

  TinyPack pack;
  Dataset own;
  hotpack_dataset* dataset = nullptr;
};

hotpack_read_options defaults() {
  hotpack_read_options options;
  REQUIRE(hotpack_read_options_init(&options, sizeof options) == HOTPACK_OK);
  return options;
}

const std::vector<std::uint64_t> kNumbers{11, 0, 3, 3, 7};

}  // namespace

TEST_CASE("samples by number in C equal those in C++") {
  const OpenPack pack;
  hotpack_read_options options = defaults();
  options.image_dtype = HOTPACK_DTYPE_F32;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  options.label_form = HOTPACK_FORM_ONE_HOT;
  options.threads = 2;
  const ReadOptions own{.image = {.dtype = ElementType::f32, .layout = AxisOrder::channels_first},
                        .label = {.form = LabelForm::one_hot}};
  const BatchShapes shapes = read_batch_shapes(pack.own, kNumbers, own).value();

  hotpack_batch_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_dataset_read_batch_shapes(pack.dataset, kNumbers.data(), kNumbers.size(),
                                            &options, &info) == HOTPACK_OK);
  CHECK(info.image.data == nullptr);
  CHECK(info.image.bytes == shapes.image_bytes);
  CHECK(info.label.bytes == shapes.label_bytes);
  CHECK(info.image.dtype == HOTPACK_DTYPE_F32);
  CHECK(info.batch_size == 5);
  CHECK(std::vector<std::int64_t>(info.image.shape, info.image.shape + info.image.dimensions) ==
        shapes.image);
  CHECK(std::vector<std::int64_t>(info.label.shape, info.label.shape + info.label.dimensions) ==
        shapes.label);

  Bytes image(info.image.bytes), label(info.label.bytes);
  Bytes same_image(image.size()), same_label(label.size());
  const auto expected =
      read_batch(pack.own, kNumbers, own, {.image = same_image, .label = same_label}).value();
  std::int64_t indices[5];
  hotpack_crop crops[5];
  const hotpack_batch_buffers buffers{sizeof buffers, image.data(), image.size(), label.data(),
                                      label.size(),   indices,      crops};
  REQUIRE(hotpack_dataset_read_batch(pack.dataset, kNumbers.data(), kNumbers.size(), &options,
                                     &buffers, &info) == HOTPACK_OK);
  CHECK(image == same_image);
  CHECK(label == same_label);
  CHECK(info.image.data == image.data());
  CHECK(info.label.bytes == label.size());
  CHECK(info.num_valid == 5);
  CHECK(info.step == 0);
  for (std::size_t row = 0; row < 5; ++row) {
    CHECK(indices[row] == expected.indices[row]);
    CHECK(crops[row].width == expected.crops[row].width);
  }
}

TEST_CASE("the defaults read records as they are stored, and skip fields") {
  const OpenPack pack;
  const std::uint64_t number = 4;
  hotpack_batch_info info;
  info.struct_size = sizeof info;
  REQUIRE(hotpack_dataset_read_batch_shapes(pack.dataset, &number, 1, nullptr, &info) ==
          HOTPACK_OK);
  Bytes image(info.image.bytes), stored(info.image.bytes);
  const hotpack_batch_buffers buffers{sizeof buffers, image.data(), image.size(), nullptr, 0,
                                      nullptr,        nullptr};
  REQUIRE(hotpack_dataset_read_batch(pack.dataset, &number, 1, nullptr, &buffers, nullptr) ==
          HOTPACK_OK);
  REQUIRE(hotpack_dataset_read_image(pack.dataset, number, stored.data(), stored.size()) ==
          HOTPACK_OK);
  CHECK(image == stored);
}

TEST_CASE("a wrong call of read_batch says what is wrong") {
  const OpenPack pack;
  Bytes few(3);
  hotpack_batch_buffers buffers{sizeof buffers, few.data(), few.size(), nullptr, 0,
                                nullptr,        nullptr};
  hotpack_batch_info info{};
  const auto refused = [&](const std::uint64_t* numbers, std::size_t count,
                           const hotpack_read_options* options = nullptr) {
    CHECK(hotpack_dataset_read_batch(pack.dataset, numbers, count, options, &buffers, nullptr) ==
          HOTPACK_ERROR_USAGE);
    return pack.error();
  };
  const std::uint64_t beyond = 12, first = 0;
  CHECK_THAT(refused(nullptr, 0), ContainsSubstring("no indices"));
  CHECK_THAT(refused(nullptr, 2), ContainsSubstring("numbers is NULL"));
  CHECK_THAT(refused(&beyond, 1), ContainsSubstring("there is no sample 12"));
  CHECK_THAT(refused(&first, 1), ContainsSubstring("the image buffer has 3 bytes"));
  hotpack_read_options options = defaults();
  options.label_form = 7;
  CHECK_THAT(refused(&first, 1, &options), ContainsSubstring("label_form is 7"));
  CHECK(std::string(pack.error_info().option) == "label_form");
  options = defaults();
  options.reserved = 1;
  CHECK_THAT(refused(&first, 1, &options), ContainsSubstring("reserved"));
  CHECK(hotpack_dataset_read_batch(pack.dataset, &first, 1, nullptr, nullptr, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_batch(pack.dataset, &first, 1, nullptr, &buffers, &info) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_batch_shapes(pack.dataset, &first, 1, nullptr, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_batch_shapes(nullptr, &first, 1, nullptr, &info) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_dataset_read_batch(nullptr, &first, 1, nullptr, &buffers, nullptr) ==
        HOTPACK_ERROR_USAGE);
  CHECK(hotpack_read_options_init(nullptr, sizeof options) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_read_options_init(&options, 3) == HOTPACK_ERROR_USAGE);
}

TEST_CASE("read_batch in C names the damaged record") {
  const OpenPack pack;
  pack.pack.damage_image(5);
  Bytes image(12 * 5 * 6 * 3);
  const hotpack_batch_buffers buffers{sizeof buffers, image.data(), image.size(), nullptr, 0,
                                      nullptr,        nullptr};
  const std::uint64_t numbers[] = {2, 5};
  CHECK(hotpack_dataset_read_batch(pack.dataset, numbers, 2, nullptr, &buffers, nullptr) ==
        HOTPACK_ERROR_DAMAGED);
  const hotpack_error_info info = pack.error_info();
  CHECK(info.record == 1);  // of the second shard
  CHECK(info.path == pack.pack.shard_path(1));
  CHECK(info.key == pack.own.sample(5).value().key());
}

TEST_CASE("the options of read_batch have the defaults of C++") {
  const ReadOptions read = c_api::read_options(c_api::default_read_options()).value(), own;
  CHECK(read.image == own.image);
  CHECK(read.label == own.label);
  CHECK(read.pad_to.has_value() == own.pad_to.has_value());
  CHECK(read.threads == own.threads);
  CHECK(read.verify_checksums == own.verify_checksums);
}

TEST_CASE("every option of read_batch arrives") {
  const float mean[] = {0.5f, 0.25f, 0.75f}, std[] = {1, 2, 3};
  hotpack_read_options options = defaults();
  options.image_dtype = HOTPACK_DTYPE_F16;
  options.image_layout = HOTPACK_CHANNELS_FIRST;
  options.image_mean = mean;
  options.image_std = std;
  options.image_channels = 3;
  options.label_dtype = HOTPACK_DTYPE_I64;
  options.label_has_ignore_index = 1;
  options.label_ignore_index = -7;
  options.pad_width = 8;
  options.pad_height = 9;
  options.threads = 3;
  options.verify_checksums = HOTPACK_VERIFY_NEVER;
  const ReadOptions read = c_api::read_options(options).value();
  CHECK(read.image.dtype == ElementType::f16);
  CHECK(read.image.layout == AxisOrder::channels_first);
  CHECK(read.image.mean == std::vector<float>(mean, mean + 3));
  CHECK(read.image.std == std::vector<float>(std, std + 3));
  CHECK(read.label.dtype == ElementType::i64);
  CHECK(read.label.ignore_index == -7);
  REQUIRE(read.pad_to.has_value());
  CHECK(read.pad_to->width == 8);
  CHECK(read.pad_to->height == 9);
  CHECK(read.threads == 3);
  CHECK(read.verify_checksums == VerifyChecksums::never);
}

TEST_CASE("a subset in C has the chosen samples, and outlives the whole") {
  OpenPack pack;
  hotpack_dataset* subset = nullptr;
  REQUIRE(hotpack_dataset_subset(pack.dataset, kNumbers.data(), kNumbers.size(), &subset) ==
          HOTPACK_OK);
  hotpack_dataset_close(std::exchange(pack.dataset, nullptr));
  REQUIRE(hotpack_dataset_records(subset) == kNumbers.size());
  char key[64];
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    REQUIRE(hotpack_dataset_key(subset, i, key, sizeof key, nullptr) == HOTPACK_OK);
    CHECK(key == pack.own.sample(kNumbers[i]).value().key());
  }
  hotpack_loader_options options = c_api::default_options();
  options.global_batch_size = 5;
  options.shuffle = HOTPACK_SHUFFLE_NONE;
  hotpack_loader* loader = nullptr;
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_open(subset, &options, &loader) == HOTPACK_OK);
  REQUIRE(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  CHECK(hotpack_batch_indices(batch)[4] == 4);
  CHECK(hotpack_batch_key(batch, 4) == pack.own.sample(7).value().key());
  hotpack_batch_release(batch);
  hotpack_loader_close(loader);
  hotpack_dataset_close(subset);
}

TEST_CASE("a subset that cannot be made gives a handle with the reason") {
  const OpenPack pack;
  hotpack_dataset* subset = nullptr;
  const std::uint64_t beyond = 12;
  CHECK(hotpack_dataset_subset(pack.dataset, &beyond, 1, nullptr) == HOTPACK_ERROR_USAGE);
  const auto reason = [&](const hotpack_dataset* whole, const std::uint64_t* numbers) {
    CHECK(hotpack_dataset_subset(whole, numbers, 1, &subset) == HOTPACK_ERROR_USAGE);
    std::string text = hotpack_dataset_error(subset);
    hotpack_dataset_close(subset);
    return text;
  };
  CHECK_THAT(reason(pack.dataset, &beyond), ContainsSubstring("there is no sample 12"));
  CHECK_THAT(reason(pack.dataset, nullptr), ContainsSubstring("numbers is NULL"));
  CHECK_THAT(reason(nullptr, &beyond), ContainsSubstring("dataset is NULL"));
}
