#include "labels/label_decoder.hpp"
#include "base/words.hpp"

#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

using Ids = std::vector<std::uint16_t>;
using Sources = std::vector<LabelSource>;

ClassTable colored_classes(const std::vector<RgbColor>& colors) {
  ClassTable table;
  for (const RgbColor& color : colors)
    table.classes.push_back({"c" + std::to_string(table.classes.size()), color, {}});
  table.has_colors = true;
  return table;
}

LabelRules rules_of(LabelKind kind) {
  LabelRules rules;
  rules.kind = kind;
  return rules;
}

LabelDecoder make(const ClassTable& table, const LabelRules& rules) {
  return std::move(LabelDecoder::create(table, rules)).value();
}

std::string refusal(const ClassTable& table, const LabelRules& rules) {
  const Result<LabelDecoder> decoder = LabelDecoder::create(table, rules);
  REQUIRE_FALSE(decoder.ok());
  CHECK(decoder.error().code == ErrorCode::usage);
  return decoder.error().message;
}

// A label that owns its pixels. The RawLabel points into it.
struct OwnedLabel {
  std::vector<std::uint8_t> rgb;
  Ids samples;
  RawLabel raw;
};

OwnedLabel rgb_label(int width, const std::vector<RgbColor>& pixels) {
  OwnedLabel label;
  for (const RgbColor& color : pixels)
    label.rgb.insert(label.rgb.end(), color.begin(), color.end());
  label.raw.width = width;
  label.raw.height = static_cast<int>(pixels.size()) / width;
  label.raw.form = "8-bit RGB PNG";
  label.raw.rgb = {label.rgb.data(), width, label.raw.height, 3,
                   static_cast<std::size_t>(width) * 3};
  return label;
}

OwnedLabel gray_label(int width, const Ids& samples, int bit_depth = 8) {
  OwnedLabel label;
  label.samples = samples;
  label.raw.width = width;
  label.raw.height = static_cast<int>(samples.size()) / width;
  label.raw.bit_depth = bit_depth;
  label.raw.form = std::to_string(bit_depth) + "-bit gray PNG";
  label.raw.samples = {label.samples.data(), width, label.raw.height, 1,
                       static_cast<std::size_t>(width) * 2};
  return label;
}

// Colors of 16 bits per channel: red, green and blue of each pixel.
OwnedLabel wide_label(int width, const Ids& samples) {
  OwnedLabel label;
  label.samples = samples;
  label.raw.width = width;
  label.raw.height = static_cast<int>(samples.size()) / 3 / width;
  label.raw.bit_depth = 16;
  label.raw.form = "16-bit RGB PNG";
  label.raw.wide_rgb = {label.samples.data(), width, label.raw.height, 3,
                        static_cast<std::size_t>(width) * 6};
  return label;
}

OwnedLabel palette_label(int width, const Ids& samples, const std::vector<RgbColor>& palette,
                         int bit_depth = 8) {
  OwnedLabel label = gray_label(width, samples, bit_depth);
  label.raw.is_palette = true;
  label.raw.palette = palette;
  label.raw.form = std::to_string(bit_depth) + "-bit palette PNG";
  return label;
}

struct Decoded {
  Ids ids;
  DecodeReport report;
};

Decoded decode(const LabelDecoder& decoder, const OwnedLabel& label) {
  Decoded result;
  result.ids.assign(static_cast<std::size_t>(label.raw.width * label.raw.height), 12345);
  const Status status = decoder.decode(label.raw,
                                       {result.ids.data(), label.raw.width, label.raw.height, 1,
                                        static_cast<std::size_t>(label.raw.width) * 2},
                                       result.report);
  REQUIRE(status.ok());
  return result;
}

Error decode_failure(const LabelDecoder& decoder, const OwnedLabel& label, DecodeReport& report) {
  Ids ids(static_cast<std::size_t>(label.raw.width * label.raw.height));
  const Status status = decoder.decode(label.raw,
                                       {ids.data(), label.raw.width, label.raw.height, 1,
                                        static_cast<std::size_t>(label.raw.width) * 2},
                                       report);
  REQUIRE_FALSE(status.ok());
  return status.error();
}

std::string decode_refusal(const LabelDecoder& decoder, const OwnedLabel& label) {
  DecodeReport report;
  const Error error = decode_failure(decoder, label, report);
  CHECK(error.code == ErrorCode::data);
  return error.message;
}

constexpr RgbColor kBlack{0, 0, 0}, kWhite{255, 255, 255}, kRed{255, 0, 0}, kBlue{0, 0, 255};

}  // namespace

TEST_CASE("label kinds have names that read back") {
  for (const char* name : {"auto", "color", "index", "palette-color", "binary"})
    CHECK(word_of(value_of<LabelKind>(name).value()) == name);
  CHECK(value_of<LabelKind>("palette-color") == LabelKind::palette_color);
  CHECK_FALSE(value_of<LabelKind>("colour"));
}

// ---- building

TEST_CASE("rules that do not fit the table are refused") {
  const ClassTable three = colored_classes({kBlack, kWhite, kRed});
  CHECK_THAT(refusal(numbered_classes(3), rules_of(LabelKind::color)),
             ContainsSubstring("no color") && ContainsSubstring("--classes"));
  CHECK_THAT(refusal(numbered_classes(3), rules_of(LabelKind::palette_color)),
             ContainsSubstring("palette-color"));
  CHECK_THAT(refusal(colored_classes({kBlack, kRed, kBlack}), rules_of(LabelKind::color)),
             ContainsSubstring("'c0' and 'c2'") && ContainsSubstring("#000000"));
  CHECK_THAT(refusal(three, rules_of(LabelKind::binary)), ContainsSubstring("two classes"));
  CHECK_THAT(refusal({}, rules_of(LabelKind::index)), ContainsSubstring("no classes"));
  CHECK_THAT(refusal(numbered_classes(65536), rules_of(LabelKind::index)),
             ContainsSubstring("65535"));

  LabelRules rules = rules_of(LabelKind::binary);
  for (const int threshold : {0, 65536}) {
    rules.threshold = threshold;
    CHECK_THAT(refusal(binary_classes(), rules), ContainsSubstring("--threshold"));
  }
  rules = rules_of(LabelKind::color);
  rules.ignore_ids = {3};
  CHECK_THAT(refusal(three, rules), ContainsSubstring("name a class"));
  for (const std::int64_t id : {-1, 65536}) {
    rules = rules_of(LabelKind::index);
    rules.ignore_ids = {id};
    CHECK_THAT(refusal(three, rules), ContainsSubstring(std::to_string(id)));
  }
  for (const int id : {-1, 3}) {
    rules = rules_of(LabelKind::index);
    rules.ignore_classes = {id};
    CHECK_THAT(refusal(three, rules), ContainsSubstring("--ignore"));
    rules.ignore_classes = {};
    rules.unknown = {UnknownPolicy::Kind::to_class, id};
    CHECK_THAT(refusal(three, rules), ContainsSubstring("--unknown"));
  }
}

