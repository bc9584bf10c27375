#include "cli/pack_arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/fit.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/option_values.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "label_setup/preset_list.hpp"
#include "pack/partition.hpp"
#include "settings/accepted_skips.hpp"

namespace hotpack::cli {

namespace {

constexpr const char* kInput = "Input";
constexpr const char* kLabels = "Labels";
constexpr const char* kGeometry = "Size and geometry";
constexpr const char* kImages = "Image details";
constexpr const char* kStorage = "Storage";
constexpr const char* kWriting = "Running";

constexpr int kMostIoThreads = 1024;

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Parses numbers with a separator between them: "1,2,3" or "4x3". Absent for any other text.
std::optional<std::vector<int>> parse_numbers(std::string_view text, char separator) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto number = parse_integer<int>(text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

// Parses "512x512". 512X512 and 512×512 mean the same, and 512 alone means both sides.
std::optional<Extent> parse_size(const std::string& text) {
  constexpr std::string_view kTimes = "×";
  std::string plain = text;
  if (const std::size_t at = plain.find(kTimes); at != std::string::npos)
    plain.replace(at, kTimes.size(), "x");
  std::replace(plain.begin(), plain.end(), 'X', 'x');
  if (const auto side = parse_integer<int>(plain); side && *side > 0) return Extent{*side, *side};
  const auto numbers = parse_numbers(plain, 'x');
  if (!numbers || numbers->size() != 2 || (*numbers)[0] < 1 || (*numbers)[1] < 1)
    return std::nullopt;
  return Extent{(*numbers)[0], (*numbers)[1]};
}

std::optional<RgbColor> parse_color(const std::string& text) {
  if (text.starts_with('#')) return hex_color(text);
  const auto numbers = parse_numbers(text, ',');
  if (!numbers || numbers->size() != 3) return std::nullopt;
  RgbColor color{};
  for (std::size_t i = 0; i < 3; ++i) {
    if ((*numbers)[i] < 0 || (*numbers)[i] > 255) return std::nullopt;
    color[i] = static_cast<std::uint8_t>((*numbers)[i]);
  }
  return color;
}

// Parses "512x512+128": the size of a tile and the overlap of neighboring tiles.
std::optional<pipeline::TileOptions> parse_tile(const std::string& text) {
  const std::size_t plus = text.find('+');
  const auto size = parse_size(text.substr(0, plus));
  const auto overlap =
      plus == std::string::npos ? 0 : parse_integer<int>(std::string_view(text).substr(plus + 1));
  if (!size || !overlap || *overlap < 0 || *overlap >= std::min(size->width, size->height))
    return std::nullopt;
  return pipeline::TileOptions{*size, *overlap};
}

// Parses the value of --alpha. "drop" gives an empty inner optional, "blend=R,G,B" the color. For
// any other text the outer optional is empty.
std::optional<std::optional<RgbColor>> parse_alpha(const std::string& text) {
  constexpr std::string_view kBlend = "blend=";
  if (text == "drop") return std::optional<RgbColor>();
  const auto color =
      text.starts_with(kBlend) ? parse_color(text.substr(kBlend.size())) : std::nullopt;
  if (!color) return std::nullopt;
  return color;
}

// Parses the value of --zstd: empty, "label", "image,label:3". Returns false for any other text.
bool parse_zstd(const std::string& text, pipeline::ShardOptions& shard) {
  const std::size_t colon = text.find(':');
  std::string fields = text.substr(0, colon);
  if (colon != std::string::npos) {
    const auto level = parse_integer<int>(std::string_view(text).substr(colon + 1));
    if (!level || *level < 1 || *level > 19) return false;
    shard.zstd_level = *level;
  }
  if (fields.empty()) fields = "image,label";
  shard.zstd_image = fields == "image" || fields == "image,label" || fields == "label,image";
  shard.zstd_label = fields == "label" || fields == "image,label" || fields == "label,image";
  return shard.zstd_image || shard.zstd_label;
}

using SplitMethod = pipeline::SplitOptions::Method;
constexpr std::array<std::pair<std::string_view, SplitMethod>, 4> kSplitMethods{
    {{"folder", SplitMethod::folder},
     {"ratio", SplitMethod::ratio},
     {"hash", SplitMethod::hash},
     {"list", SplitMethod::list}}};

// Parses the value of --split, either "folder" or "METHOD:NAME=VALUE,NAME=VALUE", into `split`.
// Returns false for any other text.
bool parse_split(std::string_view text, pipeline::SplitOptions& split) {
  const std::string_view word = text.substr(0, text.find(':'));
  const auto* const found = std::find_if(kSplitMethods.begin(), kSplitMethods.end(),
                                         [&](const auto& entry) { return entry.first == word; });
  if (found == kSplitMethods.end()) return false;
  split.method = found->second;
  if (split.method == SplitMethod::folder) return word == text;
  while (word.size() < text.size()) {
    const std::size_t comma = text.find(',', word.size() + 1);
    const std::string_view part = text.substr(
        word.size() + 1, comma == std::string_view::npos ? comma : comma - word.size() - 1);
    const std::size_t equal = part.find('=');
    if (equal == std::string_view::npos || equal == 0 || equal + 1 == part.size()) return false;
    split.parts.push_back(
        {std::string(part.substr(0, equal)), std::string(part.substr(equal + 1))});
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma - word.size());
  }
  return !split.parts.empty();
}

void set_split(const std::string& text, pipeline::SplitOptions& split) {
  if (!parse_split(text, split))
    throw CLI::ValidationError(
        "--split",
        "'" + text +
            "' is none of folder, ratio:NAME=SHARE,…, hash:NAME=SHARE,…, list:NAME=FILE,…");
}

// Parses the value of --columns: "image=NAME,label=NAME". Returns false for any other text.
bool parse_columns(std::string_view text, pipeline::ColumnNames& columns) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string_view role = part.substr(0, equal),
                           name = part.substr(std::min(equal + 1, part.size()));
    std::string* const place = role == "image"                      ? &columns.image
                               : role == "label" || role == "class" ? &columns.label
                               : role == "split"                    ? &columns.split
                                                                    : nullptr;
    if (place == nullptr || !place->empty() || name.empty()) return false;
    *place = name;
    columns.classes = columns.classes || role == "class";
  }
  return columns.any();
}

