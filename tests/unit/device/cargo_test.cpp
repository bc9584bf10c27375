// The bytes that go to each device: tables and records of every residency, for all sizes of
// records and parts.
#include "device/cargo.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "device/page_cargo.hpp"
#include "device/record_blocks.hpp"
#include "device/resident_cargo.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "unit/device/cargo_rig.hpp"

using namespace hotpack;
using namespace hotpack::test;
using device::Piece;
using device::RowEntry;

namespace {

constexpr Residency kAll[] = {Residency::page, Residency::device};

std::string name(Residency residency) { return std::string(residency_name(residency)); }

RigOptions rig_options(Residency residency, std::uint64_t global_batch_size,
                       std::size_t devices = 1) {
  RigOptions options;
  options.loader.global_batch_size = global_batch_size;
  options.loader.seed = 5;
  options.residency = residency;
  options.devices = devices;
  return options;
}

bool same_window(const RowEntry& entry, const SampleCrop& box) {
  return std::tie(entry.x, entry.y, entry.width, entry.height) ==
             std::tie(box.x, box.y, box.width, box.height) &&
         ((entry.flags & device::kRowFlipHorizontal) != 0) == box.flip_horizontal &&
         ((entry.flags & device::kRowFlipVertical) != 0) == box.flip_vertical;
}

// Compares every row of a filled slot, as each device sees it, with the data set.
void check_rows(const CargoRig& rig, const loader::Slot& slot, const Dataset& dataset,
                const LoaderOptions& options) {
  const auto samples =
      expected_samples(dataset.records(), options, slot.cursor.epoch, slot.cursor.step);
  REQUIRE(slot.samples == samples);
  for (std::size_t part = 0; part < rig.parts.size(); ++part) {
    const auto rows = rig.rows(slot, part, dataset);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rig.parts[part].first + i;
      INFO("row " << row << " of part " << part << ", sample " << samples[row]);
      const RowEntry& entry = rows[i].entry;
      if (samples[row] < 0) {
        CHECK(entry.flags == 0);
        CHECK(slot.keys[row].empty());
        continue;
      }
      const Row expected = stored_row(dataset, samples[row]);
      CHECK((entry.flags & device::kRowValid) != 0);
      CHECK(rows[i].image == expected.image);
      CHECK(rows[i].label == expected.label);
      CHECK(slot.keys[row] == expected.key);
      CHECK(entry.record_width == expected.box.width);
      CHECK(entry.record_height == expected.box.height);
      CHECK(entry.image % device::kBlockAlignment == 0);
      CHECK(entry.label % device::kBlockAlignment == 0);
      CHECK((entry.label == 0) == expected.label.empty());
      const PixelSize size{expected.box.width, expected.box.height};
      const SampleCrop box = draw_crop(options.augment, size, options.seed, slot.cursor.epoch,
                                       static_cast<std::uint64_t>(samples[row]));
      CHECK(same_window(entry, box));
      CHECK(slot.crops[row] == box);
    }
  }
}

// Whole epochs in every residency.
void check_epochs(const Dataset& dataset, RigOptions options, std::uint64_t epochs = 2) {
  for (const Residency residency : kAll) {
    INFO(name(residency));
    CargoRig rig({.devices = static_cast<int>(options.devices)});
    options.residency = residency;
    const Status loaded = rig.load(dataset, options);
    INFO((loaded.ok() ? "" : loaded.error().describe()));
    REQUIRE(loaded.ok());
    for (std::uint64_t step = 0; step < epochs * rig.plan().steps(); ++step) {
      const auto& slot = rig.fill(step / rig.plan().steps(), step % rig.plan().steps(), step % 2);
      check_rows(rig, slot, dataset, options.loader);
    }
    CHECK(rig.fake.violations().empty());
  }
}

std::uint64_t block_bytes(const Dataset& dataset, std::uint64_t number) {
  const Sample sample = must(dataset.sample(number));
  const auto padded = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  return padded(sample.image_shape().size_bytes()) +
         (sample.has_label() ? padded(sample.label_shape().size_bytes()) : 0);
}

}  // namespace

