#include "labels/label_decoder.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "labels/alpha_mask.hpp"
#include "labels/color_map.hpp"
#include "labels/dim_content.hpp"
#include "labels/gray_rgb.hpp"
#include "labels/label_rules.hpp"
#include "labels/nearest_colors.hpp"
#include "labels/pixel_maps.hpp"
#include "labels/shown_color.hpp"
#include "labels/unknown_counter.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<std::pair<RgbId, std::string_view>, 3> kRgbIdNames{
    {{RgbId::red, "r"}, {RgbId::low_first, "r+256g+65536b"}, {RgbId::tens_of_red, "r/10*256+g"}}};

std::uint16_t largest_sample(ConstIds samples) {
  std::uint16_t largest = 0;
  for (int y = 0; y < samples.height; ++y)
    largest = std::max(largest, *std::max_element(samples.row(y), samples.row(y) + samples.width));
  return largest;
}

// The brightest noise that JPEG compression leaves in the black parts of a mask.
constexpr int kMostNoise = 15;
constexpr std::size_t kMostValues = 8;  // in a message

Error form_error(const RawLabel& label, const std::string& advice) {
  return data_error("the label (" + label.form + ") " + advice);
}

}  // namespace

std::string_view rgb_id_name(RgbId formula) {
  const auto found = std::find_if(kRgbIdNames.begin(), kRgbIdNames.end(),
                                  [&](const auto& entry) { return entry.first == formula; });
  return found == kRgbIdNames.end() ? std::string_view() : found->second;
}

