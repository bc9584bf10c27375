// Decides for a check how labels are read, as pack does. If pack would stop with a question about
// all labels, the labels are read as well as possible without the answer, so that everything else
// can still be checked.
//
// Failure: the errors of resolve_labels(), but code `data` only if every attempt fails.
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

// With `headers_only`, no pixels are read, so classes stay unknown if they would have to be
// counted.
[[nodiscard]] Result<LenientLabels> resolve_labels_leniently(const PackOptions& options,
                                                             std::span<SampleList* const> lists,
                                                             const LabelForms& forms,
                                                             bool headers_only, Observer& observer,
                                                             ProblemLog& problems);

}  // namespace hotpack::pipeline