TEST_CASE("a decoder of an unresolved label kind is a bug") {
  const Result<LabelDecoder> decoder =
      LabelDecoder::create(numbered_classes(2), rules_of(LabelKind::automatic));
  REQUIRE_FALSE(decoder.ok());
  CHECK(decoder.error().code == ErrorCode::internal);
}

TEST_CASE("sources of an index table are ids, and ignored ones are sorted") {
  LabelRules rules = rules_of(LabelKind::index);
  const LabelDecoder plain = make(numbered_classes(3), rules);
  CHECK(plain.table().classes[2].sources == Sources{std::int64_t{2}});
  CHECK(plain.table().ignore == Sources{std::int64_t{255}, std::int64_t{65535}});

  rules.ignore_ids = {200, 1, 200};
  rules.ignore_classes = {2};
  const LabelDecoder more = make(numbered_classes(3), rules);
  CHECK(more.table().classes[0].sources == Sources{std::int64_t{0}});
  CHECK(more.table().classes[1].sources.empty());
  CHECK(more.table().classes[2].sources.empty());
  CHECK(more.table().ignore == Sources{std::int64_t{1}, std::int64_t{2}, std::int64_t{200},
                                       std::int64_t{255}, std::int64_t{65535}});

  CHECK(make(numbered_classes(255), rules_of(LabelKind::index)).table().ignore.size() == 2);
  CHECK(make(numbered_classes(256), rules_of(LabelKind::index)).table().ignore ==
        Sources{std::int64_t{65535}});
}

TEST_CASE("sources of a color table are its colors") {
  LabelRules rules = rules_of(LabelKind::color);
  rules.ignore_classes = {1};
  const LabelDecoder decoder = make(colored_classes({kBlack, kRed}), rules);
  CHECK(decoder.table().classes[0].sources == Sources{"#000000"});
  CHECK(decoder.table().classes[1].sources.empty());
  CHECK(decoder.table().ignore == Sources{"#ff0000"});
  CHECK(make(colored_classes({kBlack}), rules_of(LabelKind::palette_color)).table().ignore.empty());
}

TEST_CASE("sources of a binary table contain the threshold") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.threshold = 100;
  const LabelDecoder decoder = make(binary_classes(), rules);
  CHECK(decoder.table().classes[0].sources == Sources{"luma<100"});
  CHECK(decoder.table().classes[1].sources == Sources{"luma>=100"});
  CHECK(decoder.table().ignore.empty());
}

TEST_CASE("sources of the given table are replaced") {
  ClassTable table = numbered_classes(1);
  table.classes[0].sources = {"folder"};
  table.ignore = {"x"};
  CHECK(make(table, rules_of(LabelKind::index)).table().classes[0].sources ==
        Sources{std::int64_t{0}});
  CHECK(make(table, rules_of(LabelKind::index)).table().ignore ==
        Sources{std::int64_t{255}, std::int64_t{65535}});
}

// ---- color

TEST_CASE("colors become class ids, whatever the runs and widths") {
  std::mt19937 random(41);
  for (const std::size_t class_count : {1u, 2u, 12u, 32u, 300u, 5000u}) {
    std::set<RgbColor> unique;
    while (unique.size() < class_count)
      unique.insert({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                     static_cast<std::uint8_t>(random())});
    const std::vector<RgbColor> colors(unique.begin(), unique.end());
    const LabelDecoder decoder = make(colored_classes(colors), rules_of(LabelKind::color));
    for (const int width : {1, 2, 7, 8, 9, 10, 16, 17, 33, 100}) {
      Ids wanted;
      std::vector<RgbColor> pixels;
      while (wanted.size() < static_cast<std::size_t>(width) * 13) {
        const auto id = static_cast<std::uint16_t>(random() % class_count);
        for (auto run = random() % (random() % 2 == 0 ? 3 : 40); run + 1 > 0; --run)
          wanted.push_back(id), pixels.push_back(colors[id]);
      }
      wanted.resize(static_cast<std::size_t>(width) * 13);
      pixels.resize(wanted.size());
      const Decoded decoded = decode(decoder, rgb_label(width, pixels));
      INFO(class_count << " classes, width " << width);
      REQUIRE(decoded.ids == wanted);
      REQUIRE(decoded.report.unknown_pixels == 0);
      REQUIRE(decoded.report.unknown.empty());
    }
  }
}

TEST_CASE("rows of a strided label and id plane stay apart") {
  OwnedLabel label = rgb_label(10, std::vector<RgbColor>(30, kRed));
  label.raw.width = label.raw.rgb.width = 9;
  // a tenth column with another color
  for (std::size_t y = 0; y < 3; ++y) label.rgb[y * 30 + 27] = 1;
  Ids memory(3 * 12, 777);
  DecodeReport report;
  const LabelDecoder decoder = make(colored_classes({kBlack, kRed}), rules_of(LabelKind::color));
  REQUIRE(decoder.decode(label.raw, {memory.data(), 9, 3, 1, 24}, report).ok());
  CHECK(report.unknown_pixels == 0);
  for (std::size_t i = 0; i < memory.size(); ++i) REQUIRE(memory[i] == (i % 12 < 9 ? 1 : 777));
}

TEST_CASE("unknown colors are counted per kind, most frequent and first place") {
  std::vector<RgbColor> pixels(20 * 10, kBlack);
  for (const std::size_t at : {35u, 36u, 37u, 199u}) pixels[at] = {0, 0, 128};
  for (const std::size_t at : {3u, 50u}) pixels[at] = {1, 2, 3};
  for (const std::size_t at : {2u, 51u}) pixels[at] = {9, 9, 9};
  const Decoded decoded = decode(make(colored_classes({kBlack, kRed}), rules_of(LabelKind::color)),
                                 rgb_label(20, pixels));
  CHECK(decoded.report.unknown_pixels == 8);
  CHECK(decoded.report.unknown_kinds == 3);
  REQUIRE(decoded.report.unknown.size() == 3);
  CHECK(decoded.report.unknown[0].text == "color (0,0,128)");
  CHECK(decoded.report.unknown[0].count == 4);
  CHECK(decoded.report.unknown[0].x == 15);
  CHECK(decoded.report.unknown[0].y == 1);
  CHECK(decoded.report.unknown[1].text == "color (9,9,9)");
  CHECK(decoded.report.unknown[2].text == "color (1,2,3)");
  CHECK(decoded.report.unknown[2].x == 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    REQUIRE(decoded.ids[i] == (pixels[i] == kBlack ? 0 : kIgnored));
}

TEST_CASE("unknown pixels follow the policy and are always counted") {
  const std::vector<RgbColor> pixels{kBlack, {1, 1, 1}, {1, 1, 1}, kRed};
  LabelRules rules = rules_of(LabelKind::color);
  const auto ids_with = [&](UnknownPolicy policy) {
    rules.unknown = policy;
    const Decoded decoded =
        decode(make(colored_classes({kBlack, kRed}), rules), rgb_label(4, pixels));
    CHECK(decoded.report.unknown_pixels == 2);
    return decoded.ids;
  };
  CHECK(ids_with({UnknownPolicy::Kind::error, 0}) == Ids{0, kIgnored, kIgnored, 1});
  CHECK(ids_with({UnknownPolicy::Kind::ignore, 0}) == Ids{0, kIgnored, kIgnored, 1});
  CHECK(ids_with({UnknownPolicy::Kind::to_class, 1}) == Ids{0, 1, 1, 1});
  CHECK(ids_with({UnknownPolicy::Kind::to_class, 0}) == Ids{0, 0, 0, 1});
  rules.ignore_classes = {1};
  CHECK(ids_with({UnknownPolicy::Kind::to_class, 1}) == Ids{0, kIgnored, kIgnored, kIgnored});
}

TEST_CASE("at most 16 kinds are listed, all are counted") {
  std::vector<RgbColor> pixels;
  for (int i = 0; i < 300; ++i)
    pixels.push_back({7, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)});
  const Decoded decoded =
      decode(make(colored_classes({kBlack}), rules_of(LabelKind::color)), rgb_label(30, pixels));
  CHECK(decoded.report.unknown.size() == 16);
  CHECK(decoded.report.unknown_kinds == 300);
  CHECK(decoded.report.unknown[15].text == "color (7,0,15)");
}

