#include "check/dataset_summary.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "check/small_images.hpp"
#include "codecs/image_info.hpp"
#include "label_setup/orientation.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kNamesListed = 12;

bool labeled(const Split& split) {
  return split.list.has_label_files || !split.list.masks.empty() || !split.list.class_names.empty();
}

}  // namespace

DatasetSummary::DatasetSummary(const std::vector<Split>& splits, LabelContext context,
                               const RecordOptions& options)
    : splits_(splits),
      context_(std::move(context)),
      options_(options),
      classes_(splits.size()),
      balance_(splits.size(), context_.class_names.size()),
      label_diagnostics_(context_) {
  for (SplitClasses& classes : classes_) {
    classes.pixels.resize(context_.class_names.size());
    classes.labels.resize(context_.class_names.size());
  }
  inspect_names();
}

void DatasetSummary::add(std::uint32_t split, std::uint32_t index,
                         const SampleInspection& inspection) {
  const SampleList& list = splits_[split].list;
  const Sample& sample = list.samples[index];
  if (inspection.image) add_image(list, sample, inspection);
  if (inspection.label) label_images_.add(*inspection.label);
  add_copies({split, index}, inspection);
  for (const FlawedFile& file : inspection.flawed)
    (file.flaw.lenient ? lenient_jpegs_ : flawed_jpegs_).add({file.path, file.flaw.text});
  if (list.has_label_files) {
    if (sample.label.bytes > 0 && inspection.source_hash[0] == inspection.source_hash[1])
      label_diagnostics_.add_copy_of_image(list.label_path(sample), "the same bytes as its image");
    else if (inspection.defects.shows_label)
      label_diagnostics_.add_copy_of_image(list.label_path(sample), "its image shows its pixels");
    for (const LabelInspection& label : inspection.label_pixels) add_label({split, index}, label);
  } else if (list.merges_masks) {
    add_merged({split, index}, inspection);
  } else if (sample.mask_count > 0) {
    add_masks({split, index}, inspection);
  } else {
    add_class(sample, split);
  }
}

void DatasetSummary::add_image(const SampleList& list, const Sample& sample,
                               const SampleInspection& inspection) {
  const codecs::ImageInfo& image = *inspection.image;
  images_.add(image);
  counts_.add(inspection.counts);
  image_diagnostics_.add(list.image_path(sample), inspection.defects);
  if (image.more_images) more_images_.add({list.image_path(sample), "holds more than one image"});
  if (image.orientation == 1) return;
  std::optional<Extent> label_size;
  if (inspection.label) label_size = Extent{inspection.label->width, inspection.label->height};
  const std::string found = "EXIF orientation " + std::to_string(image.orientation);
  const std::optional<bool> applied = applies_orientation(options_.exif, image, label_size);
  if (applied) (*applied ? turned_ : kept_as_stored_).add({list.image_path(sample), found});
}

void DatasetSummary::add_label(SamplePlace place, const LabelInspection& label) {
  const std::string path = label_path(place);
  if (context_.class_names.size() == 2) inverted_masks_[0].add(place, 0, label);
  label_diagnostics_.add(path, label);
  unknown_.add(path, label);
  add_pixels(label, place.split);
}

// Adds the masks of a sample, and the label that they become. If a mask was refused, there is no
// such label.
void DatasetSummary::add_merged(SamplePlace place, const SampleInspection& inspection) {
  const SampleList& list = splits_[place.split].list;
  const std::span<const Mask> masks = list.masks_of(list.samples[place.sample]);
  const std::vector<LabelInspection>& labels = inspection.label_pixels;
  for (std::size_t i = 0; i < std::min(masks.size(), labels.size()); ++i) {
    label_diagnostics_.add(list.mask_path(masks[i]), labels[i]);
    unknown_.add(list.mask_path(masks[i]), labels[i]);
  }
  if (labels.size() > masks.size()) add_pixels(labels.back(), place.split);
}

