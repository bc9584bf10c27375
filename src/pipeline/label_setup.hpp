// What labels mean in this run, resolved: the class table, how label files are read, and why.
//
// Immutable after it is made; thread-safe to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/manifest.hpp"
#include "hotpack/result.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "pipeline/header_survey.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/options.hpp"
#include "pipeline/sample_list.hpp"

namespace hotpack::pipeline {

struct LabelSetup {
  std::optional<LabelKind> kind;                // absent: unlabelled
  labels::ClassTable table;                     // with sources
  std::optional<labels::LabelDecoder> decoder;  // with label files
  std::string label_kind;                       // of the schema's options: "color", "index", …, "folder"; empty when unlabelled
  std::string unknown;                          // resolved: "error", "ignore" or a class name
  std::string pad_label;                        // resolved: "ignore" or a class name
  std::uint16_t pad_id = labels::kIgnored;
  std::optional<int> threshold;  // with binary
  std::string verdict;           // what was decided and why, for people
};

// Decides by options and, where they leave it open, by the headers (`survey`) and by reading all labels (number of classes).
// For class folders also sets every sample's class_id. Errors: `usage` for options that contradict each other, `data` where labels
// cannot be read as asked.
[[nodiscard]] Result<LabelSetup> resolve_labels(const PackOptions& options, SampleList& list, const HeaderSurvey& survey,
                                                Observer& observer, ProblemLog& problems);

// The same for inputs that a finished pack may hold already, without looking at any file: what options leave open is taken from its
// manifest, but only where finding it out again must give the same. Otherwise an error, and resolve_labels() is the way.
[[nodiscard]] Result<LabelSetup> adopt_labels(const PackOptions& options, SampleList& list, const format::Manifest& finished,
                                              ProblemLog& problems);

}  // namespace hotpack::pipeline