TEST_CASE("every form of record arrives unchanged") {
  for (const auto& [form_name, form] : all_forms()) {
    INFO(form_name);
    const TinyPack pack(form, 9, 4);
    RigOptions options = rig_options(Residency::page, 4);
    options.loader.last_batch = LastBatch::pad;
    if (form.multi) options.loader.label.form = LabelForm::bits;
    if (!form.size) options.loader.augment.crop = Crop{{3, 3}};
    check_epochs(pack.open(), options);
  }
}

TEST_CASE("a page cargo copies one piece per part: its table and its rows' blocks") {
  const TinyPack pack({}, 12, 4);
  const Dataset dataset = pack.open();
  CargoRig rig;
  REQUIRE(rig.load(dataset, rig_options(Residency::page, 5)).ok());
  const auto& slot = rig.fill(0, 0);
  const auto pieces = rig.pieces(slot);
  const std::uint64_t block = block_bytes(dataset, 0);
  const std::uint64_t table = 512;  // five entries of 64 bytes, and padding to 256
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].to == 0);
  CHECK(pieces[0].bytes == table + 5 * block);
  CHECK(pieces[0].from == slot.image.bytes.data());
  CHECK(rig.loaded->cargo->staged_bytes(0) == table + 5 * block);
  CHECK(rig.loaded->cargo->slot_bytes() == 4096);
  const auto rows = rig.rows(slot, 0, dataset);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    CHECK(rows[row].entry.image == table + row * block);
    CHECK(rows[row].entry.label == table + row * block + 128);  // behind 90 bytes of image
  }
}

TEST_CASE("parts have regions of their own in a slot and each begins on a page") {
  const TinyPack pack({}, 23, 4);
  const Dataset dataset = pack.open();
  RigOptions options = rig_options(Residency::page, 7, 3);
  options.loader.last_batch = LastBatch::pad;
  check_epochs(dataset, options);
  CargoRig rig({.devices = 3});
  REQUIRE(rig.load(dataset, options).ok());
  const auto& slot = rig.fill(0, 0);
  for (std::size_t part = 0; part < 3; ++part) {
    const auto pieces = rig.pieces(slot, part);
    REQUIRE(pieces.size() == 1);
    CHECK(static_cast<std::uint64_t>(pieces[0].from - slot.image.bytes.data()) == part * 4096);
    CHECK(rig.loaded->cargo->staged_bytes(part) ==
          256 + rig.parts[part].count * block_bytes(dataset, 0));
  }
}

TEST_CASE("empty rows are not copied") {
  const TinyPack pack({}, 10, 4);
  const Dataset dataset = pack.open();
  RigOptions options = rig_options(Residency::page, 8, 2);
  options.loader.last_batch = LastBatch::pad;
  check_epochs(dataset, options);
  for (const Residency residency : kAll) {
    INFO(name(residency));
    CargoRig rig({.devices = 2});
    options.residency = residency;
    REQUIRE(rig.load(dataset, options).ok());
    rig.fill(0, 0);  // so that the slot is not empty by chance
    const auto& slot = rig.fill(0, 1);
    CHECK(slot.valid == 2);
    std::uint64_t copied = 0;
    for (const Piece& piece : rig.pieces(slot, 0)) copied += piece.bytes;
    CHECK(copied < 512 + 3 * block_bytes(dataset, 0));
    const auto pieces = rig.pieces(slot, 1);  // no row has a sample
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].bytes == 4 * sizeof(RowEntry));
  }
}

TEST_CASE("a wrapped batch larger than the data set has room for every repetition") {
  for (const bool mixed : {false, true}) {
    INFO((mixed ? "mixed" : "one size"));
    const TinyForm form = mixed ? all_forms()["mixed"] : TinyForm();
    const TinyPack pack(form, 5, 2);
    RigOptions options = rig_options(Residency::page, 13);
    options.loader.last_batch = LastBatch::wrap;
    if (mixed) options.loader.pad_to = PixelSize{8, 8};
    check_epochs(pack.open(), options);
  }
}

