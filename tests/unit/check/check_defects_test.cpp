// Defects that one file shows, in a check of a whole data set: one defect and one correct case
// each.
#include <string>
#include <vector>

#include "support/checked.hpp"
#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;

constexpr int kWidth = 48, kHeight = 36;

// `count` photos and labels with discs of ids 0 … 2.
void put_pairs(const TempFolder& folder, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    put(folder, "images/" + name, photo(kWidth, kHeight, i + 1));
    put(folder, "labels/" + name,
        make_gray_png(kWidth, kHeight, drawn_ids({0, 1, 2}, kWidth, kHeight, i + 1).samples));
  }
}

CheckReport checked_ids(const TempFolder& folder) {
  PackOptions options = options_for(folder);
  options.label.class_count = 3;
  options.record.size = {kWidth, kHeight};
  return checked(options);
}

// "SEVERITY TITLE: PATH: FOUND" of the only diagnostic of this kind; empty without one.
std::string text_of(const CheckReport& report, const std::string& kind, const TempFolder& folder) {
  const Diagnostic* const diagnostic = find(report, kind);
  if (diagnostic == nullptr) return "";
  std::string text = std::string(severity_name(diagnostic->severity)) + " " + diagnostic->title;
  for (const Evidence& example : diagnostic->examples)
    text += ": " + example.path.substr(folder.path().size() + 1) + ": " + example.found;
  return text;
}

// An RGBA photo whose alpha is `alpha` everywhere, except for its last pixel.
Bytes photo_with_alpha(std::uint16_t alpha, std::uint16_t last) {
  std::vector<std::uint16_t> samples = noise_samples(kWidth, kHeight, 4, 255);
  for (std::size_t i = 3; i < samples.size(); i += 4) samples[i] = alpha;
  samples.back() = last;
  PngSpec spec;
  spec.width = kWidth, spec.height = kHeight, spec.color = PngColor::rgba;
  return make_png(spec, samples);
}

// A mask of a rectangle in the middle, larger for larger numbers.
Bytes mask(int number, std::uint16_t inside, std::uint16_t outside) {
  Ids ids(std::size_t{kWidth} * kHeight, outside);
  const int margin = 16 - number % 10;
  for (int y = margin; y < kHeight - margin; ++y)
    for (int x = margin; x < kWidth - margin; ++x)
      ids[static_cast<std::size_t>(y * kWidth + x)] = inside;
  return id_label(kWidth, kHeight, ids);
}

CheckReport checked_masks(const TempFolder& folder, int count, int inverted) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "m" + std::to_string(10 + i) + ".png";
    put(folder, "images/" + name, photo(kWidth, kHeight, static_cast<std::uint32_t>(i + 1)));
    put(folder, "labels/" + name, i < inverted ? mask(i, 0, 255) : mask(i, 255, 0));
  }
  PackOptions options = options_for(folder);
  options.label.kind = LabelKind::binary;
  options.record.size = {kWidth, kHeight};
  return checked(options);
}

}  // namespace

TEST_CASE("good images and labels show no defect") {
  const TempFolder folder;
  put_pairs(folder, 12);
  const CheckReport report = checked_ids(folder);
  for (const Diagnostic& diagnostic : report.diagnostics.all()) CHECK(diagnostic.title.empty());
}

TEST_CASE("an image of one color and one that ends in gray rows are reported") {
  const TempFolder folder;
  put_pairs(folder, 4);
  std::vector<std::uint8_t> samples = photo_samples(kWidth, kHeight);
  put(folder, "images/p1.png",
      make_rgb_png(kWidth, kHeight, std::vector<std::uint8_t>(samples.size(), 0)));
  std::fill(samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end(), 128);
  put(folder, "images/p2.png", make_rgb_png(kWidth, kHeight, samples));
  const CheckReport report = checked_ids(folder);
  CHECK(text_of(report, "one-color-image", folder) ==
        "warning 1 of 4 images is of one color throughout: images/p1.png: all pixels are equal");
  CHECK(
      text_of(report, "filled-image", folder) ==
      "warning 1 of 4 images ends in rows of one gray: images/p2.png: the lower 50 % is one gray");
}

TEST_CASE("constant images are a note if most images are so") {
  const TempFolder folder;
  put_pairs(folder, 3);
  for (const std::uint8_t gray : {std::uint8_t{0}, std::uint8_t{1}})
    put(folder, "images/p" + std::to_string(gray) + ".png",
        make_rgb_png(kWidth, kHeight, std::vector<std::uint8_t>(3 * kWidth * kHeight, gray)));
  CHECK(find(checked_ids(folder), "one-color-image")->severity == Severity::note);
}

TEST_CASE("an image with alpha 0 everywhere is reported") {
  const TempFolder folder;
  put_pairs(folder, 4);
  put(folder, "images/p1.png", photo_with_alpha(0, 0));
  put(folder, "images/p2.png", photo_with_alpha(0, 1));
  put(folder, "images/p3.png", photo_with_alpha(255, 255));
  CHECK(text_of(checked_ids(folder), "transparent-image", folder) ==
        "warning 1 of 4 images is transparent throughout: images/p1.png: alpha is 0 everywhere");
}