void set_columns(const std::string& text, pipeline::ColumnNames& columns) {
  if (!parse_columns(text, columns))
    throw CLI::ValidationError("--columns", "'" + text +
                                                "' is not of the form image=NAME,label=NAME,"
                                                "split=NAME, or class=NAME for label=NAME, each "
                                                "at most once");
}

void add_folder_options(CLI::App& command, pipeline::InputOptions& input) {
  const auto set_roots = [&input](const std::vector<std::string>& roots) {
    input.root = roots.size() == 1 ? roots.front() : "";
    input.roots = roots.size() == 1 ? std::vector<std::string>() : roots;
  };
  command
      .add_option_function<std::vector<std::string>>(
          "ROOT", set_roots,
          "data set folder; its layout is detected and printed (VOC, Cityscapes, images and masks, "
          "…); several become one pack")
      ->group(kInput);
  add_value(command, "--images", input.images,
            "folder of images, searched recursively, or a pattern 'DIR/{key}/*.jpg'; repeatable",
            "DIR", kInput);
  add_value(
      command, "--labels", input.labels,
      "folder of label files, paired with images by relative path without extension, or a pattern "
      "'DIR/{key}_*.png'; repeatable",
      "DIR", kInput);
  add_value(command, "--image-folders", input.image_folders,
            "folder with one folder per class, whose name is the class; repeatable", "DIR", kInput);
  add_value(
      command, "--key-prefix", input.key_prefixes,
      "prepend PREFIX/ to the keys of a folder; one per --images or --image-folders, in order",
      "PREFIX", kInput);
  add_value(command, "--exclude", input.exclude,
            "leave out files and folders below the input folders: a name such as '*_preview.png', "
            "or a path such as 'train/figures'; repeatable",
            "GLOB", kInput);
}