TEST_CASE("records of mixed sizes are packed tightly in slots for the largest") {
  const TinyPack pack(all_forms()["mixed"], 11, 4);
  const Dataset dataset = pack.open();
  RigOptions options = rig_options(Residency::page, 4);
  options.loader.pad_to = PixelSize{8, 6};
  check_epochs(dataset, options);

  std::vector<std::uint64_t> blocks;
  for (std::uint64_t sample = 0; sample < 11; ++sample)
    blocks.push_back(block_bytes(dataset, sample));
  std::sort(blocks.rbegin(), blocks.rend());
  REQUIRE(blocks.front() != blocks.back());
  CargoRig rig;
  REQUIRE(rig.load(dataset, options).ok());
  CHECK(rig.loaded->cargo->staged_bytes(0) == 256 + blocks[0] + blocks[1] + blocks[2] + blocks[3]);
  const auto& slot = rig.fill(0, 1);
  std::uint64_t at = 256;
  for (const DeviceRow& row : rig.rows(slot, 0, dataset)) {
    CHECK(row.entry.image == at);
    at += device::whole_steps(row.image.size(), 64) + device::whole_steps(row.label.size(), 64);
  }
  CHECK(rig.pieces(slot)[0].bytes == at);
}

TEST_CASE("batches of one row have their own size") {
  const TinyPack pack(all_forms()["mixed"], 6, 2);
  const Dataset dataset = pack.open();
  RigOptions options = rig_options(Residency::page, 1);
  check_epochs(dataset, options);
  for (const Residency residency : kAll) {
    INFO(name(residency));
    CargoRig rig;
    options.residency = residency;
    REQUIRE(rig.load(dataset, options).ok());
    for (std::uint64_t step = 0; step < 6; ++step) {
      const auto& slot = rig.fill(0, step);
      const SampleCrop whole = stored_row(dataset, slot.samples[0]).box;
      CHECK(rig.loaded->cargo->output(slot, 0) == PixelSize{whole.width, whole.height});
    }
  }
}

TEST_CASE("rows of one size have the size of the form") {
  const TinyPack pack({}, 6, 2);
  for (const Residency residency : kAll) {
    CargoRig rig;
    RigOptions options = rig_options(residency, 2);
    options.loader.augment.crop = Crop{{4, 3}};
    REQUIRE(rig.load(pack.open(), options).ok());
    CHECK(rig.loaded->cargo->output(rig.fill(0, 0), 0) == PixelSize{4, 3});
  }
}

TEST_CASE("entries contain the crops of their samples") {
  const TinyPack pack({}, 12, 4);
  std::map<std::string, Augment> augments;
  augments["flips"] = {.horizontal_flip = 0.5, .vertical_flip = 0.5};
  augments["crop"].crop = Crop{{4, 4}};
  augments["crop larger than records"].crop = Crop{{16, 9}};
  augments["resized crop"] = {.horizontal_flip = 0.5, .resized_crop = ResizedCrop{{7, 7}}};
  for (const auto& [augment_name, augment] : augments) {
    INFO(augment_name);
    RigOptions options = rig_options(Residency::page, 4);
    options.loader.augment = augment;
    check_epochs(pack.open(), options);
    for (const Residency residency : kAll) {
      CargoRig rig;
      options.residency = residency;
      REQUIRE(rig.load(pack.open(), options).ok());
      const auto rows = rig.rows(rig.fill(0, 0), 0, pack.open());
      for (const DeviceRow& row : rows)
        CHECK(((row.entry.flags & device::kRowResample) != 0) == augment.resized_crop.has_value());
    }
  }
}

TEST_CASE("device records are not copied with a batch") {
  const TinyPack pack({}, 12, 4);
  CargoRig rig({.devices = 2});
  REQUIRE(rig.load(pack.open(), rig_options(Residency::device, 6, 2)).ok());
  const auto& slot = rig.fill(0, 0);
  for (std::size_t part = 0; part < 2; ++part) {
    const auto pieces = rig.pieces(slot, part);
    REQUIRE(pieces.size() == 1);
    CHECK(pieces[0].bytes == 3 * sizeof(RowEntry));
    CHECK(rig.loaded->cargo->staged_bytes(part) == 256);
  }
  CHECK(rig.loaded->cargo->records(0, 0x1000) != rig.loaded->cargo->records(1, 0x1000));
}

