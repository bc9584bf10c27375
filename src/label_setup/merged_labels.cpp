#include "label_setup/merged_labels.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "label_setup/given_labels.hpp"
#include "label_setup/label_words.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;

constexpr std::size_t kMostClasses = 65535;

Status check_options(const PackOptions& options) {
  const LabelOptions& label = options.label;
  if (!label.map.empty() || label.shift_ids || label.rgb_id != labels::RgbId::none ||
      !label.preset.empty() || !label.ignore.empty())
    return usage_error(
        "--map, --shift-ids, --rgb-id, --preset and --ignore are about values of labels; several "
        "masks of an image are merged by their foreground");
  if (label.unknown != "error" && label.unknown != "ignore")
    return usage_error("--unknown " + label.unknown +
                       ": masks that are merged are bright or dark; give error or ignore");
  if (options.record.size_mismatch == SizeMismatch::each_to_target)
    return usage_error(
        "--size-mismatch each-to-target needs one label per image; to merge several masks, use "
        "crop-min");
  return {};
}

std::size_t most_masks(std::span<SampleList* const> splits) {
  std::uint32_t most = 0;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) most = std::max(most, sample.mask_count);
  return most;
}

Result<ClassTable> classes_of_objects(const PackOptions& options,
                                      std::span<SampleList* const> splits) {
  if (!options.label.classes.empty())
    return usage_error(
        "--classes names classes, and --label-kind instances numbers the objects of each image; "
        "leave one of them out");
  const std::size_t found = most_masks(splits) + 1;
  const std::size_t count =
      options.label.class_count ? static_cast<std::size_t>(*options.label.class_count) : found;
  if (count < found || count > kMostClasses)
    return data_error("an image has " + std::to_string(found - 1) + " masks, so ids from 0 to " +
                      std::to_string(found - 1) + " are needed: --label-kind instances " +
                      (count < found ? "needs a larger --num-classes"
                                     : "holds at most " + std::to_string(kMostClasses - 1)));
  ClassTable table = labels::numbered_classes(static_cast<int>(count));
  for (std::size_t id = 0; id < count; ++id) {
    table.classes[id].name = id == 0 ? "background" : "object " + std::to_string(id);
    table.classes[id].sources = {LabelSource(static_cast<std::int64_t>(id))};
  }
  return table;
}

Result<ClassTable> classes_of_union(const PackOptions& options,
                                    const std::optional<PackedLabels>& packed) {
  HOTPACK_ASSIGN(const std::optional<ClassTable> given, given_table(options.label, packed));
  if (given && given->classes.size() != 2)
    return usage_error(
        "masks that are merged have two classes, background and foreground; "
        "--classes or --num-classes names " +
        std::to_string(given->classes.size()));
  return given.value_or(labels::binary_classes());
}

}  // namespace

Result<LabelSetup> set_up_merged(const PackOptions& options, std::span<SampleList* const> splits) {
  HOTPACK_TRY(check_options(options));
  const bool objects = options.label.kind == LabelKind::instances;
  HOTPACK_ASSIGN(const std::optional<PackedLabels> packed, given_pack(options.label));
  LabelSetup setup;
  setup.scope = LabelScope::pixel;
  labels::LabelRules rules;
  rules.kind = LabelKind::binary;
  rules.dim = labels::DimLabels::refused;
  HOTPACK_ASSIGN(rules.threshold, given_threshold(options.label, packed));
  HOTPACK_ASSIGN(rules.unknown, resolve_unknown(options.label.unknown, labels::binary_classes()));
  HOTPACK_ASSIGN(setup.table,
                 objects ? classes_of_objects(options, splits) : classes_of_union(options, packed));
  HOTPACK_ASSIGN(setup.decoder, labels::LabelDecoder::create(
                                    objects ? labels::binary_classes() : setup.table, rules));
  if (!objects) setup.table = setup.decoder->table();
  HOTPACK_ASSIGN(setup.pad_id, resolve_pad(options.label.pad_label, setup.table));
  setup.rules = rules;
  setup.label_kind = word_of(objects ? LabelKind::index : LabelKind::binary);
  setup.unknown = options.label.unknown;
  setup.pad_label = options.label.pad_label;
  setup.threshold = rules.threshold.value_or(labels::kUsualThreshold);
  setup.explanation =
      "the masks of an image are merged: " +
      std::string(objects ? "ids of objects, 1 for the first mask in byte order of names"
                          : "the union of their foregrounds") +
      " (as --label-kind says); luma from " + std::to_string(*setup.threshold) +
      " on is foreground";
  return setup;
}

}  // namespace hotpack::pipeline
