// All options of packing and checking: plain values with the defaults of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "base/words.hpp"
#include "hotpack/schema.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::pipeline {

// How to divide the samples into splits. Each split is packed into a folder with its name, inside
// the output folder.
struct SplitOptions {
  enum class Method {
    none,
    folder,  // the first part of the key
    ratio,   // shares of the keys (or groups) in an order drawn from `seed`
    hash,    // shares by the hash of the key (or group): new samples do not move the others
    list,    // one file of keys per split
  } method = Method::none;
  struct Part {
    std::string name;
    std::string value;  // ratio, hash: a share such as 80; list: a file
  };
  std::vector<Part> parts;
  std::uint64_t seed = 0;
  std::string group;  // --group REGEX: samples whose keys have the same match (or the same first
                      // captured group) stay in one split
};

// Differences between keys that pairing ignores.
struct KeyFolding {
  bool ignore_case = false;
  bool unicode = false;  // NFC and NFD forms of a character are equal
  bool numbers = false;  // leading zeros of numbers do not count: 7 and 0007 are equal
  [[nodiscard]] bool any() const { return ignore_case || unicode || numbers; }
};

// The names of columns that --columns gives. A column without one has one of the usual names.
struct ColumnNames {
  std::string image, label, split;
  bool classes = false;  // labels are classes of whole images, never files
  [[nodiscard]] bool any() const { return !image.empty() || !label.empty() || !split.empty(); }
};

// The source of samples. Give exactly one of `root`, `roots`, `images`, `image_folders` and
// `pairs`; or only `list`, whose lines then name the files of the samples. With one of the others,
// `list` selects samples. `labels` can be given only with `images`.
struct InputOptions {
  std::string root;                 // a data set whose layout is detected
  std::vector<std::string> roots;   // several data sets, which become one; empty if `root` is given
  std::vector<std::string> images;  // folders, searched recursively, or patterns with {key} and *
  std::vector<std::string> labels;
  std::vector<std::string> image_folders;  // folders of class folders
  std::vector<std::string>
      key_prefixes;          // empty, or one per folder of images; for labels in the same order
  std::string image_suffix;  // stripped at the end of the stem only
  std::string label_suffix;
  std::string image_regex;  // --pair-regex IMAGE LABEL: matched with the path below the root; the
                            // captured groups form the key
  std::string label_regex;
  std::string pairs;           // --pairs FILE: a table of image and label (or class) [and split]
  ColumnNames columns;         // --columns image=NAME,label=NAME,…: of the table
  std::string list;            // --list FILE: keys or paths that select samples, or pairs of paths
  std::string list_root;       // --root DIR: base folder of relative paths in --pairs and --list;
                               // empty: the folder of that file
  std::string strip_prefix;    // --strip-prefix P: removed from paths of --pairs and --list
  std::string mask_per_class;  // --mask-per-class PATTERN: {key} and {class} in the path of a mask
                               // below --labels, without extension
  std::vector<std::string> exclude;  // --exclude GLOB: files and folders that are left out
  KeyFolding fold;                   // --fold case,unicode,numbers
  bool skip_orphans =
      false;  // --orphans skip: leave out images without label and labels without image
  bool allow_empty = false;  // --allow-empty: accept class folders without images
  SplitOptions split;
};

// The meaning of labels.
struct LabelOptions {
  std::string preset;   // --preset: class table, ignore rule and suffixes of a known data set
  std::string classes;  // class file or packed data set, empty if none
  bool classes_found = false;      // hotpack found that file next to the data set
  std::string map;                 // --map FILE: maps ids, colors and names to classes
  std::optional<int> class_count;  // --num-classes
  std::optional<int> shift_ids;    // --shift-ids: a number below 0, added to every id
  LabelKind kind = LabelKind::automatic;
  labels::RgbId rgb_id = labels::RgbId::none;  // --rgb-id
  std::optional<int> threshold;      // --threshold; absent: that of a pack, or the usual one
  std::vector<std::string> ignore;   // ids or class names
  std::string unknown = "error";     // error, ignore, nearest[:D] or a class name
  std::string pad_label = "ignore";  // ignore or a class name
  // Set by `check` to see the values of labels of an unknown kind. Labels are then decoded even if
  // all their values are dark.
  bool decodes_anything = false;
};

// --tile: cuts the fitted image into records of one size.
struct TileOptions {
  Extent size;
  int overlap = 0;
};

// The options that make an image a record.
struct RecordOptions {
  Extent size;             // --size; 0x0 if it is not given: fit none
  std::optional<Fit> fit;  // absent: `stretch` if a size is given, else `none`
  ImageFilter image_filter = ImageFilter::automatic;
  LabelFilter label_filter = LabelFilter::nearest;
  Anchor anchor = Anchor::center;
  std::optional<TileOptions> tile;
  int pad_multiple = 1;  // with fit none: record sizes are padded to multiples of this
  RgbColor pad_color{};
  SizeMismatch size_mismatch = SizeMismatch::error;
  ExifPolicy exif = ExifPolicy::automatic;
  ImageColor color = ImageColor::rgb;
  std::optional<RgbColor> alpha_blend;  // --alpha blend=R,G,B; absent: alpha is dropped
  Depth16 depth16 = Depth16::shift;
  JpegScale jpeg_scale = JpegScale::automatic;
  std::uint64_t max_pixels = std::uint64_t{1} << 28;
  bool lenient = false;  // --lenient: accepts JPEGs with faults that cost no row of pixels
  std::optional<LabelStorage> label_storage;  // absent: bits, or index for ids of objects
  AxisOrder layout = AxisOrder::channels_last;

  [[nodiscard]] Fit resolved_fit() const {
    return fit.value_or(size == Extent{} ? Fit::none : Fit::stretch);
  }
};

// The options that divide records into shards and store them.
struct ShardOptions {
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  std::optional<std::uint64_t> shard_samples;
  std::optional<std::uint64_t> shuffle_seed;
  bool zstd_image = false;
  bool zstd_label = false;
  int zstd_level = 1;
};

// The part of the shards that a run writes: `index` of `count`, from 0.
struct Partition {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// --accept-skips: how many skipped samples still count as success, as a number or as a share of the
// samples of the run.
struct AcceptedSkips {
  std::uint64_t count = 0;
  std::optional<double> percent;  // if set, `count` is not used
};

// The most threads that only wait for files: while folders are listed and headers are read.
inline constexpr int kUsualIoThreads = 64;

struct RunOptions {
  std::string output;
  std::optional<Partition> partition;
  int threads = 1;
  int io_threads = kUsualIoThreads;         // --io-threads
  std::optional<std::uint64_t> max_memory;  // --max-memory: bytes; absent: see MemoryBudget
  bool skip_errors = false;                 // --on-error skip
  std::optional<std::uint64_t>
      max_errors;            // with skip_errors: stop after more than this many skipped samples
  std::string skipped_file;  // with skip_errors: list of skipped samples, empty if none is wanted
  std::optional<AcceptedSkips> accepted_skips;
  std::string plan_file;  // --plan: packs what this plan says; empty without a plan
  std::string receipts;   // --receipt: the folder for the receipt of this run; empty: none
  std::string scratch;    // --scratch: shards are written here first; empty: in the output folder
  std::string on_shard;   // --on-shard: the command for each finished shard; empty: none
  bool recheck = false;
  bool repair =
      false;  // --repair: verify finished shards byte by byte, and pack damaged ones again
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
