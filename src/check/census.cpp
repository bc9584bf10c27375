#include "check/census.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "check/small_images.hpp"
#include "codecs/image_info.hpp"
#include "label_setup/orientation.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kNamesListed = 12;

Finding told(std::string kind, Severity severity, std::string title, const Sightings& sightings, std::uint64_t of, std::string advice) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.severity = severity;
  finding.title = std::move(title);
  finding.count = sightings.count;
  finding.of = of;
  finding.examples = sightings.examples;
  finding.advice = std::move(advice);
  return finding;
}

bool labelled(const Split& split) { return split.list.has_label_files || !split.list.masks.empty() || !split.list.class_names.empty(); }

}  // namespace

Census::Census(const std::vector<Split>& splits, LabelContext context, const RecordOptions& options)
    : splits_(splits),
      context_(std::move(context)),
      options_(options),
      classes_(splits.size()),
      balance_(splits.size(), context_.class_names.size()),
      suspicions_(context_) {
  for (SplitClasses& classes : classes_) {
    classes.pixels.resize(context_.class_names.size());
    classes.labels.resize(context_.class_names.size());
  }
  look_at_names();
}

void Census::add(std::uint32_t split, std::uint32_t index, const SampleInspection& inspection) {
  const SampleList& list = splits_[split].list;
  const Sample& sample = list.samples[index];
  if (inspection.image) add_image(list, sample, inspection);
  if (inspection.label) label_images_.add(*inspection.label);
  add_copies({split, index}, inspection);
  if (list.has_label_files) {
    if (sample.label.bytes > 0 && inspection.source_hash[0] == inspection.source_hash[1])
      suspicions_.add_copy_of_image(list.label_path(sample));
    for (const LabelInspection& label : inspection.label_pixels) add_label(list.label_path(sample), label, split);
  } else if (sample.mask_count > 0) {
    add_masks(list, sample, inspection, split);
  } else {
    add_class(sample, split);
  }
}

void Census::add_image(const SampleList& list, const Sample& sample, const SampleInspection& inspection) {
  const codecs::ImageInfo& image = *inspection.image;
  images_.add(image);
  if (image.more_images) more_images_.add({list.image_path(sample), "holds more than one image"});
  if (image.orientation == 1) return;
  std::optional<Extent> label_size;
  if (inspection.label) label_size = Extent{inspection.label->width, inspection.label->height};
  const std::string found = "EXIF orientation " + std::to_string(image.orientation);
  const std::optional<bool> applied = applies_orientation(options_.exif, image, label_size);
  if (applied) (*applied ? turned_ : kept_as_stored_).add({list.image_path(sample), found});
}

void Census::add_label(const std::string& path, const LabelInspection& label, std::uint32_t split) {
  SplitClasses& classes = classes_[split];
  ++labels_;
  suspicions_.add(path, label);
  unknown_.add(path, label);
  balance_.add(split, label.classes, label.pixels());
  for (const ValueCount& found : label.classes) {
    if (found.value >= classes.pixels.size()) continue;
    classes.pixels[found.value] += found.pixels;
    ++classes.labels[found.value];
  }
  // Unknown pixels that refuse their label are neither of a class nor ignored.
  const std::uint64_t unknown = context_.refuses_unknown ? label.unknown_pixels : 0;
  classes.ignored += label.ignored - std::min(label.ignored, unknown);
}

void Census::add_masks(const SampleList& list, const Sample& sample, const SampleInspection& inspection, std::uint32_t split) {
  SplitClasses& classes = classes_[split];
  const std::span<const Mask> masks = list.masks_of(sample);
  std::vector<ValueCount> all;
  std::uint64_t pixels = 0;
  for (std::size_t i = 0; i < std::min(masks.size(), inspection.label_pixels.size()); ++i) {
    const LabelInspection& label = inspection.label_pixels[i];
    ++labels_;
    pixels = label.pixels();
    suspicions_.add(list.mask_path(masks[i]), label);
    for (const ValueCount& found : label.classes) {
      if (found.value != 1 || masks[i].class_id >= classes.pixels.size()) continue;
      classes.pixels[masks[i].class_id] += found.pixels;
      ++classes.labels[masks[i].class_id];
      all.push_back({masks[i].class_id, found.pixels});
    }
  }
  balance_.add(split, all, pixels);
}

void Census::add_class(const Sample& sample, std::uint32_t split) {
  SplitClasses& classes = classes_[split];
  if (sample.class_id >= classes.pixels.size()) return;
  ++classes.pixels[sample.class_id];
  ++classes.labels[sample.class_id];
  balance_.add(split, sample.class_id);
}

void Census::add_copies(SamplePlace place, const SampleInspection& inspection) {
  const Sample& sample = splits_[place.split].list.samples[place.sample];
  const auto& [image, label] = inspection.source_hash;
  if (sample.image.bytes == 0 || image == 0) return;  // empty files are all alike
  const bool of_class = sample.class_name != kNoClass;
  duplicates_.add(place, image, of_class ? sample.class_name : label);
  shared_labels_.add(place, image, inspection.label_pixels);
  if (splits_.size() > 1 && inspection.look) copies_.add(place, image, *inspection.look);
}

std::string Census::image_path(SamplePlace place) const {
  const SampleList& list = splits_[place.split].list;
  return list.image_path(list.samples[place.sample]);
}

// With several masks per image, that of the first.
std::string Census::label_path(SamplePlace place) const {
  const SampleList& list = splits_[place.split].list;
  const Sample& sample = list.samples[place.sample];
  return list.has_label_files ? list.label_path(sample) : list.mask_path(list.masks_of(sample).front());
}

