// The samples of a data set: images paired with labels by key, never by position.
//
// Compact: about a hundred bytes a sample and its paths' text, because a plan may hold millions. Immutable after pairing except for
// the headers that probing fills in. Thread-safe to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/picture_info.hpp"
#include "hotpack/result.hpp"
#include "pipeline/problem.hpp"
#include "pipeline/scan.hpp"

namespace hotpack::pipeline {

inline constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

struct Sample {
  FoundFile image;
  FoundFile label;                    // bytes and lengths 0 where there is no label file
  std::uint32_t class_id = kNoClass;  // given by the folder
};

struct SampleList {
  FileList images;
  FileList labels;              // no files in it after pairing, but the text and the roots
  std::vector<Sample> samples;  // sorted by key bytes
  bool has_label_files = false;

  [[nodiscard]] std::string_view key(const Sample& sample) const { return images.key(sample.image); }
  // What the list takes, without the allocator's own overhead.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] std::string image_path(const Sample& sample) const { return images.path(sample.image); }
  [[nodiscard]] std::string label_path(const Sample& sample) const { return labels.path(sample.label); }
};

// Pairs by key. Two files of one key on one side are always a problem; images without label and labels without image are problems
// unless `skip_orphans` (then counted in `left_out`).
[[nodiscard]] SampleList pair_by_key(FileList images, FileList labels, bool skip_orphans, ProblemLog& problems, std::uint64_t& left_out);

// Images alone.
[[nodiscard]] SampleList images_alone(FileList images, ProblemLog& problems);

// Name of the class folder that an image stands in.
[[nodiscard]] std::string_view class_folder_of(const SampleList& list, const Sample& sample);

}  // namespace hotpack::pipeline
