// Decides, as pack does, how a check reads labels. Some questions concern all labels, such as
// whether their values are colors or ids, and pack stops until the user answers them with an
// option. A check does not stop: it tries to read the labels in other ways, such as without the
// few files of another form or without classes, so that it can report everything else.
//
// Failure: the errors of resolve_labels(), but code `data` only if none of these ways works.
#pragma once

#include <optional>
#include <span>

#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

struct LenientLabels {
  LabelSetup setup;
  LabelOptions options;       // the options that gave `setup`
  bool classes_known = true;  // false: `setup` can decode the labels, but its classes mean nothing
  std::optional<Problem> question;  // the question with which pack would stop
};

// Decides how the labels of all splits (`lists`) are read. If `headers_only` is true, no pixels are
// read, and classes that would have to be counted stay unknown.
[[nodiscard]] Result<LenientLabels> resolve_labels_leniently(const PackOptions& options,
                                                             std::span<SampleList* const> lists,
                                                             const LabelForms& forms,
                                                             bool headers_only, Observer& observer,
                                                             ProblemLog& problems);

}  // namespace hotpack::pipeline