TEST_CASE("a photo given as a label is counted in bounded memory") {
  std::vector<RgbColor> pixels;
  for (int i = 0; i < 70000; ++i)
    pixels.push_back({static_cast<std::uint8_t>(1 + (i >> 16)), static_cast<std::uint8_t>(i >> 8),
                      static_cast<std::uint8_t>(i)});
  pixels.push_back(pixels.front());
  pixels.resize(70100, kBlack);
  const Decoded decoded =
      decode(make(colored_classes({kBlack}), rules_of(LabelKind::color)), rgb_label(100, pixels));
  CHECK(decoded.report.unknown_pixels == 70001);
  CHECK(decoded.report.unknown_kinds == kMaxUnknownKinds);
  CHECK(decoded.report.unknown[0].count == 2);
}

TEST_CASE("palette files read as colors go through the palette") {
  const std::vector<RgbColor> palette{kRed, kBlack, kRed, {5, 5, 5}};
  const OwnedLabel label = palette_label(3, {0, 1, 2, 1, 0, 2}, palette);
  for (const LabelKind reading : {LabelKind::color, LabelKind::palette_color}) {
    const Decoded decoded = decode(make(colored_classes({kBlack, kRed}), rules_of(reading)), label);
    CHECK(decoded.ids == Ids{1, 0, 1, 0, 1, 1});
    CHECK_FALSE(decoded.report.beyond_palette);
  }
}

TEST_CASE("palette entries of one unknown color count as one kind") {
  const std::vector<RgbColor> palette{kBlack, {5, 5, 5}, {5, 5, 5}};
  const Decoded decoded = decode(make(colored_classes({kBlack}), rules_of(LabelKind::color)),
                                 palette_label(6, {0, 1, 2, 9, 0, 0}, palette));
  CHECK(decoded.ids == Ids{0, kIgnored, kIgnored, kIgnored, 0, 0});
  REQUIRE(decoded.report.unknown.size() == 2);
  CHECK(decoded.report.unknown[0].text == "color (5,5,5)");
  CHECK(decoded.report.unknown[0].count == 2);
  CHECK(decoded.report.unknown[1].text == "palette index 9");
  CHECK(decoded.report.beyond_palette);
}

TEST_CASE("gray files read as colors show v,v,v and few bits are scaled to 0…255") {
  const LabelDecoder decoder = make(colored_classes({kBlack, kWhite, {85, 85, 85}, {17, 17, 17}}),
                                    rules_of(LabelKind::color));
  CHECK(decode(decoder, gray_label(4, {0, 255, 85, 17})).ids == Ids{0, 1, 2, 3});
  CHECK(decode(decoder, gray_label(2, {0, 1}, 1)).ids == Ids{0, 1});
  CHECK(decode(decoder, gray_label(3, {0, 1, 3}, 2)).ids == Ids{0, 2, 1});
  CHECK(decode(decoder, gray_label(3, {0, 1, 15}, 4)).ids == Ids{0, 3, 1});
  CHECK(decode(decoder, gray_label(1, {3}, 4)).report.unknown[0].text == "color (51,51,51)");
}

TEST_CASE("forms that cannot be read by color are refused with advice") {
  const LabelDecoder color = make(colored_classes({kBlack, kRed}), rules_of(LabelKind::color));
  const LabelDecoder palette =
      make(colored_classes({kBlack, kRed}), rules_of(LabelKind::palette_color));
  CHECK_THAT(decode_refusal(color, gray_label(1, {0}, 16)),
             ContainsSubstring("16-bit gray PNG") && ContainsSubstring("--label-kind index"));
  CHECK_THAT(decode_refusal(palette, gray_label(1, {0})),
             ContainsSubstring("no palette") && ContainsSubstring("8-bit gray PNG"));
  CHECK_THAT(decode_refusal(palette, rgb_label(1, {kBlack})), ContainsSubstring("8-bit RGB PNG"));
}

TEST_CASE("JPEG labels are refused unless binary") {
  OwnedLabel label = rgb_label(1, {kBlack});
  label.raw.lossy = true;
  label.raw.form = "RGB JPEG";
  OwnedLabel gray = gray_label(1, {0});
  gray.raw.lossy = true;
  gray.raw.form = "8-bit gray JPEG";
  for (const LabelKind reading : {LabelKind::color, LabelKind::index, LabelKind::palette_color}) {
    const LabelDecoder decoder = make(colored_classes({kBlack, kRed}), rules_of(reading));
    CHECK_THAT(decode_refusal(decoder, label), ContainsSubstring("RGB JPEG") &&
                                                   ContainsSubstring("PNG") &&
                                                   ContainsSubstring("--threshold"));
    CHECK_THAT(decode_refusal(decoder, gray), ContainsSubstring("8-bit gray JPEG"));
  }
  CHECK(decode(make(binary_classes(), rules_of(LabelKind::binary)), label).ids == Ids{0});
}

TEST_CASE("auto: gray and palette files that fit ids but not colors are ambiguous") {
  LabelRules rules = rules_of(LabelKind::color);
  rules.kind_was_automatic = true;
  const LabelDecoder automatic = make(colored_classes({kBlack, kRed, kBlue}), rules);
  rules.kind_was_automatic = false;
  const LabelDecoder chosen = make(colored_classes({kBlack, kRed, kBlue}), rules);

  for (const OwnedLabel& label :
       {gray_label(4, {0, 1, 2, 0}), palette_label(4, {0, 1, 2, 0}, {kBlack, {9, 9, 9}, kBlue})}) {
    DecodeReport report;
    const Error error = decode_failure(automatic, label, report);
    CHECK(report.ambiguous);
    CHECK(error.code == ErrorCode::data);
    CHECK_THAT(error.message, ContainsSubstring("--label-kind"));
    CHECK(decode(chosen, label).report.unknown_pixels > 0);
  }
  // 3 is not a class either
  CHECK_FALSE(decode(automatic, gray_label(2, {0, 3})).report.ambiguous);
  CHECK_FALSE(decode(automatic, gray_label(2, {0, 0})).report.ambiguous);  // every color is known
  CHECK_FALSE(
      decode(automatic, rgb_label(2, {kBlack, {1, 1, 1}})).report.ambiguous);  // colors are colors
  CHECK_FALSE(decode(automatic, palette_label(2, {0, 1}, {kBlack, kRed})).report.ambiguous);
}