std::vector<std::string> Census::split_names() const {
  std::vector<std::string> names;
  for (const Split& split : splits_) names.push_back(split.name);
  return names;
}

void Census::look_at_names() {
  if (splits_.size() < 2) return;
  std::vector<std::vector<std::string_view>> keys(splits_.size());
  for (std::size_t split = 0; split < splits_.size(); ++split)
    for (const Sample& sample : splits_[split].list.samples) keys[split].push_back(splits_[split].list.key(sample));
  tell_augmented_names(
      keys, split_names(), [this](SamplePlace place) { return image_path(place); }, names_);
}

void Census::finish(bool pixels_read, Findings& findings) {
  tell_orientations(findings);
  tell_more_images(findings);
  tell_small_images(findings);
  const bool by_files =
      std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.list.has_label_files || !s.list.masks.empty(); });
  if (pixels_read || !by_files) tell_classes(findings);
  if (pixels_read) tell_labels(findings);
  if (pixels_read) tell_copies(findings);
  for (const Finding& finding : names_.all()) findings.add(finding);
}

void Census::tell_labels(Findings& findings) {
  std::vector<bool> never_seen(context_.class_names.size(), true);
  for (const SplitClasses& classes : classes_)
    for (std::size_t c = 0; c < never_seen.size(); ++c) never_seen[c] = never_seen[c] && classes.labels[c] == 0;
  unknown_.finish(context_, labels_, never_seen, findings);
  suspicions_.finish(findings);
  shared_labels_.finish([this](SamplePlace place) { return label_path(place); }, findings);
}

void Census::tell_copies(Findings& findings) {
  const auto path_of = [this](SamplePlace place) { return image_path(place); };
  duplicates_.finish(split_names(), path_of, findings);
  copies_.finish(split_names(), path_of, findings);
}

void Census::tell_more_images(Findings& findings) const {
  if (more_images_.count == 0) return;
  findings.add(told("more-images", Severity::warning,
                    share_text(more_images_.count, images_.images(), "image file", "image files") + " (animated PNG, MPO, Ultra HDR) " +
                        (more_images_.count == 1 ? "holds" : "hold") + " more than one image",
                    more_images_, images_.images(), "the first one is packed"));
}

// Where most are small, that is how the data are.
void Census::tell_small_images(Findings& findings) const {
  const SmallImages small = small_images(splits_, options_);
  if (small.images.count == 0) return;
  const bool most = small.images.count * 2 > small.of;
  const bool one = small.images.count == 1;
  findings.add(told("tiny-image", most ? Severity::note : Severity::warning,
                    share_text(small.images.count, small.of, "image", "images") + (one ? " is" : " are") + " far smaller than " +
                        (small.in_records ? one ? "its record" : "their records" : "the others"),
                    small.images, small.of,
                    most ? ""
                    : small.in_records
                        ? "so far enlarged an image is a blur, and so far padded mostly padding; leave it out, or choose a smaller --size"
                        : "are they thumbnails, or left over from a failed download?"));
}

void Census::tell_orientations(Findings& findings) const {
  const auto tell = [&](const Sightings& sightings, Severity severity, const std::string& what, std::string advice) {
    if (sightings.count == 0) return;
    const bool one = sightings.count == 1;
    findings.add(told("exif-orientation", severity,
                      share_text(sightings.count, images_.images(), "image", "images") + (one ? " has" : " have") +
                          " an EXIF orientation and " + (one ? "is " : "are ") + what,
                      sightings, images_.images(), std::move(advice)));
  };
  tell(turned_, Severity::note, "turned by it", "");
  const bool asked = options_.exif == ExifPolicy::ignore;
  tell(kept_as_stored_, asked ? Severity::note : Severity::warning, asked ? "not turned" : "not turned, because that is how the label fits",
       asked ? "" : "viewers turn it: compare image and label, and save the image upright");
}

std::string Census::splits_without(std::size_t class_id) const {
  std::string names;
  for (std::size_t split = 0; split < splits_.size(); ++split)
    if (labelled(splits_[split]) && classes_[split].labels[class_id] == 0) names += (names.empty() ? "" : ", ") + splits_[split].name;
  return names;
}

void Census::tell_classes(Findings& findings) const {
  std::vector<std::string> never, not_everywhere;
  for (std::size_t c = 0; c < context_.class_names.size(); ++c) {
    const std::string name = "'" + context_.class_names[c] + "'";
    const std::string missing = splits_without(c);
    const bool seen = std::any_of(classes_.begin(), classes_.end(), [&](const SplitClasses& classes) { return classes.labels[c] > 0; });
    if (!seen && c < context_.ignored.size() && context_.ignored[c]) continue;
    if (!seen)
      never.push_back(name);
    else if (!missing.empty())
      not_everywhere.push_back(name + " (not in " + missing + ")");
  }
  const auto tell = [&](std::string kind, const std::vector<std::string>& names, const std::string& what, std::string advice) {
    if (names.empty()) return;
    Sightings sightings;
    sightings.count = names.size();
    findings.add(told(std::move(kind), Severity::warning,
                      share_text(names.size(), context_.class_names.size(), "class", "classes") + what + list_text(names, kNamesListed),
                      sightings, context_.class_names.size(), std::move(advice)));
  };
  tell("class-never-seen", never, never.size() == 1 ? " never occurs: " : " never occur: ",
       "is the class table that of these labels? A model cannot learn what it never sees");
  tell("class-not-in-every-split", not_everywhere, not_everywhere.size() == 1 ? " is not in every split: " : " are not in every split: ",
       "a split without a class says nothing about it");
  balance_.finish(split_names(), context_.class_names, findings);
}

}  // namespace hotpack::pipeline
