#include "hotpack/loader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// The possible contents of a slot, by name.
std::map<std::string, LoaderOptions> all_contents(const TinyForm& form) {
  const std::size_t channels = form.color == ImageColor::rgb ? 3 : 1;
  std::map<std::string, LoaderOptions> contents;
  contents["packed"].content = BatchContent::packed;
  auto& normalized = contents["f32 NCHW normalized, one-hot f32 NCHW"];
  normalized.image = {ElementType::f32, AxisOrder::channels_first,
                      std::vector<float>(channels, 0.485f), std::vector<float>(channels, 0.229f)};
  auto& flags = contents["u8 NCHW, one-hot u8 NHWC with the ignored"];
  flags.image.layout = AxisOrder::channels_first;
  auto& bits = contents["bf16 NHWC, bits"];
  bits.image.dtype = ElementType::bf16;
  if (form.labeled) {
    normalized.label = {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_first, false, {}};
    flags.label = {LabelForm::one_hot, ElementType::u8, AxisOrder::channels_last, true, {}};
    bits.label.form = LabelForm::bits;
  }
  if (form.multi) return contents;  // has no index form
  contents["u8 NHWC, index"] = {};
  if (form.labeled) contents["u8 NHWC, index i64"].label.dtype = ElementType::i64;
  return contents;
}

std::vector<BatchCopy> epochs_of(const Dataset& dataset, const LoaderOptions& options, int count) {
  Loader loader = open_loader(dataset, options);
  std::vector<BatchCopy> all;
  for (int epoch = 0; epoch < count; ++epoch) {
    for (BatchCopy& batch : rest_of_epoch(loader)) all.push_back(std::move(batch));
  }
  return all;
}

void check_epochs(const Dataset& dataset, const LoaderOptions& options, int epochs) {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;
  for (const BatchCopy& batch : epochs_of(dataset, options, epochs)) {
    if (batch.epoch != epoch) step = 0;
    epoch = batch.epoch;
    CAPTURE(epoch, step);
    CHECK(batch.step == step);
    const auto samples = expected_samples(dataset.records(), options, epoch, step);
    REQUIRE(batch.rows.size() == samples.size());
    for (std::size_t row = 0; row < samples.size(); ++row) {
      CAPTURE(row, samples[row]);
      REQUIRE(batch.rows[row] == expected_row(dataset, options, samples[row]));
      CHECK((samples[row] >= 0) == (row < batch.valid));
    }
    ++step;
  }
  CHECK(epoch + 1 == static_cast<std::uint64_t>(epochs));
}

}  // namespace

TEST_CASE("epochs hold all records, expanded by the formulas in every form") {
  for (const auto& [form_name, form] : all_forms()) {
    const TinyPack pack(form, 10, 4);
    const Dataset dataset = pack.open();
    for (auto [content_name, options] : all_contents(form)) {
      CAPTURE(form_name, content_name);
      options.global_batch_size = form.size ? 4 : 1;
      options.last_batch = LastBatch::pad;
      options.threads = 2;
      check_epochs(dataset, options, 2);
    }
  }
}

TEST_CASE("reading by system calls gives what the mapping gives") {
  for (const char* const name :
       {"bits", "zstd", "index-300", "mixed", "unlabeled", "sample-index", "later"}) {
    const TinyForm form = all_forms().at(name);
    const TinyPack pack(form, 10, 4);
    LoaderOptions options;
    options.global_batch_size = form.size ? 3 : 1;
    options.access = FileAccess::read;
    options.threads = 2;
    CAPTURE(name);
    check_epochs(pack.open(), options, 2);
  }
}

TEST_CASE("several packs are read as one") {
  const TinyPack first({}, 5, 2), second({}, 4, 4, 100);
  const auto dataset = Dataset::open({first.folder(), second.folder()});
  REQUIRE(dataset.ok());
  LoaderOptions options;
  options.global_batch_size = 3;
  check_epochs(*dataset, options, 2);
}

