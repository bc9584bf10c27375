// The resolved meaning of labels in a run: the class table, how label files are read, and why.
//
// Immutable after it is made; thread-safe to read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "label_setup/header_probe.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct LabelSetup {
  std::optional<LabelScope> scope;              // absent without labels
  labels::ClassTable table;                     // with sources
  std::optional<labels::LabelDecoder> decoder;  // with label files
  std::string label_kind;  // for the options of the schema: "color", "index", …, "folder"; empty
                           // without labels
  std::string unknown;     // resolved: "error", "ignore", "nearest:D" or a class name
  std::string pad_label;   // resolved: "ignore" or a class name
  std::uint16_t pad_id = labels::kIgnored;
  labels::RgbId rgb_id = labels::RgbId::none;
  std::optional<int> threshold;  // with binary and with several masks
  bool multi =
      false;  // several masks per image: `decoder` reads each as binary, and masks have class ids
  std::string map;  // the map of --map or --preset as canonical JSON for the options of the schema;
                    // empty without one
  std::vector<std::string> map_lines;  // the same for people: "11, 12 → 2 building", one line per
                                       // class; empty without one
  std::string explanation;             // what was decided and why, for people

  // True if a pixel that stays unknown refuses its sample. With `nearest` these are pixels too far
  // from every class.
  [[nodiscard]] bool refuses_unknown() const {
    return unknown == "error" || unknown.starts_with("nearest");
  }
};

// The setup of one split: that of the whole data set or, for a split without labels, that of images
// alone.
[[nodiscard]] const LabelSetup& setup_of(const SampleList& list, const LabelSetup& setup);

// Decides by options and, if these do not suffice, by the headers (`forms`) and by reading all
// labels (number of classes; whether RGB files hold ids). Also sets the class_id of samples with
// whole-image classes and of masks, and sorts the masks of a sample by class.
//
// All splits of a data set share one table: `splits` has the lists of all splits, `forms` the forms
// of all their labels. Without `pixels_too`, does not examine whether labels whose number of
// classes is given are masks rather than ids. Errors: `usage` for options that contradict each
// other, `data` if the labels cannot be read as the options say.
[[nodiscard]] Result<LabelSetup> resolve_labels(const PackOptions& options,
                                                std::span<SampleList* const> splits,
                                                const LabelForms& forms, Observer& observer,
                                                ProblemLog& problems, bool pixels_too = true);

// The same for inputs that a finished pack may hold already, without reading a label: takes from
// the manifests what options do not decide, if resolve_labels() would give the same result.
// Otherwise returns an error; then call resolve_labels(). `finished` has one manifest per split.
[[nodiscard]] Result<LabelSetup> adopt_labels(const PackOptions& options,
                                              std::span<SampleList* const> splits,
                                              std::span<const format::Manifest* const> finished,
                                              ProblemLog& problems);

}  // namespace hotpack::pipeline
