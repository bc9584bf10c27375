// Records of different sizes: refusals, and ways to make batches of them.
#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// The records are 4…6 pixels wide and 3…4 high.
TinyPack mixed_pack() { return TinyPack(all_forms().at("mixed"), 9, 4); }

// `row` of a record of width × height, placed at the upper left of a larger image.
Row laid_into(const Row& row, PixelSize record, PixelSize into) {
  Row larger = row;
  larger.image.assign(static_cast<std::size_t>(into.width * into.height * 3), std::byte{0});
  larger.label.assign(static_cast<std::size_t>(into.width * into.height), std::byte{255});
  for (std::int64_t y = 0; y < record.height; ++y) {
    for (std::int64_t x = 0; x < record.width; ++x) {
      const auto from = static_cast<std::size_t>(y * record.width + x),
                 to = static_cast<std::size_t>(y * into.width + x);
      larger.label[to] = row.label[from];
      for (std::size_t c = 0; c < 3; ++c) larger.image[to * 3 + c] = row.image[from * 3 + c];
    }
  }
  return larger;
}

PixelSize size_of(const Row& row) { return {row.box.width, row.box.height}; }

}  // namespace

TEST_CASE("records of mixed sizes are refused in batches of several rows") {
  const TinyPack pack = mixed_pack();
  const Dataset dataset = pack.open();
  CHECK(refusal_of(dataset, in_file_order(2)) ==
        "records of different sizes cannot share a batch; use a crop or pad_to, or batches of one "
        "row per rank");
  LoaderOptions packed = in_file_order(2);
  packed.content = BatchContent::packed;
  packed.augment.crop = Crop{{3, 3}};  // packed records stay as they are
  CHECK_THAT(refusal_of(dataset, packed), ContainsSubstring("different sizes"));
  LoaderOptions ranks = in_file_order(4);
  ranks.world_size = 4;
  CHECK(open_loader(dataset, ranks).batch_size() == 1);
}

TEST_CASE("records of mixed sizes in batches of one row keep their shapes") {
  const TinyPack pack = mixed_pack();
  const Dataset dataset = pack.open();
  const LoaderOptions options = in_file_order(1);
  Loader loader = open_loader(dataset, options);
  std::uint64_t largest = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::int64_t sample = 0; sample < 9; ++sample) {
      CAPTURE(sample);
      const Batch batch = next_batch(loader);
      const Row expected = expected_row(dataset, options, sample);
      CHECK(copy_of(batch).rows.at(0) == expected);
      CHECK(batch.image().shape ==
            std::vector<std::int64_t>{1, expected.box.height, expected.box.width, 3});
      CHECK(batch.label().shape ==
            std::vector<std::int64_t>{1, expected.box.height, expected.box.width});
      largest = std::max<std::uint64_t>(largest, batch.image().bytes.size());
    }
    CHECK(at_end_of_epoch(loader));
  }
  CHECK(loader.image_batch_bytes() == largest);
}

TEST_CASE("records of different sizes in one row per rank end with a kept batch") {
  const TinyPack pack = mixed_pack();
  const Dataset dataset = pack.open();
  LoaderOptions options = in_file_order(3);
  options.last_batch = LastBatch::keep;
  options.world_size = 3;
  options.rank = 1;
  Loader loader = open_loader(dataset, options);
  for (const std::int64_t sample : {1, 4, 7})
    CHECK(copy_of(next_batch(loader)).rows.at(0) == expected_row(dataset, options, sample));
  CHECK(at_end_of_epoch(loader));
  options.global_batch_size = 5;  // four samples are left: the last rank would have two rows
  options.rank = 2;
  CHECK_THAT(refusal_of(dataset, options), ContainsSubstring("different sizes"));
}

TEST_CASE("a padded row of records of different sizes is empty") {
  const TinyPack pack = mixed_pack();
  LoaderOptions options = in_file_order(2);
  options.last_batch = LastBatch::pad;
  options.world_size = 2;
  options.rank = 1;
  Loader loader = open_loader(pack.open(), options);
  skip(loader, 4);
  const Batch batch = next_batch(loader);
  CHECK(batch.num_valid() == 0);
  CHECK(batch.image().bytes.empty());
  CHECK(batch.image().shape == std::vector<std::int64_t>{1, 0, 0, 3});
}

