// What labels mean in a run: the class table, how label files are read, and why.
//
// Immutable after it is made; thread-safe to read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "format/manifest.hpp"
#include "hotpack/result.hpp"
#include "label_setup/header_probe.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct LabelSetup {
  std::optional<LabelScope> scope;              // absent without labels
  labels::ClassTable table;                     // with sources
  std::optional<labels::LabelDecoder> decoder;  // with label files
  std::optional<labels::LabelRules> rules;      // what the decoder was made from, with the classes
  std::string label_kind;  // for the options of the schema: "color", "index", …, "folder"; empty
                           // without labels
  std::string unknown;     // resolved: "error", "ignore", "nearest:D" or a class name
  std::string pad_label;   // resolved: "ignore" or a class name
  std::uint16_t pad_id = labels::kIgnored;
  labels::RgbId rgb_id = labels::RgbId::none;
  std::optional<int> threshold;  // with binary, and with several masks of an image
  bool multi =
      false;  // several masks per image: `decoder` reads each as binary, and masks have class ids
  std::string map;  // the map of --map or --preset as canonical JSON for the options of the schema;
                    // empty without one
  std::vector<std::string> map_lines;  // the same for people: "11, 12 → 2 building", one line per
                                       // class; empty without one
  std::string explanation;             // what was decided and why, for people

  // True if masks are merged to ids of objects: `decoder` reads each mask as binary.
  [[nodiscard]] bool numbers_objects() const {
    return rules && rules->kind == LabelKind::binary && label_kind == word_of(LabelKind::index);
  }

  // Returns true if a sample with unknown pixels is refused. With `nearest`, only pixels that are
  // too far from every class are unknown.
  [[nodiscard]] bool refuses_unknown() const {
    return unknown == "error" || unknown.starts_with("nearest");
  }
};

// Returns the setup for one split: `setup` itself or, for a split without labels, a setup for
// images alone.
[[nodiscard]] const LabelSetup& setup_of(const SampleList& list, const LabelSetup& setup);

// Decides what labels mean: by options; if these do not suffice, by the headers (`forms`); and if
// necessary by reading all labels (to count classes, or to see whether RGB files contain ids). Also
// sets the class_id of samples with whole-image classes and of masks, and sorts the masks of a
// sample by class.
//
// All splits of a data set share one class table: `splits` has the lists of all splits, `forms` the
// forms of all their labels. If `pixels_too` is false and the number of classes is given, does not
// check whether labels are masks rather than ids. Errors: `usage` for options that contradict each
// other, `data` if the labels cannot be read as the options say.
[[nodiscard]] Result<LabelSetup> resolve_labels(const PackOptions& options,
                                                std::span<SampleList* const> splits,
                                                const LabelForms& forms, Observer& observer,
                                                ProblemLog& problems, bool pixels_too = true);

// Decides what labels mean without reading any, if finished packs may already contain these inputs:
// takes from their manifests what options do not decide. `finished` has one manifest per split.
// Fails if resolve_labels() might decide otherwise; then call resolve_labels().
[[nodiscard]] Result<LabelSetup> adopt_labels(const PackOptions& options,
                                              std::span<SampleList* const> splits,
                                              std::span<const format::Manifest* const> finished,
                                              ProblemLog& problems);

}  // namespace hotpack::pipeline
