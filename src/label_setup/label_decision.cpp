#include "label_setup/label_decision.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"

namespace hotpack::pipeline {

namespace {

// "2 gray, 1 palette", followed by `file`.
std::string forms_text(const LabelForms& forms, std::string_view file = {}) {
  std::string text;
  const auto add = [&](const LabelForms::Form& form, std::string_view name) {
    if (form.count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(form.count) + " " + std::string(name);
  };
  add(forms.gray8, "gray");
  add(forms.gray16, "16-bit gray");
  add(forms.palette, "palette");
  add(forms.rgb, "RGB");
  add(forms.rgb16, "16-bit RGB");
  add(forms.jpeg, "JPEG");
  return text.empty() ? "not readable" : text + std::string(file);
}

// Decides for a preset whose data set has both color labels and id labels: RGB files and JPEGs
// contain colors, gray and palette files contain ids.
Result<LabelDecision> decide_by_preset(const labels::Preset& preset, const LabelForms& forms) {
  const std::string why = "auto: --preset " + preset.name + " has ids and colors";
  const LabelForms::Form& colored = forms.rgb.count > 0 ? forms.rgb : forms.jpeg;
  const bool has_samples = forms.gray8.count + forms.gray16.count + forms.palette.count > 0;
  if (colored.count == 0) return LabelDecision{LabelKind::index, why};
  if (!has_samples) return LabelDecision{LabelKind::color, why};
  return data_error("is RGB or JPEG, and other labels are not (" + forms_text(forms) +
                        "): some labels hold colors, others ids or something else. Choose one with "
                        "--label-kind color or --label-kind index, and leave the other files out",
                    colored.first);
}

// Decides for --label-kind auto if options do not decide: labels contain colors if the classes have
// colors, else ids.
Result<LabelDecision> decide_by_files(const GivenLabels& given, const LabelForms& forms) {
  if (given.preset != nullptr) return decide_by_preset(*given.preset, forms);
  if (given.table && given.table->has_colors)
    return LabelDecision{LabelKind::color, "auto: the classes have colors"};
  return LabelDecision{LabelKind::index, "auto: no class colors were given"};
}

bool takes_nearest(const LabelOptions& options) { return options.unknown.starts_with("nearest"); }

// Fails for JPEG labels, whose compression changes ids and colors. Two uses are allowed, because
// they can still be read: masks of two classes, and colors if each pixel gets the nearest class
// color.
Status check_lossy(const LabelOptions& options, LabelKind kind, const LabelForms& forms) {
  if (forms.jpeg.count == 0 || kind == LabelKind::binary) return {};
  if (kind == LabelKind::color && takes_nearest(options)) return {};
  return data_error(
      "is a JPEG: lossy compression has changed its pixel values. Use the PNG originals, or choose "
      "one:\n  --label-kind binary, if the labels are masks of two classes\n  --unknown nearest:64 "
      "with --classes FILE, if the classes have colors\nIf these files are the photos, --images "
      "and "
      "--labels are swapped",
      forms.jpeg.first);
}

// Describes the colors in some labels and says what the user can do: the labels may be photos, or
// have the colors of a preset.
std::string colors_text(const ColorList& list) {
  if (2 * list.crowded > list.labels)
    return ". " + std::to_string(list.crowded) + " of " + std::to_string(list.labels) +
           " labels hold more than " + std::to_string(ColorList::kMostInALabel) +
           " colors, as photos do: are --images and --labels swapped?";
  constexpr std::size_t kListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, list.colors.size()); ++i)
    text += (i > 0 ? ", " : "") + color_text(list.colors[i].color);
  if (list.colors.size() > kListed) text += ", …";
  const std::string count =
      std::to_string(list.colors.size()) + (list.colors.size() == 1 ? " color" : " colors");
  text = ". There are " + count + " in " + std::to_string(list.labels) +
         (list.labels == 1 ? " label" : " labels") + " examined: " + text;
  if (!list.preset.empty()) text += "; " + list.preset_text();
  const bool red_alone = std::all_of(
      list.colors.begin(), list.colors.end(),
      [](const ListedColor& listed) { return listed.color[1] == 0 && listed.color[2] == 0; });
  if (red_alone)
    text +=
        "; green and blue are 0 everywhere, so red is probably the id of the class, as in CARLA";
  return text + ". Say which color is which class:" +
         (red_alone ? "\n  --rgb-id r, if red is the id" : "") +
         (list.preset.empty() ? "" : "\n  --preset " + list.preset) +
         "\n  --classes FILE.csv with rows name,r,g,b; hotpack check --write-classes FILE.csv "
         "writes one to fill in"
         "\n  --label-kind rgb-id --rgb-id FORMULA, if the colors are ids";
}

Error unexplained_color(const std::string& path, const std::string& color,
                        const std::string& class_file, const LabelScan& scan) {
  const std::string given = class_file.empty()
                                ? "no class colors were given"
                                : "'" + class_file + "' names classes without colors";
  const Result<ColorList> list = scan.colors();
  if (!list.ok()) return list.error();
  return data_error("holds RGB colors (" + color + "), and " + given + colors_text(*list), path);
}

// Fails for labels of 16-bit RGB if no formula finds ids in them. A few such files among others are
// left to the decoder, which refuses each.
Status check_wide_colors(const GivenLabels& given, const LabelForms& forms, LabelScan& scan) {
  const bool most = 2 * forms.rgb16.count > forms.total();
  if (!most || given.rgb_id == labels::RgbId::red) return {};
  HOTPACK_ASSIGN(const std::string values, channels_text(forms.rgb16.first, scan.options().record));
  return data_error(
      "holds RGB of 16 bits (" + values +
          "), which no class table has. If red is the id of the class, as in SYNTHIA, "
          "give:\n  --rgb-id r",
      forms.rgb16.first);
}

// Called if no option names classes, or only a class file without colors (`class_file`). Fails if
// RGB labels contain colors. They contain ids only if the three channels of every pixel are equal;
// usually the first file shows that they are not, so that not all files must be read.
Result<std::string> explain_rgb(const LabelForms& forms, const std::string& class_file,
                                LabelScan& scan) {
  if (forms.rgb.count == 0) return std::string();
  HOTPACK_ASSIGN(const std::string color, color_in(forms.rgb.first, scan.options().record));
  if (!color.empty()) return unexplained_color(forms.rgb.first, color, class_file, scan);
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (!found->colored_label.empty())
    return unexplained_color(found->colored_label, found->color, class_file, scan);
  return std::string(", of equal channels, which hold ids");
}

}  // namespace

