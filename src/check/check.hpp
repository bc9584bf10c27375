// `check`: everything that pack would do except writing, and a report of all that is wrong, suspicious or worth knowing in the input.
//
// One call a check; threads are limited inside, by RunOptions::threads. Never stops at a bad file. Errors come back as Error only where
// nothing can be examined: options that contradict each other, folders that cannot be read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/findings.hpp"
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

// What one split holds of each class: pixels as they are in the label files, or images where a class is an image's.
struct SplitClasses {
  std::vector<std::uint64_t> pixels;  // by class
  std::vector<std::uint64_t> labels;  // that hold the class
  std::uint64_t ignored = 0;
};

struct SplitReport {
  std::string name;  // empty where there is one set only
  std::uint64_t samples = 0;
  std::uint64_t bad = 0;  // with a problem of their own
  SplitClasses classes;
};

// What pack would write, record by record; shards add their tables.
struct SizeEstimate {
  std::uint64_t records = 0;
  std::uint64_t shards = 0;
  std::uint64_t image_bytes = 0;
  struct Storage {
    LabelStorage storage = LabelStorage::bits;
    std::uint64_t label_bytes = 0;
  };
  std::vector<Storage> storages;  // each that there is; empty when unlabelled
  LabelStorage chosen = LabelStorage::bits;
  bool compressed = false;  // --zstd: it will be less, by how much only packing tells
  [[nodiscard]] std::uint64_t chosen_bytes() const;
};

struct CheckReport {
  CheckResult result = CheckResult::succeeds;
  bool headers_only = false;
  std::string layout;            // what was detected; several lines, each ended
  std::string labels;            // how they are read and why; empty when unlabelled
  bool classes_known = true;     // false: labels could not be read as asked, so nothing is said about classes
  bool mapped = false;           // a map says what values become
  bool classes_counted = false;  // SplitReport::classes is filled
  bool label_files = false;
  std::vector<ClassInfo> classes;
  std::vector<bool> ignored_classes;  // of each class: --ignore names it, so nothing becomes it; empty without classes
  std::optional<ColorList> colors;    // where nothing says which classes the labels' colors or ids are
  std::vector<SplitReport> splits;
  Findings findings;
  std::uint64_t problems = 0;  // samples and files that pack refuses, each counted once a problem
  ImageStatistics images;
  ImageStatistics label_images;
  std::optional<SizeEstimate> estimate;
  std::string size_advice;  // images have several sizes and no --size was given: options for records that can be batched; else empty
  std::uint64_t orphans_left_out = 0;
  std::uint64_t other_files = 0;
  std::uint64_t bytes_in = 0;
};

// With `headers_only` no pixel is read.
[[nodiscard]] Result<CheckReport> check(const PackOptions& options, bool headers_only, Observer& observer);

}  // namespace hotpack::pipeline