TEST_CASE("slots do not disturb each other") {
  const TinyPack pack(all_forms()["mixed"], 12, 4);
  const Dataset dataset = pack.open();
  for (const Residency residency : kAll) {
    INFO(name(residency));
    CargoRig rig;
    RigOptions options = rig_options(residency, 4);
    options.loader.augment.crop = Crop{{4, 4}};
    REQUIRE(rig.load(dataset, options).ok());
    auto& first = rig.begin(0, 0, 0);
    auto& second = rig.begin(0, 1, 1);  // before the first slot has a row
    REQUIRE_FALSE(rig.fill_rows(second));
    REQUIRE_FALSE(rig.fill_rows(first));
    check_rows(rig, first, dataset, options.loader);
    check_rows(rig, second, dataset, options.loader);
  }
}

TEST_CASE("the largest row is that of the largest record") {
  const TinyPack mixed(all_forms()["mixed-index"], 11, 4);
  const Dataset dataset = mixed.open();
  LoaderOptions options;
  options.image.dtype = ElementType::f32;
  const auto source =
      must(loader::RecordSource::make(dataset, VerifyChecksums::first_read, FileAccess::map));
  const auto row = must(
      device::largest_row(*source, must(loader::BatchForm::make(dataset.schema(), options, 1))));
  std::uint64_t pixels = 0;
  for (std::uint64_t sample = 0; sample < 11; ++sample) {
    const ImageShape shape = must(dataset.sample(sample)).image_shape();
    pixels = std::max(pixels, static_cast<std::uint64_t>(shape.width * shape.height));
  }
  CHECK(row.image == pixels * 12);
  CHECK(row.label == pixels);

  options.augment.crop = Crop{{10, 10}};
  const auto cropped = must(
      device::largest_row(*source, must(loader::BatchForm::make(dataset.schema(), options, 4))));
  CHECK(cropped.image == 1200);
  CHECK(cropped.label == 100);
}

namespace {

// Notes the number of samples it received.
class NotingSink final : public loader::RowSink {
 public:
  explicit NotingSink(bool needs) : needs_(needs) {}
  [[nodiscard]] bool needs_samples() const override { return needs_; }
  void begin(loader::Slot&, std::span<const std::optional<std::uint64_t>> samples) override {
    told = samples.size();
  }
  [[nodiscard]] Result<Place> place(loader::Slot&, std::size_t, const loader::RecordShape&,
                                    const expand::Placement&) override {
    return Place{};
  }
  void blank(loader::Slot&, std::size_t) override {}
  std::size_t told = 99;

 private:
  bool needs_;
};

}  // namespace

TEST_CASE("the samples of a batch are listed only if needed") {
  const TinyPack pack({}, 12, 4);
  const Dataset dataset = pack.open();
  const auto form = must(loader::BatchForm::make(dataset.schema(), {}, 1));
  const StepPlan plan = must(StepPlan::make(12, 5, LastBatch::pad));
  for (const bool needs : {false, true}) {
    loader::Slot slot;
    slot.cursor = {0, 1};
    const auto sink = std::make_shared<NotingSink>(needs);
    auto source =
        must(loader::RecordSource::make(dataset, VerifyChecksums::never, FileAccess::read));
    loader::BatchFiller(
        loader::BatchFiller::Parts{std::move(source), form, plan, {}, nullptr, 0, sink}, 1)
        .begin(slot);
    CHECK(sink->told == (needs ? 5 : 0));
  }
}

TEST_CASE("the samples of a batch are needed if record sizes differ") {
  for (const char* const form_name : {"bits", "mixed"}) {
    const TinyPack pack(all_forms()[form_name], 12, 4);
    const bool mixed = std::string(form_name) == "mixed";
    CargoRig rig;
    RigOptions options = rig_options(Residency::page, 4);
    options.loader.augment.crop = Crop{{3, 3}};
    REQUIRE(rig.load(pack.open(), options).ok());
    CHECK(dynamic_cast<const device::PageCargo&>(*rig.loaded->cargo).needs_samples() == mixed);
  }
}

TEST_CASE("the default number of threads grows with the devices") {
  LoaderOptions options;
  CHECK(loader::device_thread_count(options, 1, 64) == 8);
  CHECK(loader::device_thread_count(options, 4, 64) == 20);
  CHECK(loader::device_thread_count(options, 4, 6) == 6);
  CHECK(loader::device_thread_count(options, 8, 200) == 36);
  CHECK(loader::device_thread_count(options, 1000, 5000) == 1024);  // the largest allowed number
  options.threads = 3;
  CHECK(loader::device_thread_count(options, 4, 64) == 3);
}
