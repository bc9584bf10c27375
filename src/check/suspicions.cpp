#include "check/suspicions.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "label_setup/id_scan.hpp"

namespace hotpack::pipeline {

namespace {

using Reading = LabelContext::Reading;

constexpr RawValue kIgnored8 = 255, kIgnored16 = 65535;

double share(std::uint64_t part, std::uint64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

std::string values_of(const LabelInspection& label) {
  return (label.kinds == LabelInspection::kMostKinds ? "at least " : "") + number_text(label.kinds) + " different values";
}

// The largest brightness that a value of the label can have, on the scale of 8 bits.
std::uint32_t brightness_of(const LabelInspection& label, RawValue value) {
  if (label.holds_colors) return std::max({value >> 16, value >> 8 & 255, value & 255});
  if (label.is_palette) {
    if (value >= label.palette.size()) return 255;
    return *std::max_element(label.palette[value].begin(), label.palette[value].end());
  }
  if (label.bit_depth == 16) return value >> 8;
  return value * 255 / ((1u << label.bit_depth) - 1);
}

// A suspicion about some of the labels.
Finding about_labels(std::string kind, Severity severity, const Sightings& sightings, std::uint64_t labels, const std::string& one,
                     const std::string& many, std::string advice) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.severity = severity;
  finding.title = share_text(sightings.count, labels, "label", "labels") + " " + (sightings.count == 1 ? one : many);
  finding.count = sightings.count;
  finding.of = labels;
  finding.examples = sightings.examples;
  finding.advice = std::move(advice);
  return finding;
}

void tell(Finding finding, Findings& findings) {
  if (finding.count > 0) findings.add(std::move(finding));
}

}  // namespace

Suspicions::Suspicions(const LabelContext& context) : context_(context), shift_(context.last_id + 1) {}

void Suspicions::add_copy_of_image(const std::string& path) { copies_of_images_.add({path, "the same bytes as its image"}); }

void Suspicions::add(const std::string& path, const LabelInspection& label) {
  ++labels_;
  if (looks_like_photo(label)) {
    photos_.add({path, values_of(label) + ", " + percent_text(share(label.flat_pixels, label.pixels()), 0) +
                           " of the pixels in runs of four or more"});
    return;
  }
  // A threshold cuts blended borders where they should be cut, and what a JPEG is needs no telling.
  const bool borders_matter = context_.reading != Reading::binary && !label.lossy;
  const Borders borders = borders_matter ? borders_of(label) : Borders::sharp;
  if (borders != Borders::sharp) {
    Sightings& sightings = borders == Borders::jpeg ? jpeg_ : borders == Borders::anti_aliased ? anti_aliased_ : blended_;
    sightings.add({path,
                   percent_text(share(label.ramps, label.steps), 0) + " of the steps pass through a value between those on both sides, " +
                       values_of(label) + " in all",
                   label.first_ramp});
  }
  if (const auto ids = id_values(label); ids && context_.reading == Reading::ids && !label.lossy) look_at_ids(path, label, *ids);
  if (context_.reading == Reading::binary) look_at_brightness(label);
  look_at_content(path, label);
}

void Suspicions::look_at_ids(const std::string& path, const LabelInspection& label, const std::vector<ValueCount>& ids) {
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
    look_at_palette(path, label);
  else if (label.bit_depth < 8)
    low_depth_.add({path, std::to_string(label.bit_depth) + " bits per pixel"});
  if (label.bit_depth != 8) return;
  const int factor = label.is_palette ? 1 : rescale_factor(ids, context_.known_ids);
  if (factor > 1)
    (factor == 17 ? rescaled_17_ : rescaled_85_).add({path, "its values are " + values_text(ids)});
  else
    shift_.add(path, ids);
}

void Suspicions::look_at_palette(const std::string& path, const LabelInspection& label) {
  palettes_.add({path, std::to_string(label.palette.size()) + " colors"});
  for (const ValueCount& used : label.values) {
    if (used.value >= label.palette.size() || used.value >= palette_.size()) continue;
    auto& first = palette_[used.value];
    const RgbColor color = label.palette[used.value];
    if (!first) first = PaletteEntry{color, path};
    if (first->color == color) continue;
    other_palettes_.add({path, "index " + std::to_string(used.value) + " is color " + color_text(color) + ", but " +
                                   color_text(first->color) + " in " + first->path});
    return;
  }
}

void Suspicions::look_at_brightness(const LabelInspection& label) {
  for (const ValueCount& value : label.values) brightest_ = std::max(brightest_, brightness_of(label, value.value));
}

void Suspicions::look_at_content(const std::string& path, const LabelInspection& label) {
  if (!label.decoded || context_.one_class_a_mask) return;
  if (label.ignored == label.pixels())
    all_ignored_.add({path, label.unknown_pixels > 0 ? "ignored or unknown throughout" : "ignored throughout"});
  else if (label.kinds == 1 && label.classes.size() == 1 && label.classes.front().value < context_.class_names.size())
    one_value_.add({path, "class '" + context_.class_names[label.classes.front().value] + "' throughout"});
}

void Suspicions::finish(Findings& findings) const {
  tell_making(findings);
  if (context_.reading == Reading::ids) tell_ids(findings);
  tell_content(findings);
  tell_notes(findings);
}

void Suspicions::tell_making(Findings& findings) const {
  const std::string original = "; ids in between are other classes: use the label as it was drawn, and let hotpack resize it";
  tell(about_labels("label-is-image", Severity::warning, copies_of_images_, labels_, "is a copy of its image", "are copies of their images",
                    "put the label in its place (are --images and --labels the same folder?)"),
       findings);
  tell(about_labels("photo-as-label", Severity::warning, photos_, labels_, "looks like a photo or a depth map",
                    "look like photos or depth maps", "put the label in its place, or leave the sample out"),
       findings);
  tell(about_labels("blended-borders", Severity::warning, blended_, labels_, "has blended borders", "have blended borders",
                    "it was resized or turned with interpolation" + original),
       findings);
  tell(about_labels("anti-aliased", Severity::warning, anti_aliased_, labels_, "has smooth edges", "have smooth edges",
                    "it was drawn with anti-aliasing or resized with interpolation; draw it without, or, for masks of two classes, say "
                    "--label-kind binary"),
       findings);
  tell(about_labels("jpeg-artefacts", Severity::warning, jpeg_, labels_, "shows the traces of a JPEG", "show the traces of a JPEG",
                    "it was saved as JPEG once, which changes values around borders; use the label as it was before"),
       findings);
}

void Suspicions::tell_rescaled(const Sightings& labels, int factor, int bits, Findings& findings) const {
  const std::string times = std::to_string(factor);
  tell(about_labels("rescaled-ids", Severity::warning, labels, labels_, "has ids that are multiples of " + times,
                    "have ids that are multiples of " + times,
                    "a program rescaled a PNG of " + std::to_string(bits) + " bits per pixel to 8: divide the values by " + times +
                        ", or use the file as it was before (hotpack reads its ids raw)"),
       findings);
}

// Whether ids are 1 … C of C classes, where class c should be id c.
bool Suspicions::runs_from_one() const {
  const std::size_t classes = context_.class_names.size();
  return context_.last_id + std::size_t{1} == classes && classes < ids_.size() && !ids_[0] && ids_[1] && ids_[classes];
}

// Whether ids are 1 … C−1 of C classes.
bool Suspicions::lacks_zero_alone() const {
  if (context_.last_id == 0 || ids_[0]) return false;
  for (std::size_t id = 1; id <= context_.last_id; ++id)
    if (!ids_[id]) return false;
  return true;
}

void Suspicions::tell_ids(Findings& findings) const {
  tell_rescaled(rescaled_17_, 17, 4, findings);
  tell_rescaled(rescaled_85_, 85, 2, findings);
  const Sightings shifted = shift_.shifted();
  tell(about_labels("shifted-ids", Severity::warning, shifted, labels_, "seems to have ids one too high", "seem to have ids one too high",
                    "compare it with its image, and lower its ids by one if they are"),
       findings);
  tell(
      about_labels("palettes-differ", Severity::warning, other_palettes_, labels_, "has a palette of its own", "have palettes of their own",
                   "an index stands for another color in each file, so it is no class id; say --label-kind palette-color, with the "
                   "colors in --classes"),
      findings);

  Finding finding;
  finding.severity = Severity::warning;
  finding.count = finding.of = id_labels_;
  if (id_labels_ > 0 && extreme_labels_ == id_labels_ && has_255_ && ids_[0]) {
    finding.kind = "binary-as-ids";
    finding.title = "the labels hold 0 and 255 alone: masks of two classes, of which 255 is read as ignored";
    finding.advice = "read them as background and foreground";
    finding.options = {"--label-kind binary"};
    findings.add(finding);
  } else if (runs_from_one()) {
    finding.kind = "one-based-ids";
    finding.title = "ids run from 1 to the number of classes, " + std::to_string(context_.last_id + 1) +
                    ", and 0 never occurs: they seem to count from 1";
    finding.advice = "lower them by one";
    finding.options = {"--shift-ids -1"};
    findings.add(finding);
  } else if (context_.numbered && lacks_zero_alone()) {
    finding.kind = "one-based-ids";
    finding.title =
        "ids run from 1 to " + std::to_string(context_.last_id) + ", and 0 never occurs: they may count from 1, and class 0 is empty";
    finding.advice = "if so, lower them by one";
    finding.options = {"--shift-ids -1"};
    findings.add(finding);
  }
}

void Suspicions::tell_content(Findings& findings) const {
  if (context_.reading == Reading::binary && labels_ > 0 && brightest_ < static_cast<std::uint32_t>(context_.threshold)) {
    Finding finding;
    finding.kind = "threshold-never-reached";
    finding.severity = Severity::warning;
    finding.count = finding.of = labels_;
    finding.title =
        "no label reaches --threshold " + std::to_string(context_.threshold) + ": the largest value is " + std::to_string(brightest_);
    finding.advice = "all would be background; choose a threshold between the two values";
    if (brightest_ > 0) finding.options = {"--threshold " + std::to_string(brightest_)};
    findings.add(std::move(finding));
  }
  tell(about_labels("ignored-label", Severity::warning, all_ignored_, labels_, "has no pixel of a class", "have no pixel of a class",
                    "a model learns nothing from it; leave the sample out if that is not meant"),
       findings);
  const bool all_alike = one_value_.count == labels_ && labels_ > 1;
  tell(about_labels("one-value-label", all_alike ? Severity::warning : Severity::note, one_value_, labels_, "is of one class throughout",
                    "are of one class throughout", all_alike ? "are these the right labels, read the right way?" : ""),
       findings);
}

void Suspicions::tell_notes(Findings& findings) const {
  tell(about_labels("low-depth-ids", Severity::note, low_depth_, labels_, "has fewer than 8 bits per pixel",
                    "have fewer than 8 bits per pixel", "their ids are read raw, not as the brightness that viewers show"),
       findings);
  tell(about_labels("palette-ids", Severity::note, palettes_, labels_, "has a palette", "have palettes",
                    "the indices are read as ids, not the colors that viewers show"),
       findings);
}

}  // namespace hotpack::pipeline
