// Reads every sample of a pack and expands its label to the one-hot floats of a model.
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <span>
#include <string>
#include <vector>

int main(int argc, char* argv[]) try {
  const auto dataset = hotpack::Dataset::open(argc > 1 ? argv[1] : "packed/train").value();
  std::vector<std::uint8_t> pixels, label;  // used only if records are compressed
  std::vector<float> one_hot;
  const hotpack::LabelOutput output{.form = hotpack::LabelForm::one_hot,
                                    .dtype = hotpack::ElementType::f32,
                                    .layout = hotpack::AxisOrder::channels_first};
  for (std::uint64_t i = 0; i < dataset.size(); ++i) {
    const hotpack::Sample sample = dataset.sample(i).value();
    const hotpack::ImageView image =
        sample.load_image(pixels).value();  // checked against its CRC-32C
    if (sample.has_label()) {
      one_hot.resize(hotpack::label_bytes(sample.label_shape(), output).value() / sizeof(float));
      hotpack::expand_label(sample.load_label(label).value(), output,
                            std::as_writable_bytes(std::span(one_hot)))
          .value();
    }
    std::printf("%s: %d x %d, %zu one-hot values\n", std::string(sample.key()).c_str(),
                static_cast<int>(image.shape.width), static_cast<int>(image.shape.height),
                one_hot.size());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
