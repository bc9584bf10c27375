// Prints every record of a pack, read through the public reader and once more through a Loader.
//
// usage: print_records PACK
// A line per class, then two lines per sample (the label's only if the pack has labels), with tabs
// between words:
//   class NAME
//   image KEY HEIGHT WIDTH CHANNELS STORED PIXELS
//   label KEY HEIGHT WIDTH STORED ONE_HOT
// STORED are the stored bytes; PIXELS are height x width x channels, ONE_HOT height x width x
// classes; all in hex.
// Exit status 1, with the reason on stderr, for a pack that cannot be read.
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hotpack/hotpack.hpp"

namespace {

using namespace hotpack;

template <class Byte>
std::string hex(std::span<const Byte> bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const Byte byte : bytes) {
    text += digits[static_cast<unsigned>(byte) >> 4];
    text += digits[static_cast<unsigned>(byte) & 15u];
  }
  return text;
}

std::string hex(const std::vector<std::byte>& bytes) {
  return hex(std::span<const std::byte>(bytes));
}

std::string lines_of(const Sample& sample) {
  std::vector<std::uint8_t> scratch;
  const ImageView image = sample.load_image(scratch).value();
  std::vector<std::byte> pixels(image_bytes(image.shape, ElementType::u8));
  expand_image(image, {}, pixels).value();
  const std::string key(sample.key());
  std::string lines = "image\t" + key + "\t" + std::to_string(image.shape.height) + "\t" +
                      std::to_string(image.shape.width) + "\t" +
                      std::to_string(image.shape.channels) + "\t" + hex(image.bytes) + "\t" +
                      hex(pixels) + "\n";
  if (!sample.has_label()) return lines;
  const LabelView label = sample.load_label(scratch).value();
  std::vector<std::byte> one_hot(label.shape.vectors() * label.shape.class_count);
  expand_label(label, {.form = LabelForm::one_hot}, one_hot).value();
  return lines + "label\t" + key + "\t" + std::to_string(label.shape.height) + "\t" +
         std::to_string(label.shape.width) + "\t" + hex(label.bytes) + "\t" + hex(one_hot) + "\n";
}

// The pixels and one-hot labels that a Loader gives, in the order of the pack, are those in
// `lines`.
void compare_with_loader(const Dataset& dataset, const std::vector<std::string>& lines) {
  LoaderOptions options;
  options.global_batch_size = 1;
  options.shuffle = Shuffle::none;
  if (dataset.schema().label) options.label.form = LabelForm::one_hot;
  Loader loader = Loader::open(dataset, options).value();
  for (const std::string& expected : lines) {
    const auto batch = loader.next().value();
    if (!batch) throw std::runtime_error("the Loader ends too early");
    const std::string image = hex<std::byte>(batch->image().bytes);
    const std::string label = hex<std::byte>(batch->label().bytes);
    if (expected.find("\t" + image + "\n") == std::string::npos ||
        (!label.empty() && !expected.ends_with("\t" + label + "\n"))) {
      throw std::runtime_error("the Loader gives another record than the reader: " +
                               std::string(batch->key(0)));
    }
  }
}

void print_all(const std::string& folder) {
  const Dataset dataset = Dataset::open(folder).value();
  for (const ClassInfo& entry : dataset.classes()) std::printf("class\t%s\n", entry.name.c_str());
  std::vector<std::string> lines;
  for (std::uint64_t number = 0; number < dataset.size(); ++number)
    lines.push_back(lines_of(dataset.sample(number).value()));
  compare_with_loader(dataset, lines);
  for (const std::string& line : lines) std::fputs(line.c_str(), stdout);
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 2) throw std::runtime_error("usage: print_records PACK");
  print_all(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "print_records: %s\n", error.what());
  return 1;
}