// Adds the options that say how images and labels are paired.
void add_pairing_options(CLI::App& command, pipeline::InputOptions& input) {
  add_value(command, "--image-suffix", input.image_suffix,
            "suffix stripped from image stems, such as _leftImg8bit; files without it are ignored",
            "S", kInput);
  add_value(command, "--label-suffix", input.label_suffix,
            "suffix stripped from label stems, such as _L or _gtFine_labelIds", "S", kInput);
  const auto set_regex = [&input](const std::vector<std::string>& both) {
    input.image_regex = both[0];
    input.label_regex = both[1];
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--pair-regex", set_regex,
          "two regular expressions for the paths of images and labels below their folders; the "
          "captured groups, joined by '/', are the key")
      ->option_text("IMAGE LABEL")
      ->expected(2)
      ->group(kInput);
  add_value(command, "--mask-per-class", input.mask_per_class,
            "one binary mask per class: their path below --labels without extension, such as "
            "{key}_{class}, {class}/{key} or */{key}_{class}; a pixel may then have several "
            "classes",
            "PATTERN", kInput);
  command
      .add_flag("--allow-empty", input.allow_empty, "accept empty class folders without a warning")
      ->group(kInput);
  add_choice(command, "--fold", input.fold,
             {{"none", {}},
              {"case", {true, false, false}},
              {"unicode", {false, true, false}},
              {"numbers", {false, false, true}},
              {"case,unicode", {true, true, false}},
              {"case,numbers", {true, false, true}},
              {"unicode,numbers", {false, true, true}},
              {"case,unicode,numbers", {true, true, true}}},
             "pair images and labels whose names differ only in case, in the Unicode form of a "
             "character (NFC, NFD), or in leading zeros of numbers (7, 007); keys keep the "
             "spelling of the image",
             kInput,
             {{"unicode,case", {true, true, false}},
              {"numbers,case", {true, false, true}},
              {"numbers,unicode", {false, true, true}}});
  add_choice(command, "--orphans", input.skip_orphans, {{"error", false}, {"skip", true}},
             "images without a label and labels without an image: stop, or leave them out", kInput);
}

void add_table_options(CLI::App& command, pipeline::InputOptions& input) {
  add_value(command, "--pairs", input.pairs,
            "table of samples (CSV, TSV or JSON lines): image, label (a file or a class) and "
            "optionally split",
            "FILE", kInput);
  add_text(
      command, "--columns", [&input](const std::string& text) { set_columns(text, input.columns); },
      "names of columns of --pairs, such as image=photo,class=diagnosis,split=fold; class= in "
      "place "
      "of label= if labels are classes of whole images",
      "ROLE=NAME,…", kInput);
  add_value(command, "--list", input.list,
            "samples to pack, one key or path per line; without --images, one image and one label "
            "path per line",
            "FILE", kInput);
  add_value(
      command, "--root", input.list_root,
      "folder that paths in --pairs and --list are relative to [default: the folder of that file]",
      "DIR", kInput);
  add_value(command, "--strip-prefix", input.strip_prefix,
            "prefix removed from paths in --pairs and --list, such as /SegNet/", "PREFIX", kInput);
}

void add_split_options(CLI::App& command, pipeline::InputOptions& input) {
  add_text(
      command, "--split", [&input](const std::string& text) { set_split(text, input.split); },
      "write several packs below -o: folder (first part of the key), ratio:train=80,val=20, "
      "hash:train=80,val=20 (samples keep their "
      "split when others are added), list:train=FILE,val=FILE",
      "HOW", kInput);
  add_value(command, "--split-seed", input.split.seed, "seed of --split ratio", "N", kInput)
      ->default_str("0");
  add_value(command, "--group", input.split.group,
            "with --split ratio or hash: samples whose keys have the same match of this regular "
            "expression stay in one split",
            "REGEX", kInput);
}

constexpr std::string_view kListPresets = "list";

std::vector<std::string> preset_words() {
  std::vector<std::string> words{std::string(kListPresets)};
  for (const auto& known : pipeline::preset_list()) words.push_back(known.first);
  return words;
}