void DatasetSummary::add_pixels(const LabelInspection& label, std::uint32_t split) {
  SplitClasses& classes = classes_[split];
  ++labels_;
  balance_.add(split, label.classes, label.pixels());
  for (const ValueCount& found : label.classes) {
    if (found.value >= classes.pixels.size()) continue;
    classes.pixels[found.value] += found.pixels;
    ++classes.labels[found.value];
  }
  // Unknown pixels that make pack refuse the label count neither as a class nor as ignored.
  const std::uint64_t unknown = context_.refuses_unknown ? label.unknown_pixels : 0;
  classes.ignored += label.ignored - std::min(label.ignored, unknown);
}

void DatasetSummary::add_masks(SamplePlace place, const SampleInspection& inspection) {
  const std::uint32_t split = place.split;
  const SampleList& list = splits_[split].list;
  SplitClasses& classes = classes_[split];
  const std::span<const Mask> masks = list.masks_of(list.samples[place.sample]);
  std::vector<ValueCount> all;
  std::uint64_t pixels = 0;
  for (std::size_t i = 0; i < std::min(masks.size(), inspection.label_pixels.size()); ++i) {
    const LabelInspection& label = inspection.label_pixels[i];
    ++labels_;
    pixels = label.pixels();
    inverted_masks_[masks[i].class_id].add(place, static_cast<std::uint32_t>(i), label);
    label_diagnostics_.add(list.mask_path(masks[i]), label);
    for (const ValueCount& found : label.classes) {
      if (found.value != 1 || masks[i].class_id >= classes.pixels.size()) continue;
      classes.pixels[masks[i].class_id] += found.pixels;
      if (!all.empty() && all.back().value == masks[i].class_id) {
        all.back().pixels += found.pixels;
        continue;
      }
      ++classes.labels[masks[i].class_id];
      all.push_back({masks[i].class_id, found.pixels});
    }
  }
  balance_.add(split, all, pixels);
}

void DatasetSummary::add_class(const Sample& sample, std::uint32_t split) {
  SplitClasses& classes = classes_[split];
  if (sample.class_id >= classes.pixels.size()) return;
  ++classes.pixels[sample.class_id];
  ++classes.labels[sample.class_id];
  balance_.add(split, sample.class_id);
}

void DatasetSummary::add_copies(SamplePlace place, const SampleInspection& inspection) {
  const Sample& sample = splits_[place.split].list.samples[place.sample];
  const auto& [image, label] = inspection.source_hash;
  if (sample.image.bytes == 0 || image == 0) return;  // all empty files are equal
  const bool of_class = sample.class_name != kNoClass;
  duplicates_.add(place, image, of_class ? sample.class_name : label);
  shared_labels_.add(place, image, inspection.label_pixels);
  if (splits_.size() > 1 && inspection.brightness)
    copies_.add(place, image, *inspection.brightness);
}

std::string DatasetSummary::image_path(SamplePlace place) const {
  const SampleList& list = splits_[place.split].list;
  return list.image_path(list.samples[place.sample]);
}

std::string DatasetSummary::label_path(SamplePlace place, std::uint32_t mask) const {
  const SampleList& list = splits_[place.split].list;
  const Sample& sample = list.samples[place.sample];
  return list.has_label_files ? list.label_path(sample)
                              : list.mask_path(list.masks_of(sample)[mask]);
}

std::string_view DatasetSummary::original_of(SamplePlace place) const {
  const SampleList& list = splits_[place.split].list;
  const std::string_view key = list.key(list.samples[place.sample]);
  const std::optional<AugmentedName> copy = augmented_name(key);
  return copy ? copy->base : key;
}

std::vector<std::string> DatasetSummary::split_names() const {
  std::vector<std::string> names;
  for (const Split& split : splits_) names.push_back(split.name);
  return names;
}

// Adds a note about the copies of Roboflow, which many mistake for images of their own.
void DatasetSummary::count_augmented() {
  std::set<std::string_view> originals;
  std::uint64_t copies = 0, samples = 0;
  for (const Split& split : splits_) {
    samples += split.list.samples.size();
    for (const Sample& sample : split.list.samples) {
      const auto original = roboflow_original(split.list.key(sample));
      if (!original) continue;
      ++copies;
      originals.insert(*original);
    }
  }
  if (copies == originals.size()) return;
  names_.add(make_diagnostic("augmented-copies", Severity::note,
                             share_text(copies, samples, "image", "images") +
                                 " are by their names (NAME.rf.HASH) augmented copies of " +
                                 counted_text(originals.size(), "original"),
                             {copies, {}}, samples));
}

