// The first half of pack, check and preview: finds the samples, reads their headers and determines
// what label values mean.
//
// Call discover(), probe_headers() and resolve_labels(), in this order. given() returns the options
// of the user. resolved() returns the same options plus what the inputs add: label options that a
// layout implies, and the record size if --size is missing and all images have one size. Problems
// of single files are recorded; the caller decides whether they stop the run.
//
// Ownership: owns the splits; `observer` must outlive the object. Not thread-safe; uses the threads
// of the caller's arena. Each step returns early if a stop is requested; the caller must ask the
// observer. Failure: each step may fail with `usage`, `data` or `io`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "discovery/discovery.hpp"
#include "hotpack/result.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/one_size.hpp"
#include "pack/split_observer.hpp"
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
  // Sends the detected layout and the warnings of discover() to the observer.
  void announce() const;

  // Reads the headers of all files. Later calls do nothing.
  [[nodiscard]] Status probe_headers();
  // Reads all labels if options and headers do not determine what they mean.
  [[nodiscard]] Result<LabelSetup> resolve_labels(ProblemLog& problems);

  [[nodiscard]] const PackOptions& given() const { return given_; }
  [[nodiscard]] const PackOptions& resolved() const { return resolved_; }

  // Returns the splits that discover() has found. The caller may remove splits before it calls
  // probe_headers(), and samples at any time.
  [[nodiscard]] std::vector<Split>& splits() { return discovery_.splits; }
  [[nodiscard]] std::vector<SampleList*> lists();
  [[nodiscard]] const Discovery& discovery() const { return discovery_; }
  // Returns the observer to use for one split. If there are several splits, it adds the split's
  // name to messages, and its progress to that of the others.
  [[nodiscard]] Observer& observer_of(const Split& split);
  [[nodiscard]] JoinedProgress& joined() { return joined_; }

  // Results of probe_headers(), one per split.
  [[nodiscard]] const std::vector<HeaderProbe>& headers() const { return headers_; }
  [[nodiscard]] const LabelForms& forms() const { return forms_; }
  // Returns the sizes of records if --size is missing and the sizes differ; else null.
  [[nodiscard]] const RecordSizes* differing_sizes() const;

 private:
  const PackOptions given_;
  PackOptions resolved_;
  Observer& observer_;
  JoinedProgress joined_;                                       // of all splits
  std::map<std::string, std::unique_ptr<Observer>> observers_;  // by name of the split
  Discovery discovery_;
  bool probed_ = false;
  std::vector<HeaderProbe> headers_;
  LabelForms forms_;
  RecordSizes sizes_;
};

}  // namespace hotpack::pipeline
