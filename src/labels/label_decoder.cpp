#include "labels/label_decoder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "labels/color_map.hpp"
#include "labels/pixel_maps.hpp"
#include "labels/unknown_counter.hpp"

namespace hotpack::labels {
namespace {

constexpr std::array<std::pair<LabelReading, std::string_view>, 5> kReadingNames{{
    {LabelReading::automatic, "auto"},
    {LabelReading::color, "color"},
    {LabelReading::index, "index"},
    {LabelReading::palette_color, "palette-color"},
    {LabelReading::binary, "binary"},
}};

constexpr std::int64_t kDefaultIgnore8 = 255;
constexpr std::int64_t kDefaultIgnore16 = 65535;

// A gray sample of 1, 2, 4 or 8 bits on the scale of 8 bits.
std::uint8_t scaled_gray(std::size_t sample, int bit_depth) {
  const std::size_t most = (std::size_t{1} << bit_depth) - 1;
  return static_cast<std::uint8_t>(std::min(sample, most) * 255 / most);
}

// The colour that a sample of up to 8 bits shows; none where the palette ends before it.
std::optional<RgbColor> shown_color(const RawLabel& label, std::size_t sample) {
  if (!label.is_palette) {
    const std::uint8_t gray = scaled_gray(sample, label.bit_depth);
    return RgbColor{gray, gray, gray};
  }
  if (sample >= label.palette.size()) return std::nullopt;
  return label.palette[sample];
}

std::uint16_t largest_sample(ConstIds samples) {
  std::uint16_t largest = 0;
  for (int y = 0; y < samples.height; ++y) largest = std::max(largest, *std::max_element(samples.row(y), samples.row(y) + samples.width));
  return largest;
}

Error form_error(const RawLabel& label, const std::string& advice) { return data_error("the label (" + label.form + ") " + advice); }

}  // namespace

std::string_view reading_name(LabelReading reading) {
  return std::find_if(kReadingNames.begin(), kReadingNames.end(), [&](const auto& entry) { return entry.first == reading; })->second;
}

std::optional<LabelReading> reading_from_name(std::string_view name) {
  for (const auto& [reading, text] : kReadingNames) {
    if (text == name) return reading;
  }
  return std::nullopt;
}

struct LabelDecoder::Impl {
  ClassTable table;
  LabelRules rules;
  std::vector<std::uint16_t> class_ids;  // a class's id in id planes: its own, or kIgnored
  std::uint16_t unknown_id = kIgnored;
  ColorMap colors;          // of readings by colour
  NarrowTable narrow;       // of `index`, for up to 8 bits
  std::vector<Entry> wide;  // of `index` and `binary`, for 16 bits

  // Building, in this order.
  [[nodiscard]] Status check() const;
  [[nodiscard]] Status check_ignore() const;
  [[nodiscard]] Status check_reading() const;
  [[nodiscard]] Status check_colors() const;
  void resolve_classes();
  void build_tables();
  void build_index_tables();
  void fill_sources();

  // Decoding.
  [[nodiscard]] Status check_form(const RawLabel& label) const;
  [[nodiscard]] Entry map(const RawLabel& label, MutableIds ids, UnknownCounter& unknown) const;
  [[nodiscard]] NarrowTable index_table(const RawLabel& label) const;
  [[nodiscard]] NarrowTable color_table(const RawLabel& label) const;
  [[nodiscard]] Entry color_entry(RgbColor color) const;
  [[nodiscard]] Entry threshold_entry(RgbColor color) const;
  [[nodiscard]] bool is_ambiguous(const RawLabel& label, const DecodeReport& report) const;

