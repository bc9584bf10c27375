// `check`: does everything that pack does except writing. It reports errors, likely mistakes and
// statistics of the inputs.
//
// Call it once per check. It uses at most RunOptions::threads threads and continues after bad
// files. Failure: an Error only if nothing can be checked, because options contradict each other or
// a folder cannot be read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "check/image_statistics.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "label_setup/color_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

enum class CheckResult {
  succeeds,    // pack would succeed
  leaves_out,  // with --on-error skip: pack would leave samples out
  refuses,     // pack would refuse the input
  stopped,     // a signal stopped the check
};

// How often each class occurs in one split. Counts pixels of the label files or, if each image has
// one class, images.
struct SplitClasses {
  std::vector<std::uint64_t> pixels;  // by class
  std::vector<std::uint64_t> labels;  // labels with the class, by class
  std::uint64_t ignored = 0;
};

struct SplitReport {
  std::string name;  // empty without splits
  std::uint64_t samples = 0;
  std::uint64_t bad = 0;  // samples that pack would refuse
  SplitClasses classes;
};

// Bytes of the records that pack would write. The tables of the shards come on top.
struct SizeEstimate {
  std::uint64_t records = 0;
  std::uint64_t shards = 0;
  std::uint64_t image_bytes = 0;
  struct Storage {
    LabelStorage storage = LabelStorage::bits;
    std::uint64_t label_bytes = 0;
  };
  std::vector<Storage> storages;  // every possible storage; empty without labels
  LabelStorage chosen = LabelStorage::bits;
  bool compressed =
      false;  // --zstd: the pack will be smaller; by how much is known only after packing
  [[nodiscard]] std::uint64_t chosen_bytes() const;
};

struct CheckReport {
  CheckResult result = CheckResult::succeeds;
  bool headers_only = false;
  std::string layout;  // the detected layout; each line ends with a line feed
  std::string labels;  // how labels are read, and why; empty without labels
  bool classes_known =
      true;  // false: labels could not be read with these options, so classes are not reported
  bool mapped = false;           // a map replaces label values
  bool classes_counted = false;  // SplitReport::classes is filled
  bool label_files = false;
  std::vector<ClassInfo> classes;
  std::vector<bool> ignored_classes;  // by class: --ignore names it; empty without classes
  std::optional<ColorList> colors;  // colors or ids of the labels, if no option gives them classes
  std::vector<SplitReport> splits;
  Diagnostics diagnostics;
  std::uint64_t problems =
      0;  // problems of samples and files; a sample with two problems counts twice
  ImageStatistics images;
  ImageStatistics label_images;
  std::optional<SizeEstimate> estimate;
  std::string size_advice;  // options that give records of one size, if images differ in size and
                            // --size is missing
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;
  std::uint64_t excluded = 0;  // files and folders that --exclude left out
  std::uint64_t bytes_in = 0;
};

// With `headers_only`, check reads no pixels.
[[nodiscard]] Result<CheckReport> check(const PackOptions& options, bool headers_only,
                                        Observer& observer);

}  // namespace hotpack::pipeline
