#include "hotpack/read_batch.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

struct Read {
  BatchInfo info;
  Bytes image;
  Bytes label;
};

Read read(const Dataset& dataset, const std::vector<std::uint64_t>& indices,
          const ReadOptions& options = {}) {
  const BatchShapes shapes = read_batch_shapes(dataset, indices, options).value();
  Read result;
  result.image.resize(shapes.image_bytes);
  result.label.resize(shapes.label_bytes);
  result.info =
      read_batch(dataset, indices, options, {.image = result.image, .label = result.label}).value();
  return result;
}

Bytes part(const Bytes& all, std::size_t row, std::size_t rows) {
  const std::size_t size = all.size() / rows;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace

TEST_CASE("read_batch reads any samples, in any order, as a Loader would") {
  for (const auto& [name, form] : all_forms()) {
    if (name.find("mixed") != std::string::npos) continue;
    CAPTURE(name);
    const TinyPack pack(form);
    const Dataset dataset = pack.open();
    LoaderOptions same;
    if (form.multi) same.label.form = LabelForm::bits;
    const std::vector<std::uint64_t> indices{11, 0, 3, 3, 7};
    for (const unsigned threads : {1u, 3u}) {
      const Read got = read(dataset, indices, {.label = same.label, .threads = threads});
      CHECK(got.info.num_valid == 5);
      for (std::size_t row = 0; row < indices.size(); ++row) {
        const auto sample = static_cast<std::int64_t>(indices[row]);
        const Row wanted = expected_row(dataset, same, sample);
        CHECK(got.info.indices[row] == sample);
        CHECK(got.info.keys[row] == wanted.key);
        CHECK(got.info.crops[row] == wanted.box);
        CHECK(part(got.image, row, indices.size()) == wanted.image);
        CHECK(part(got.label, row, indices.size()) == wanted.label);
      }
    }
  }
}

TEST_CASE("read_batch reads records of different sizes one by one, or padded") {
  const TinyPack pack(all_forms().at("mixed"), 6, 3);
  const Dataset dataset = pack.open();
  CHECK_THAT(read_batch_shapes(dataset, std::vector<std::uint64_t>{0, 1}).error().message,
             ContainsSubstring("records of different sizes cannot share a batch"));
  for (std::uint64_t sample = 0; sample < 6; ++sample) {
    const Row wanted = expected_row(dataset, {}, static_cast<std::int64_t>(sample));
    CHECK(read(dataset, {sample}).image == wanted.image);
  }
  const ReadOptions padded{.pad_to = PixelSize{64, 64}};
  CHECK(read(dataset, {0, 1, 2}, padded).info.image_shape ==
        std::vector<std::int64_t>{3, 64, 64, 3});
}

TEST_CASE("read_batch refuses what it cannot read, and says why") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const auto refused = [&](const std::vector<std::uint64_t>& indices, const BatchBuffers& into) {
    const auto result = read_batch(dataset, indices, {}, into);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::usage);
    return result.error().message;
  };
  Bytes few(3);
  CHECK_THAT(refused({}, {}), ContainsSubstring("no indices"));
  CHECK_THAT(refused({0, 12}, {}), ContainsSubstring("there is no sample 12"));
  CHECK_THAT(refused({0}, {.image = few}), ContainsSubstring("the image buffer has 3 bytes"));
}

TEST_CASE("read_batch reports the first damaged row, and skips fields") {
  const TinyPack pack;
  pack.damage_image(5);
  pack.damage_image(9);
  const Dataset dataset = pack.open();
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < 12; ++i) indices.push_back(11 - i);
  for (int times = 0; times < 20; ++times) {
    const auto result = read_batch(dataset, indices, {.threads = 4}, {});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::damaged);
    CHECK(result.error().key == dataset.sample(9).value().key());
  }
  CHECK(read_batch(dataset, std::vector<std::uint64_t>{1, 2}, {}, {}).value().keys.size() == 2);
}
