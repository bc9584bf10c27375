// The samples of a data set. Images are paired with labels by key, never by position.
//
// Compact: 72 bytes per sample plus the text of its paths, because a plan may contain millions of
// samples. Immutable after pairing, except for the sizes, which probing headers sets.
// Thread-safe to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fit.hpp"
#include "files/file_list.hpp"
#include "files/name_pattern.hpp"
#include "settings/options.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

inline constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

// One of several masks of an image: of one class (--mask-per-class), or to be merged.
struct Mask {
  SourceFile file;
  std::uint32_t name = 0;  // index into SampleList::mask_names; 0 if masks are merged
  std::uint32_t class_id =
      kNoClass;  // set by label_setup, which also sorts the masks of a sample by class
};

struct Sample {
  FoundFile image;
  SourceFile label;                     // bytes and length are 0 without a label file
  std::uint32_t class_name = kNoClass;  // whole-image class: index into SampleList::class_names
  std::uint32_t class_id = kNoClass;    // the id of that class, set by label_setup
  Extent size;  // of the image as it is packed, turned by its orientation; 0x0 until its header is
                // probed
  std::int32_t tile_x = 0, tile_y = 0;  // --tile: upper left corner in the fitted image
  std::uint32_t first_mask = 0;         // index of the first mask in SampleList::masks
  std::uint32_t mask_count = 0;
};

struct SampleList {
  FileList images;
  FileList labels;               // no files in it after pairing, but the text and the roots
  std::vector<Sample> samples;   // sorted by key bytes
  bool has_label_files = false;  // one per sample
  std::vector<Mask> masks;       // of all samples; a list with masks has no label files
  std::vector<std::string>
      mask_names;  // classes found in the names of masks, each once, in byte order
  // Names of whole-image classes, from folders or a table; unique, in byte order. Empty if the
  // samples have no such labels.
  std::vector<std::string> class_names;
  bool merges_masks = false;  // the masks of a sample, in byte order of paths, become one label
  std::string split = {};     // its name, for messages; empty before splits have names

  [[nodiscard]] std::string_view key(const Sample& sample) const {
    return images.key(sample.image);
  }
  // Memory of the list, not counting the allocator's overhead.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] std::string image_path(const Sample& sample) const {
    return images.path(sample.image);
  }
  [[nodiscard]] std::string label_path(const Sample& sample) const {
    return labels.path(sample.label);
  }
  [[nodiscard]] std::string mask_path(const Mask& mask) const { return labels.path(mask.file); }
  [[nodiscard]] std::span<const Mask> masks_of(const Sample& sample) const {
    return std::span(masks).subspan(sample.first_mask, sample.mask_count);
  }
};

// Bytes of a sample's label file, or of all its masks; 0 if it has none.
[[nodiscard]] inline std::uint64_t label_bytes(const SampleList& list, const Sample& sample) {
  std::uint64_t bytes = sample.label.bytes;
  for (const Mask& mask : list.masks_of(sample)) bytes += mask.file.bytes;
  return bytes;
}

struct Pairing {
  // --mask-per-class: an image has a mask per class. Keys are those of key_masks().
  const NamePattern* pattern = nullptr;
  bool merges = false;  // an image may have several masks, which become one label
  bool skip_orphans = false;
  KeyFolding folding = {};  // with which the keys were made; advice about orphans adds to it
};

// Pairs images and labels with the same key. Two images, or two labels of an image that has one,
// with the same key are always a problem. An image without a label and a label without an image
// (orphans) are problems or, with `skip_orphans`, are left out and counted in `left_out`.
[[nodiscard]] SampleList pair_files(FileList images, FileList labels, const Pairing& pairing,
                                    ProblemLog& problems, std::uint64_t& left_out);

// Samples without labels.
[[nodiscard]] SampleList images_alone(FileList images, ProblemLog& problems);

// Makes samples whose class is the first folder of their path below the root. `class_names` of the
// result are the names of all class folders, including empty ones.
[[nodiscard]] SampleList images_by_folder(FileList images, ProblemLog& problems);

// Appends samples to a list of the same kind. `prefix` is put before their keys; names of classes
// and of masks are joined.
void append_samples(const SampleList& more, const std::string& prefix, SampleList& list);

// Divides the samples among `parts` lists: sample i goes to list part_of[i]. The lists share the
// text of `list`; each has all class names.
[[nodiscard]] std::vector<SampleList> divide_samples(SampleList list,
                                                     const std::vector<std::uint32_t>& part_of,
                                                     std::size_t parts);

}  // namespace hotpack::pipeline