TEST_CASE("keys of any length are complete") {
  std::vector<TinyRecord> records = tiny_records({}, 6);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i].key = std::string(i * 200, 'a') + std::to_string(i);
  std::swap(records[0].key, records.back().key);
  std::sort(records.begin(), records.end(),
            [](const TinyRecord& a, const TinyRecord& b) { return a.key < b.key; });
  const TempFolder folder;
  write_pack(folder.path(), {}, records, 6);
  const auto dataset = Dataset::open(folder.path());
  REQUIRE(dataset.ok());
  LoaderOptions options;
  options.global_batch_size = 3;
  options.threads = 1;
  check_epochs(*dataset, options, 3);
}

TEST_CASE("sizes whose pixels are no multiple of 16") {
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 7}, Extent{7, 1}, Extent{17, 15}, Extent{31, 33}, Extent{65, 3}}) {
    TinyForm form;
    form.size = size;
    const TinyPack pack(form, 5, 5);
    const Dataset dataset = pack.open();
    for (auto [name, options] : all_contents(form)) {
      CAPTURE(size.width, size.height, name);
      options.global_batch_size = 2;
      check_epochs(dataset, options, 1);
    }
  }
}

TEST_CASE("rows large enough for streaming stores") {
  TinyForm form;
  form.size = Extent{331, 97};
  form.classes = 12;
  const TinyPack pack(form, 3, 3);
  const Dataset dataset = pack.open();
  for (auto [name, options] : all_contents(form)) {
    CAPTURE(name);
    options.global_batch_size = 3;
    options.threads = 2;
    check_epochs(dataset, options, 1);
  }
}

TEST_CASE("fields tell their shape and type") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  SECTION("the defaults") {
    Loader loader = open_loader(dataset, options);
    const Batch batch = next_batch(loader);
    CHECK(batch.image().shape == std::vector<std::int64_t>{4, 5, 6, 3});
    CHECK(batch.image().dtype == ElementType::u8);
    CHECK(batch.label().shape == std::vector<std::int64_t>{4, 5, 6});
    CHECK(batch.label().dtype == ElementType::u8);
    CHECK(batch.label().as<std::uint8_t>().size() == 4 * 5 * 6);
  }
  SECTION("channels first, with the channel of the ignored") {
    options.image = {ElementType::f16, AxisOrder::channels_first, {}, {}};
    options.label = {LabelForm::one_hot, ElementType::f16, AxisOrder::channels_first, true, {}};
    Loader loader = open_loader(dataset, options);
    const Batch batch = next_batch(loader);
    CHECK(batch.image().shape == std::vector<std::int64_t>{4, 3, 5, 6});
    CHECK(batch.image().dtype == ElementType::f16);
    CHECK(batch.image().bytes.size() == loader.image_batch_bytes());
    CHECK(batch.label().shape == std::vector<std::int64_t>{4, 4, 5, 6});
    CHECK(batch.label().bytes.size() == loader.label_batch_bytes());
  }
  SECTION("packed") {
    options.content = BatchContent::packed;
    Loader loader = open_loader(dataset, options);
    const Batch batch = next_batch(loader);
    CHECK(batch.image().shape == std::vector<std::int64_t>{4, 5, 6, 3});
    CHECK(batch.label().shape == std::vector<std::int64_t>{4, 5, 6, 1});
  }
  SECTION("an unlabeled set") {
    const TinyPack without(all_forms().at("unlabeled"));
    Loader loader = open_loader(without.open(), options);
    const Batch batch = next_batch(loader);
    CHECK(batch.label().bytes.empty());
    CHECK(batch.label().shape.empty());
    CHECK(loader.label_batch_bytes() == 0);
  }
  SECTION("labels of whole images, and one channel") {
    const TinyPack whole(all_forms().at("sample-index")), gray(all_forms().at("gray"));
    Loader loader = open_loader(whole.open(), options);
    CHECK(next_batch(loader).label().shape == std::vector<std::int64_t>{4});
    options.label.form = LabelForm::one_hot;
    Loader flags = open_loader(whole.open(), options);
    CHECK(next_batch(flags).label().shape == std::vector<std::int64_t>{4, 3});
    Loader one = open_loader(gray.open(), options);
    CHECK(next_batch(one).image().shape == std::vector<std::int64_t>{4, 5, 6, 1});
  }
}