void set_preset(const std::string& name, std::string& preset) {
  const std::vector<std::string> names = preset_words();
  if (!labels::is_preset_file(name) && std::find(names.begin(), names.end(), name) == names.end())
    throw CLI::ValidationError("--preset",
                               "there is no preset '" + name +
                                   "'; --preset list shows all, and the name of a preset's file "
                                   "ends with .csv" +
                                   suggestion(name, names));
  preset = name;
}

std::optional<labels::RgbId> parse_rgb_id(const std::string& text) {
  std::string formula;
  for (const char c : text) {
    if (c != ' ' && c != '*')
      formula += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  for (const labels::RgbId known :
       {labels::RgbId::red, labels::RgbId::low_first, labels::RgbId::tens_of_red}) {
    std::string name(labels::rgb_id_name(known));
    std::erase(name, '*');
    if (formula == name) return known;
  }
  return std::nullopt;
}

void add_label_options(CLI::App& command, pipeline::LabelOptions& label) {
  CLI::Option* const preset = add_text(
      command, "--preset", [&label](const std::string& name) { set_preset(name, label.preset); },
      "class table, ignored ids and suffixes of a known data set, such as voc, cityscapes19, "
      "ade20k150, or of a CSV file; list prints all names",
      "NAME|FILE|list", kLabels);
  set_choices(preset, preset_words);  // presets are large
  add_value(command, "--map", label.map,
            "table old,new that maps ids, colors or class names to a class, or to ignore", "FILE",
            kLabels);
  add_value(command, "--classes", label.classes,
            "class table: a CSV name,r,g,b, one name per line, or a pack whose table to share",
            "FILE|PACK", kLabels);
  add_value(command, "--num-classes", label.class_count,
            "number of classes, ids 0 … N-1; without it and without a class table, all labels are "
            "read to find N",
            "N", kLabels)
      ->check(CLI::Range(1, 65535));
  add_words<LabelKind>(command, "--label-kind", label.kind,
                       "how label files are read; auto prints its decision and the reason",
                       kLabels);
  CLI::Option* const rgb_id =
      add_parsed<labels::RgbId>(command, "--rgb-id", label.rgb_id, parse_rgb_id,
                                "with rgb-id: the id that a color encodes, r (CARLA, SYNTHIA), "
                                "r+256g+65536b (COCO panoptic) or r/10*256+g (ADE20K full)",
                                "r|r+256g+65536b|r/10*256+g", kLabels);
  set_choices(rgb_id, choices_of(*rgb_id));
  add_value(command, "--shift-ids", label.shift_ids,
            "added to every id, such as -1 if ids count from 1; ids that fall below 0 are ignored",
            "-N", kLabels);
  add_value(command, "--threshold", label.threshold,
            "with binary: pixels with a luma of N or more are foreground; in 16-bit gray, pixels "
            "with a stored value of N or more, and N is required unless all are 0 or 65535",
            "N", kLabels)
      ->default_str("128")
      ->check(CLI::Range(1, 65535));
  add_value(command, "--ignore", label.ignore,
            "id, class name or color to exclude from training; repeatable [default: 255 in 8-bit, "
            "65535 in 16-bit ids, unless a "
            "class has that id]",
            "ID|NAME|#RRGGBB", kLabels);
  add_value(command, "--unknown", label.unknown,
            "colors or ids without a class: error, ignore, nearest[:D] (the class of the "
            "nearest color, at most D away), "
            "or the class they become",
            "error|ignore|nearest[:D]|CLASS", kLabels)
      ->default_str("error");
  add_value(command, "--pad-label", label.pad_label, "label of padded pixels: ignore or a class",
            "ignore|CLASS", kLabels)
      ->default_str("ignore");
}

// Refuses the word "bilinear": it may mean either of two filters, and their results differ.
std::string refuse_bilinear(std::string word) {
  if (plain_word(word) == "bilinear")
    throw CLI::ValidationError(
        "'bilinear' may be linear (as OpenCV) or triangle (antialiased, as Pillow); say which");
  return word;
}

void add_geometry_options(CLI::App& command, pipeline::RecordOptions& record) {
  add_parsed<Extent>(command, "--size", record.size, parse_size,
                     "width and height of every record, such as 512x512 (512 alone: both). Without "
                     "it, images keep their size",
                     "WxH", kGeometry);
  add_words<Fit>(command, "--fit", record.fit,
                 "stretch: scale both sides; crop-or-pad: no scaling; contain: fit inside and pad; "
                 "cover: fill and crop; long-side, "
                 "short-side: scale that side, then crop or pad; none: keep the size",
                 kGeometry);
  const auto set_tile = [&record](const std::string& text) {
    record.tile = parse_tile(text);
    if (!record.tile)
      throw CLI::ValidationError(
          "--tile", "'" + text + "' is not WxH or WxH+OVERLAP with an overlap below both sides");
  };
  add_text(command, "--tile", set_tile,
           "cut the fitted image into records of one size, such as 512x512+128", "WxH[+OVERLAP]",
           kGeometry);
  add_value(command, "--pad-multiple", record.pad_multiple,
            "with --fit none: pad records to multiples of N", "N", kGeometry)
      ->check(CLI::Range(1, 65535));
  add_words<ImageFilter>(command, "--image-filter", record.image_filter,
                         "auto: area if both sides shrink, otherwise linear; the last three are "
                         "antialiased and equal Pillow 13's; with -pillow12.1 they equal those "
                         "of Pillow 12.1 and older",
                         kGeometry,
                         {{"bicubic", ImageFilter::cubic}, {"lanczos3", ImageFilter::lanczos}})
      ->transform(refuse_bilinear)
      ->option_text("auto|linear|area|nearest|(triangle|cubic|lanczos)[-pillow12.1]");
  add_words<LabelFilter>(command, "--label-filter", record.label_filter,
                         "nearest neighbor: centered and exact, as OpenCV, or as Pillow",
                         kGeometry);
  add_words<Anchor>(command, "--anchor", record.anchor,
                    "where cropping and padding leave the image", kGeometry,
                    {{"middle", Anchor::center}});
  add_parsed<RgbColor>(command, "--pad-color", record.pad_color, parse_color, "color of padding",
                       "R,G,B|#RRGGBB", kGeometry)
      ->default_str("0,0,0");
  add_words<SizeMismatch>(command, "--size-mismatch", record.size_mismatch,
                          "image and label differ in size: refuse; resample the label to the image "
                          "first; resample each to the record; "
                          "crop both to the smaller width and height",
                          kGeometry);
}

void add_image_options(CLI::App& command, pipeline::RecordOptions& record) {
  add_words<ExifPolicy>(
      command, "--exif", record.exif,
      "EXIF orientation; auto: apply it unless the label was drawn on the stored pixels", kImages);
  add_words<ImageColor>(command, "--channels", record.color, "channels of the packed image",
                        kImages,
                        {{"grey", ImageColor::gray},
                         {"grayscale", ImageColor::gray},
                         {"greyscale", ImageColor::gray},
                         {"colour", ImageColor::rgb},
                         {"color", ImageColor::rgb}});
  add_parsed<std::optional<RgbColor>>(command, "--alpha", record.alpha_blend, parse_alpha,
                                      "transparency of images: drop it, or blend with a color",
                                      "drop|blend=R,G,B", kImages)
      ->default_str("drop");
  add_words<Depth16>(command, "--depth16", record.depth16,
                     "16-bit images: keep the upper 8 bits, or rescale", kImages);
  add_words<JpegScale>(command, "--jpeg-scale", record.jpeg_scale,
                       "JPEGs that shrink much: auto decodes them at 1/2, 1/4 or 1/8 of their size "
                       "before an antialiased filter; off decodes all pixels",
                       kImages);
  add_value(command, "--max-pixels", record.max_pixels, "refuse larger images", "N", kImages)
      ->default_str("268435456")
      ->check(CLI::PositiveNumber);
  command
      .add_flag("--lenient", record.lenient,
                "accept JPEGs with stray bytes between segments or odd scan parameters if all "
                "their rows can be decoded")
      ->group(kImages);
}

// Adds an option whose value is a size in bytes.
template <class Bytes>
CLI::Option* add_size(CLI::App& command, const std::string& name, Bytes& bytes,
                      const std::string& text, const char* group) {
  const auto set = [name, &bytes](const std::string& word) {
    constexpr std::uint64_t kFewest =
        1024;  // no usual record fits fewer bytes, so the user probably forgot the unit
    const auto size = parse_bytes(word);
    const bool bare = word.find_first_not_of("0123456789") == std::string::npos;
    if (!size)
      throw CLI::ValidationError(name,
                                 "'" + word + "' is not a size such as 64MiB, 1GB or 268435456");
    if (*size == 0)
      throw CLI::ValidationError(name,
                                 "'" + word + "' is 0; expected a size above 0, such as 2GiB");
    if (bare && *size < kFewest)
      throw CLI::ValidationError(name, "'" + word + "' is " + counted_text(*size, "byte") +
                                           "; did you mean '" + word + "MiB'?");
    bytes = *size;
  };
  return add_text(command, name, set, text, "SIZE", group);
}

void add_storage_options(CLI::App& command, pipeline::PackOptions& options) {
  add_words<LabelStorage>(command, "--label-storage", options.record.label_storage,
                          "one-hot with one bit per class, one-hot bytes, or class ids", kStorage,
                          {{"ids", LabelStorage::index}});
  add_words<AxisOrder>(command, "--image-layout", options.record.layout,
                       "order of the image's axes", kStorage);
  add_size(command, "--shard-size", options.shard.shard_bytes,
           "maximum bytes of records per shard, such as 64MiB or 1GB", kStorage)
      ->default_str("256MiB");
  add_value(command, "--shard-samples", options.shard.shard_samples,
            "maximum samples per shard, instead of a size", "N", kStorage)
      ->check(CLI::PositiveNumber);
  add_value(command, "--shuffle", options.shard.shuffle_seed,
            "write records in a random order drawn from SEED; reading in file order is then random",
            "SEED", kStorage);
  const auto set_zstd = [shard = &options.shard](const std::string& text) {
    if (!parse_zstd(text, *shard))
      throw CLI::ValidationError(
          "--zstd", "'" + text + "' is not [image,label][:LEVEL] with a level from 1 to 19");
  };
  add_text(command, "--zstd", set_zstd,
           "compress each record: smaller, but no longer readable in place [default: both fields, "
           "level 1]",
           "[FIELDS][:LEVEL]", kStorage)
      ->expected(0, 1);
}

}  // namespace

