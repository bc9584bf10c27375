// How a check reads labels: as pack would; or, where pack would stop with a question about all of them, as well as that goes without an
// answer, so that everything else is examined.
//
// Failure: as resolve_labels(), but code `data` only where no attempt helps.
#pragma once

#include <optional>
#include <span>

#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

struct ReadLabels {
  LabelSetup setup;
  LabelOptions options;             // that `setup` was made by
  bool classes_known = true;        // false: `setup` only serves to decode the labels, what it calls classes means nothing
  std::optional<Problem> question;  // what pack would stop with
};

// With `headers_only` no label's pixels are read: where classes would have to be counted, they stay unknown.
[[nodiscard]] Result<ReadLabels> read_labels_somehow(const PackOptions& options, std::span<SampleList* const> lists,
                                                     const LabelForms& forms, bool headers_only, Observer& observer, ProblemLog& problems);

}  // namespace hotpack::pipeline