TEST_CASE("thread counts give the same batches, world sizes the same rows") {
  const TinyPack pack({}, 27, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 8;
  options.seed = 7;
  options.last_batch = LastBatch::wrap;
  options.augment.horizontal_flip = options.augment.vertical_flip = 0.5;
  SECTION("flips") {}
  SECTION("a crop") { options.augment.crop = Crop{{4, 3}, true}; }
  SECTION("a resampled crop") { options.augment.resized_crop = ResizedCrop{{5, 4}}; }
  SECTION("blocks") {
    options.shuffle = Shuffle::block;
    options.block_samples = 4;
    options.window_blocks = 2;
  }
  options.threads = 1;
  const std::vector<BatchCopy> whole = epochs_of(dataset, options, 2);
  REQUIRE(whole.size() == 8);
  for (const unsigned threads : {1u, 2u, 16u}) {
    for (const std::uint64_t world_size : {1u, 2u, 4u, 8u}) {
      std::vector<std::vector<BatchCopy>> ranks;
      options.threads = threads;
      options.world_size = world_size;
      for (options.rank = 0; options.rank < world_size; ++options.rank)
        ranks.push_back(epochs_of(dataset, options, 2));
      for (std::size_t step = 0; step < whole.size(); ++step) {
        CAPTURE(threads, world_size, step);
        std::vector<BatchCopy> parts;
        for (const auto& rank : ranks) parts.push_back(rank.at(step));
        REQUIRE(joined(parts) == whole[step].rows);
      }
    }
  }
}

TEST_CASE("crops equal draw_crop, and pixels are those of the crop") {
  const TinyPack pack({}, 12, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.seed = 3;
  options.augment.horizontal_flip = 0.5;
  options.augment.crop = Crop{{4, 3}, true};
  Loader loader = open_loader(dataset, options);
  std::set<std::int32_t> lefts;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const BatchCopy& batch : rest_of_epoch(loader)) {
      for (const Row& row : batch.rows) {
        const SampleCrop box = draw_crop(options.augment, {6, 5}, options.seed, batch.epoch,
                                         static_cast<std::uint64_t>(row.sample));
        REQUIRE(row.box == box);
        lefts.insert(box.x);
        const Row whole = expected_row(dataset, options, row.sample);
        for (std::int32_t y = 0; y < 3; ++y) {
          for (std::int32_t x = 0; x < 4; ++x) {
            const auto from = static_cast<std::size_t>((box.y + y) * 6 + box.x +
                                                       (box.flip_horizontal ? 3 - x : x));
            const auto to = static_cast<std::size_t>(y * 4 + x);
            REQUIRE(row.label[to] == whole.label[from]);
            for (std::size_t c = 0; c < 3; ++c)
              REQUIRE(row.image[to * 3 + c] == whole.image[from * 3 + c]);
          }
        }
      }
    }
  }
  CHECK(lefts.size() > 1);
}

TEST_CASE("packed slots report crops and leave records unchanged") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.content = BatchContent::packed;
  options.augment.crop = Crop{{4, 3}, true};
  Loader loader = open_loader(dataset, options);
  for (const BatchCopy& batch : rest_of_epoch(loader)) {
    for (const Row& row : batch.rows) {
      CHECK(row.box == draw_crop(options.augment, {6, 5}, 0, batch.epoch,
                                 static_cast<std::uint64_t>(row.sample)));
      CHECK(row.image == expected_row(dataset, options, row.sample).image);
    }
  }
}