// ---- index

TEST_CASE("ids are raw samples at every depth") {
  const LabelDecoder decoder = make(numbered_classes(300), rules_of(LabelKind::index));
  CHECK(decode(decoder, gray_label(2, {0, 1}, 1)).ids == Ids{0, 1});
  CHECK(decode(decoder, gray_label(4, {0, 1, 2, 3}, 2)).ids == Ids{0, 1, 2, 3});
  CHECK(decode(decoder, gray_label(3, {0, 7, 15}, 4)).ids == Ids{0, 7, 15});
  CHECK(decode(decoder, gray_label(3, {0, 200, 255}, 8)).ids == Ids{0, 200, 255});
  CHECK(decode(decoder, gray_label(3, {0, 256, 299}, 16)).ids == Ids{0, 256, 299});
  CHECK(decode(decoder, palette_label(3, {0, 1, 2}, {kRed, kRed, kBlue})).ids == Ids{0, 1, 2});
}

TEST_CASE("255 is ignored only in 8-bit, 65535 only in 16-bit files") {
  const LabelDecoder decoder = make(numbered_classes(12), rules_of(LabelKind::index));
  const Decoded narrow = decode(decoder, gray_label(3, {11, 255, 0}));
  CHECK(narrow.ids == Ids{11, kIgnored, 0});
  CHECK(narrow.report.unknown_pixels == 0);
  const Decoded wide = decode(decoder, gray_label(3, {11, 65535, 255}, 16));
  CHECK(wide.ids == Ids{11, kIgnored, kIgnored});
  REQUIRE(wide.report.unknown.size() == 1);
  CHECK(wide.report.unknown[0].text == "id 255");
  CHECK(wide.report.unknown[0].x == 2);
}

TEST_CASE("255 is a class if there are enough, unless ignored by name or number") {
  LabelRules rules = rules_of(LabelKind::index);
  CHECK(decode(make(numbered_classes(256), rules), gray_label(2, {255, 0})).ids == Ids{255, 0});
  const Decoded last_ignored =
      decode(make(numbered_classes(255), rules), gray_label(2, {255, 254}));
  CHECK(last_ignored.ids == Ids{kIgnored, 254});
  CHECK(last_ignored.report.unknown_pixels == 0);
  rules.ignore_ids = {255};
  CHECK(decode(make(numbered_classes(256), rules), gray_label(2, {255, 0})).ids ==
        Ids{kIgnored, 0});
  rules.ignore_ids = {};
  rules.ignore_classes = {255};
  CHECK(decode(make(numbered_classes(256), rules), gray_label(2, {255, 0})).ids ==
        Ids{kIgnored, 0});
}

TEST_CASE("ids to ignore apply at every depth and before classes") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.ignore_ids = {0, 99, 255};
  rules.ignore_classes = {2};
  const LabelDecoder decoder = make(numbered_classes(4), rules);
  CHECK(decode(decoder, gray_label(5, {0, 1, 2, 3, 99})).ids ==
        Ids{kIgnored, 1, kIgnored, 3, kIgnored});
  const Decoded wide = decode(decoder, gray_label(3, {0, 255, 99}, 16));
  CHECK(wide.ids == Ids{kIgnored, kIgnored, kIgnored});
  CHECK(wide.report.unknown_pixels == 0);
}

TEST_CASE("unknown ids are counted by kind with their first place") {
  const Decoded decoded = decode(make(numbered_classes(3), rules_of(LabelKind::index)),
                                 gray_label(3, {0, 37, 1, 75, 75, 2}));
  CHECK(decoded.ids == Ids{0, kIgnored, 1, kIgnored, kIgnored, 2});
  CHECK(decoded.report.unknown_pixels == 3);
  REQUIRE(decoded.report.unknown.size() == 2);
  CHECK(decoded.report.unknown[0].text == "id 75");
  CHECK(decoded.report.unknown[0].count == 2);
  CHECK(decoded.report.unknown[0].y == 1);
  CHECK(decoded.report.unknown[1].text == "id 37");
  CHECK(decoded.report.unknown[1].x == 1);
}

TEST_CASE("unknown ids get the class that the policy names") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.unknown = {UnknownPolicy::Kind::to_class, 2};
  CHECK(decode(make(numbered_classes(3), rules), gray_label(3, {0, 37, 255})).ids ==
        Ids{0, 2, kIgnored});
  CHECK(decode(make(numbered_classes(3), rules), gray_label(3, {0, 4000, 65535}, 16)).ids ==
        Ids{0, 2, kIgnored});
}

TEST_CASE("a palette index beyond the palette is kept as id, with a flag") {
  const LabelDecoder decoder = make(numbered_classes(5), rules_of(LabelKind::index));
  const Decoded beyond = decode(decoder, palette_label(3, {0, 4, 1}, {kBlack, kRed}));
  CHECK(beyond.ids == Ids{0, 4, 1});
  CHECK(beyond.report.beyond_palette);
  CHECK(beyond.report.unknown_pixels == 0);
  CHECK_FALSE(decode(decoder, palette_label(3, {0, 1, 1}, {kBlack, kRed})).report.beyond_palette);
  CHECK_FALSE(decode(decoder, gray_label(3, {0, 4, 1})).report.beyond_palette);
  CHECK(decode(decoder, palette_label(1, {255}, {kBlack})).ids == Ids{kIgnored});
}

TEST_CASE("the largest number of classes all have ids") {
  const LabelDecoder decoder = make(numbered_classes(65535), rules_of(LabelKind::index));
  const Decoded decoded = decode(decoder, gray_label(3, {65534, 65535, 255}, 16));
  CHECK(decoded.ids == Ids{65534, kIgnored, 255});
  CHECK(decoded.report.unknown_pixels == 0);
}

TEST_CASE("RGB pixels with equal channels are ids") {
  LabelRules rules = rules_of(LabelKind::index);
  const OwnedLabel label =
      rgb_label(3, {{0, 0, 0}, {2, 2, 2}, {255, 255, 255}, {1, 1, 1}, {7, 7, 7}, {7, 7, 7}});
  const Decoded decoded = decode(make(numbered_classes(3), rules), label);
  CHECK(decoded.ids == Ids{0, 2, kIgnored, 1, kIgnored, kIgnored});
  CHECK(decoded.report.unknown_pixels == 2);
  REQUIRE(decoded.report.unknown.size() == 1);
  CHECK(decoded.report.unknown[0].text == "id 7");
  CHECK(decoded.report.unknown[0].x == 1);
  CHECK(decoded.report.unknown[0].y == 1);
  rules.unknown = {UnknownPolicy::Kind::to_class, 2};
  CHECK(decode(make(numbered_classes(3), rules), label).ids == Ids{0, 2, kIgnored, 1, 2, 2});
}

