// What labels mean in this run, resolved: the class table, how label files are read, and why.
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
#include "label_setup/header_survey.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct LabelSetup {
  std::optional<LabelScope> kind;               // absent: unlabelled
  labels::ClassTable table;                     // with sources
  std::optional<labels::LabelDecoder> decoder;  // with label files
  std::string label_kind;                       // of the schema's options: "color", "index", …, "folder"; empty when unlabelled
  std::string unknown;                          // resolved: "error", "ignore", "nearest:D" or a class name
  std::string pad_label;                        // resolved: "ignore" or a class name
  std::uint16_t pad_id = labels::kIgnored;
  labels::RgbId rgb_id = labels::RgbId::none;
  std::optional<int> threshold;        // with binary and with several masks
  bool multi = false;                  // several masks per image: `decoder` reads one of them as binary, and class ids are the masks'
  std::string map;                     // what --map or --preset makes of values, canonical JSON for the schema's options; empty without one
  std::vector<std::string> map_lines;  // the same for people: "11, 12 → 2 building", a line per class; empty without one
  std::string explanation;             // what was decided and why, for people

  // Whether a pixel that stays unknown refuses its sample. With `nearest` that is one that no class is near enough to.
  [[nodiscard]] bool refuses_unknown() const { return unknown == "error" || unknown.starts_with("nearest"); }
};

// The setup of one split: that of the whole data set, or that of images alone where the split has no labels.
[[nodiscard]] const LabelSetup& setup_of(const SampleList& list, const LabelSetup& setup);

// Decides by options and, where they leave it open, by the headers (`forms`) and by reading all labels (number of classes; whether RGB
// files hold ids). For whole-image classes also sets every sample's class_id, for masks every mask's, and puts the masks of a sample in
// class order. Errors: `usage` for options that contradict each other, `data` where labels cannot be read as asked. One table for all
// splits of a data set: `splits` has every split's list, `forms` the forms of all their labels. Without `pixels_too` masks whose
// classes are named are not told from ids.
[[nodiscard]] Result<LabelSetup> resolve_labels(const PackOptions& options, std::span<SampleList* const> splits, const LabelForms& forms,
                                                Observer& observer, ProblemLog& problems, bool pixels_too = true);

// The same for inputs that a finished pack may hold already, without looking at any file: what options leave open is taken from its
// manifest, but only where finding it out again must give the same. Otherwise an error, and resolve_labels() is the way.
// `finished` has a manifest per split.
[[nodiscard]] Result<LabelSetup> adopt_labels(const PackOptions& options, std::span<SampleList* const> splits,
                                              std::span<const format::Manifest* const> finished, ProblemLog& problems);

}  // namespace hotpack::pipeline
