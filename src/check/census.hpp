// What a check learns from the samples of all splits, one after the other: statistics of their files, classes, duplicates, suspicions.
//
// Memory: 48 bytes per sample, 136 where there are several splits, and what the parts say. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "check/check.hpp"
#include "check/class_balance.hpp"
#include "check/duplicates.hpp"
#include "check/findings.hpp"
#include "check/label_context.hpp"
#include "check/shared_labels.hpp"
#include "check/split_copies.hpp"
#include "check/suspicions.hpp"
#include "check/unknown_values.hpp"
#include "inputs/sample_list.hpp"
#include "inputs/split.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class Census {
 public:
  // `splits` outlive the census and keep their order; here their samples are not yet cut into tiles.
  Census(const std::vector<Split>& splits, LabelContext context, const RecordOptions& options);
  Census(const Census&) = delete;
  Census& operator=(const Census&) = delete;

  // Of the sample splits[split].list.samples[index].
  void add(std::uint32_t split, std::uint32_t index, const SampleInspection& inspection);
  // Sorts and tells. `pixels_read`: without it nothing is said about what labels and images hold.
  void finish(bool pixels_read, Findings& findings);

  [[nodiscard]] const ImageStatistics& images() const { return images_; }
  [[nodiscard]] const ImageStatistics& label_images() const { return label_images_; }
  [[nodiscard]] const SplitClasses& classes(std::size_t split) const { return classes_[split]; }

 private:
  void add_image(const SampleList& list, const Sample& sample, const SampleInspection& inspection);
  void add_label(const std::string& path, const LabelInspection& label, std::uint32_t split);
  void add_masks(const SampleList& list, const Sample& sample, const SampleInspection& inspection, std::uint32_t split);
  void add_class(const Sample& sample, std::uint32_t split);
  void add_copies(SamplePlace place, const SampleInspection& inspection);
  void look_at_names();
  void tell_copies(Findings& findings);
  void tell_labels(Findings& findings);
  void tell_small_images(Findings& findings) const;
  void tell_more_images(Findings& findings) const;
  [[nodiscard]] std::string image_path(SamplePlace place) const;
  [[nodiscard]] std::string label_path(SamplePlace place) const;
  [[nodiscard]] std::vector<std::string> split_names() const;
  void tell_orientations(Findings& findings) const;
  void tell_classes(Findings& findings) const;
  [[nodiscard]] std::string splits_without(std::size_t class_id) const;

  const std::vector<Split>& splits_;
  LabelContext context_;
  const RecordOptions& options_;
  std::vector<SplitClasses> classes_;  // by split
  ImageStatistics images_, label_images_;
  Sightings turned_, kept_as_stored_, more_images_;
  std::uint64_t labels_ = 0;  // whose pixels were seen
  Findings names_;            // what keys alone tell
  ClassBalance balance_;
  Duplicates duplicates_;
  SharedLabels shared_labels_;
  SplitCopies copies_;
  UnknownValues unknown_;
  Suspicions suspicions_;
};

}  // namespace hotpack::pipeline