TEST_CASE("one colored pixel means that an RGB label has no ids") {
  const LabelDecoder decoder = make(numbered_classes(3), rules_of(LabelKind::index));
  CHECK_THAT(decode_refusal(decoder, rgb_label(2, {kBlack, kBlack, {2, 2, 1}, kBlack})),
             ContainsSubstring("8-bit RGB PNG") && ContainsSubstring("x=0 y=1") &&
                 ContainsSubstring("#020201") && ContainsSubstring("--classes"));
}

// ---- values of a map

namespace {

std::uint32_t packed(RgbColor color) {
  return std::uint32_t{color[0]} << 16 | std::uint32_t{color[1]} << 8 | color[2];
}

LabelRules mapped_rules(LabelKind reading, const std::vector<MappedValue>& values) {
  LabelRules rules = rules_of(reading);
  rules.values = values;
  return rules;
}

}  // namespace

TEST_CASE("ids follow the map at every depth, others are unknown") {
  const LabelDecoder decoder =
      make(numbered_classes(2),
           mapped_rules(LabelKind::index, {{300, 1}, {0, 1}, {128, 0}, {9, kIgnored}, {7, 1}}));
  const Decoded narrow = decode(decoder, gray_label(6, {0, 128, 9, 7, 1, 255}));
  CHECK(narrow.ids == Ids{1, 0, kIgnored, 1, kIgnored, kIgnored});
  CHECK(narrow.report.unknown_pixels == 1);
  CHECK(narrow.report.unknown[0].text == "id 1");
  CHECK(decode(decoder, gray_label(3, {300, 65535, 128}, 16)).ids == Ids{1, kIgnored, 0});
  CHECK(decode(decoder, palette_label(2, {7, 9}, {kBlack})).ids == Ids{1, kIgnored});
  CHECK(decoder.table().classes[0].sources == Sources{std::int64_t{128}});
  CHECK(decoder.table().classes[1].sources ==
        Sources{std::int64_t{0}, std::int64_t{7}, std::int64_t{300}});
  CHECK(decoder.table().ignore == Sources{std::int64_t{9}, std::int64_t{255}, std::int64_t{65535}});
}

TEST_CASE("a map may map 255 and 65535 to a class") {
  const LabelDecoder decoder =
      make(binary_classes(), mapped_rules(LabelKind::index, {{0, 0}, {255, 1}, {65535, 1}}));
  CHECK(decode(decoder, gray_label(2, {0, 255})).ids == Ids{0, 1});
  CHECK(decode(decoder, gray_label(3, {0, 255, 65535}, 16)).ids == Ids{0, 1, 1});
  CHECK(decoder.table().ignore.empty());
}

TEST_CASE("mapped colors need no class color of their own") {
  LabelRules rules = mapped_rules(
      LabelKind::color,
      {{packed(kRed), 0}, {packed(kWhite), 0}, {packed(kBlack), kIgnored}, {packed(kBlue), 1}});
  const LabelDecoder decoder = make(numbered_classes(2), rules);
  const Decoded decoded = decode(decoder, rgb_label(5, {kRed, kWhite, kBlack, kBlue, {1, 1, 1}}));
  CHECK(decoded.ids == Ids{0, 0, kIgnored, 1, kIgnored});
  CHECK(decoded.report.unknown_pixels == 1);
  CHECK(decoder.table().classes[0].sources == Sources{"#ff0000", "#ffffff"});
  CHECK(decoder.table().ignore == Sources{"#000000"});
  CHECK(decode(decoder, palette_label(2, {1, 0}, {kBlue, kRed})).ids == Ids{0, 1});
}

TEST_CASE("ignored values take precedence over the map") {
  LabelRules rules = mapped_rules(LabelKind::index, {{0, 0}, {1, 1}, {2, 1}});
  rules.ignore_ids = {2, 5};
  rules.ignore_classes = {0};
  const Decoded decoded = decode(make(numbered_classes(2), rules), gray_label(4, {0, 1, 2, 5}));
  CHECK(decoded.ids == Ids{kIgnored, 1, kIgnored, kIgnored});
  CHECK(decoded.report.unknown_pixels == 0);
}

TEST_CASE("colors without a class can be ignored") {
  LabelRules rules = rules_of(LabelKind::color);
  rules.ignore_colors = {{224, 224, 192}, kRed};
  const LabelDecoder decoder = make(colored_classes({kBlack, kRed}), rules);
  const Decoded decoded = decode(decoder, rgb_label(3, {kBlack, {224, 224, 192}, kRed}));
  CHECK(decoded.ids == Ids{0, kIgnored, kIgnored});
  CHECK(decoded.report.unknown_pixels == 0);
  CHECK(decoder.table().ignore == Sources{"#e0e0c0", "#ff0000"});
  CHECK(decoder.table().classes[1].sources.empty());
  rules.kind = LabelKind::index;
  CHECK_THAT(refusal(numbered_classes(2), rules), ContainsSubstring("--ignore #e0e0c0"));
}

TEST_CASE("a map does not apply to brightness") {
  CHECK_THAT(refusal(binary_classes(), mapped_rules(LabelKind::binary, {{0, 0}, {1, 1}})),
             ContainsSubstring("--threshold"));
}

// ---- nearest color

namespace {

LabelRules nearest_rules(int distance = kMaxColorDistance) {
  LabelRules rules = rules_of(LabelKind::color);
  rules.unknown = {UnknownPolicy::Kind::nearest, 0, distance};
  return rules;
}

}  // namespace

TEST_CASE("unknown colors become the nearest class within the distance") {
  const LabelDecoder decoder = make(colored_classes({kBlack, kWhite}), nearest_rules(5));
  const OwnedLabel label =
      rgb_label(6, {kBlack, {3, 4, 0}, {3, 4, 1}, {255, 250, 255}, {255, 249, 255}, kWhite});
  const Decoded decoded = decode(decoder, label);
  CHECK(decoded.ids == Ids{0, 0, kIgnored, 1, kIgnored, 1});
  CHECK(decoded.report.nearest_pixels == 2);
  CHECK(decoded.report.unknown_pixels == 2);
  CHECK(decoded.report.unknown[0].text == "color (3,4,1)");
  CHECK(decoded.report.unknown[0].color == RgbColor{3, 4, 1});
  const Decoded all = decode(make(colored_classes({kBlack, kWhite}), nearest_rules()), label);
  CHECK(all.ids == Ids{0, 0, 0, 1, 1, 1});
  CHECK(all.report.unknown_pixels == 0);
}

