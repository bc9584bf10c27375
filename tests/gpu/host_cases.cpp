// Compares batches on the device with those of the host's Loader, bit by bit, for every form of
// pack, image, label, augmentation and residency.

#include <array>
#include <string>
#include <vector>

#include "gpu/compare.hpp"
#include "support/forms.hpp"

namespace hotpack::gpu {

namespace {

using test::TinyForm;
using test::TinyPack;

template <class T>
struct Named {
  std::string name;
  T value;
};

const char* order_name(AxisOrder order) {
  return order == AxisOrder::channels_first ? " first" : " last";
}

std::vector<Named<ImageOutput>> image_outputs(int channels) {
  std::vector<Named<ImageOutput>> outputs;
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16}) {
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      ImageOutput output{type, order, {}, {}};
      outputs.push_back({std::string(element_name(type)) + order_name(order), output});
      if (type == ElementType::u8) continue;
      output.mean.assign({0.485F, 0.456F, 0.406F});
      output.std.assign({0.229F, 0.224F, 0.225F});
      output.mean.resize(static_cast<std::size_t>(channels));
      output.std.resize(static_cast<std::size_t>(channels));
      outputs.push_back(
          {std::string(element_name(type)) + order_name(order) + " normalized", output});
    }
  }
  return outputs;
}

std::vector<Named<LabelOutput>> label_outputs() {
  std::vector<Named<LabelOutput>> outputs;
  outputs.push_back({"index", {}});
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
    LabelOutput output;
    output.dtype = type;
    outputs.push_back({"index " + std::string(element_name(type)), output});
  }
  outputs.push_back({"index with 7 for ignored", {}});
  outputs.back().value.ignore_index = 7;
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16}) {
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      for (const bool ignored : {false, true}) {
        LabelOutput output{LabelForm::one_hot, type, order, ignored, {}};
        outputs.push_back({"one-hot " + std::string(element_name(type)) + order_name(order) +
                               (ignored ? " + ignored" : ""),
                           output});
      }
    }
  }
  outputs.push_back({"bits", {}});
  outputs.back().value.form = LabelForm::bits;
  return outputs;
}

std::vector<Named<Augment>> augments() {
  Augment flips{.horizontal_flip = 0.5, .vertical_flip = 0.5};
  Augment crop = flips, center, beyond = flips, resized = flips;
  crop.crop = Crop{{4, 3}, true};
  center.crop = Crop{{3, 2}, false};
  beyond.crop = Crop{{9, 7}, true};
  resized.resized_crop = ResizedCrop{{7, 6}};
  return {{"whole records", {}},    {"flips", flips},         {"crops", crop},
          {"center crops", center}, {"padded crops", beyond}, {"resized crops", resized}};
}

// Compares one pack. Goes through its forms of image, label and augmentation in turn, while the
// other two change with each comparison.
class FormComparison {
 public:
  FormComparison(const Machine& machine, StreamHandle stream, std::string name,
                 const TinyForm& form, Residency residency)
      : machine_(machine),
        stream_(stream),
        name_(std::move(name)),
        pack_(form, 7, 3),
        residency_(residency),
        images_(image_outputs(form.color == ImageColor::rgb ? 3 : 1)) {
    options_.global_batch_size = form.size ? 3 : 1;
    options_.last_batch = LastBatch::pad;
    options_.seed = 5;
    if (form.multi) usual_label_.form = LabelForm::one_hot;
  }

  void run() {
    const Dataset dataset = pack_.open();
    std::size_t turn = 0;
    for (const auto& image : images_) {
      compare(dataset, image, {"", usual_label_}, augments_[turn % augments_.size()]);
      ++turn;
    }
    for (const auto& label : labels_) {
      compare(dataset, images_[turn % images_.size()], label, augments_[turn % augments_.size()]);
      ++turn;
    }
    for (const auto& augment : augments_) {
      compare(dataset, images_[turn % images_.size()], labels_[turn % labels_.size()], augment);
      ++turn;
    }
  }

 private:
  void compare(const Dataset& dataset, const Named<ImageOutput>& image,
               const Named<LabelOutput>& label, const Named<Augment>& augment) {
    LoaderOptions options = options_;
    options.image = image.value;
    options.label = label.value;
    options.augment = augment.value;
    compare_with_host(machine_, dataset, small_options(options, residency_),
                      name_ + ", " + image.name + ", " + label.name + ", " + augment.name, stream_);
  }