Result<const IdScan*> LabelScan::get() {
  if (!found_) {
    HOTPACK_ASSIGN(found_, scan_ids(lists_, options_, observer_));
  }
  return &*found_;
}

std::optional<LabelDecision> decide_by_options(const LabelOptions& options,
                                               const GivenLabels& given) {
  if (given.rgb_id != labels::RgbId::none)
    return LabelDecision{LabelKind::index,
                         "ids in colors, " + std::string(labels::rgb_id_name(given.rgb_id))};
  if (options.kind != LabelKind::automatic)
    return LabelDecision{options.kind, "as --label-kind says"};
  if (given.shift) return LabelDecision{LabelKind::index, "as --shift-ids says"};
  if (given.map && given.map->holds<RgbColor>())
    return LabelDecision{LabelKind::color, "auto: --map gives colors"};
  if (given.map && given.map->holds<std::int64_t>())
    return LabelDecision{LabelKind::index, "auto: --map gives ids"};
  if (given.preset != nullptr && given.preset->kind != LabelKind::automatic)
    return LabelDecision{given.preset->kind, "as --preset " + given.preset->name + " says"};
  if (given.preset == nullptr && given.packed && given.packed->kind != LabelKind::automatic &&
      !given.packed->multi)
    return LabelDecision{given.packed->kind, "as in '" + given.packed->folder + "'"};
  return std::nullopt;
}

Result<LabelDecision> decide_label_kind(const LabelOptions& options, const GivenLabels& given,
                                        const LabelForms& forms, LabelScan& scan) {
  std::optional<LabelDecision> decision = decide_by_options(options, given);
  const bool open = !decision;
  if (open) {
    HOTPACK_ASSIGN(decision, decide_by_files(given, forms));
  }
  if (!options.decodes_anything) HOTPACK_TRY(check_wide_colors(given, forms, scan));
  if (options.kind == LabelKind::automatic)
    HOTPACK_TRY(check_lossy(options, decision->kind, forms));
  decision->why +=
      "; the labels are " + forms_text(forms, open && forms.jpeg.count == 0 ? " PNG" : "");
  if (!open || decision->kind != LabelKind::index) return *decision;
  HOTPACK_ASSIGN(const std::string about_rgb, explain_rgb(forms, options.classes, scan));
  decision->why += about_rgb;
  return *decision;
}

}  // namespace hotpack::pipeline