TEST_CASE("the lowest class of equally near colors wins, ignored ones last") {
  LabelRules rules = nearest_rules();
  const OwnedLabel label = rgb_label(1, {{10, 0, 0}});
  CHECK(decode(make(colored_classes({{20, 0, 0}, kBlack}), rules), label).ids == Ids{0});
  CHECK(decode(make(colored_classes({kBlack, {20, 0, 0}}), rules), label).ids == Ids{0});
  rules.ignore_classes = {0};
  CHECK(decode(make(colored_classes({kBlack, {20, 0, 0}}), rules), label).ids == Ids{1});
  CHECK(decode(make(colored_classes({kBlack, {30, 0, 0}}), rules), label).ids == Ids{kIgnored});
}

TEST_CASE("nearest equals a comparison with all colors for every pixel and form") {
  std::mt19937 random(44);
  std::vector<RgbColor> classes, pixels;
  const auto any = [&] { return static_cast<std::uint8_t>(random()); };
  for (int i = 0; i < 32; ++i) classes.push_back({any(), any(), any()});
  for (int i = 0; i < 40000; ++i)
    pixels.push_back(i % 3 > 0 ? classes[random() % 32] : RgbColor{any(), any(), any()});
  const Decoded decoded =
      decode(make(colored_classes(classes), nearest_rules()), rgb_label(200, pixels));
  const auto distance = [](RgbColor a, RgbColor b) {
    int sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
  };
  std::uint64_t away = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < classes.size(); ++c)
      if (distance(pixels[i], classes[c]) < distance(pixels[i], classes[best])) best = c;
    REQUIRE(decoded.ids[i] == best);
    away += distance(pixels[i], classes[best]) > 0;
  }
  CHECK(decoded.report.nearest_pixels == away);
  const LabelDecoder two = make(colored_classes({kBlack, {200, 200, 200}}), nearest_rules(100));
  const Decoded gray = decode(two, gray_label(4, {0, 40, 160, 255}));
  CHECK(gray.ids == Ids{0, 0, 1, 1});
  CHECK(gray.report.nearest_pixels == 3);
  CHECK(decode(two, palette_label(2, {0, 1}, {{190, 210, 200}, {1, 0, 0}})).ids == Ids{1, 0});
}

TEST_CASE("a JPEG label is read by nearest color only") {
  OwnedLabel label = rgb_label(2, {{250, 4, 3}, {2, 1, 0}});
  label.raw.lossy = true;
  CHECK(decode(make(colored_classes({kBlack, kRed}), nearest_rules(40)), label).ids == Ids{1, 0});
  CHECK_THAT(
      decode_refusal(make(colored_classes({kBlack, kRed}), rules_of(LabelKind::color)), label),
      ContainsSubstring("--unknown nearest:D"));
  LabelRules ignoring = rules_of(LabelKind::color);
  ignoring.unknown = {UnknownPolicy::Kind::ignore};
  CHECK_FALSE(decode_refusal(make(colored_classes({kBlack, kRed}), ignoring), label).empty());
}

TEST_CASE("nearest needs colors and stays within the color cube") {
  LabelRules rules = nearest_rules();
  rules.kind = LabelKind::index;
  CHECK_THAT(refusal(numbered_classes(3), rules),
             ContainsSubstring("--map") && ContainsSubstring("--unknown ignore"));
  rules.kind = LabelKind::binary;
  CHECK_THAT(refusal(binary_classes(), rules), ContainsSubstring("compares colors"));
  for (const int distance : {-1, 443})
    CHECK_THAT(refusal(colored_classes({kBlack}), nearest_rules(distance)),
               ContainsSubstring("0…442"));
  CHECK(decode(make(colored_classes({kBlack}), nearest_rules(442)), rgb_label(1, {kWhite})).ids ==
        Ids{0});
}

TEST_CASE("nearest does not hide ids that are read as colors") {
  LabelRules rules = nearest_rules();
  rules.kind_was_automatic = true;
  DecodeReport report;
  decode_failure(make(colored_classes({kBlack, kRed, kBlue}), rules), gray_label(3, {0, 1, 2}),
                 report);
  CHECK(report.ambiguous);
}

// ---- binary

TEST_CASE("binary compares the rounded luma with the threshold") {
  std::mt19937 random(42);
  for (const int threshold : {1, 77, 128, 255}) {
    LabelRules rules = rules_of(LabelKind::binary);
    rules.threshold = threshold;
    std::vector<RgbColor> pixels{kBlack, kWhite, kRed, kBlue};
    for (int i = 0; i < 996; ++i)
      pixels.push_back({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                        static_cast<std::uint8_t>(random())});
    const Decoded decoded = decode(make(binary_classes(), rules), rgb_label(100, pixels));
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const int luma = (299 * pixels[i][0] + 587 * pixels[i][1] + 114 * pixels[i][2] + 500) / 1000;
      REQUIRE(decoded.ids[i] == (luma >= threshold ? 1 : 0));
    }
  }
}

TEST_CASE("binary reads gray at every depth as 8 bits, and palettes by color") {
  const LabelDecoder decoder = make(binary_classes(), rules_of(LabelKind::binary));
  CHECK(decode(decoder, gray_label(4, {0, 127, 128, 255})).ids == Ids{0, 0, 1, 1});
  CHECK(decode(decoder, gray_label(2, {0, 1}, 1)).ids == Ids{0, 1});
  CHECK(decode(decoder, gray_label(4, {0, 1, 2, 3}, 2)).ids == Ids{0, 0, 1, 1});
  CHECK(decode(decoder, gray_label(3, {0, 7, 8}, 4)).ids == Ids{0, 0, 1});
  CHECK(decode(decoder, gray_label(4, {0, 255, 32767, 32768}, 16)).ids == Ids{0, 0, 0, 1});
  const Decoded palette = decode(decoder, palette_label(4, {0, 1, 2, 3}, {kWhite, kBlack, kWhite}));
  CHECK(palette.ids == Ids{1, 0, 1, kIgnored});
  CHECK(palette.report.unknown[0].text == "palette index 3");
}

TEST_CASE("binary reports channels that differ by more than 16") {
  const LabelDecoder decoder = make(binary_classes(), rules_of(LabelKind::binary));
  CHECK_FALSE(decode(decoder, rgb_label(2, {kWhite, {100, 116, 110}})).report.channels_differ);
  CHECK(decode(decoder, rgb_label(2, {kWhite, {100, 117, 110}})).report.channels_differ);
  CHECK(decode(decoder, palette_label(2, {0, 1}, {kBlack, kRed})).report.channels_differ);
  CHECK_FALSE(decode(decoder, palette_label(2, {0, 0}, {kBlack, kRed})).report.channels_differ);
  CHECK_FALSE(decode(decoder, gray_label(1, {9})).report.channels_differ);
}

TEST_CASE("an ignored half of a binary label") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.ignore_classes = {0};
  const LabelDecoder decoder = make(binary_classes(), rules);
  CHECK(decode(decoder, gray_label(2, {0, 255})).ids == Ids{kIgnored, 1});
  CHECK(decode(decoder, rgb_label(2, {kBlack, kWhite})).ids == Ids{kIgnored, 1});
  CHECK(decoder.table().ignore == Sources{"luma<128"});
}

// ---- all readings