TEST_CASE("an image that is its own label is reported, by bytes or by pixels") {
  const TempFolder folder;
  put_pairs(folder, 4);
  put(folder, "images/p1.png", read_bytes(folder / "labels/p1.png"));
  put(folder, "images/p2.png",
      make_rgb_png(
          kWidth, kHeight,
          colored(drawn_ids({0, 1, 2}, kWidth, kHeight, 3), {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}})
              .samples));
  CHECK(text_of(checked_ids(folder), "label-is-image", folder) ==
        "warning 2 of 4 labels are copies of their images: labels/p1.png: the same bytes as its "
        "image: labels/p2.png: its image shows its pixels");
}

TEST_CASE("an inverted mask among others is reported") {
  const TempFolder folder;
  CHECK(text_of(checked_masks(folder, 20, 1), "inverted-mask", folder) ==
        "warning 1 of 20 masks seems to have foreground and background exchanged: "
        "labels/m10.png: foreground is 96 %, and at most 43 % in the others");
}

TEST_CASE("masks are not called inverted if many are, or if one is between") {
  const TempFolder many, between, few;
  CHECK(find(checked_masks(many, 20, 6), "inverted-mask") == nullptr);
  Ids half(std::size_t{kWidth} * kHeight, 255);
  std::fill(half.begin(), half.begin() + std::ptrdiff_t{kWidth} * 12, 0);
  put(between, "images/half.png", photo(kWidth, kHeight, 98));
  put(between, "labels/half.png", id_label(kWidth, kHeight, half));
  CHECK(find(checked_masks(between, 20, 1), "inverted-mask") == nullptr);
  CHECK(find(checked_masks(few, 6, 1), "inverted-mask") == nullptr);
}

TEST_CASE("a class that vanishes when labels shrink is reported") {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i) {
    const std::string name = std::to_string(i) + ".png";
    put(folder, "images/" + name, photo(kWidth, kHeight, static_cast<std::uint32_t>(i + 1)));
    Ids ids(std::size_t{kWidth} * kHeight, 0);
    ids[static_cast<std::size_t>(kWidth) + 1] = 1;
    put(folder, "labels/" + name, id_label(kWidth, kHeight, ids));
  }
  PackOptions options = options_for(folder);
  options.label.class_count = 2;
  const std::string lost =
      "1 of 2 classes hardly occurs in the records of 8x6: '1' (in 4 labels, in 0 records)";
  const CheckReport report = checked(options);
  REQUIRE(find(report, "class-lost") != nullptr);
  CHECK(find(report, "class-lost")->severity == Severity::warning);
  CHECK(find(report, "class-lost")->title == lost);
  const std::vector<std::string> warnings = packed(options).plan.warnings;
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring(lost + "; "));
  options.run.output = folder / "larger";
  options.record.size = {kWidth, kHeight};
  CHECK(find(checked(options), "class-lost") == nullptr);
  CHECK(packed(options).plan.warnings.empty());
  options.run.output = folder / "tiles";
  options.record.size = {};
  options.record.tile = TileOptions{{16, 12}};
  CHECK(find(checked(options), "class-lost") == nullptr);
  CHECK(packed(options).plan.warnings.empty());
}

TEST_CASE("a class of masks that is likely misspelt is named with the right one") {
  const auto warnings_of = [](const std::string& rare, const std::string& usual) {
    const TempFolder folder;
    for (int i = 0; i < 6; ++i) {
      const std::string key = "p" + std::to_string(i);
      put(folder, "images/" + key + ".png", photo(kWidth, kHeight));
      put(folder, "labels/" + key + "_" + (i == 2 ? rare : usual) + ".png", mask(i, 255, 0));
      put(folder, "labels/" + key + "_skin.png", mask(i, 255, 0));
    }
    PackOptions options = options_for(folder);
    options.input.mask_per_class = "{key}_{class}";
    const CheckReport report = checked(options);
    std::string text;
    for (const Diagnostic& diagnostic : report.diagnostics.all())
      if (diagnostic.kind == "class-table") text += diagnostic.title + "\n";
    return text;
  };
  CHECK(warnings_of("hiar", "hair") ==
        "class 'hiar' has a mask for 1 of 6 images; did you mean 'hair'?\n"
        "masks are missing for some images: 'hair' (1 of 6 images, the first is 'p2'); if these "
        "images show nothing of the class, all is well\n");
  CHECK(warnings_of("nose", "hair") ==
        "masks are missing for some images: 'hair' (1 of 6 images, the first is 'p2'); if these "
        "images show nothing of the class, all is well\n");
  CHECK_THAT(warnings_of("lane1", "lane2"), !ContainsSubstring("did you mean"));
}
