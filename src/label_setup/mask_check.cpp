#include "label_setup/mask_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "label_setup/color_list.hpp"
#include "label_setup/id_scan.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kSome = 8;  // masks of a class that are read

// A few masks of each class, or of all that are merged, as lists of labels.
std::map<std::string, SampleList> some_masks(std::span<SampleList* const> splits) {
  std::map<std::string, SampleList> some;
  for (const SampleList* list : splits) {
    const std::size_t classes = std::max<std::size_t>(list->mask_names.size(), 1);
    const std::size_t step = list->masks.size() / (kSome * classes) + 1;
    std::vector<std::size_t> taken(classes);
    for (std::size_t i = 0; i < list->masks.size(); ++i) {
      const Mask& mask = list->masks[i];
      if (taken[mask.name] == kSome || (i % step != 0 && taken[mask.name] > 0)) continue;
      ++taken[mask.name];
      SampleList& masks = some[list->mask_names.empty() ? "" : list->mask_names[mask.name]];
      masks.has_label_files = true;
      masks.labels.roots.push_back(list->labels.roots[mask.file.root]);
      Sample& sample = masks.samples.emplace_back();
      sample.label = mask.file;
      sample.label.root = static_cast<std::uint16_t>(masks.labels.roots.size() - 1);
      sample.label.text = masks.labels.arena.add(list->labels.text(mask.file));
    }
  }
  return some;
}

Error no_mask(const std::string& what, bool per_class, const std::string& path) {
  return data_error(what +
                        ". Leave out files that are not masks with --exclude, or choose other "
                        "files with the pattern of " +
                        (per_class ? "--mask-per-class" : "--labels") +
                        "; if these files are masks, use PNG files of two values or give "
                        "--threshold N (pixels of N and more are foreground)",
                    path);
}

}  // namespace

Status check_mask_files(const PackOptions& options, std::span<SampleList* const> splits,
                        const LabelForms& forms, Observer& observer, bool pixels_too) {
  const bool per_class =
      std::ranges::any_of(splits, [](const auto* list) { return !list->mask_names.empty(); });
  if (options.label.threshold || (per_class && options.label.kind == LabelKind::binary)) return {};
  if (forms.jpeg.count > 0)
    return no_mask("is a JPEG, whose lossy compression changes the values of masks", per_class,
                   forms.jpeg.first);
  if (!pixels_too) return {};
  for (const auto& [name, masks] : some_masks(splits)) {
    const SampleList* const list = &masks;
    // Packing reports files that cannot be read.
    const Result<IdScan> found = scan_some_ids(std::span(&list, 1), options);
    if (!found.ok()) continue;
    if (!found->crowded_label.empty() && !found->shades.soft())
      return no_mask("holds more than " + std::to_string(kMostIdsOfLabel) +
                         " different values, as photographs and gray images do",
                     per_class, found->crowded_label);
    if (found->colored_label.empty()) continue;
    const Result<ColorList> colors = list_colors(std::span(&list, 1), options, kSome, observer);
    if (colors.ok() && 2 * colors->crowded > colors->labels)
      return no_mask("holds more than " + std::to_string(ColorList::kMostInALabel) +
                         " different colors, as photographs do",
                     per_class, found->colored_label);
  }
  return {};
}

}  // namespace hotpack::pipeline