TEST_CASE("varying alpha is reported") {
  OwnedLabel label = gray_label(1, {0});
  const LabelDecoder decoder = make(numbered_classes(1), rules_of(LabelKind::index));
  CHECK_FALSE(decode(decoder, label).report.alpha_varies);
  label = gray_label(2, {0, 255});
  label.raw.alpha_varies = true;
  CHECK(decode(decoder, label).report.alpha_varies);
}

TEST_CASE("a mask in the alpha channel is refused in every reading") {
  const std::vector<LabelDecoder> decoders = [] {
    LabelRules binary = rules_of(LabelKind::binary), red = rules_of(LabelKind::index);
    binary.dim = DimLabels::refused;
    red.rgb_id = RgbId::red;
    std::vector<LabelDecoder> all;
    all.push_back(make(binary_classes(), binary));
    all.push_back(make(numbered_classes(256), rules_of(LabelKind::index)));
    all.push_back(make(colored_classes({kBlack, kWhite}), rules_of(LabelKind::color)));
    all.push_back(make(numbered_classes(256), red));
    return all;
  }();
  for (const RgbColor color : {kBlack, kWhite})
    for (const LabelDecoder& decoder : decoders) {
      OwnedLabel label = rgb_label(2, {color, color, color, color});
      label.raw.alpha_varies = true;
      CHECK_THAT(decode_refusal(decoder, label),
                 ContainsSubstring("the mask is in the alpha") && ContainsSubstring("gray PNG"));
    }
  OwnedLabel gray = gray_label(2, {9, 9, 9, 9}, 16);
  gray.raw.alpha_varies = true;
  CHECK_THAT(decode_refusal(decoders[1], gray),
             ContainsSubstring("has the color 9 in every pixel"));
  OwnedLabel wide = wide_label(2, {1, 2, 3, 1, 2, 3});
  wide.raw.alpha_varies = true;
  CHECK_THAT(decode_refusal(decoders[3], wide), ContainsSubstring("the color 1, 2, 3 in"));
  OwnedLabel drawn = rgb_label(2, {kBlack, kBlack, kWhite, kBlack});
  drawn.raw.alpha_varies = true;
  CHECK(decode(decoders[0], drawn).ids == Ids{0, 0, 1, 0});
}

TEST_CASE("a threshold is compared with the stored value of 16 bits") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.dim = DimLabels::refused;
  const LabelDecoder plain = make(binary_classes(), rules);
  CHECK(decode(plain, gray_label(3, {0, 65535, 0}, 16)).ids == Ids{0, 1, 0});
  CHECK_THAT(decode_refusal(plain, gray_label(4, {0, 100, 300, 65535}, 16)),
             ContainsSubstring("values: 0, 100, 300, 65535") &&
                 ContainsSubstring("needs --threshold N") &&
                 ContainsSubstring("--threshold 1 makes all above 0 foreground"));
  for (const int threshold : {1, 100, 101, 300}) {
    rules.threshold = threshold;
    const LabelDecoder decoder = make(binary_classes(), rules);
    for (const bool whole : {false, true}) {
      const std::uint16_t third = whole ? 65535 : 300;
      CHECK(decode(decoder, gray_label(3, {0, 100, third}, 16)).ids ==
            Ids{0, static_cast<std::uint16_t>(threshold <= 100), 1});
    }
  }
  rules.threshold = 301;
  CHECK_THAT(decode_refusal(make(binary_classes(), rules), gray_label(3, {0, 100, 300}, 16)),
             ContainsSubstring("values: 0, 100, 300") &&
                 ContainsSubstring("no pixel reaches --threshold 301"));
  CHECK_THAT(decode_refusal(make(binary_classes(), rules), gray_label(2, {0, 255})),
             ContainsSubstring("no pixel reaches --threshold 301"));
}

TEST_CASE("red is the id in colors of 8 and of 16 bits") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.rgb_id = RgbId::red;
  const LabelDecoder decoder = make(numbered_classes(301), rules);
  const Decoded narrow = decode(decoder, rgb_label(3, {{7, 0, 0}, {0, 9, 8}, {255, 1, 0}}));
  CHECK(narrow.ids == Ids{7, 0, 255});
  const Decoded wide = decode(decoder, wide_label(2, {300, 1, 0, 0, 2, 0, 65535, 0, 0, 301, 0, 0}));
  CHECK(wide.ids == Ids{300, 0, kIgnored, kIgnored});
  CHECK(wide.report.unknown_pixels == 1);
  CHECK(wide.report.unknown.front().text == "id 301");
  CHECK(decode(make(numbered_classes(9), rules), rgb_label(2, {{8, 0, 0}, {255, 0, 0}})).ids ==
        Ids{8, kIgnored});
}

TEST_CASE("colors of 16 bits need a formula for their red") {
  const OwnedLabel label = wide_label(2, {1, 0, 0, 2, 0, 0});
  LabelRules coded = rules_of(LabelKind::index), binary = rules_of(LabelKind::binary);
  coded.rgb_id = RgbId::low_first;
  binary.dim = DimLabels::may_be_ids;
  for (const LabelRules& rules : {coded, rules_of(LabelKind::index)})
    CHECK_THAT(decode_refusal(make(numbered_classes(3), rules), label),
               ContainsSubstring("16-bit RGB PNG") && ContainsSubstring("--rgb-id r"));
  CHECK_THAT(decode_refusal(make(binary_classes(), binary), label),
             ContainsSubstring("--rgb-id r"));
  CHECK_THAT(decode_refusal(make(colored_classes({kBlack}), rules_of(LabelKind::color)), label),
             ContainsSubstring("--rgb-id r"));
}

TEST_CASE("an earlier report is overwritten") {
  const LabelDecoder decoder = make(numbered_classes(2), rules_of(LabelKind::index));
  Ids ids(2);
  DecodeReport report;
  const OwnedLabel bad = palette_label(2, {7, 0}, {kBlack}),
                   good = palette_label(2, {0, 0}, {kBlack});
  REQUIRE(decoder.decode(bad.raw, {ids.data(), 2, 1, 1, 4}, report).ok());
  CHECK(report.unknown_pixels == 1);
  REQUIRE(decoder.decode(good.raw, {ids.data(), 2, 1, 1, 4}, report).ok());
  CHECK(report.unknown_pixels == 0);
  CHECK(report.unknown_kinds == 0);
  CHECK(report.unknown.empty());
  CHECK_FALSE(report.beyond_palette);
}

TEST_CASE("an id plane of another size is a bug") {
  const LabelDecoder decoder = make(numbered_classes(2), rules_of(LabelKind::index));
  const OwnedLabel label = gray_label(2, {0, 0});
  Ids ids(4);
  DecodeReport report;
  const Status status = decoder.decode(label.raw, {ids.data(), 1, 2, 1, 2}, report);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::internal);
}

