#include "check/label_diagnostics.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "label_setup/id_scan.hpp"
#include "pack/class_uses.hpp"

namespace hotpack::pipeline {

namespace {

using Reading = LabelContext::Reading;

constexpr RawValue kIgnored8 = 255, kIgnored16 = 65535;

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string values_of(const LabelInspection& label) {
  return (label.kinds == LabelInspection::kMostKinds ? "at least " : "") +
         number_text(label.kinds) + " different values";
}

// Returns the brightness of a value of the label, from 0 to 255; in 16-bit labels the value itself.
std::uint32_t brightness_of(const LabelInspection& label, RawValue value) {
  if (label.holds_colors) return std::max({value >> 16, value >> 8 & 255, value & 255});
  if (label.is_palette) {
    if (value >= label.palette.size()) return 255;
    return *std::max_element(label.palette[value].begin(), label.palette[value].end());
  }
  if (label.bit_depth == 16) return value;
  return value * 255 / ((1u << label.bit_depth) - 1);
}

// Makes a diagnostic about some of the labels.
Diagnostic about_labels(std::string kind, Severity severity, const Occurrences& occurrences,
                        std::uint64_t labels, const std::string& one, const std::string& many,
                        std::string advice) {
  std::string title = share_text(occurrences.count, labels, "label", "labels") + " " +
                      (occurrences.count == 1 ? one : many);
  return make_diagnostic(std::move(kind), severity, std::move(title), occurrences, labels,
                         std::move(advice));
}

void add_if_any(Diagnostic diagnostic, Diagnostics& diagnostics) {
  if (diagnostic.count > 0) diagnostics.add(std::move(diagnostic));
}

}  // namespace

LabelDiagnostics::LabelDiagnostics(const LabelContext& context)
    : context_(context), shift_(context.last_id + 1) {}

void LabelDiagnostics::add_copy_of_image(const std::string& path, const std::string& found) {
  copies_of_images_.add({path, found});
}

void LabelDiagnostics::add(const std::string& path, const LabelInspection& label) {
  ++labels_;
  if (looks_like_photo(label)) {
    photos_.add({path, values_of(label) + ", " +
                           percent_text(share(label.flat_pixels, label.pixels()), 0) +
                           " of the pixels in runs of four or more"});
    return;
  }
  // Blended borders do not matter if a threshold turns values into two classes. Labels that are
  // JPEG files are reported anyway.
  const bool borders_matter = context_.reading != Reading::binary && !label.lossy;
  const Borders borders = borders_matter ? borders_of(label) : Borders::sharp;
  if (borders != Borders::sharp) {
    Occurrences& occurrences = borders == Borders::jpeg           ? jpeg_
                               : borders == Borders::anti_aliased ? anti_aliased_
                                                                  : blended_;
    occurrences.add({path,
                     percent_text(share(label.ramps, label.steps), 0) +
                         " of the steps pass through a value between those on both sides, " +
                         values_of(label) + " in all",
                     label.first_ramp});
  }
  if (const auto ids = id_values(label); ids && context_.reading == Reading::ids && !label.lossy)
    inspect_ids(path, label, *ids);
  if (context_.reading == Reading::binary) inspect_brightness(label);
  if (borders == Borders::sharp) inspect_salt(path, label);
  inspect_content(path, label);
}

// Pixels alone among others are noise: people draw regions, and so do models.
void LabelDiagnostics::inspect_salt(const std::string& path, const LabelInspection& label) {
  constexpr std::uint64_t kLeastLone = 64;
  constexpr double kLeastShare = 0.004;
  if (label.lossy || label.lone_pixels < kLeastLone) return;
  const double lone = share(label.lone_pixels, label.pixels());
  if (lone >= kLeastShare)
    salted_.add({path, counted_text(label.lone_pixels, "pixel") + " (" + percent_text(lone, 1) +
                           ") of a class other than all their neighbors"});
}

void LabelDiagnostics::inspect_ids(const std::string& path, const LabelInspection& label,
                                   const std::vector<ValueCount>& ids) {
  ++id_labels_;
  const RawValue ignored = label.bit_depth == 16 ? kIgnored16 : kIgnored8;
  bool extremes = true;
  for (const ValueCount& id : ids) {
    extremes = extremes && (id.value == 0 || id.value == kIgnored8);
    has_255_ = has_255_ || id.value == kIgnored8;
    if (id.value != ignored) ids_.set(std::min(id.value, kIgnored16));
  }
  extreme_labels_ += extremes;
  if (label.is_palette)
    inspect_palette(path, label);
  else if (label.bit_depth < 8)
    low_depth_.add({path, std::to_string(label.bit_depth) + " bits per pixel"});
  if (label.bit_depth != 8) return;
  const int factor = label.is_palette ? 1 : rescale_factor(ids, context_.known_ids);
  if (factor > 1)
    (factor == 17 ? rescaled_17_ : rescaled_85_).add({path, "its values are " + values_text(ids)});
  else
    shift_.add(path, ids);
}

void LabelDiagnostics::inspect_palette(const std::string& path, const LabelInspection& label) {
  palettes_.add({path, std::to_string(label.palette.size()) + " colors"});
  for (const ValueCount& used : label.values) {
    if (used.value >= label.palette.size() || used.value >= palette_.size()) continue;
    auto& first = palette_[used.value];
    const RgbColor color = label.palette[used.value];
    if (!first) first = PaletteEntry{color, path};
    if (first->color == color) continue;
    other_palettes_.add({path, "index " + std::to_string(used.value) + " is color " +
                                   color_text(color) + ", but " + color_text(first->color) +
                                   " in '" + first->path + "'"});
    return;
  }
}

void LabelDiagnostics::inspect_brightness(const LabelInspection& label) {
  for (const ValueCount& value : label.values)
    brightest_ = std::max(brightest_, brightness_of(label, value.value));
}

void LabelDiagnostics::inspect_content(const std::string& path, const LabelInspection& label) {
  if (!label.decoded || context_.one_class_per_mask) return;
  if (label.ignored == label.pixels())
    all_ignored_.add(
        {path, label.unknown_pixels > 0 ? "ignored or unknown throughout" : "ignored throughout"});
  else if (label.kinds == 1 && label.classes.size() == 1 &&
           label.classes.front().value < context_.class_names.size())
    one_value_.add(
        {path, "class '" + context_.class_names[label.classes.front().value] + "' throughout"});
}

void LabelDiagnostics::finish(Diagnostics& diagnostics) const {
  report_origin(diagnostics);
  report_salt(diagnostics);
  if (context_.reading == Reading::ids) report_ids(diagnostics);
  report_content(diagnostics);
  report_notes(diagnostics);
}

void LabelDiagnostics::report_origin(Diagnostics& diagnostics) const {
  const std::string original =
      "; the ids in between stand for other classes. Use the original label and let hotpack resize "
      "it";
  add_if_any(
      about_labels(
          "label-is-image", Severity::warning, copies_of_images_, labels_, "is a copy of its image",
          "are copies of their images",
          "replace such a label with the right one (are --images and --labels the same folder?)"),
      diagnostics);
  add_if_any(about_labels("photo-as-label", Severity::warning, photos_, labels_,
                          "looks like a photo or a depth map", "look like photos or depth maps",
                          "replace such a label with the right one, or leave the sample out"),
             diagnostics);
  add_if_any(about_labels("blended-borders", Severity::warning, blended_, labels_,
                          "has blended borders", "have blended borders",
                          "such a label was resized or rotated with interpolation" + original),
             diagnostics);
  add_if_any(about_labels(
                 "anti-aliased", Severity::warning, anti_aliased_, labels_, "has smooth edges",
                 "have smooth edges",
                 "such a label was drawn with anti-aliasing or resized with interpolation. Draw it "
                 "without smooth edges, or use --label-kind binary if the labels "
                 "are masks of two classes"),
             diagnostics);
  add_if_any(
      about_labels(
          "jpeg-artifacts", Severity::warning, jpeg_, labels_, "has traces of JPEG compression",
          "have traces of JPEG compression",
          "such a label was once saved as a JPEG, which changes values near borders. Use the "
          "label from before it was saved as a JPEG"),
      diagnostics);
}

// If most labels are so, as maps of land cover are, this is a property of the data.
void LabelDiagnostics::report_salt(Diagnostics& diagnostics) const {
  const bool most = salted_.count * 2 > labels_;
  add_if_any(about_labels("salted-label", most ? Severity::note : Severity::warning, salted_,
                          labels_, "is strewn with single pixels of other classes",
                          "are strewn with single pixels of other classes",
                          "noise of a scan, of a lossy file, or of a wrong conversion: use the "
                          "original label, or filter such pixels out"),
             diagnostics);
}

void LabelDiagnostics::report_rescaled(const Occurrences& labels, int factor, int bits,
                                       Diagnostics& diagnostics) const {
  const std::string times = std::to_string(factor);
  add_if_any(about_labels("rescaled-ids", Severity::warning, labels, labels_,
                          "has ids that are multiples of " + times,
                          "have ids that are multiples of " + times,
                          "a program rescaled a PNG of " + std::to_string(bits) +
                              " bits per pixel to 8: divide the values by " + times +
                              ", or use the original file (hotpack reads its ids unscaled)"),
             diagnostics);
}

// True if the ids are 1 … C for C classes, although they should be 0 … C−1.
bool LabelDiagnostics::runs_from_one() const {
  const std::size_t classes = context_.class_names.size();
  return context_.last_id + std::size_t{1} == classes && classes < ids_.size() && !ids_[0] &&
         ids_[1] && ids_[classes];
}

// True if the ids are 1 … C−1 for C classes: only id 0 is missing.
bool LabelDiagnostics::lacks_zero_alone() const {
  if (context_.last_id == 0 || ids_[0]) return false;
  for (std::size_t id = 1; id <= context_.last_id; ++id)
    if (!ids_[id]) return false;
  return true;
}

void LabelDiagnostics::report_ids(Diagnostics& diagnostics) const {
  report_rescaled(rescaled_17_, 17, 4, diagnostics);
  report_rescaled(rescaled_85_, 85, 2, diagnostics);
  const Occurrences shifted = shift_.shifted();
  add_if_any(
      about_labels(
          "shifted-ids", Severity::warning, shifted, labels_, "seems to have ids one too high",
          "seem to have ids one too high",
          "compare such a label with its image. If the ids are one too high, lower them by one"),
      diagnostics);
  add_if_any(about_labels("palettes-differ", Severity::warning, other_palettes_, labels_,
                          "has a palette of its own", "have palettes of their own",
                          "the same index has different colors in different files, so it is not a "
                          "class id. Use --label-kind palette-color, with the "
                          "colors in --classes"),
             diagnostics);

  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.count = diagnostic.of = id_labels_;
  if (id_labels_ > 0 && extreme_labels_ == id_labels_ && has_255_ && ids_[0]) {
    diagnostic.kind = "binary-as-ids";
    diagnostic.title =
        "the only label values are 0 and 255: the labels look like masks of two classes, but 255 "
        "is read "
        "as ignored";
    diagnostic.advice = "read 0 and 255 as background and foreground";
    diagnostic.options = {"--label-kind binary"};
    diagnostics.add(diagnostic);
  } else if (runs_from_one()) {
    diagnostic.kind = "one-based-ids";
    diagnostic.title = "ids run from 1 to the number of classes, " +
                       std::to_string(context_.last_id + 1) +
                       ", and 0 never occurs: ids seem to count from 1";
    diagnostic.advice = "lower the ids by one";
    diagnostic.options = {"--shift-ids -1"};
    diagnostics.add(diagnostic);
  } else if ((context_.numbered || !is_background_name(context_.class_names[0])) &&
             lacks_zero_alone()) {
    diagnostic.kind = "one-based-ids";
    diagnostic.title = "ids run from 1 to " + std::to_string(context_.last_id) +
                       ", and 0 never occurs: ids may count from 1, and class 0 is empty";
    diagnostic.advice = "if ids count from 1, lower them by one";
    diagnostic.options = {"--shift-ids -1"};
    diagnostics.add(diagnostic);
  }
}

void LabelDiagnostics::report_content(Diagnostics& diagnostics) const {
  if (context_.reading == Reading::binary && labels_ > 0 &&
      brightest_ < static_cast<std::uint32_t>(context_.threshold)) {
    Diagnostic diagnostic;
    diagnostic.kind = "threshold-never-reached";
    diagnostic.severity = Severity::warning;
    diagnostic.count = diagnostic.of = labels_;
    diagnostic.title = "no label reaches --threshold " + std::to_string(context_.threshold) +
                       ": the largest value is " + std::to_string(brightest_);
    diagnostic.advice =
        "every pixel would be background. Choose a threshold between the two values";
    if (brightest_ > 0) diagnostic.options = {"--threshold " + std::to_string(brightest_)};
    diagnostics.add(std::move(diagnostic));
  }
  add_if_any(about_labels("ignored-label", Severity::warning, all_ignored_, labels_,
                          "has no pixel of a class", "have no pixel of a class",
                          "a model learns nothing from such a label. Leave the sample out, unless "
                          "this is intended"),
             diagnostics);
  const bool all_alike = one_value_.count == labels_ && labels_ > 1;
  add_if_any(
      about_labels("one-value-label", all_alike ? Severity::warning : Severity::note, one_value_,
                   labels_, "is of one class throughout", "are of one class throughout",
                   all_alike ? "are these the right labels, read the right way?" : ""),
      diagnostics);
}

void LabelDiagnostics::report_notes(Diagnostics& diagnostics) const {
  add_if_any(
      about_labels("low-depth-ids", Severity::note, low_depth_, labels_,
                   "has fewer than 8 bits per pixel", "have fewer than 8 bits per pixel",
                   "hotpack reads the stored ids, not the brightness that image viewers show"),
      diagnostics);
  add_if_any(
      about_labels(
          "palette-ids", Severity::note, palettes_, labels_, "has a palette", "have palettes",
          "hotpack reads the palette indices as ids, not the colors that image viewers show"),
      diagnostics);
}

}  // namespace hotpack::pipeline
