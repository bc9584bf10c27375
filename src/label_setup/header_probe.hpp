// Reads the header of every input file once, in parallel: to find problems before hours are spent,
// and to decide how labels are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codecs/image_info.hpp"
#include "hotpack/result.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// Counts of label files by form, with the first file of each.
struct LabelForms {
  struct Form {
    std::uint64_t count = 0;
    std::string first;  // path
  };
  Form gray8;  // 1…8 bits
  Form gray16;
  Form palette;
  std::uint64_t palette_hash = 0;  // of the palette of these files
  bool palettes_differ = false;    // in any byte, even if one is only longer than the other
  Form rgb;                        // with or without alpha
  Form rgb16;                      // the same with 16 bits per channel
  Form jpeg;

  [[nodiscard]] std::uint64_t total() const {
    return gray8.count + gray16.count + palette.count + rgb.count + rgb16.count + jpeg.count;
  }

  // Adds the counts of files that come later.
  void add(const LabelForms& later);
};

struct HeaderProbe {
  ProblemLog problems;
  LabelForms forms;
  std::vector<std::size_t> unopened;  // samples with a file that cannot be read, ascending
  std::uint64_t unreadable = 0;       // samples with an unusable header
  std::uint64_t largest_pixels = 0;   // of an image
};

// How many threads read headers: the first ones at once, more while files let them wait.
struct ProbeThreads {
  int first = 1;
  int most = 1;
};

// Sets the size of every sample (0x0 if its headers are unusable) and returns counts of what the
// headers contain. The order of examples does not depend on the number of threads. A file that
// cannot be read is added to the problems of the result; the caller decides whether it stops the
// run.
[[nodiscard]] Result<HeaderProbe> probe_headers(SampleList& list, const RecordOptions& options,
                                                Observer& observer, ProbeThreads threads = {});

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

// Finds a fault of the headers. Also applied to the bytes that are packed.
[[nodiscard]] std::optional<Problem> check_headers(const SampleHeaders& headers,
                                                   const RecordOptions& options);

// If the width and height of all `labels` labels are exchanged, adds this to the first such
// problem.
void note_exchanged_sides(std::uint64_t labels, ProblemLog& problems);

// Returns the size of the image as it is packed: rotated if its EXIF orientation is applied, and
// cropped to its label with --size-mismatch crop-min. Precondition: check_headers() found nothing.
[[nodiscard]] Extent packed_source_size(const SampleHeaders& headers, const RecordOptions& options);

}  // namespace hotpack::pipeline