TEST_CASE("one decoder serves several threads") {
  std::mt19937 random(43);
  const std::vector<RgbColor> colors{kBlack, kWhite, kRed};
  std::vector<RgbColor> pixels;
  for (int i = 0; i < 6400; ++i)
    pixels.push_back(random() % 50 == 0 ? kBlue : colors[random() % 3]);
  const OwnedLabel label = rgb_label(80, pixels);
  const LabelDecoder decoder = make(colored_classes(colors), rules_of(LabelKind::color));
  const Decoded wanted = decode(decoder, label);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Ids ids(6400);
        DecodeReport report;
        const bool decoded = decoder.decode(label.raw, {ids.data(), 80, 80, 1, 160}, report).ok();
        count +=
            !decoded || ids != wanted.ids || report.unknown_pixels != wanted.report.unknown_pixels;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("a mask of 0 and 1 is refused, not packed as empty") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.dim = DimLabels::refused;
  const LabelDecoder decoder = make(binary_classes(), rules);
  CHECK_THAT(decode_refusal(decoder, gray_label(3, {0, 1, 0})),
             ContainsSubstring("8-bit gray PNG") && ContainsSubstring("values: 0, 1)") &&
                 ContainsSubstring("--threshold 128") && ContainsSubstring("give --threshold 1") &&
                 !ContainsSubstring("index"));
  CHECK(decode(decoder, gray_label(3, {0, 0, 0})).ids == Ids{0, 0, 0});
  CHECK(decode(decoder, gray_label(3, {0, 1, 255})).ids == Ids{0, 0, 1});
  rules.threshold = 1;
  CHECK(decode(make(binary_classes(), rules), gray_label(3, {0, 1, 0})).ids == Ids{0, 1, 0});
}

TEST_CASE("a threshold is offered only if it separates the dim values") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.dim = DimLabels::refused;
  const LabelDecoder decoder = make(binary_classes(), rules);
  CHECK_THAT(decode_refusal(decoder, gray_label(2, {0, 100})),
             ContainsSubstring("give --threshold 100"));
  CHECK_THAT(decode_refusal(decoder, gray_label(3, {0, 3, 100})),
             ContainsSubstring("values: 0, 3, 100") && ContainsSubstring("give --threshold 50"));
  CHECK_THAT(decode_refusal(decoder, rgb_label(2, {kBlack, kBlue})),
             ContainsSubstring("#000000, #0000ff") && ContainsSubstring("give --threshold 29"));
  CHECK_THAT(decode_refusal(decoder, palette_label(2, {0, 1}, {kBlack, {9, 9, 9}})),
             ContainsSubstring("#000000, #090909") && ContainsSubstring("give --threshold 9"));
}

TEST_CASE("dim values of a binary label may be ids, colors are not") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.dim = DimLabels::may_be_ids;
  const LabelDecoder decoder = make(binary_classes(), rules);
  CHECK_THAT(decode_refusal(decoder, gray_label(3, {0, 1, 2})),
             ContainsSubstring("--threshold 1") && ContainsSubstring("--label-kind index"));
  CHECK_THAT(decode_refusal(decoder, gray_label(2, {0, 1}, 16)),
             ContainsSubstring("--label-kind index"));
  CHECK_THAT(decode_refusal(decoder, rgb_label(2, {kBlack, kBlue})),
             !ContainsSubstring("--label-kind index"));
}

TEST_CASE("a black JPEG mask may hold faint noise, but no dim foreground") {
  LabelRules rules = rules_of(LabelKind::binary);
  rules.dim = DimLabels::may_be_ids;
  const LabelDecoder decoder = make(binary_classes(), rules);
  OwnedLabel noise = gray_label(3, {0, 15, 1});
  noise.raw.lossy = true;
  CHECK(decode(decoder, noise).ids == Ids{0, 0, 0});
  OwnedLabel dim = gray_label(3, {0, 100, 1});
  dim.raw.lossy = true;
  CHECK_THAT(decode_refusal(decoder, dim),
             ContainsSubstring("--threshold 50") && !ContainsSubstring("index"));
}

TEST_CASE("dim binary labels can be packed as background") {
  const LabelDecoder decoder = make(binary_classes(), rules_of(LabelKind::binary));
  CHECK(decode(decoder, gray_label(2, {0, 100})).ids == Ids{0, 0});
}

TEST_CASE("ids in colors by their formulas") {
  CHECK(rgb_id(RgbId::low_first, {1, 2, 3}) == 1 + 2 * 256 + 3 * 65536);
  CHECK(rgb_id(RgbId::low_first, {255, 255, 255}) == 16777215);
  CHECK(rgb_id(RgbId::tens_of_red, {110, 64, 7}) == 11 * 256 + 64);  // blue numbers instances
  CHECK_FALSE(rgb_id(RgbId::tens_of_red, {119, 64, 0}));
  for (const RgbId formula : {RgbId::low_first, RgbId::tens_of_red, RgbId::red})
    CHECK(rgb_id_from_name(rgb_id_name(formula)) == formula);
  CHECK(rgb_id(RgbId::red, {7, 8, 9}) == 7);
  CHECK_FALSE(rgb_id_from_name("g"));
}

TEST_CASE("rgb-id labels: known, ignored, unknown and ids beyond 65535") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.rgb_id = RgbId::low_first;
  const LabelDecoder decoder = make(numbered_classes(300), rules);
  const OwnedLabel label =
      rgb_label(3, {{0, 0, 0}, {43, 1, 0}, {255, 0, 0}, {255, 255, 0}, {44, 1, 0}, {0, 0, 1}});
  Ids ids(6);
  DecodeReport report;
  REQUIRE(decoder.decode(label.raw, {ids.data(), 3, 2, 1, 6}, report).ok());
  CHECK(ids == Ids{0, 299, 255, kIgnored, kIgnored, kIgnored});
  CHECK(report.unknown_pixels == 2);
  REQUIRE(report.unknown.size() == 2);
  CHECK(report.unknown[0].text == "id 300");
  CHECK(report.unknown[1].text == "id 65536");
  CHECK(report.unknown[1].x == 2);
  CHECK(report.unknown[1].y == 1);
}

TEST_CASE("colors without an id are unknown colors") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.rgb_id = RgbId::tens_of_red;
  const OwnedLabel label = rgb_label(2, {{10, 2, 7}, {11, 2, 0}});
  Ids ids(2);
  DecodeReport report;
  REQUIRE(
      make(numbered_classes(300), rules).decode(label.raw, {ids.data(), 2, 1, 1, 2}, report).ok());
  CHECK(ids == Ids{258, kIgnored});
  REQUIRE(report.unknown.size() == 1);
  CHECK(report.unknown[0].color == RgbColor{11, 2, 0});
}

TEST_CASE("a gray label is refused if ids are in colors") {
  LabelRules rules = rules_of(LabelKind::index);
  rules.rgb_id = RgbId::tens_of_red;
  const OwnedLabel label = gray_label(1, {1});
  Ids ids(1);
  DecodeReport report;
  const Status status =
      make(numbered_classes(2), rules).decode(label.raw, {ids.data(), 1, 1, 1, 2}, report);
  REQUIRE_FALSE(status.ok());
  CHECK_THAT(status.error().message, ContainsSubstring("gray PNG") && ContainsSubstring("rgb-id"));
}