  [[nodiscard]] bool by_color() const { return rules.reading == LabelReading::color || rules.reading == LabelReading::palette_color; }
  [[nodiscard]] std::size_t class_count() const { return table.classes.size(); }
  [[nodiscard]] std::vector<std::int64_t> ignored_ids() const;
};

Status LabelDecoder::Impl::check() const {
  if (rules.reading == LabelReading::automatic) return internal_error("a label decoder was made before the label kind was known");
  if (table.classes.empty()) return usage_error("there are no classes; give --classes or --num-classes");
  if (class_count() > kMaxClasses)
    return usage_error(std::to_string(class_count()) + " classes are more than " + std::to_string(kMaxClasses));
  HOTPACK_TRY(check_ignore());
  const int unknown_class = rules.unknown.class_id;
  if (rules.unknown.kind == UnknownPolicy::Kind::to_class &&
      (unknown_class < 0 || static_cast<std::size_t>(unknown_class) >= class_count()))
    return usage_error("--unknown names class " + std::to_string(unknown_class) + ", of " + std::to_string(class_count()) + " classes");
  return check_reading();
}

Status LabelDecoder::Impl::check_ignore() const {
  if (!rules.ignore_ids.empty() && rules.reading != LabelReading::index)
    return usage_error("--ignore " + std::to_string(rules.ignore_ids.front()) + ": labels of kind " +
                       std::string(reading_name(rules.reading)) + " have no ids; name a class");
  for (const std::int64_t id : rules.ignore_ids) {
    if (id < 0 || id > 65535) return usage_error("--ignore " + std::to_string(id) + " is outside 0…65535");
  }
  for (const int id : rules.ignore_classes) {
    if (id < 0 || static_cast<std::size_t>(id) >= class_count())
      return usage_error("--ignore names class " + std::to_string(id) + ", of " + std::to_string(class_count()) + " classes");
  }
  return {};
}

Status LabelDecoder::Impl::check_reading() const {
  if (by_color()) return check_colors();
  if (rules.reading != LabelReading::binary) return {};
  if (class_count() != 2) return usage_error("--label-kind binary needs two classes; there are " + std::to_string(class_count()));
  if (rules.threshold < 1 || rules.threshold > 255)
    return usage_error("--threshold " + std::to_string(rules.threshold) + " is outside 1…255");
  return {};
}

Status LabelDecoder::Impl::check_colors() const {
  std::map<RgbColor, const ClassInfo*> class_of;
  for (const ClassInfo& info : table.classes) {
    if (!info.color)
      return usage_error("class '" + info.name + "' has no colour, which --label-kind " + std::string(reading_name(rules.reading)) +
                         " needs; give --classes with rows name,r,g,b");
    if (const auto [first, added] = class_of.emplace(*info.color, &info); !added)
      return usage_error("classes '" + first->second->name + "' and '" + info.name + "' share the colour " + color_text(*info.color));
  }
  return {};
}

void LabelDecoder::Impl::resolve_classes() {
  class_ids.resize(class_count());
  for (std::size_t id = 0; id < class_count(); ++id) class_ids[id] = static_cast<std::uint16_t>(id);
  for (const int id : rules.ignore_classes) class_ids[static_cast<std::size_t>(id)] = kIgnored;
  if (rules.unknown.kind == UnknownPolicy::Kind::to_class) unknown_id = class_ids[static_cast<std::size_t>(rules.unknown.class_id)];
}

void LabelDecoder::Impl::build_tables() {
  if (rules.reading == LabelReading::index) return build_index_tables();
  if (by_color()) {
    colors = ColorMap(class_count());
    for (std::size_t id = 0; id < class_count(); ++id) colors.add(*table.classes[id].color, class_ids[id]);
    return;
  }
  wide.resize(65536);
  for (std::size_t sample = 0; sample < wide.size(); ++sample) {
    const auto gray = static_cast<std::uint8_t>(sample >> 8);
    wide[sample] = threshold_entry({gray, gray, gray});
  }
}

void LabelDecoder::Impl::build_index_tables() {
  wide.assign(65536, kUnknown | unknown_id);
  std::copy(class_ids.begin(), class_ids.end(), wide.begin());
  for (const std::int64_t id : rules.ignore_ids) wide[static_cast<std::size_t>(id)] = kIgnored;
  std::copy_n(wide.begin(), narrow.entries.size(), narrow.entries.begin());
  if (class_count() <= kDefaultIgnore8) narrow.entries[kDefaultIgnore8] = kIgnored;
  wide[kDefaultIgnore16] = kIgnored;  // never a class: there are at most kMaxClasses
  for (std::uint32_t sample = 0; sample < narrow.found.size(); ++sample) narrow.found[sample] = {FoundValue::Kind::id, sample};
}

std::vector<std::int64_t> LabelDecoder::Impl::ignored_ids() const {
  std::vector<std::int64_t> ids = rules.ignore_ids;
  ids.insert(ids.end(), rules.ignore_classes.begin(), rules.ignore_classes.end());
  if (static_cast<std::int64_t>(class_count()) <= kDefaultIgnore8) ids.push_back(kDefaultIgnore8);
  ids.push_back(kDefaultIgnore16);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void LabelDecoder::Impl::fill_sources() {
  table.ignore.clear();
  for (std::size_t id = 0; id < class_count(); ++id) {
    LabelSource source = static_cast<std::int64_t>(id);
    if (by_color()) source = color_text(*table.classes[id].color);
    if (rules.reading == LabelReading::binary) source = (id == 0 ? "luma<" : "luma>=") + std::to_string(rules.threshold);
    const bool is_index = rules.reading == LabelReading::index;
    const bool ignored = is_index ? wide[id] == kIgnored : class_ids[id] == kIgnored;
    table.classes[id].sources = ignored ? std::vector<LabelSource>{} : std::vector{source};
    if (ignored && !is_index) table.ignore.push_back(source);
  }
  if (rules.reading != LabelReading::index) return;
  for (const std::int64_t id : ignored_ids()) table.ignore.emplace_back(id);
}

Status LabelDecoder::Impl::check_form(const RawLabel& label) const {
  if (rules.reading == LabelReading::binary) return {};
  if (label.lossy)
    return form_error(label,
                      "does not keep colours or ids exactly, as no JPEG does, so classes cannot be told. Save labels as PNG, or read two "
                      "classes by brightness with --label-kind binary --threshold N");
  if (rules.reading == LabelReading::index && label.rgb.data != nullptr)
    return form_error(label, "holds colours, which are not ids; give --classes with rows name,r,g,b and --label-kind color");
  if (rules.reading == LabelReading::palette_color && !label.is_palette)
    return form_error(label, "has no palette; use --label-kind color or index");
  if (rules.reading == LabelReading::color && label.rgb.data == nullptr && label.bit_depth == 16)
    return form_error(label, "has samples that are not colours; use --label-kind index");
  return {};
}

Entry LabelDecoder::Impl::map(const RawLabel& label, MutableIds ids, UnknownCounter& unknown) const {
  const bool binary = rules.reading == LabelReading::binary;
  if (label.rgb.data != nullptr) {
    if (binary) return threshold_rgb(label.rgb, LumaThreshold(rules.threshold), {class_ids[0], class_ids[1]}, ids);
    return map_rgb(label.rgb, colors, unknown_id, ids, unknown);
  }
  if (label.bit_depth == 16) return map_wide(label.samples, wide, ids, unknown);
  const NarrowTable samples = rules.reading == LabelReading::index ? index_table(label) : color_table(label);
  return map_narrow(label.samples, samples, ids, unknown);
}

NarrowTable LabelDecoder::Impl::index_table(const RawLabel& label) const {
  NarrowTable result = narrow;
  if (!label.is_palette) return result;
  for (std::size_t sample = label.palette.size(); sample < result.entries.size(); ++sample) result.entries[sample] |= kBeyondPalette;
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
  const Entry entry = colors.find(packed_color(color));
  return entry == kUnknown ? kUnknown | unknown_id : entry;
}

Entry LabelDecoder::Impl::threshold_entry(RgbColor color) const {
  const bool foreground = LumaThreshold(rules.threshold).reached(color[0], color[1], color[2]);
  return Entry{class_ids[foreground ? 1 : 0]} | (channels_differ(color[0], color[1], color[2]) ? kChannelsDiffer : 0);
}

bool LabelDecoder::Impl::is_ambiguous(const RawLabel& label, const DecodeReport& report) const {
  return rules.reading_was_automatic && by_color() && label.samples.data != nullptr && report.unknown_pixels > 0 &&
         largest_sample(label.samples) < class_count();
}

LabelDecoder::LabelDecoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LabelDecoder::~LabelDecoder() = default;
LabelDecoder::LabelDecoder(LabelDecoder&&) noexcept = default;
LabelDecoder& LabelDecoder::operator=(LabelDecoder&&) noexcept = default;

Result<LabelDecoder> LabelDecoder::create(const ClassTable& table, const LabelRules& rules) {
  auto impl = std::make_unique<Impl>();
  impl->table = table;
  impl->rules = rules;
  HOTPACK_TRY(impl->check());
  impl->resolve_classes();
  impl->build_tables();
  impl->fill_sources();
  return LabelDecoder(std::move(impl));
}

Status LabelDecoder::decode(const RawLabel& label, MutableIds ids, DecodeReport& report) const {
  report = {};
  report.alpha_varies = label.alpha_varies;
  if (ids.width != label.width || ids.height != label.height) return internal_error("a label's id plane has another size than the label");
  HOTPACK_TRY(impl_->check_form(label));
  UnknownCounter unknown;
  const Entry flags = impl_->map(label, ids, unknown);
  unknown.finish(report);
  report.beyond_palette = (flags & kBeyondPalette) != 0;
  report.channels_differ = (flags & kChannelsDiffer) != 0;
  report.ambiguous = impl_->is_ambiguous(label, report);
  if (report.ambiguous)
    return form_error(label,
                      "shows colours that no class has, but all its samples would be ids of classes; say what they are with "
                      "--label-kind index or --label-kind color");
  return {};
}

const ClassTable& LabelDecoder::table() const { return impl_->table; }

}  // namespace hotpack::labels
