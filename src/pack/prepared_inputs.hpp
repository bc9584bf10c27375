// The front half of pack, check and preview: from options to samples whose headers were read and whose labels have a meaning.
//
// Used in this order: discover, probe_headers, resolve_labels. Options stay as they were given; what the inputs decide stands in
// resolved(): label options that a layout names, and the size of records where nobody gave one and all images have it. What is wrong with
// single files is recorded as a Problem; whether that stops a run is for the caller to say. Ownership: owns the splits; `observer` outlives
// it. Not thread-safe; works with the threads of the caller's arena. Each step ends early where a stop is requested: ask the observer.
// Failure: `usage`, `data` and `io` as those of the steps.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/discovery.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/one_size.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

class PreparedInputs {
 public:
  PreparedInputs(PackOptions given, Observer& observer);
  PreparedInputs(const PreparedInputs&) = delete;
  PreparedInputs& operator=(const PreparedInputs&) = delete;

  // Checks the options, then finds layout, samples and splits.
  [[nodiscard]] Status discover(ProblemLog& problems);
  // Tells the observer what layout was detected and which images no sample takes.
  void announce() const;

  // Reads the headers of all files, once: later calls do nothing.
  [[nodiscard]] Status probe_headers();
  // Reads all labels where options and headers leave their meaning open.
  [[nodiscard]] Result<LabelSetup> resolve_labels(ProblemLog& problems);

  [[nodiscard]] const PackOptions& given() const { return given_; }
  [[nodiscard]] const PackOptions& resolved() const { return resolved_; }

  // Of discover(). Splits may be left out before probe_headers(), samples at any time.
  [[nodiscard]] std::vector<Split>& splits() { return discovery_.splits; }
  [[nodiscard]] std::vector<SampleList*> lists();
  [[nodiscard]] const Discovery& discovery() const { return discovery_; }
  // Names the split in messages and progress, where there are several.
  [[nodiscard]] Observer& observer_of(const Split& split);

  // Of probe_headers(), one per split.
  [[nodiscard]] const std::vector<HeaderProbe>& headers() const { return headers_; }
  [[nodiscard]] const LabelForms& forms() const { return forms_; }
  // The sizes of records where nobody gave one and they differ; else null.
  [[nodiscard]] const RecordSizes* differing_sizes() const;

 private:
  const PackOptions given_;
  PackOptions resolved_;
  Observer& observer_;
  std::map<std::string, std::unique_ptr<Observer>> observers_;  // of splits, by name
  Discovery discovery_;
  bool probed_ = false;
  std::vector<HeaderProbe> headers_;
  LabelForms forms_;
  RecordSizes sizes_;
};

}  // namespace hotpack::pipeline
