// Reads the header of every input file once, in parallel: problems show before hours are spent, and the forms of labels tell how they
// can be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

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
  std::uint64_t palette_hash = 0;  // of the palette that the files of this form have
  bool palettes_differ = false;    // by their bytes; their colors may agree as far as they go
  Form rgb;                        // with or without alpha
  Form jpeg;

  // Adds those of files that come later.
  void add(const LabelForms& later);
};

struct HeaderSurvey {
  ProblemLog problems;
  LabelForms forms;
  std::vector<std::size_t> unopened;  // samples of which a file cannot be read, ascending
  std::uint64_t unreadable = 0;       // samples with an unusable header
  std::uint64_t largest_pixels = 0;   // of an image
};

// Gives every sample its size (0x0 where its headers are unusable) and tells what else headers show. Order of examples does not depend
// on the number of threads. A file that cannot be read is
// a problem like others: whether it stops everything is for the caller to say.
[[nodiscard]] Result<HeaderSurvey> survey_headers(SampleList& list, const RecordOptions& options, Observer& observer);

// The files of one sample as their headers describe them.
struct FileHeader {
  codecs::ImageInfo info;
  std::string path;
};
struct SampleHeaders {
  FileHeader image;
  std::vector<FileHeader> labels;  // none, one, or one per mask

  void clear() { labels.clear(); }
  // Absent without label files.
  [[nodiscard]] std::optional<Extent> label_size() const;
};

// What is wrong with them. Used again on the bytes that are packed.
[[nodiscard]] std::optional<Problem> check_headers(const SampleHeaders& headers, const RecordOptions& options);

// The size of the image as it is packed: turned by its orientation where that is applied, and cut to its label with `crop-min`.
// Precondition: check_headers() found nothing.
[[nodiscard]] Extent packed_source_size(const SampleHeaders& headers, const RecordOptions& options);

}  // namespace hotpack::pipeline
