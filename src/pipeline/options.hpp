// Everything a user may choose about packing and checking. Plain values with the defaults of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "codecs/decoder.hpp"
#include "geometry/nearest.hpp"
#include "geometry/resample.hpp"
#include "hotpack/schema.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::pipeline {

// Where samples come from. Exactly one of `images` and `image_folders` is used; `labels` goes with `images`.
struct InputOptions {
  std::vector<std::string> images;  // folders, searched recursively
  std::vector<std::string> labels;
  std::vector<std::string> image_folders;  // folders of class folders
  std::vector<std::string> key_prefixes;   // one a root of images (and of labels, in the same order), or none
  std::string image_suffix;                // stripped at the end of the stem only
  std::string label_suffix;
  bool skip_orphans = false;  // --orphans skip: leave out images without label and labels without image
};

// What a label means.
struct LabelOptions {
  std::string classes;             // class file or packed data set, empty if none
  std::optional<int> class_count;  // --num-classes
  labels::LabelReading reading = labels::LabelReading::automatic;
  int threshold = 128;
  std::vector<std::string> ignore;   // ids or class names
  std::string unknown = "error";     // error, ignore or a class name
  std::string pad_label = "ignore";  // ignore or a class name
};

enum class SizeMismatch { error, each_to_target };
enum class ExifPolicy { automatic, apply, ignore };
[[nodiscard]] std::string_view size_mismatch_name(SizeMismatch policy);
[[nodiscard]] std::string_view exif_policy_name(ExifPolicy policy);

// How a picture becomes a record.
struct RecordOptions {
  Extent size;  // --size; required
  Fit fit = Fit::stretch;
  geometry::ImageFilter image_filter = geometry::ImageFilter::automatic;
  geometry::LabelFilter label_filter = geometry::LabelFilter::nearest;
  Anchor anchor = Anchor::centre;
  RgbColor pad_color{};
  SizeMismatch size_mismatch = SizeMismatch::error;
  ExifPolicy exif = ExifPolicy::automatic;
  ImageColor color = ImageColor::rgb;
  codecs::Depth16 depth16 = codecs::Depth16::shift;
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
  LabelStorage label_storage = LabelStorage::bits;
  ImageLayout layout = ImageLayout::hwc;
};

// How records are cut into shards and stored.
struct ShardOptions {
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  std::optional<std::uint64_t> shard_samples;
  std::optional<std::uint64_t> shuffle_seed;
  bool zstd_image = false;
  bool zstd_label = false;
  int zstd_level = 1;
};

struct RunOptions {
  std::string output;
  int threads = 1;
  bool skip_errors = false;                 // --on-error skip
  std::optional<std::uint64_t> max_errors;  // with skip_errors: stop beyond this many skipped samples
  std::string skipped_file;                 // with skip_errors: list of skipped samples, empty if none is wanted
  bool recheck = false;
  bool force = false;
};

struct PackOptions {
  InputOptions input;
  LabelOptions label;
  RecordOptions record;
  ShardOptions shard;
  RunOptions run;
};

}  // namespace hotpack::pipeline