TEST_CASE("every tail works for all remainders of N mod G and batches of one") {
  struct Case {
    std::size_t records;
    std::uint64_t global_batch_size;
  };
  for (const Case& c : {Case{12, 4}, Case{13, 4}, Case{15, 4}, Case{3, 4}, Case{1, 4}, Case{5, 1},
                        Case{1, 1}, Case{4, 4}}) {
    const TinyPack pack({}, c.records, 5);
    const Dataset dataset = pack.open();
    for (const LastBatch last_batch :
         {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}) {
      LoaderOptions options;
      options.global_batch_size = c.global_batch_size;
      options.last_batch = last_batch;
      CAPTURE(c.records, c.global_batch_size, std::string(last_batch_name(last_batch)));
      if (last_batch == LastBatch::drop && c.records < c.global_batch_size) {
        const std::string text = refusal_of(dataset, options);
        CHECK_THAT(text, ContainsSubstring(std::to_string(c.records)) &&
                             ContainsSubstring(std::to_string(c.global_batch_size)));
        continue;
      }
      const std::uint64_t steps =
          (c.records + (last_batch == LastBatch::drop ? 0 : c.global_batch_size - 1)) /
          c.global_batch_size;
      CHECK(open_loader(dataset, options).steps_per_epoch() == steps);
      check_epochs(dataset, options, 2);
    }
  }
}

TEST_CASE("rows past the end of a padded epoch are black, ignored and not valid") {
  const TinyPack pack({}, 9, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.last_batch = LastBatch::pad;
  Loader loader = open_loader(dataset, options);
  skip(loader, 2);
  const Batch batch = next_batch(loader);
  CHECK(batch.batch_size() == 4);
  CHECK(batch.num_valid() == 1);
  CHECK(batch.indices()[0] >= 0);
  for (std::size_t row = 1; row < 4; ++row) {
    CHECK(batch.indices()[row] == -1);
    CHECK(batch.key(row).empty());
    CHECK(batch.crops()[row] == SampleCrop{});
    for (std::size_t i = 0; i < 90; ++i) REQUIRE(batch.image().bytes[row * 90 + i] == std::byte{0});
    for (std::size_t i = 0; i < 30; ++i)
      REQUIRE(batch.label().bytes[row * 30 + i] == std::byte{255});
  }
}

TEST_CASE("a kept last batch has fewer rows, and the next batch is full again") {
  const TinyPack pack({}, 9, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.last_batch = LastBatch::keep;
  options.prefetch_batches = 2;
  SECTION("as stored") {}
  SECTION("f32 and one-hot") {
    options.image.dtype = ElementType::f32;
    options.label = {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_first, false, {}};
  }
  SECTION("packed") { options.content = BatchContent::packed; }
  Loader loader = open_loader(dataset, options);
  CHECK(loader.batch_size() == 4);
  CHECK(loader.steps_per_epoch() == 3);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const std::size_t rows : {4u, 4u, 1u}) {
      const Batch batch = next_batch(loader);
      CAPTURE(epoch, batch.step());
      CHECK(batch.batch_size() == rows);
      CHECK(batch.num_valid() == rows);
      CHECK(batch.indices().size() == rows);
      CHECK(batch.crops().size() == rows);
      CHECK(batch.key(rows - 1) != "");
      CHECK(batch.key(rows) == "");
      for (const BatchField& field : {batch.image(), batch.label()})
        CHECK(field.shape.front() == static_cast<std::int64_t>(rows));
      CHECK(batch.image().bytes.size() == loader.image_batch_bytes() / 4 * rows);
      CHECK(batch.label().bytes.size() == loader.label_batch_bytes() / 4 * rows);
    }
    CHECK(at_end_of_epoch(loader));
  }
  check_epochs(dataset, options, 3);
}