void DatasetSummary::inspect_names() {
  count_augmented();
  if (splits_.size() < 2) return;
  std::vector<std::vector<std::string_view>> keys(splits_.size());
  for (std::size_t split = 0; split < splits_.size(); ++split)
    for (const Sample& sample : splits_[split].list.samples)
      keys[split].push_back(splits_[split].list.key(sample));
  report_augmented_names(
      keys, split_names(), [this](SamplePlace place) { return image_path(place); }, names_);
}

void DatasetSummary::finish(bool pixels_read, Diagnostics& diagnostics) {
  report_orientations(diagnostics);
  report_more_images(diagnostics);
  report_flawed_jpegs(diagnostics);
  report_small_images(diagnostics);
  report_dark_images(diagnostics);
  image_diagnostics_.finish(images_.images(), diagnostics);
  const bool by_files = std::any_of(splits_.begin(), splits_.end(), [](const Split& s) {
    return s.list.has_label_files || !s.list.masks.empty();
  });
  if (pixels_read || !by_files) report_classes(diagnostics);
  if (pixels_read) report_labels(diagnostics);
  if (pixels_read) report_copies(diagnostics);
  for (const Diagnostic& diagnostic : names_.all()) diagnostics.add(diagnostic);
}

void DatasetSummary::report_labels(Diagnostics& diagnostics) {
  std::vector<bool> never_seen(context_.class_names.size(), true);
  for (const SplitClasses& classes : classes_)
    for (std::size_t c = 0; c < never_seen.size(); ++c)
      never_seen[c] = never_seen[c] && classes.labels[c] == 0;
  unknown_.finish(context_, labels_, never_seen, diagnostics);
  label_diagnostics_.finish(diagnostics);
  for (const auto& [class_id, masks] : inverted_masks_)
    masks.finish([this](SamplePlace place, std::uint32_t mask) { return label_path(place, mask); },
                 diagnostics);
  shared_labels_.finish([this](SamplePlace place) { return label_path(place); },
                        [this](SamplePlace place) { return original_of(place); }, diagnostics);
}

void DatasetSummary::report_copies(Diagnostics& diagnostics) {
  const auto path_of = [this](SamplePlace place) { return image_path(place); };
  duplicates_.finish(split_names(), path_of, diagnostics);
  copies_.finish(split_names(), path_of, diagnostics);
}

void DatasetSummary::report_more_images(Diagnostics& diagnostics) const {
  if (more_images_.count == 0) return;
  diagnostics.add(make_diagnostic(
      "more-images", Severity::warning,
      share_text(more_images_.count, images_.images(), "image file", "image files") +
          " (animated PNG, MPO, Ultra HDR) " + (more_images_.count == 1 ? "holds" : "hold") +
          " more than one image",
      more_images_, images_.images(), "the first one is packed"));
}

void DatasetSummary::report_flawed_jpegs(Diagnostics& diagnostics) const {
  const auto report = [&](const char* kind, const Occurrences& files, const std::string& what) {
    if (files.count == 0) return;
    diagnostics.add(make_diagnostic(kind, Severity::note, counted_text(files.count, "JPEG") + what,
                                    files, 0,
                                    "look at these images: a damaged scan may have the same "
                                    "faults; replace a file that shows it"));
  };
  report(
      "flawed-jpeg", flawed_jpegs_,
      " with stray bytes before the end marker or an unknown JFIF revision, which cost no row of "
      "pixels");
  report("lenient-jpeg", lenient_jpegs_, " accepted because of --lenient");
}

// If most images are small, this is a property of the data and only a note.
void DatasetSummary::report_small_images(Diagnostics& diagnostics) const {
  const SmallImages small = small_images(splits_, options_);
  if (small.images.count == 0) return;
  const bool most = small.images.count * 2 > small.of;
  const bool one = small.images.count == 1;
  diagnostics.add(make_diagnostic(
      "tiny-image", most ? Severity::note : Severity::warning,
      share_text(small.images.count, small.of, "image", "images") + (one ? " is" : " are") +
          " far smaller than " +
          (small.in_records ? one ? "its record" : "their records" : "the others"),
      small.images, small.of,
      most               ? ""
      : small.in_records ? "enlarged so much, an image is only a blur; padded so much, it is "
                           "mostly padding. Leave such images out, or choose a smaller --size"
                         : "are these images thumbnails, or left over from a failed download?"));
}

