// Decides how label files are read (LabelKind): by --label-kind, else by other options, else by
// headers, and at last by pixels.
//
// Failure: `data` if labels cannot be read in the chosen way, or if only the user can decide; `io`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "hotpack/result.hpp"
#include "label_setup/color_list.hpp"
#include "label_setup/given_labels.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/id_scan.hpp"
#include "labels/label_decoder.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct LabelDecision {
  LabelKind kind = LabelKind::automatic;
  std::string why;  // "auto: the classes have colors; the labels are 3 RGB PNG"
};

// The ids of all labels, read when first needed. Not thread-safe.
class LabelScan {
 public:
  LabelScan(std::span<SampleList* const> lists, const PackOptions& options, Observer& observer)
      : lists_(lists.begin(), lists.end()), options_(options), observer_(observer) {}
  [[nodiscard]] Result<const IdScan*> get();
  // The ids of a few labels, spread over the data set.
  [[nodiscard]] Result<IdScan> some() const { return scan_some_ids(lists_, options_); }
  // The colors of some labels, spread over the data set.
  [[nodiscard]] Result<ColorList> colors() const {
    return list_colors(lists_, options_, kSomeLabels, observer_);
  }
  [[nodiscard]] const PackOptions& options() const { return options_; }

 private:
  static constexpr std::size_t kSomeLabels = 64;
  std::vector<const SampleList*> lists_;
  const PackOptions& options_;
  Observer& observer_;
  std::optional<IdScan> found_;
};

// The decision if options alone determine it; absent if it depends on the files.
[[nodiscard]] std::optional<LabelDecision> decide_by_options(const LabelOptions& options,
                                                             const GivenLabels& given);

[[nodiscard]] Result<LabelDecision> decide_label_kind(const LabelOptions& options,
                                                      const GivenLabels& given,
                                                      const LabelForms& forms, LabelScan& scan);

}  // namespace hotpack::pipeline
