#include "label_setup/label_reading.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"

namespace hotpack::pipeline {

namespace {

// "2 gray, 1 palette", and with `file` what all of them are.
std::string forms_text(const LabelForms& forms, std::string_view file = {}) {
  std::string text;
  const auto add = [&](const LabelForms::Form& form, std::string_view name) {
    if (form.count > 0) text += (text.empty() ? "" : ", ") + std::to_string(form.count) + " " + std::string(name);
  };
  add(forms.gray8, "gray");
  add(forms.gray16, "16-bit gray");
  add(forms.palette, "palette");
  add(forms.rgb, "RGB");
  add(forms.jpeg, "JPEG");
  return text.empty() ? "not readable" : text + std::string(file);
}

// A preset whose set comes both as colours and as ids: RGB files (and JPEGs) hold the ones, gray and palette files the others.
Result<ReadingVerdict> verdict_of_preset(const labels::Preset& preset, const LabelForms& forms) {
  const std::string why = "auto: --preset " + preset.name + " knows ids and colours";
  const LabelForms::Form& colored = forms.rgb.count > 0 ? forms.rgb : forms.jpeg;
  const bool has_samples = forms.gray8.count + forms.gray16.count + forms.palette.count > 0;
  if (colored.count == 0) return ReadingVerdict{LabelReading::index, why};
  if (!has_samples) return ReadingVerdict{LabelReading::color, why};
  return data_error("is RGB or JPEG, and other labels are not (" + forms_text(forms) +
                        "): some hold colours and some ids, or something else. Say which with --label-kind color or index, and leave the "
                        "others out",
                    colored.first);
}

// --label-kind auto where options leave it open: a colour table makes labels colours; without one they hold ids.
Result<ReadingVerdict> verdict_of_files(const GivenLabels& given, const LabelForms& forms) {
  if (given.preset != nullptr) return verdict_of_preset(*given.preset, forms);
  if (given.table && given.table->has_colors) return ReadingVerdict{LabelReading::color, "auto: the classes have colours"};
  return ReadingVerdict{LabelReading::index, "auto: no class colours were given"};
}

bool takes_nearest(const LabelOptions& options) { return options.unknown.starts_with("nearest"); }

// JPEG keeps neither ids nor colours: masks of two classes survive it, and colours where the nearest will do.
Status check_lossy(const LabelOptions& options, LabelReading reading, const LabelForms& forms) {
  if (forms.jpeg.count == 0 || reading == LabelReading::binary) return {};
  if (reading == LabelReading::color && takes_nearest(options)) return {};
  return data_error(
      "is a JPEG: lossy compression has changed its values, so they name no classes. Use the PNG originals, or, for masks of two "
      "classes, say --label-kind binary (with --threshold N), or, where classes have colours, --unknown nearest:D. If these are the "
      "photos, --images and --labels are swapped",
      forms.jpeg.first);
}

// What the colours of some labels tell: a photo, a preset, or how many there are.
std::string colors_text(const ColorList& list) {
  if (2 * list.crowded > list.labels)
    return ". " + std::to_string(list.crowded) + " of " + std::to_string(list.labels) + " labels hold more than " +
           std::to_string(ColorList::kMostInALabel) + " colours, as photos do: are --images and --labels swapped?";
  constexpr std::size_t kListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kListed, list.colors.size()); ++i)
    text += (i > 0 ? ", " : "") + labels::color_text(list.colors[i].color);
  if (list.colors.size() > kListed) text += ", …";
  const std::string count = std::to_string(list.colors.size()) + (list.colors.size() == 1 ? " colour" : " colours");
  text = ". There are " + count + " in " + std::to_string(list.labels) + (list.labels == 1 ? " label" : " labels") + " looked at: " + text;
  if (!list.preset.empty()) text += "; " + list.preset_text();
  return text + ". Say which colour is which class:" + (list.preset.empty() ? "" : "\n  --preset " + list.preset) +
         "\n  --classes FILE.csv with rows name,r,g,b; hotpack check --write-classes FILE.csv writes one to fill in"
         "\n  --label-kind rgb-id --rgb-id FORMULA, where the colours are ids";
}

Error unexplained_color(const std::string& path, const std::string& color, const std::string& class_file, const LabelScan& scan) {
  const std::string given = class_file.empty() ? "no class colours were given" : class_file + " names classes without colours";
  const Result<ColorList> list = scan.colors();
  if (!list.ok()) return list.error();
  return data_error("holds RGB colours (" + color + "), and " + given + colors_text(*list), path);
}

// RGB files hold ids where every pixel has three equal channels; otherwise they hold colours, which nothing explains. As a rule the first
// file tells, before all are read.
Result<std::string> explain_rgb(const LabelForms& forms, const std::string& class_file, LabelScan& scan) {
  if (forms.rgb.count == 0) return std::string();
  HOTPACK_ASSIGN(const std::string color, color_in(forms.rgb.first, scan.max_pixels()));
  if (!color.empty()) return unexplained_color(forms.rgb.first, color, class_file, scan);
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (!found->colored_label.empty()) return unexplained_color(found->colored_label, found->color, class_file, scan);
  return std::string(", of equal channels, which hold ids");
}

}  // namespace

Result<const IdScan*> LabelScan::get() {
  if (!found_) {
    HOTPACK_ASSIGN(found_, scan_ids(lists_, max_pixels_, observer_));
  }
  return &*found_;
}

std::optional<ReadingVerdict> verdict_of_options(const LabelOptions& options, const GivenLabels& given) {
  if (given.rgb_id != labels::RgbId::none)
    return ReadingVerdict{LabelReading::index, "ids in colours, " + std::string(labels::rgb_id_name(given.rgb_id))};
  if (options.reading != LabelReading::automatic) return ReadingVerdict{options.reading, "as --label-kind says"};
  if (given.shift) return ReadingVerdict{LabelReading::index, "as --shift-ids says"};
  if (given.map && given.map->holds<RgbColor>()) return ReadingVerdict{LabelReading::color, "auto: --map gives colours"};
  if (given.map && given.map->holds<std::int64_t>()) return ReadingVerdict{LabelReading::index, "auto: --map gives ids"};
  if (given.preset != nullptr && given.preset->reading != LabelReading::automatic)
    return ReadingVerdict{given.preset->reading, "as --preset " + given.preset->name + " says"};
  if (given.preset == nullptr && given.packed && given.packed->reading != LabelReading::automatic && !given.packed->multi)
    return ReadingVerdict{given.packed->reading, "as in " + given.packed->folder};
  return std::nullopt;
}

Result<ReadingVerdict> decide_reading(const LabelOptions& options, const GivenLabels& given, const LabelForms& forms, LabelScan& scan) {
  std::optional<ReadingVerdict> verdict = verdict_of_options(options, given);
  const bool open = !verdict;
  if (open) {
    HOTPACK_ASSIGN(verdict, verdict_of_files(given, forms));
  }
  if (options.reading == LabelReading::automatic) HOTPACK_TRY(check_lossy(options, verdict->reading, forms));
  verdict->why += "; the labels are " + forms_text(forms, open && forms.jpeg.count == 0 ? " PNG" : "");
  if (!open || verdict->reading != LabelReading::index) return *verdict;
  HOTPACK_ASSIGN(const std::string about_rgb, explain_rgb(forms, options.classes, scan));
  verdict->why += about_rgb;
  return *verdict;
}

}  // namespace hotpack::pipeline
