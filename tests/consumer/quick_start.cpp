// Trains on a pack: images as normalized f32 [N,3,H,W], labels as one-hot f32 [N,classes,H,W].
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <span>

// Your model learns here.
static void train_step(std::span<const float> images, std::span<const float> labels) {
  std::printf("%zu image values, %zu label values\n", images.size(), labels.size());
}

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/street").value();

  LoaderOptions options;
  options.global_batch_size = 8;
  // Normalizes by the pack's own mean and standard deviation.
  options.image = ImageOutput::normalized(dataset.statistics().value()).value();
  options.label.form = LabelForm::one_hot;
  options.label.dtype = ElementType::f32;
  options.label.layout = AxisOrder::channels_first;
  auto loader = Loader::open(dataset, options).value();

  for (int epoch = 0; epoch < 2; ++epoch) {
    while (const auto batch = loader.next().value()) {  // empty at the end of an epoch
      train_step(batch->image().as<float>(), batch->label().as<float>());
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
