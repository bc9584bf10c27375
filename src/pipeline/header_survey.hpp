// Reads the header of every input file once, in parallel: problems show before hours are spent, and the forms of labels tell how they
// can be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotpack/result.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/options.hpp"
#include "pipeline/problem.hpp"
#include "pipeline/sample_list.hpp"

namespace hotpack::pipeline {

// How many label files have which form, and the first of each.
struct LabelForms {
  struct Form {
    std::uint64_t count = 0;
    std::string first;  // path
  };
  Form gray8;  // 1…8 bits
  Form gray16;
  Form palette;
  Form rgb;  // with or without alpha
  Form jpeg;
};

struct HeaderSurvey {
  ProblemLog problems;
  LabelForms forms;
  std::uint64_t unreadable = 0;      // samples with an unusable header
  std::uint64_t largest_pixels = 0;  // of an image
};

// Order of examples does not depend on the number of threads. Errors: `io` for a file that cannot be read.
[[nodiscard]] Result<HeaderSurvey> survey_headers(const SampleList& list, const RecordOptions& options, Observer& observer);

// Problems that the headers of one sample show. `label` is absent where there is no label file.
// Used again on the bytes that are packed.
[[nodiscard]] std::optional<Problem> check_headers(const codecs::PictureInfo& image, const std::string& image_path,
                                                   const std::optional<codecs::PictureInfo>& label, const std::string& label_path,
                                                   const RecordOptions& options);

}  // namespace hotpack::pipeline
