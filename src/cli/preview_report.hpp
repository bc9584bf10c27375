// Reports the samples and the legend of a sheet as text and JSON.
//
// Plain values and pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "hotpack/schema.hpp"
#include "preview/label_classes.hpp"
#include "preview/legend.hpp"

namespace hotpack::cli {

struct ShownSample {
  std::uint64_t number = 0;
  std::string key;
  std::string remark;
  Extent size;                  // of the record
  preview::ClassCounts counts;  // empty without a label
  std::string problem;          // why the sample is not shown; empty: it is shown
};

struct PreviewReport {
  std::string source;         // the name of the pack or of the inputs
  std::string sheet, page;    // the files written; empty: none
  Extent size;                // of the sheet, if there is one
  int columns = 0;            // of the sheet, if there is one
  std::uint64_t samples = 0;  // number of samples in the source
  std::vector<ShownSample> shown;
  std::optional<preview::Legend> legend;  // absent without labels
};

[[nodiscard]] std::string preview_text(const PreviewReport& report);
[[nodiscard]] std::string preview_json(const PreviewReport& report,
                                       const std::vector<ClassInfo>& classes);

}  // namespace hotpack::cli