void DatasetSummary::report_dark_images(Diagnostics& diagnostics) const {
  if (!counts_.deep_images_are_dark()) return;
  Diagnostic diagnostic;
  diagnostic.kind = "dark-16-bit";
  diagnostic.severity = Severity::warning;
  diagnostic.count = counts_.deep_images;
  diagnostic.of = images_.images();
  diagnostic.title = share_text(diagnostic.count, diagnostic.of, "image has", "images have") +
                     " 16 bits, of which at most " +
                     std::to_string(std::bit_width(counts_.brightest_of_deep) + 8) +
                     " are in use: no value reaches 16,384";
  diagnostic.advice =
      "--depth16 keeps the upper 8 of 16 bits, so the records are dark. Multiply the values before "
      "packing, such as by 16 for 12 bits";
  diagnostics.add(std::move(diagnostic));
}

void DatasetSummary::report_orientations(Diagnostics& diagnostics) const {
  const auto report = [&](const Occurrences& occurrences, Severity severity,
                          const std::string& what, std::string advice) {
    if (occurrences.count == 0) return;
    const bool one = occurrences.count == 1;
    diagnostics.add(make_diagnostic(
        "exif-orientation", severity,
        share_text(occurrences.count, images_.images(), "image", "images") +
            (one ? " has" : " have") + " an EXIF orientation and " + (one ? "is " : "are ") + what,
        occurrences, images_.images(), std::move(advice)));
  };
  report(turned_, Severity::note, "turned by it", "");
  const bool asked = options_.exif == ExifPolicy::ignore;
  report(kept_as_stored_, asked ? Severity::note : Severity::warning,
         asked ? "not turned" : "not turned, because the label fits the image as stored",
         asked ? ""
               : "image viewers turn such an image. Compare image and label, and save the image "
                 "upright");
}

std::string DatasetSummary::splits_without(std::size_t class_id) const {
  std::string names;
  for (std::size_t split = 0; split < splits_.size(); ++split)
    if (labeled(splits_[split]) && classes_[split].labels[class_id] == 0)
      names += (names.empty() ? "" : ", ") + splits_[split].name;
  return names;
}

void DatasetSummary::report_classes(Diagnostics& diagnostics) const {
  std::vector<std::string> never, not_everywhere;
  for (std::size_t c = 0; c < context_.class_names.size(); ++c) {
    const std::string name = "'" + context_.class_names[c] + "'";
    const std::string missing = splits_without(c);
    const bool seen =
        std::any_of(classes_.begin(), classes_.end(),
                    [&](const SplitClasses& classes) { return classes.labels[c] > 0; });
    if (!seen && c < context_.ignored.size() && context_.ignored[c]) continue;
    if (!seen)
      never.push_back(name);
    else if (!missing.empty())
      not_everywhere.push_back(name + " (not in " + missing + ")");
  }
  const auto report = [&](std::string kind, const std::vector<std::string>& names,
                          const std::string& what, std::string advice) {
    if (names.empty()) return;
    Occurrences occurrences;
    occurrences.count = names.size();
    diagnostics.add(
        make_diagnostic(std::move(kind), Severity::warning,
                        share_text(names.size(), context_.class_names.size(), "class", "classes") +
                            what + list_text(names, kNamesListed),
                        occurrences, context_.class_names.size(), std::move(advice)));
  };
  report("class-never-seen", never, never.size() == 1 ? " never occurs: " : " never occur: ",
         "does the class table belong to these labels? A model cannot learn a class that never "
         "occurs");
  report("class-not-in-every-split", not_everywhere,
         not_everywhere.size() == 1 ? " is not in every split: " : " are not in every split: ",
         "results on a split without a class say nothing about that class");
  balance_.finish(split_names(), context_.class_names, diagnostics);
}

}  // namespace hotpack::pipeline
