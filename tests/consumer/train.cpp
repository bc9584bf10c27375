// Two epochs of training batches: images as normalized f32 NCHW, labels as one-hot f32 NCHW,
// shuffled again in each epoch.
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <span>
#include <string>

namespace {

// Your model learns here from images [N,3,H,W] and labels [N,C,H,W]. This example returns the share
// of pixels with a class.
double train(std::span<const float> images, std::span<const float> labels, double pixels) {
  double labeled = 0;
  for (const float one : labels) labeled += one;
  return images.empty() ? 0 : labeled / pixels;
}

}  // namespace

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();

  LoaderOptions options;
  options.global_batch_size = argc > 2 ? std::stoul(argv[2]) : 32;
  options.seed = 7;
  options.image = {ElementType::f32,
                   AxisOrder::channels_first,
                   {0.485f, 0.456f, 0.406f},
                   {0.229f, 0.224f, 0.225f}};
  options.label.form = LabelForm::one_hot;
  options.label.dtype = ElementType::f32;
  options.label.layout = AxisOrder::channels_first;
  auto loader = Loader::open(dataset, options).value();

  for (int epoch = 0; epoch < 2; ++epoch) {
    while (auto batch = loader.next().value()) {  // empty at the end of an epoch
      const auto& shape = batch->image().shape;   // N, 3, H, W
      const double pixels = static_cast<double>(shape[0] * shape[2] * shape[3]);
      const double share = train(batch->image().as<float>(), batch->label().as<float>(), pixels);
      std::printf("epoch %d, step %d, first sample %s: %.3f\n", static_cast<int>(batch->epoch()),
                  static_cast<int>(batch->step()), std::string(batch->key(0)).c_str(), share);
    }  // the batch is destroyed, and its slot reused
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
