// Compares batches on the device with those of the host's Loader, bit by bit: every form of pack,
// image, label, augmentation and residency, then random configurations.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "support/draw_loader.hpp"

namespace hotpack::gpu {

namespace {

using test::TinyForm;
using test::TinyPack;

constexpr AxisOrder kOrders[] = {AxisOrder::channels_last, AxisOrder::channels_first};
constexpr ElementType kFloats[] = {ElementType::f16, ElementType::f32, ElementType::bf16};

std::vector<ImageOutput> images(std::size_t channels) {
  std::vector<ImageOutput> all;
  for (const AxisOrder order : kOrders) {
    all.push_back({ElementType::u8, order, {}, {}});
    for (const ElementType type : kFloats) {
      all.push_back({type, order, {}, {}});
      ImageOutput normalized{type, order, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};
      normalized.mean.resize(channels);
      normalized.std.resize(channels);
      all.push_back(normalized);
    }
  }
  return all;
}

std::vector<LabelOutput> labels() {
  std::vector<LabelOutput> all(3);
  all[1].ignore_index = 7;
  all[2].form = LabelForm::bits;
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
    all.emplace_back();
    all.back().dtype = type;
  }
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16})
    for (const AxisOrder order : kOrders)
      for (const bool ignored : {false, true})
        all.push_back({LabelForm::one_hot, type, order, ignored, {}});
  return all;
}

std::vector<Augment> augments() {
  const Augment flips{.horizontal_flip = 0.5, .vertical_flip = 0.5};
  std::vector<Augment> all(6, flips);
  all[0] = {};
  all[2].crop = Crop{{4, 3}, true};
  all[3].crop = Crop{{16, 2}, false};
  all[4].crop = Crop{{19, 17}, true};  // larger than many records
  all[5].resized_crop = ResizedCrop{{17, 6}};
  return all;
}

DeviceLoaderOptions small_options(std::uint64_t batch) {
  DeviceLoaderOptions options;
  options.loader.global_batch_size = batch;
  options.loader.threads = 1;
  options.loader.seed = 5;
  options.loader.last_batch = LastBatch::pad;
  return options;
}

// Describes what a mismatch depends on.
std::string text_of(const std::string& form, const DeviceLoaderOptions& options) {
  const LoaderOptions& loader = options.loader;
  return form + ", image " + std::string(element_name(loader.image.dtype)) +
         (loader.image.layout == kOrders[0] ? " last" : " first") + ", label form " +
         std::to_string(static_cast<int>(loader.label.form)) +
         (loader.label.layout == kOrders[0] ? " last" : " first") +
         (loader.augment.crop           ? ", crop"
          : loader.augment.resized_crop ? ", resized crop"
                                        : "") +
         ", residency " + std::string(residency_name(options.residency));
}

}  // namespace

// Goes through the forms of image and label, while the others change with each comparison.
GPU_CASE(forms_of_batches) {
  const Machine machine;
  const UserStream stream;
  const auto all_augments = augments();
  std::size_t turn = 0;
  for (const auto& [name, base] : test::all_forms()) {
    TinyForm form = base;
    if (form.size) form.size = turn % 2 == 0 ? Extent{31, 29} : Extent{64, 48};
    const TinyPack pack(form, 7, 3);
    const Dataset dataset = pack.open();
    const auto all_images = images(form.color == ImageColor::rgb ? 3 : 1);
    const auto all_labels = form.labeled ? labels() : std::vector<LabelOutput>(1);
    for (std::size_t i = 0; i < std::max(all_images.size(), all_labels.size()); ++i, ++turn) {
      DeviceLoaderOptions options = small_options(form.size ? 3 : 1);
      options.loader.image = all_images[i % all_images.size()];
      options.loader.label = all_labels[i % all_labels.size()];
      options.loader.augment = all_augments[turn % all_augments.size()];
      options.residency = kPlaces[turn / all_augments.size() % 2];
      compare_with_host(machine, dataset, options, text_of(name, options), stream, 5);
    }
  }
}

// Compares batches of 32 records of 512×512, as trainings have them.
GPU_CASE(forms_of_full_size) {
  const std::size_t rows = stand_in() ? 2 : 32;
  const Training training(2 * rows, stand_in() ? Extent{128, 96} : Extent{512, 512});
  for (const Residency residency : kPlaces) {
    for (const AxisOrder order : kOrders) {
      DeviceLoaderOptions options = Training::options(residency);
      options.loader.global_batch_size = rows;
      options.loader.image.layout = options.loader.label.layout = order;
      options.loader.image.mean = {0.485F, 0.456F, 0.406F};
      options.loader.image.std = {0.229F, 0.224F, 0.225F};
      compare_with_host(training.machine, training.dataset, options, text_of("full size", options),
                        training.stream, 4);
    }
  }
}

// HOTPACK_GPU_CHECK_CONFIGURATIONS: how many; HOTPACK_GPU_CHECK_FIRST: the number of the first.
// Each has all of its ranks in this process.
GPU_CASE(forms_at_random) {
  const auto number = [](const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
  };
  const Machine machine;
  const UserStream stream;
  const unsigned first = number("HOTPACK_GPU_CHECK_FIRST", 0);
  for (unsigned i = 0; i < number("HOTPACK_GPU_CHECK_CONFIGURATIONS", 300); ++i) {
    test::Dice dice(first + i);
    const std::string name = "configuration " + std::to_string(first + i);
    const TinyForm form = test::draw_form(dice);
    const TinyPack pack(form, 13, 5);
    DeviceLoaderOptions options;
    options.loader = test::draw_options(dice, form);
    options.residency = dice.of({Residency::page, Residency::device, Residency::automatic});
    for (std::uint64_t rank = 0; rank < options.loader.world_size; ++rank) {
      options.loader.rank = rank;
      compare_with_host(machine, pack.open(), options,
                        text_of(name, options) + ", rank " + std::to_string(rank), stream, 9);
    }
  }
}

}  // namespace hotpack::gpu