  const Machine& machine_;
  StreamHandle stream_;
  std::string name_;
  TinyPack pack_;
  Residency residency_;
  LoaderOptions options_;
  LabelOutput usual_label_;
  const std::vector<Named<ImageOutput>> images_;
  const std::vector<Named<LabelOutput>> labels_ = label_outputs();
  const std::vector<Named<Augment>> augments_ = augments();
};

void compare_forms(Residency residency) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  for (const auto& [name, form] : test::all_forms())
    FormComparison(machine, stream.handle(), name, form, residency).run();
}

LoaderOptions training(std::uint64_t batch) {
  LoaderOptions options;
  options.global_batch_size = batch;
  options.seed = 11;
  options.image = {
      ElementType::f16, AxisOrder::channels_first, {0.5F, 0.4F, 0.3F}, {0.2F, 0.3F, 0.4F}};
  options.label.form = LabelForm::one_hot;
  options.label.dtype = ElementType::f16;
  options.label.layout = AxisOrder::channels_first;
  return options;
}

}  // namespace

GPU_CASE(host_forms_page) { compare_forms(Residency::page); }
GPU_CASE(host_forms_device) { compare_forms(Residency::device); }

// Large sizes, and sizes that are not a whole number of vectors of pixels.
GPU_CASE(host_sizes) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  for (const Extent size : {Extent{1, 1}, Extent{17, 1}, Extent{1, 33}, Extent{31, 29},
                            Extent{64, 48}, Extent{257, 129}}) {
    TinyForm form;
    form.classes = 12;
    form.size = size;
    const TinyPack pack(form, 5, 3);
    for (const Residency residency : kPlaces)
      compare_with_host(machine, pack.open(), small_options(training(2), residency),
                        std::to_string(size.width) + "x" + std::to_string(size.height),
                        stream.handle(), 2);
  }
}

GPU_CASE(host_classes) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  for (const int classes : {1, 2, 7, 8, 9, 16, 17, 255, 256}) {
    for (const LabelStorage storage :
         {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
      TinyForm form;
      form.classes = classes;
      form.storage = storage;
      form.size = Extent{13, 11};
      const TinyPack pack(form, 4, 4);
      for (const auto& label : label_outputs()) {
        LoaderOptions options = training(2);
        options.label = label.value;
        compare_with_host(machine, pack.open(), small_options(options),
                          std::to_string(classes) + " classes, " + label.name, stream.handle());
      }
    }
  }
}

// Batch sizes that divide the number of samples and others, all ways to end an epoch, ranks, and
// shuffling.
GPU_CASE(host_tails_and_ranks) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  const TinyPack pack(TinyForm{}, 13, 5);
  const Dataset dataset = pack.open();
  for (const LastBatch last_batch : {LastBatch::drop, LastBatch::pad, LastBatch::wrap}) {
    for (const std::uint64_t batch : {1U, 4U, 6U, 12U, 13U}) {
      for (const std::uint64_t world_size : {1U, 2U, 4U}) {
        if (world_size > batch) continue;
        LoaderOptions options = training(batch);
        options.last_batch = last_batch;
        options.world_size = world_size;
        options.rank = world_size - 1;
        options.shuffle = world_size == 2 ? Shuffle::block : Shuffle::full;
        options.block_samples = 3;
        compare_with_host(
            machine, dataset, small_options(options),
            std::string(last_batch_name(last_batch)) + ", batch " + std::to_string(batch),
            stream.handle(), 2);
      }
    }
  }
}

GPU_CASE(host_pad_to) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  TinyForm form;
  form.size.reset();
  const TinyPack pack(form, 9, 4);
  for (const Residency residency : kPlaces) {
    LoaderOptions options = training(3);
    options.pad_to = PixelSize{8, 6};
    compare_with_host(machine, pack.open(), small_options(options, residency), "padded",
                      stream.handle(), 2);
  }
}

GPU_CASE(host_threads) {
  const Machine machine;
  const auto kernels = machine.kernels();  // for all loaders of the case
  const UserStream stream(machine, false);
  TinyForm form;
  form.size = Extent{96, 64};
  const TinyPack pack(form, 40, 16);
  for (const unsigned threads : {1U, 2U, 16U}) {
    DeviceLoaderOptions options = small_options(training(8));
    options.loader.threads = threads;
    compare_with_host(machine, pack.open(), options, std::to_string(threads) + " threads",
                      stream.handle(), 5);
  }
}

}  // namespace hotpack::gpu