TEST_CASE("a kept last batch is shared by the ranks") {
  const TinyPack pack({}, 15, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 8;
  options.last_batch = LastBatch::keep;
  options.world_size = 5;
  for (options.rank = 0; options.rank < 5; ++options.rank) {
    CAPTURE(options.rank);
    check_epochs(dataset, options, 2);
  }
  options.rank = 2;  // one row in the first step, two in the last
  CHECK(open_loader(dataset, options).batch_size() == 2);
  options.rank = 0;
  options.global_batch_size = 7;
  CHECK_THAT(refusal_of(dataset, options),
             ContainsSubstring("leave 1 of the 15 samples for the last one") &&
                 ContainsSubstring("last_batch"));
}

TEST_CASE("a rank may have only empty rows") {
  const TinyPack pack({}, 5, 5);
  LoaderOptions options;
  options.global_batch_size = 4;
  options.last_batch = LastBatch::pad;
  options.world_size = 4;
  options.rank = 3;
  Loader loader = open_loader(pack.open(), options);
  skip(loader, 1);
  const Batch batch = next_batch(loader);
  CHECK(batch.num_valid() == 0);
  CHECK(batch.indices()[0] == -1);
  for (const std::byte byte : batch.image().bytes) REQUIRE(byte == std::byte{0});
  CHECK(at_end_of_epoch(loader));
}

TEST_CASE("an empty data set is refused") {
  const TinyPack pack({}, 0, 5);
  CHECK_THAT(refusal_of(pack.open(), {}),
             ContainsSubstring("no samples") || ContainsSubstring("no records"));
}

TEST_CASE("epochs differ in their order, and none follows the last") {
  const TinyPack pack({}, 12, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 12;
  options.epoch = kMaxEpoch;
  Loader loader = open_loader(dataset, options);
  const auto samples = [&](std::uint64_t epoch) {
    REQUIRE(loader.seek(epoch).ok());
    const Batch batch = next_batch(loader);
    return std::vector(batch.indices().begin(), batch.indices().end());
  };
  CHECK(samples(0) != samples(1));
  CHECK(samples(0) == samples(0));
  CHECK(samples(kMaxEpoch) == expected_samples(12, options, kMaxEpoch, 0));
  CHECK(at_end_of_epoch(loader));
  const Error error = next_error(loader);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("there is no epoch after 4294967295"));
}

TEST_CASE("seek: to any step, to the end of an epoch, and not beyond") {
  const TinyPack pack({}, 12, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  Loader loader = open_loader(dataset, options);
  REQUIRE(loader.seek(5, 2).ok());
  CHECK(copy_of(next_batch(loader)).rows[0].sample == expected_samples(12, options, 5, 2)[0]);
  REQUIRE(loader.seek(5, 3).ok());
  CHECK(at_end_of_epoch(loader));
  CHECK(next_batch(loader).epoch() == 6);
  const Status beyond = loader.seek(5, 4);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().code == ErrorCode::usage);
  CHECK_THAT(beyond.error().message,
             ContainsSubstring("no step 4 of epoch 5") && ContainsSubstring("steps to 3"));
  CHECK_FALSE(loader.seek(kMaxEpoch + 1).ok());
  CHECK(next_batch(loader).step() == 1);  // a refused seek changes nothing
}

TEST_CASE("the loader reports its options") {
  const TinyPack pack({}, 12, 5);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 5;
  options.world_size = 2;
  options.threads = 3;
  const Loader loader = open_loader(dataset, options);
  CHECK(loader.batch_size() == 2);
  CHECK(loader.steps_per_epoch() == 2);
  CHECK(loader.threads() == 3);
  CHECK(loader.fingerprint() == dataset.packs()[0].fingerprint);
  CHECK(loader.image_batch_bytes() == 2 * 90);
  CHECK(loader.label_batch_bytes() == 2 * 30);
  CHECK(loader.slot_bytes() >= 3 * 2 * 120);
  options.threads = 0;
  const Loader usual = open_loader(dataset, options);
  CHECK(usual.threads() >= 1);
  CHECK(usual.threads() <= 8);
}