std::optional<RgbId> rgb_id_from_name(std::string_view name) {
  for (const auto& [formula, text] : kRgbIdNames) {
    if (text == name) return formula;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> rgb_id(RgbId formula, RgbColor color) {
  const std::uint32_t red = color[0], green = color[1], blue = color[2];
  if (formula == RgbId::red) return red;
  if (formula == RgbId::low_first) return red + 256 * green + 65536 * blue;
  return red % 10 == 0 ? std::optional(red / 10 * 256 + green) : std::nullopt;
}

struct LabelDecoder::Impl {
  ClassTable table;
  LabelRules rules;
  std::vector<MappedValue> values;  // all known values
  std::uint16_t unknown_id = kIgnored;
  ColorMap colors;          // for color and palette_color
  NearestColors nearest;    // the same colors
  NarrowTable narrow;       // for `index` up to 8 bits
  std::vector<Entry> wide;  // for `index` and `binary` with 16 bits

  // Building.
  void build_tables();
  void build_color_tables();
  void build_index_tables();
  void build_binary_table();

  // Decoding.
  [[nodiscard]] Status check_form(const RawLabel& label) const;
  [[nodiscard]] Status check_gray(const RawLabel& label) const;
  [[nodiscard]] Status check_wide_color(const RawLabel& label) const;
  [[nodiscard]] Status check_dim(const RawLabel& label) const;
  [[nodiscard]] Status check_middle(const RawLabel& label) const;
  [[nodiscard]] std::string way_to_ids(const RawLabel& label) const;
  [[nodiscard]] Entry map(const RawLabel& label, MutableIds ids, UnknownCounter& unknown) const;
  [[nodiscard]] Entry map_colors(ConstPixels rgb, MutableIds ids, UnknownCounter& unknown) const;
  [[nodiscard]] NarrowTable index_table(const RawLabel& label) const;
  [[nodiscard]] NarrowTable color_table(const RawLabel& label) const;
  [[nodiscard]] Entry color_entry(RgbColor color) const;
  [[nodiscard]] Entry threshold_entry(RgbColor color) const;
  [[nodiscard]] bool is_ambiguous(const RawLabel& label, const DecodeReport& report) const;

  [[nodiscard]] int threshold() const { return rules.threshold.value_or(kUsualThreshold); }
  [[nodiscard]] bool by_color() const { return reads_colors(rules.kind); }
  [[nodiscard]] bool takes_nearest() const {
    return rules.unknown.kind == UnknownPolicy::Kind::nearest;
  }
};

void LabelDecoder::Impl::build_tables() {
  switch (rules.kind) {
    case LabelKind::color:
    case LabelKind::palette_color:
      return build_color_tables();
    case LabelKind::index:
      return build_index_tables();
    case LabelKind::binary:
      return build_binary_table();
    case LabelKind::automatic:
    case LabelKind::rgb_id:
    case LabelKind::instances:
      return;  // check_rules() refuses them
  }
}

void LabelDecoder::Impl::build_color_tables() {
  colors = ColorMap(values.size());
  for (const MappedValue& value : values) colors.add(unpacked_color(value.value), value.class_id);
  // Of several nearest colors, the lowest class id wins; kIgnored is the highest.
  std::vector<MappedValue> by_class = values;
  std::stable_sort(
      by_class.begin(), by_class.end(),
      [](const MappedValue& a, const MappedValue& b) { return a.class_id < b.class_id; });
  nearest = NearestColors(rules.unknown.max_distance);
  for (const MappedValue& value : by_class)
    nearest.add(unpacked_color(value.value), value.class_id);
}

void LabelDecoder::Impl::build_index_tables() {
  wide.assign(65536, kUnknown | unknown_id);
  for (const MappedValue& value : values) wide[value.value] = value.class_id;
  std::copy_n(wide.begin(), narrow.entries.size(), narrow.entries.begin());
  if (find_value(values, kDefaultIgnore8) == nullptr) narrow.entries[kDefaultIgnore8] = kIgnored;
  if (find_value(values, kDefaultIgnore16) == nullptr) wide[kDefaultIgnore16] = kIgnored;
  for (std::uint32_t sample = 0; sample < narrow.found.size(); ++sample)
    narrow.found[sample] = {FoundValue::Kind::id, sample};
}

void LabelDecoder::Impl::build_binary_table() {
  wide.resize(65536);
  for (std::size_t sample = 0; sample < wide.size(); ++sample) {
    const bool foreground = static_cast<int>(sample) >= rules.threshold.value_or(65536 / 2);
    wide[sample] = Entry{values[foreground ? 1 : 0].class_id} |
                   (foreground   ? kLit
                    : sample > 0 ? kDim
                                 : 0) |
                   (!rules.threshold && sample > 0 && sample < 65535 ? kMiddle : 0);
  }
}

Status LabelDecoder::Impl::check_form(const RawLabel& label) const {
  if (rules.kind == LabelKind::binary && rules.dim == DimLabels::packed) return {};
  HOTPACK_TRY(check_alpha(label));
  if (label.wide_rgb.data != nullptr) return check_wide_color(label);
  if (rules.kind == LabelKind::binary) return {};
  if (label.lossy && !(by_color() && takes_nearest()))
    return form_error(label,
                      "is a lossy file, which changes colors and ids, so its classes are unknown. "
                      "Use the PNG originals; or read two classes by brightness with --label-kind "
                      "binary --threshold N; or take the nearest class color with --unknown "
                      "nearest:D");
  const bool coded = rules.rgb_id != RgbId::none;
  if (coded && label.rgb.data == nullptr)
    return form_error(label,
                      "is not an RGB image, as --label-kind rgb-id requires; if its values are "
                      "ids, use --label-kind index");
  if (rules.kind == LabelKind::index && label.rgb.data != nullptr && !coded)
    return check_gray(label);
  if (rules.kind == LabelKind::palette_color && !label.is_palette)
    return form_error(label, "has no palette; use --label-kind color or index");
  if (rules.kind == LabelKind::color && label.rgb.data == nullptr && label.bit_depth == 16)
    return form_error(label, "has 16-bit values, which are not colors; use --label-kind index");
  return {};
}

Status LabelDecoder::Impl::check_gray(const RawLabel& label) const {
  const std::optional<ColoredPixel> colored = first_colored_pixel(label.rgb);
  if (!colored) return {};
  return form_error(
      label, "holds colors, which are not ids (the first at x=" + std::to_string(colored->x) +
                 " y=" + std::to_string(colored->y) + " is " + color_text(colored->color) +
                 "); give --classes with rows name,r,g,b and --label-kind color, or, if the colors "
                 "stand for ids, --label-kind rgb-id --rgb-id FORMULA");
}

Status LabelDecoder::Impl::check_wide_color(const RawLabel& label) const {
  if (rules.rgb_id == RgbId::red) return {};
  return form_error(
      label,
      "holds colors of 16 bits, which no class table has; if the red value is the id, "
      "as in SYNTHIA, give --rgb-id r");
}

std::string LabelDecoder::Impl::way_to_ids(const RawLabel& label) const {
  const bool gray = label.rgb.data == nullptr || !first_colored_pixel(label.rgb);
  const bool may_be_ids = rules.dim == DimLabels::may_be_ids && gray && !label.lossy;
  return may_be_ids ? "if the values are ids, give --label-kind index (--map FILE merges ids)" : "";
}

// Refuses a 16-bit label whose values need a threshold, if none is given.
Status LabelDecoder::Impl::check_middle(const RawLabel& label) const {
  if (rules.dim == DimLabels::packed) return {};
  const std::string ids = way_to_ids(label);
  return form_error(
      label, "holds values other than 0 and 65535 (values: " +
                 list_text(dim_content(label).values, kMostValues) +
                 "), so --label-kind binary needs --threshold N, which is compared with these "
                 "values: --threshold 1 makes all above 0 foreground, --threshold 32768 the upper "
                 "half" +
                 (ids.empty() ? "" : "; " + ids));
}

// Refuses a label that is not all black and has no pixel that reaches the threshold.
Status LabelDecoder::Impl::check_dim(const RawLabel& label) const {
  if (rules.dim == DimLabels::packed) return {};
  const DimContent content = dim_content(label);
  if (label.lossy && content.brightest <= kMostNoise) return {};
  std::vector<std::string> ways;
  if (const int threshold = content.fitting_threshold(); threshold > 0) {
    const std::string least = std::to_string(threshold);
    ways.push_back("if values of " + least + " and more are foreground, give --threshold " + least);
  }
  if (std::string ids = way_to_ids(label); !ids.empty()) ways.push_back(std::move(ids));
  if (ways.empty()) ways.emplace_back("lower --threshold");
  return form_error(label, "is not all black (values: " + list_text(content.values, kMostValues) +
                               "), but no pixel reaches --threshold " +
                               std::to_string(threshold()) + ", so it would be packed as empty; " +
                               joined_text(ways, "; "));
}

Entry LabelDecoder::Impl::map(const RawLabel& label, MutableIds ids,
                              UnknownCounter& unknown) const {
  if (label.wide_rgb.data != nullptr) return map_wide_red(label.wide_rgb, wide, ids, unknown);
  if (label.rgb.data != nullptr) {
    if (by_color()) return map_colors(label.rgb, ids, unknown);
    if (rules.rgb_id == RgbId::low_first || rules.rgb_id == RgbId::tens_of_red)
      return map_rgb_ids(label.rgb, rules.rgb_id, wide, unknown_id, ids, unknown);
    if (rules.kind == LabelKind::index) return map_red(label.rgb, narrow, ids, unknown);
    return threshold_rgb(label.rgb, LumaThreshold(threshold()),
                         {values[0].class_id, values[1].class_id}, ids);
  }
  if (label.bit_depth == 16) return map_wide(label.samples, wide, ids, unknown);
  const NarrowTable samples =
      rules.kind == LabelKind::index ? index_table(label) : color_table(label);
  return map_narrow(label.samples, samples, ids, unknown);
}

Entry LabelDecoder::Impl::map_colors(ConstPixels rgb, MutableIds ids,
                                     UnknownCounter& unknown) const {
  if (takes_nearest()) return map_rgb_nearest(rgb, nearest, unknown_id, ids, unknown);
  return map_rgb(rgb, colors, unknown_id, ids, unknown);
}

NarrowTable LabelDecoder::Impl::index_table(const RawLabel& label) const {
  NarrowTable result = narrow;
  if (!label.is_palette) return result;
  for (std::size_t sample = label.palette.size(); sample < result.entries.size(); ++sample)
    result.entries[sample] |= kBeyondPalette;
  return result;
}

NarrowTable LabelDecoder::Impl::color_table(const RawLabel& label) const {
  NarrowTable result;
  for (std::size_t sample = 0; sample < result.entries.size(); ++sample) {
    if (const std::optional<RgbColor> color = shown_color(label, sample)) {
      result.entries[sample] = by_color() ? color_entry(*color) : threshold_entry(*color);
      result.found[sample] = {FoundValue::Kind::color, packed_color(*color)};
    } else {
      result.entries[sample] = kUnknown | kBeyondPalette | unknown_id;
      result.found[sample] = {FoundValue::Kind::palette_index, static_cast<std::uint32_t>(sample)};
    }
  }
  return result;
}

Entry LabelDecoder::Impl::color_entry(RgbColor color) const {
  if (takes_nearest()) return nearest.entry(packed_color(color), unknown_id);
  const Entry entry = colors.find(packed_color(color));
  return entry == kUnknown ? kUnknown | unknown_id : entry;
}

Entry LabelDecoder::Impl::threshold_entry(RgbColor color) const {
  const bool foreground = LumaThreshold(threshold()).reached(color[0], color[1], color[2]);
  const Entry brightness = foreground ? kLit : (color == RgbColor{} ? 0 : kDim);
  return Entry{values[foreground ? 1 : 0].class_id} | brightness |
         (channels_differ(color[0], color[1], color[2]) ? kChannelsDiffer : 0);
}

bool LabelDecoder::Impl::is_ambiguous(const RawLabel& label, const DecodeReport& report) const {
  return rules.kind_was_automatic && by_color() && label.samples.data != nullptr &&
         report.unknown_pixels + report.nearest_pixels > 0 &&
         largest_sample(label.samples) < values.size();
}

LabelDecoder::LabelDecoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LabelDecoder::~LabelDecoder() = default;
LabelDecoder::LabelDecoder(LabelDecoder&&) noexcept = default;
LabelDecoder& LabelDecoder::operator=(LabelDecoder&&) noexcept = default;

Result<LabelDecoder> LabelDecoder::create(const ClassTable& table, const LabelRules& rules) {
  auto impl = std::make_unique<Impl>();
  impl->table = table;
  impl->rules = rules;
  HOTPACK_TRY(check_rules(table, rules));
  impl->values = known_values(table, rules);
  impl->unknown_id = id_of_unknown(rules);
  impl->build_tables();
  fill_sources(impl->values, rules, impl->table);
  return LabelDecoder(std::move(impl));
}

Status LabelDecoder::decode(const RawLabel& label, MutableIds ids, DecodeReport& report) const {
  report = {};
  report.alpha_varies = label.alpha_varies;
  if (ids.width != label.width || ids.height != label.height)
    return internal_error("a label's id plane has another size than the label");
  HOTPACK_TRY(impl_->check_form(label));
  UnknownCounter unknown;
  const Entry flags = impl_->map(label, ids, unknown);
  unknown.finish(report);
  report.beyond_palette = (flags & kBeyondPalette) != 0;
  report.channels_differ = (flags & kChannelsDiffer) != 0;
  if ((flags & kMiddle) != 0) HOTPACK_TRY(impl_->check_middle(label));
  if ((flags & (kDim | kLit)) == kDim) HOTPACK_TRY(impl_->check_dim(label));
  report.ambiguous = impl_->is_ambiguous(label, report);
  if (report.ambiguous)
    return form_error(
        label,
        "has colors without a class, but all its values could be class ids; choose with "
        "--label-kind index or --label-kind color");
  return {};
}

const ClassTable& LabelDecoder::table() const { return impl_->table; }

}  // namespace hotpack::labels