bool wants_preset_list(const PackArguments& arguments) {
  return arguments.options.label.preset == kListPresets;
}

Report preset_list() {
  std::vector<Cells> rows;
  format::Json list = format::Json::array();
  for (const auto& [name, about] : pipeline::preset_list()) {
    rows.push_back({name, about});
    list.push_back(format::Json{{"name", name}, {"about", about}});
  }
  Report report;
  report.member("presets", std::move(list));
  report.lines(table_text(rows, {.indent = 0}));
  return report;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kPowers = "kmgt";
  std::string plain(text);
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t digits = std::min(plain.find_first_not_of("0123456789"), plain.size());
  const auto number = parse_integer<std::uint64_t>(std::string_view(plain).substr(0, digits));
  const std::string_view unit = std::string_view(plain).substr(digits);
  if (!number || unit.empty() || unit == "b") return number;
  const std::size_t power = kPowers.find(unit.front());
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib"))
    return std::nullopt;
  const std::uint64_t base = rest == "b" ? 1000 : 1024;
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= base;
  return checked_mul(*number, factor);
}

void add_sample_options(CLI::App& command, PackArguments& arguments) {
  pipeline::InputOptions& input = arguments.options.input;
  add_folder_options(command, input);
  add_pairing_options(command, input);
  add_table_options(command, input);
  add_split_options(command, input);
  add_label_options(command, arguments.options.label);
  add_geometry_options(command, arguments.options.record);
  add_image_options(command, arguments.options.record);
  add_storage_options(command, arguments.options);
  add_value(command, "--io-threads", arguments.options.run.io_threads,
            "most threads that wait for files while folders are listed and headers are read; more "
            "help on network file systems, and local disks use fewer",
            "N", kWriting)
      ->default_str(std::to_string(pipeline::kUsualIoThreads))
      ->check(CLI::Range(1, kMostIoThreads));
  add_size(command, "--max-memory", arguments.options.run.max_memory,
           "about the most memory for images that are decoded at once, such as 4GiB; large images "
           "are decoded fewer at once [default: half of the memory that the cgroup's limit or the "
           "machine leaves, at least 256MiB]",
           kWriting);
}

