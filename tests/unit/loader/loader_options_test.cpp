// Every refusal of Loader::open: the option's name, the value found, the accepted values.
#include <chrono>
#include <limits>
#include <string>

#include "hotpack/loader.hpp"
#include "hotpack/order.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

template <class Change>
std::string refused(const Dataset& dataset, Change change) {
  LoaderOptions options;
  options.global_batch_size = 4;
  change(options);
  return refusal_of(dataset, options);
}

}  // namespace

TEST_CASE("numbers outside their range are refused with it") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  CHECK(refused(dataset, [](LoaderOptions& o) { o.threads = 1025; }) ==
        "threads is 1025; it must be from 0 to 1024");
  CHECK(refused(dataset, [](LoaderOptions& o) { o.prefetch_batches = 1; }) ==
        "prefetch_batches is 1; it must be from 2 to 64");
  CHECK(refused(dataset, [](LoaderOptions& o) { o.prefetch_batches = 65; }) ==
        "prefetch_batches is 65; it must be from 2 to 64");
  CHECK(refused(dataset, [](LoaderOptions& o) { o.epoch = kMaxEpoch + 1; }) ==
        "epoch is 4294967296; it must be from 0 to 4294967295");
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.block_samples = 0; }),
             ContainsSubstring("block_samples is 0"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.block_samples = kMaxSamples + 1; }),
             ContainsSubstring("block_samples is"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.window_blocks = 0; }),
             ContainsSubstring("window_blocks is 0"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.window_blocks = kMaxSamples + 1; }),
             ContainsSubstring("window_blocks is"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.timeout = std::chrono::milliseconds(-1); }),
             ContainsSubstring("timeout is negative; 0 waits forever"));
}

TEST_CASE("batch and rank counts that do not fit are refused with their numbers") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.global_batch_size = 0; }),
             ContainsSubstring("batch"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.global_batch_size = 13; }),
             ContainsSubstring("12") && ContainsSubstring("13"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.world_size = 5; }),
             ContainsSubstring("4") && ContainsSubstring("5"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.rank = 1; }),
             ContainsSubstring("rank") && ContainsSubstring("1"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.world_size = 0; }),
             ContainsSubstring("world_size"));
}

TEST_CASE("options that do not fit the data set are named") {
  const TinyPack pack, unlabeled(all_forms().at("unlabeled")), multi(all_forms().at("multi"));
  const Dataset dataset = pack.open();
  CHECK(refused(unlabeled.open(), [](LoaderOptions& o) { o.label.form = LabelForm::bits; }) ==
        "the data set has no labels, but the loader's options ask for some; leave `label` out");
  CHECK_THAT(refused(multi.open(), [](LoaderOptions&) {}),
             ContainsSubstring("class ids") && ContainsSubstring("several classes"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.image.dtype = ElementType::i64; }),
             ContainsSubstring("i64"));
  CHECK_THAT(refused(dataset,
                     [](LoaderOptions& o) {
                       o.image = {ElementType::f32, AxisOrder::channels_last, {0.5f}, {0.5f}};
                     }),
             ContainsSubstring("mean"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.label.dtype = ElementType::f32; }),
             ContainsSubstring("f32"));
  CHECK_THAT(refused(dataset, [](LoaderOptions& o) { o.augment.horizontal_flip = 1.5; }),
             ContainsSubstring("horizontal_flip"));
}

TEST_CASE("an impossible pad_to is refused with the conflicting option") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const auto padded = [&](auto change) {
    return refused(dataset, [&](LoaderOptions& o) {
      o.pad_to = PixelSize{8, 8};
      change(o);
    });
  };
  CHECK_THAT(padded([](LoaderOptions& o) { o.content = BatchContent::packed; }),
             ContainsSubstring("pad_to does not work with content packed"));
  CHECK_THAT(padded([](LoaderOptions& o) {
               o.augment.crop = Crop{{4, 4}};
             }),
             ContainsSubstring("pad_to does not work with a crop"));
  CHECK_THAT(padded([](LoaderOptions& o) {
               o.augment.resized_crop = ResizedCrop{{4, 4}};
             }),
             ContainsSubstring("with a crop"));
  CHECK(padded([](LoaderOptions& o) {
          o.pad_to = PixelSize{0, 8};
        }) == "pad_to is 0x8; width and height must be from 1 to 1073741824");
  CHECK_THAT(padded([](LoaderOptions& o) {
               o.pad_to = PixelSize{8, -1};
             }),
             ContainsSubstring("pad_to is 8x-1"));
}

TEST_CASE("rows that no machine could hold are refused without overflow") {
  TinyForm form;
  form.classes = 300;
  const TinyPack pack(form), small;
  CHECK_THAT(
      refused(
          pack.open(),
          [](LoaderOptions& o) {
            o.label = {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_last, false, {}};
            o.pad_to = PixelSize{1 << 30, 1 << 30};
          }),
      ContainsSubstring(
          "a row of 1073741824x1073741824 pixels has more bytes than a machine can hold"));
  CHECK_THAT(refused(small.open(),
                     [](LoaderOptions& o) {
                       o.pad_to = PixelSize{std::int64_t{1} << 32, std::int64_t{1} << 32};
                     }),
             ContainsSubstring("width and height must be from 1 to 1073741824"));
}

TEST_CASE("a memory budget is enforced, with both numbers") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.prefetch_batches = 5;
  const std::uint64_t needed = open_loader(dataset, options).slot_bytes();
  options.memory_budget_bytes = needed;
  CHECK(open_loader(dataset, options).slot_bytes() == needed);
  options.memory_budget_bytes = needed - 1;
  CHECK_THAT(refusal_of(dataset, options),
             ContainsSubstring("the slots need " + std::to_string(needed) + " bytes (5 slots of " +
                               std::to_string(needed / 5) + ")") &&
                 ContainsSubstring("memory_budget_bytes is " + std::to_string(needed - 1)));
}

TEST_CASE("the budget holds for records of different sizes, whose slots grow") {
  const TinyPack pack(all_forms().at("mixed"));
  LoaderOptions options = in_file_order(1);
  options.memory_budget_bytes = 3 * 8200;  // each slot may have two pages and a little
  Loader loader = open_loader(pack.open(), options);
  const Error error = next_error(loader);
  CHECK(error.code == ErrorCode::usage);
  CHECK_THAT(error.message, ContainsSubstring("sample 0: ") &&
                                ContainsSubstring("memory_budget_bytes leaves 8200 for each slot"));
  CHECK(next_error(loader).message == error.message);
}

TEST_CASE("a batch that no machine could hold is refused without overflow") {
  TinyForm form;
  form.size = Extent{64, 64};
  const TinyPack pack(form, 2, 2);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.last_batch = LastBatch::wrap;
  options.image.dtype = ElementType::f32;
  options.global_batch_size = std::uint64_t{1} << 60;
  CHECK_THAT(refusal_of(dataset, options), ContainsSubstring("more bytes than a machine can hold"));
}
