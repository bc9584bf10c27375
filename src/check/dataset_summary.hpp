// Collects everything that check reports about the samples of all splits: statistics of files and
// classes, duplicates, diagnostics.
//
// Memory: 48 bytes per sample, or 136 with several splits, plus that of the members. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.hpp"
#include "check/class_balance.hpp"
#include "check/diagnostics.hpp"
#include "check/duplicates.hpp"
#include "check/image_diagnostics.hpp"
#include "check/inverted_masks.hpp"
#include "check/label_context.hpp"
#include "check/label_diagnostics.hpp"
#include "check/shared_labels.hpp"
#include "check/split_copies.hpp"
#include "check/unknown_values.hpp"
#include "pack/inspection.hpp"
#include "samples/sample_list.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

class DatasetSummary {
 public:
  // `splits` must outlive the summary, in an unchanged order. Their samples must be those before
  // tiles are cut.
  DatasetSummary(const std::vector<Split>& splits, LabelContext context,
                 const RecordOptions& options);
  DatasetSummary(const DatasetSummary&) = delete;
  DatasetSummary& operator=(const DatasetSummary&) = delete;

  // Adds the sample splits[split].list.samples[index].
  void add(std::uint32_t split, std::uint32_t index, const SampleInspection& inspection);
  // Adds the diagnostics of all samples. If `pixels_read` is false, leaves out diagnostics about
  // the content of labels and images.
  void finish(bool pixels_read, Diagnostics& diagnostics);

  [[nodiscard]] const ImageStatistics& images() const { return images_; }
  [[nodiscard]] const ImageStatistics& label_images() const { return label_images_; }
  [[nodiscard]] const SplitClasses& classes(std::size_t split) const { return classes_[split]; }

 private:
  void add_image(const SampleList& list, const Sample& sample, const SampleInspection& inspection);
  void add_label(SamplePlace place, const LabelInspection& label);
  void add_merged(SamplePlace place, const SampleInspection& inspection);
  void add_pixels(const LabelInspection& label, std::uint32_t split);
  void add_masks(SamplePlace place, const SampleInspection& inspection);
  void add_class(const Sample& sample, std::uint32_t split);
  void add_copies(SamplePlace place, const SampleInspection& inspection);
  [[nodiscard]] std::string_view original_of(SamplePlace place) const;
  void count_augmented();
  void inspect_names();
  void report_copies(Diagnostics& diagnostics);
  void report_labels(Diagnostics& diagnostics);
  void report_small_images(Diagnostics& diagnostics) const;
  void report_dark_images(Diagnostics& diagnostics) const;
  void report_more_images(Diagnostics& diagnostics) const;
  void report_flawed_jpegs(Diagnostics& diagnostics) const;
  [[nodiscard]] std::string image_path(SamplePlace place) const;
  // The path of the label, or of the mask with this number.
  [[nodiscard]] std::string label_path(SamplePlace place, std::uint32_t mask = 0) const;
  [[nodiscard]] std::vector<std::string> split_names() const;
  void report_orientations(Diagnostics& diagnostics) const;
  void report_classes(Diagnostics& diagnostics) const;
  [[nodiscard]] std::string splits_without(std::size_t class_id) const;

  const std::vector<Split>& splits_;
  LabelContext context_;
  const RecordOptions& options_;
  DiagnosticCounts counts_;
  std::vector<SplitClasses> classes_;  // by split
  ImageStatistics images_, label_images_;
  Occurrences turned_, kept_as_stored_, more_images_, flawed_jpegs_, lenient_jpegs_;
  std::uint64_t labels_ = 0;  // labels whose pixels were read
  Diagnostics names_;         // diagnostics that need only keys
  ClassBalance balance_;
  ImageDiagnostics image_diagnostics_;
  std::map<std::uint32_t, InvertedMasks> inverted_masks_;  // by class; two classes: one entry
  Duplicates duplicates_;
  SharedLabels shared_labels_;
  SplitCopies copies_;
  UnknownValues unknown_;
  LabelDiagnostics label_diagnostics_;
};

}  // namespace hotpack::pipeline