TEST_CASE("pad_to pads with black and ignored pixels on the right and below") {
  const TinyPack pack = mixed_pack();
  const Dataset dataset = pack.open();
  LoaderOptions options = in_file_order(4);
  options.pad_to = PixelSize{7, 4};
  options.last_batch = LastBatch::pad;
  Loader loader = open_loader(dataset, options);
  std::int64_t sample = 0;
  for (const BatchCopy& batch : rest_of_epoch(loader)) {
    CHECK(batch.image_shape == std::vector<std::int64_t>{4, 4, 7, 3});
    for (std::size_t row = 0; row < batch.valid; ++row, ++sample) {
      CAPTURE(sample);
      const Row whole = expected_row(dataset, options, sample);
      CHECK(batch.rows[row] == laid_into(whole, size_of(whole), {7, 4}));
    }
  }
  CHECK(sample == 9);
}

TEST_CASE("a record larger than pad_to fails its step with both sizes") {
  const TinyPack pack = mixed_pack();
  LoaderOptions options = in_file_order(1);
  options.pad_to = PixelSize{5, 4};
  Loader loader = open_loader(pack.open(), options);
  skip(loader, 2);
  const Error error = next_error(loader);  // sample 2 is 6 wide
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.message, ContainsSubstring("record ") &&
                                ContainsSubstring("(street/sample 0002): sample 2") &&
                                ContainsSubstring("6x3 pixels, larger than pad_to 5x4"));
  CHECK(next_error(loader).message == error.message);
  REQUIRE(loader.seek(0, 3).ok());
  CHECK(next_batch(loader).indices()[0] == 3);
}

TEST_CASE("pad_to smaller than all records is refused at once") {
  const TinyPack pack;
  LoaderOptions options = in_file_order(4);
  options.pad_to = PixelSize{6, 4};
  CHECK_THAT(refusal_of(pack.open(), options),
             ContainsSubstring("6x5 pixels, larger than pad_to 6x4"));
}

TEST_CASE("a crop batches records of mixed sizes and pads smaller ones") {
  const TinyPack pack = mixed_pack();
  const Dataset dataset = pack.open();
  LoaderOptions options = in_file_order(3);
  options.augment.crop = Crop{{5, 4}, false};
  Loader loader = open_loader(dataset, options);
  for (const BatchCopy& batch : rest_of_epoch(loader)) {
    CHECK(batch.image_shape == std::vector<std::int64_t>{3, 4, 5, 3});
    for (const Row& row : batch.rows) {
      CAPTURE(row.sample);
      const Row whole = expected_row(dataset, options, row.sample);
      CHECK(row.box == draw_crop(options.augment, size_of(whole), 0, 0,
                                 static_cast<std::uint64_t>(row.sample)));
      const auto width = static_cast<std::size_t>(row.box.width),
                 height = static_cast<std::size_t>(row.box.height);
      for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t x = 0; x < 5; ++x) {
          const std::size_t from = (static_cast<std::size_t>(row.box.y) + y) *
                                       static_cast<std::size_t>(whole.box.width) +
                                   static_cast<std::size_t>(row.box.x) + x;
          const bool inside = x < width && y < height;
          REQUIRE(row.label[y * 5 + x] == (inside ? whole.label[from] : std::byte{255}));
          REQUIRE(row.image[(y * 5 + x) * 3] == (inside ? whole.image[from * 3] : std::byte{0}));
        }
      }
    }
  }
}

TEST_CASE("packs of different sizes read as one need a crop, too") {
  TinyForm larger;
  larger.size = Extent{8, 7};
  const TinyPack small({}, 4, 4), large(larger, 4, 4, 100);
  const auto dataset = Dataset::open({small.folder(), large.folder()});
  REQUIRE(dataset.ok());
  CHECK_THAT(refusal_of(*dataset, in_file_order(4)), ContainsSubstring("different sizes"));
  LoaderOptions options = in_file_order(8);
  options.augment.resized_crop = ResizedCrop{{4, 4}};
  Loader loader = open_loader(*dataset, options);
  CHECK(next_batch(loader).image().shape == std::vector<std::int64_t>{8, 4, 4, 3});
}