void add_planning_options(CLI::App& command, PackArguments& arguments, std::string& output) {
  add_value(command, "-o,--output", output, "file for the plan; new, or a plan", "FILE", kWriting);
  add_choice(command, "--on-error", arguments.options.run.skip_errors,
             {{"fail", false}, {"skip", true}},
             "files with unusable headers: stop, or plan them nevertheless, for `pack --on-error "
             "skip`",
             kWriting);
}

void add_accepted_skips(CLI::App& command, std::optional<pipeline::AcceptedSkips>& accepted,
                        const std::string& text, const char* group) {
  const auto set = [&accepted](const std::string& word) {
    accepted = pipeline::parse_accepted_skips(word);
    if (!accepted)
      throw CLI::ValidationError(
          "--accept-skips", "'" + word +
                                "' is neither a number of samples, such as 20, nor a percentage of "
                                "them, such as 0.1%");
  };
  add_text(command, "--accept-skips", set, text, "N|P%", group);
}

void add_writing_options(CLI::App& command, PackArguments& arguments) {
  pipeline::RunOptions& run = arguments.options.run;
  add_value(command, "--plan", run.plan_file,
            "pack what this plan of `hotpack plan` says, in place of inputs and their options",
            "FILE", kWriting);
  add_value(command, "-o,--output", run.output, "folder of the pack; new, or made by hotpack",
            "DIR", kWriting);
  add_value(command, "--receipt", run.receipts,
            "write a receipt of the finished shards to DIR, for `hotpack merge --receipts`", "DIR",
            kWriting);
  add_value(
      command, "--scratch", run.scratch,
      "write each shard here first, on a disk of this machine; then it goes to -o in order of "
      "its bytes, or to --on-shard",
      "DIR", kWriting);
  add_value(
      command, "--on-shard", run.on_shard,
      "run this command of the shell for each finished shard, with its path in place of {} and "
      "its split in place of {split}; needs --receipt",
      "COMMAND", kWriting);
  const auto set_partition = [&run](const std::string& text) {
    const Result<pipeline::Partition> partition =
        pipeline::parse_partition(text, pipeline::process_environment());
    if (!partition.ok()) throw CLI::ValidationError("--partition", partition.error().message);
    run.partition = *partition;
  };
  add_text(
      command, "--partition", set_partition,
      "write only part I (from 0) of N, for `hotpack merge` to join; auto: the part that the "
      "scheduler assigned: Slurm, Kubernetes, MPI and others (HOTPACK_PARTITIONS=N: the number "
      "of all parts)",
      "I/N|auto", kWriting);
  add_choice(command, "--on-error", run.skip_errors, {{"fail", false}, {"skip", true}},
             "samples that cannot be packed: stop, or leave them out", kWriting);
  add_value(command, "--max-errors", run.max_errors,
            "with skip: stop after more than N skipped samples (with --partition: of the part)",
            "N", kWriting);
  add_accepted_skips(command, run.accepted_skips,
                     "with skip: exit status 0 if at most N samples were skipped, or at most P% of "
                     "all samples (with --partition: of the part)",
                     kWriting);
  add_value(command, "--skipped", run.skipped_file,
            "with skip: write key, file and reason of each skipped sample to FILE", "FILE",
            kWriting);
  command
      .add_flag("--recheck", run.recheck,
                "hash all inputs again, and pack the shards whose inputs changed")
      ->group(kWriting);
  command
      .add_flag("--repair", run.repair,
                "verify every byte of the pack, and pack damaged or missing shards again; the "
                "others stay")
      ->group(kWriting);
  command.add_flag("--force", run.force, "pack everything again, replacing the pack in -o")
      ->group(kWriting);
}

}  // namespace hotpack::cli
