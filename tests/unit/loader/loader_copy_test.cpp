// next_into(): batches copied into memory of the caller.
#include <cstring>
#include <string>
#include <vector>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

LoaderOptions f32_options() {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.image.dtype = ElementType::f32;
  options.label = {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_first, false, {}};
  return options;
}

BatchInfo copied(Loader& loader, const BatchBuffers& into) {
  auto info = loader.next_into(into);
  INFO((info.ok() ? std::string() : info.error().describe()));
  REQUIRE(info.ok());
  REQUIRE(info->has_value());
  return **info;
}

std::string refused(Loader& loader, const BatchBuffers& into) {
  const auto info = loader.next_into(into);
  REQUIRE_FALSE(info.ok());
  CHECK(info.error().code == ErrorCode::usage);
  return info.error().message;
}

}  // namespace

TEST_CASE("next_into copies and describes what next leases") {
  TinyForm form;
  SECTION("small batches") {}
  SECTION("batches of more than a mebibyte") { form.size = Extent{331, 197}; }
  const TinyPack pack(form, 10, 4);
  const Dataset dataset = pack.open();
  LoaderOptions options = f32_options();
  options.last_batch = GENERATE(LastBatch::pad, LastBatch::keep);
  options.augment.horizontal_flip = 0.5;
  Loader leasing = open_loader(dataset, options), copying = open_loader(dataset, options);
  std::vector<float> image(copying.image_batch_bytes() / 4), label(copying.label_batch_bytes() / 4);
  for (int step = 0; step < 3; ++step) {
    const Batch batch = next_batch(leasing);
    const BatchInfo info = copied(copying, {std::as_writable_bytes(std::span(image)),
                                            std::as_writable_bytes(std::span(label))});
    CHECK(info.epoch == batch.epoch());
    CHECK(info.step == batch.step());
    CHECK(info.batch_size == batch.batch_size());
    CHECK(info.num_valid == batch.num_valid());
    CHECK(info.image_shape == batch.image().shape);
    CHECK(info.label_shape == batch.label().shape);
    CHECK(info.image_dtype == ElementType::f32);
    CHECK(info.label_dtype == ElementType::f32);
    CHECK(info.indices == std::vector(batch.indices().begin(), batch.indices().end()));
    CHECK(info.crops == std::vector(batch.crops().begin(), batch.crops().end()));
    for (std::size_t row = 0; row < batch.batch_size(); ++row)
      CHECK(info.keys[row] == batch.key(row));
    REQUIRE(std::memcmp(image.data(), batch.image().bytes.data(), batch.image().bytes.size()) == 0);
    REQUIRE(std::memcmp(label.data(), batch.label().bytes.data(), batch.label().bytes.size()) == 0);
  }
  const auto end = copying.next_into({});
  REQUIRE(end.ok());
  CHECK_FALSE(end->has_value());
}

TEST_CASE("next_into skips a field without a buffer and writes only the batch") {
  const TinyPack pack;
  Loader loader = open_loader(pack.open(), f32_options());
  Bytes label(loader.label_batch_bytes() + 64, std::byte{0xAB});
  CHECK(copied(loader, {{}, label}).step == 0);
  for (std::size_t i = loader.label_batch_bytes(); i < label.size(); ++i)
    REQUIRE(label[i] == std::byte{0xAB});
  CHECK(copied(loader, {}).step == 1);
}

TEST_CASE("next_into writes only the rows of a short last batch") {
  const TinyPack pack({}, 10, 4);
  LoaderOptions options = f32_options();
  options.last_batch = LastBatch::keep;
  Loader loader = open_loader(pack.open(), options);
  skip(loader, 2);
  Bytes image(loader.image_batch_bytes(), std::byte{0xAB}), label(loader.label_batch_bytes());
  CHECK_THAT(refused(loader, {std::span(image).first(image.size() / 2), label}),
             ContainsSubstring("the batch needs " + std::to_string(image.size())));
  const BatchInfo info = copied(loader, {image, label});
  CHECK(info.batch_size == 2);
  CHECK(info.num_valid == 2);
  CHECK(info.indices.size() == 2);
  CHECK(info.keys.size() == 2);
  CHECK(info.crops.size() == 2);
  CHECK(info.image_shape.front() == 2);
  CHECK(info.label_shape.front() == 2);
  for (std::size_t i = image.size() / 2; i < image.size(); ++i)
    REQUIRE(image[i] == std::byte{0xAB});
}

TEST_CASE("next_into frees its slot for further batches") {
  const TinyPack pack;
  LoaderOptions options = f32_options();
  options.prefetch_batches = 2;
  Loader loader = open_loader(pack.open(), options);
  for (std::uint64_t step = 0; step < 3; ++step) CHECK(copied(loader, {}).step == step);
}

TEST_CASE("next_into refuses small or unaligned buffers without losing the batch") {
  const TinyPack pack;
  Loader loader = open_loader(pack.open(), f32_options());
  std::vector<float> floats(2 * loader.image_batch_bytes() / 4);
  const auto bytes = std::as_writable_bytes(std::span(floats));
  CHECK(refused(loader, {bytes.first(loader.image_batch_bytes() - 1), {}}) ==
        "the image buffer has 1439 bytes, but the batch needs 1440");
  CHECK_THAT(refused(loader, {{}, bytes.first(8)}),
             ContainsSubstring("the label buffer has 8 bytes"));
  CHECK(refused(loader, {bytes.subspan(2), {}}) ==
        "the image buffer is not aligned to its elements, f32");
  CHECK_THAT(refused(loader, {{}, bytes.subspan(1)}),
             ContainsSubstring("the label buffer is not aligned"));
  CHECK(copied(loader, {bytes, {}}).step == 0);
}

TEST_CASE("records of mixed sizes: a small buffer is refused, the batch repeats") {
  const TinyPack pack(all_forms().at("mixed"), 6, 3);
  const Dataset dataset = pack.open();
  Loader loader = open_loader(dataset, in_file_order(1));
  for (std::uint64_t step = 0; step < 6; ++step) {
    const Row expected = expected_row(dataset, in_file_order(1), static_cast<std::int64_t>(step));
    Bytes image(expected.image.size()), label(expected.label.size());
    CHECK_THAT(
        refused(loader, {std::span(image).first(3), label}),
        ContainsSubstring("has 3 bytes, but the batch needs " + std::to_string(image.size())));
    CHECK(loader.state().samples == step);
    const BatchInfo info = copied(loader, {image, label});
    CHECK(info.step == step);
    CHECK(info.indices[0] == expected.sample);
    CHECK(image == expected.image);
    CHECK(label == expected.label);
  }
}
