#include "pack/plan_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "format/plan_text.hpp"
#include "format/safetensors.hpp"
#include "format/schema_json.hpp"
#include "label_setup/placement.hpp"
#include "pack/plan_json.hpp"
#include "pack/planned_samples.hpp"
#include "reader/zstd_frame.hpp"
#include "writer/atomic_file.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;
using format::Json;
using format::JsonNode;

constexpr std::string_view kPlanVersion = "1.1";
constexpr std::string_view kStart = R"({"__metadata__":{"hotpack.plan_format":")";
constexpr int kFrameLevel = 9;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// A row of the table of shards: numbers of 64 bits, in this order.
enum Row : std::size_t {
  kSamples,
  kKeyBytes,
  kImageBytes,
  kLabelBytes,
  kImageBound,
  kLabelBound,
  kFrameBegin,
  kFrameBytes,
  kFrameContent,
  kFrameCrc,
  kRowLength
};
using ShardRow = std::array<std::uint64_t, kRowLength>;
constexpr std::uint64_t kRowBytes = kRowLength * sizeof(std::uint64_t);

// ---- writing

// The folder of a root as every machine finds it: parts may start in other folders.
Result<Json> roots_json(const FileList& files) {
  Json roots = Json::array();
  for (const Root& root : files.roots) {
    std::error_code failure;
    const std::string folder =
        root.folder.empty() ? "" : fs::absolute(root.folder, failure).string();
    if (failure) return io_error("cannot find the folder", root.folder, failure.value());
    if (!is_utf8(folder))
      return data_error(
          "the path of this input folder is not UTF-8, so a plan cannot hold it; "
          "rename the folder",
          folder);
    roots.push_back(Json{folder, root.key_prefix});
  }
  return roots;
}

std::string_view labels_of(const SampleList& list) {
  if (list.has_label_files) return "files";
  if (list.merges_masks) return "merged";
  if (!list.mask_names.empty()) return "masks";
  return list.class_names.empty() ? "none" : "classes";
}

Result<Json> set_json(const SetToPlan& set) {
  HOTPACK_ASSIGN(Json image_roots, roots_json(set.list->images));
  HOTPACK_ASSIGN(Json label_roots, roots_json(set.list->labels));
  return Json{{"name", set.name},
              {"schema", set.plan->schema_text},
              {"plan", set.plan->plan_text},
              {"labels", labels_of(*set.list)},
              {"largest_image", set.plan->largest.image},
              {"largest_label", set.plan->largest.label},
              {"scales_jpegs", set.plan->scales_jpegs},
              {"image_roots", std::move(image_roots)},
              {"label_roots", std::move(label_roots)},
              {"mask_names", set.list->mask_names}};
}

Result<std::string> sets_text(std::span<const SetToPlan> sets) {
  Json list = Json::array();
  for (const SetToPlan& set : sets) {
    HOTPACK_ASSIGN(Json json, set_json(set));
    list.push_back(std::move(json));
  }
  return format::canonical_json(list);
}

std::string tensor_text(std::string_view name, std::string_view type,
                        const std::vector<std::uint64_t>& shape, std::uint64_t begin,
                        std::uint64_t end) {
  Json entry{{"dtype", type}, {"shape", shape}, {"data_offsets", {begin, end}}};
  return "," + format::canonical_string(name) + ":" + format::canonical_json(entry);
}

class PlanWriter {
 public:
  explicit PlanWriter(writer::AtomicFile file) : file_(std::move(file)), compressor_(kFrameLevel) {}

  Result<std::uint64_t> write(const PackOptions& options, const LabelSetup& setup,
                              std::span<const SetToPlan> sets) {
    HOTPACK_ASSIGN(const std::string sets_json, sets_text(sets));
    metadata_ = Json{{"hotpack.plan_format", kPlanVersion},
                     {"hotpack.options", encode_options(options.record, options.shard)},
                     {"hotpack.labels", encode_labels(setup)},
                     {"hotpack.sets", sets_json}};
    for (const SetToPlan& set : sets) shard_count_ += set.plan->shards.size();
    header_bytes_ = reserved_header_bytes();
    if (header_bytes_ > format::kMaxHeaderBytes)
      return usage_error("the plan's classes and options take " + std::to_string(header_bytes_) +
                         " bytes; the limit is " + std::to_string(format::kMaxHeaderBytes));
    for (const SetToPlan& set : sets)
      for (const ShardPlan& shard : set.plan->shards) HOTPACK_TRY(add_shard(*set.list, shard));
    HOTPACK_TRY(write_tables());
    HOTPACK_TRY(file_.commit());
    return frames_start() + frames_bytes_;
  }

 private:
  [[nodiscard]] std::uint64_t table_bytes() const { return shard_count_ * kRowBytes; }
  [[nodiscard]] std::uint64_t crc_bytes() const { return 2 * sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t frames_start() const {
    return 8 + header_bytes_ + table_bytes() + crc_bytes();
  }

  [[nodiscard]] std::string header_text(std::uint64_t frames_bytes) const {
    const std::uint64_t crcs = table_bytes(), frames = crcs + crc_bytes();
    return "{\"__metadata__\":" + format::canonical_json(metadata_) +
           tensor_text("shards", "U64", {shard_count_, kRowLength}, 0, crcs) +
           tensor_text("crc32c", "U32", {2}, crcs, frames) +
           tensor_text("frames", "U8", {frames_bytes}, frames, frames + frames_bytes) + "}";
  }

  // The length of the header is needed before that of the frames is known, so there is room for the
  // longest.
  [[nodiscard]] std::uint64_t reserved_header_bytes() const {
    const std::uint64_t longest = header_text(kMostBytes).size();
    return longest + padding_to(longest, 8);
  }

  Status add_shard(const SampleList& list, const ShardPlan& shard) {
    const std::span<const Sample> samples(list.samples.data() + shard.first,
                                          static_cast<std::size_t>(shard.samples));
    const std::string content = encode_samples(list, samples);
    HOTPACK_TRY(compressor_.compress(bytes_of(content), frame_));
    HOTPACK_TRY(file_.file().write_at(frames_start() + frames_bytes_, frame_));
    const ShardRow row{shard.samples,      shard.key_bytes,    shard.bytes.image, shard.bytes.label,
                       shard.bounds.image, shard.bounds.label, frames_bytes_,     frame_.size(),
                       content.size(),     crc32c(frame_)};
    for (const std::uint64_t number : row) append(table_, number);
    frames_bytes_ += frame_.size();
    return {};
  }

  template <class T>
  static void append(std::string& text, T number) {
    std::array<std::byte, sizeof number> bytes{};
    store_le(bytes.data(), number);
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  Status write_tables() {
    std::string header;
    append(header, header_bytes_);
    header += header_text(frames_bytes_);
    header.resize(static_cast<std::size_t>(8 + header_bytes_), ' ');
    std::string crcs;
    append(crcs, crc32c(bytes_of(header)));
    append(crcs, crc32c(bytes_of(table_)));
    HOTPACK_TRY(file_.file().write_at(8 + header_bytes_, bytes_of(table_ + crcs)));
    return file_.file().write_at(0, bytes_of(header));
  }

  writer::AtomicFile file_;
  writer::FrameCompressor compressor_;
  Json metadata_;
  std::uint64_t shard_count_ = 0;
  std::uint64_t header_bytes_ = 0;
  std::uint64_t frames_bytes_ = 0;
  std::string table_;
  std::vector<std::byte> frame_;
};

// ---- reading

Error not_a_plan(const std::string& path) {
  return damaged_error("is not a plan of hotpack; `hotpack plan INPUTS -o FILE` makes one", path);
}

Error with_path(Error error, const std::string& path) {
  if (!error.path.empty()) return error;
  error.path = path;
  if (error.code == ErrorCode::damaged) error.message += ". Make the plan again";
  return error;
}

Result<std::vector<Root>> decode_roots(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<Root> roots;
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode root = node.element(i);
    HOTPACK_ASSIGN(const std::size_t parts, root.length());
    if (parts != 2) return root.error("must be a folder and a prefix");
    HOTPACK_ASSIGN(std::string folder, root.element(0).text());
    HOTPACK_ASSIGN(std::string prefix, root.element(1).text());
    roots.push_back({std::move(folder), std::move(prefix)});
  }
  return roots;
}

// What the metadata say about a split.
struct SetHead {
  std::string name;
  std::string schema_text;
  Schema schema;
  std::string plan_text;
  format::PlanIdentity identity;
  std::string labels;
  RecordBytes largest;
  bool scales_jpegs = false;
  std::vector<Root> image_roots, label_roots;
  std::vector<std::string> mask_names;
  std::uint64_t first_row = 0;  // in the table of shards
};

Result<SetHead> decode_set(const JsonNode& node) {
  HOTPACK_TRY(
      node.require_keys({"name", "schema", "plan", "labels", "largest_image", "largest_label",
                         "scales_jpegs", "image_roots", "label_roots", "mask_names"},
                        0));
  SetHead set;
  HOTPACK_ASSIGN(set.name, node.at("name").text());
  HOTPACK_ASSIGN(set.schema_text, node.at("schema").text());
  HOTPACK_ASSIGN(set.schema, format::decode_schema(set.schema_text, 0));
  HOTPACK_ASSIGN(set.plan_text, node.at("plan").text());
  HOTPACK_ASSIGN(set.identity, format::decode_plan(set.plan_text, 0));
  HOTPACK_ASSIGN(set.labels, node.at("labels").text());
  HOTPACK_ASSIGN(set.largest.image, node.at("largest_image").count());
  HOTPACK_ASSIGN(set.largest.label, node.at("largest_label").count());
  HOTPACK_ASSIGN(set.scales_jpegs, node.at("scales_jpegs").boolean());
  HOTPACK_ASSIGN(set.image_roots, decode_roots(node.at("image_roots")));
  HOTPACK_ASSIGN(set.label_roots, decode_roots(node.at("label_roots")));
  const JsonNode names = node.at("mask_names");
  HOTPACK_ASSIGN(const std::size_t length, names.length());
  for (std::size_t i = 0; i < length; ++i) {
    HOTPACK_ASSIGN(std::string name, names.element(i).text());
    set.mask_names.push_back(std::move(name));
  }
  return set;
}

// Returns the value of a key of the metadata; null if there is none.
const std::string* find_value(const format::Container& container, std::string_view key) {
  for (const auto& [name, value] : container.metadata)
    if (name == key) return &value;
  return nullptr;
}

Result<bool> begins_as_plan(const std::string& path) {
  std::string start(kStart.size(), '\0');
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  HOTPACK_ASSIGN(const std::size_t got,
                 file.read_some(8, std::as_writable_bytes(std::span(start))));
  return got == start.size() && start == kStart;
}

// A folder name below which the shards of a split go. "" stands for a single set.
bool usable_name(const std::string& name) {
  return name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

bool is_plan_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && begins_as_plan(path).value_or(false);
}

Status check_plan_path(const std::string& path) {
  std::error_code ignored;
  const fs::path full = fs::absolute(path, ignored).lexically_normal();
  if (!full.has_filename() || fs::is_directory(full, ignored))
    return usage_error("-o " + path +
                       ": is a folder; give the name of a file for the plan, such "
                       "as train.plan");
  if (!fs::is_directory(full.parent_path(), ignored))
    return usage_error("-o " + path + ": its folder does not exist");
  if (!fs::exists(fs::symlink_status(full, ignored))) return {};
  HOTPACK_ASSIGN(const bool plan, begins_as_plan(full.string()));
  if (plan) return {};
  return usage_error("-o " + path +
                     ": is not a plan of hotpack, so it is not replaced; choose another name, or "
                     "remove this file");
}

Result<std::uint64_t> write_plan_file(const std::string& path, const PackOptions& options,
                                      const LabelSetup& setup, std::span<const SetToPlan> sets) {
  HOTPACK_TRY(check_plan_path(path));
  const fs::path full = fs::absolute(path).lexically_normal();
  const std::string name = full.filename().string();
  HOTPACK_TRY(writer::remove_stale_temporaries(
      full.parent_path().string(),
      [&](std::string_view final_name) { return final_name == name; }));
  HOTPACK_ASSIGN(writer::AtomicFile file,
                 writer::AtomicFile::create(full.parent_path().string(), full.filename().string()));
  return PlanWriter(std::move(file)).write(options, setup, sets);
}

struct PlanFile::Impl {
  std::string path;
  Mapping mapping;
  RecordOptions record;
  ShardOptions shard;
  LabelSetup labels;
  std::vector<SetHead> sets;
  std::span<const std::byte> table, frames;

  Status load() {
    const auto bytes = mapping.bytes();
    const std::size_t start = 8 + kStart.size();
    if (bytes.size() < start || text_at(8, kStart.size()) != kStart) return not_a_plan(path);
    HOTPACK_ASSIGN(const format::Container container, format::read_container(bytes));
    HOTPACK_TRY(check_version(container));
    HOTPACK_TRY(find_tensors(container));
    HOTPACK_TRY(check_sums(container));
    return decode_metadata(container);
  }

  [[nodiscard]] ShardRow row(std::uint64_t index) const {
    ShardRow numbers{};
    for (std::size_t i = 0; i < kRowLength; ++i)
      numbers[i] = load_le<std::uint64_t>(table.data() + index * kRowBytes + i * 8);
    return numbers;
  }

 private:
  [[nodiscard]] std::string_view text_at(std::size_t offset, std::size_t size) const {
    return {reinterpret_cast<const char*>(mapping.bytes().data()) + offset, size};
  }

  static Status check_version(const format::Container& container) {
    const std::string* version = find_value(container, "hotpack.plan_format");
    if (version != nullptr && *version == kPlanVersion) return {};
    return usage_error("the plan has format " + (version == nullptr ? "?" : *version) +
                       ", this hotpack reads " + std::string(kPlanVersion) +
                       ". Make plan and parts with the same version of hotpack");
  }

  Status find_tensors(const format::Container& container) {
    const auto& tensors = container.tensors;
    const bool known = tensors.size() == 3 && tensors[0].name == "shards" &&
                       tensors[0].type == format::DType::u64 &&
                       tensors[0].bytes() % kRowBytes == 0 && tensors[1].name == "crc32c" &&
                       tensors[1].bytes() == 2 * sizeof(std::uint32_t) &&
                       tensors[2].name == "frames" && tensors[2].type == format::DType::u8;
    if (!known) return damaged_error("does not have the tensors of a plan");
    const auto buffer =
        mapping.bytes().subspan(static_cast<std::size_t>(8 + container.header_bytes));
    const auto view = [&](const format::Tensor& tensor) {
      return buffer.subspan(static_cast<std::size_t>(tensor.begin),
                            static_cast<std::size_t>(tensor.bytes()));
    };
    table = view(tensors[0]);
    crcs_ = view(tensors[1]);
    frames = view(tensors[2]);
    return {};
  }

  Status check_sums(const format::Container& container) const {
    const auto header = mapping.bytes().first(static_cast<std::size_t>(8 + container.header_bytes));
    if (crc32c(header) == load_le<std::uint32_t>(crcs_.data()) &&
        crc32c(table) == load_le<std::uint32_t>(crcs_.data() + 4))
      return {};
    return damaged_error("is damaged: a checksum of its header or of its table of shards is wrong");
  }

  Status decode_metadata(const format::Container& container) {
    const std::string* options = find_value(container, "hotpack.options");
    const std::string* labels_text = find_value(container, "hotpack.labels");
    const std::string* sets_text = find_value(container, "hotpack.sets");
    if (options == nullptr || labels_text == nullptr || sets_text == nullptr)
      return damaged_error("lacks a part of its metadata");
    HOTPACK_TRY(decode_options(*options, record, shard));
    HOTPACK_TRY(decode_sets(*sets_text));
    const auto labeled = std::find_if(
        sets.begin(), sets.end(), [](const SetHead& set) { return set.schema.label.has_value(); });
    const SetHead& shown = labeled == sets.end() ? sets.front() : *labeled;
    HOTPACK_ASSIGN(labels, decode_labels(*labels_text, shown.schema));
    return {};
  }

  Status decode_sets(const std::string& text) {
    HOTPACK_ASSIGN(const format::JsonDocument document, format::parse_document(text));
    const JsonNode node(document.root(), "sets");
    HOTPACK_ASSIGN(const std::size_t length, node.length());
    std::uint64_t rows = 0;
    const std::uint64_t all = table.size() / kRowBytes;
    for (std::size_t i = 0; i < length; ++i) {
      HOTPACK_ASSIGN(SetHead set, decode_set(node.element(i)));
      if (!usable_name(set.name)) return node.element(i).error("has a name that is no folder name");
      set.first_row = rows;
      if (set.identity.shards > all - rows) return damaged_error("its table lacks shards");
      rows += set.identity.shards;
      HOTPACK_TRY(check_samples(set));
      sets.push_back(std::move(set));
    }
    if (sets.empty() || rows != all) return damaged_error("its table has shards of no data set");
    return {};
  }

  [[nodiscard]] Status check_samples(const SetHead& set) const {
    std::uint64_t left = set.identity.samples;
    for (std::uint64_t i = 0; i < set.identity.shards; ++i) {
      const std::uint64_t samples = row(set.first_row + i)[kSamples];
      if (samples > left) return damaged_error("its table holds more samples than its plan");
      left -= samples;
    }
    return left == 0 ? Status() : damaged_error("its table holds fewer samples than its plan");
  }

  std::span<const std::byte> crcs_;
};

namespace {

// Reads the shards of one split.
class SetReader {
 public:
  SetReader(const SetHead& head, const RecordOptions& record, PlannedSet& set)
      : head_(head), record_(record), set_(set) {}

  Status begin(const PackOptions& options, const LabelSetup& labels) {
    set_.list.images.roots = head_.image_roots;
    set_.list.labels.roots = head_.label_roots;
    set_.list.mask_names = head_.mask_names;
    set_.list.has_label_files = head_.labels == "files";
    set_.list.merges_masks = head_.labels == "merged";
    if (head_.labels == "classes")
      for (const ClassInfo& info : head_.schema.classes) set_.list.class_names.push_back(info.name);
    return set_up_plan(options, setup_of(set_.list, labels));
  }

  // Adds a shard of the table; `frame` is empty for one outside the range.
  Status add(const ShardRow& row, std::optional<std::span<const std::byte>> frame) {
    ShardPlan shard;
    shard.first = set_.list.samples.size();
    shard.samples = row[kSamples];
    shard.key_bytes = row[kKeyBytes];
    shard.bytes = {row[kImageBytes], row[kLabelBytes]};
    shard.bounds = {row[kImageBound], row[kLabelBound]};
    if (frame) {
      HOTPACK_TRY(decode(row, *frame));
      HOTPACK_TRY(check_sizes(row, shard));
    }
    set_.plan.shards.push_back(std::move(shard));
    return {};
  }

 private:
  Status set_up_plan(const PackOptions& options, const LabelSetup& setup) {
    Plan& plan = set_.plan;
    plan.schema = make_schema(options, setup);
    for (const auto& option : head_.schema.options.more)
      if (option.first == "jpeg_scale") plan.schema.options.more.push_back(option);
    HOTPACK_ASSIGN(plan.schema_text, format::encode_schema(plan.schema));
    if (plan.schema_text != head_.schema_text)
      return usage_error(
          "was made by a version of hotpack that makes other records. Make the plan again, or pack "
          "with the version that made it");
    plan.identity = head_.identity;
    plan.plan_text = head_.plan_text;
    plan.record = record_;
    plan.largest = head_.largest;
    plan.scales_jpegs = head_.scales_jpegs;
    plan.is_fixed = true;
    plan.shards.reserve(static_cast<std::size_t>(head_.identity.shards));
    return {};
  }

  Status decode(const ShardRow& row, std::span<const std::byte> frame) {
    if (crc32c(frame) != row[kFrameCrc])
      return damaged_error("is damaged: the checksum of a shard's samples is wrong");
    HOTPACK_TRY(reader::check_frame(frame, row[kFrameContent]));
    content_.resize(static_cast<std::size_t>(row[kFrameContent]));
    HOTPACK_TRY(reader::decompress_frame(frame, std::as_writable_bytes(std::span(content_))));
    return decode_samples(content_, row[kSamples], head_.schema.class_count(), set_.list);
  }

  // True if the sample's corner is one that --tile makes of an image of its size.
  [[nodiscard]] bool is_tile(const Sample& sample) {
    if (!record_.tile || sample.size == Extent{}) return sample.tile_x == 0 && sample.tile_y == 0;
    if (sample.size != tiled_size_) {
      if (!can_be_tiled(record_, sample.size)) return false;
      tiled_size_ = sample.size;
      corners_ = tile_corners(*record_.tile, canvas_of(record_, sample.size).size);
    }
    return std::any_of(corners_.begin(), corners_.end(), [&](const Corner& corner) {
      return corner.x == sample.tile_x && corner.y == sample.tile_y;
    });
  }

  // Compares the sizes in the table with those of the samples, and computes the digest of sources.
  Status check_sizes(const ShardRow& row, ShardPlan& shard) {
    format::SourcesDigest sources;
    std::uint64_t key_bytes = 0;
    RecordBytes bytes;
    for (std::size_t i = static_cast<std::size_t>(shard.first); i < set_.list.samples.size(); ++i) {
      const Sample& sample = set_.list.samples[i];
      if (!is_tile(sample)) return damaged_error("is damaged: a sample is no tile of its image");
      const RecordBytes record = set_.plan.bytes_of(sample);
      bytes = {bytes.image + record.image, bytes.label + record.label};
      key_bytes += sample.image.key_length;
      sources.add(set_.list.key(sample), sample.image.bytes, label_bytes(set_.list, sample),
                  sample.class_id);
    }
    shard.sources = sources.text();
    if (key_bytes == row[kKeyBytes] && bytes.image == row[kImageBytes] &&
        bytes.label == row[kLabelBytes])
      return {};
    return damaged_error("is damaged: the sizes of a shard do not fit its samples");
  }

  const SetHead& head_;
  const RecordOptions& record_;
  PlannedSet& set_;
  std::string content_;
  Extent tiled_size_;            // the size of which `corners_` are
  std::vector<Corner> corners_;  // of the tiles
};

}  // namespace

PlanFile::PlanFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PlanFile::~PlanFile() = default;
PlanFile::PlanFile(PlanFile&&) noexcept = default;

Result<PlanFile> PlanFile::open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  Result<Mapping> mapping = Mapping::open(path);
  if (!mapping.ok()) {
    Error error = std::move(mapping).error();
    error.message += "; --plan takes the file that `hotpack plan` has written";
    return error;
  }
  impl->mapping = *std::move(mapping);
  if (Status status = impl->load(); !status.ok()) return with_path(std::move(status).error(), path);
  return PlanFile(std::move(impl));
}

const RecordOptions& PlanFile::record() const { return impl_->record; }
const ShardOptions& PlanFile::shard() const { return impl_->shard; }
const LabelSetup& PlanFile::labels() const { return impl_->labels; }
std::size_t PlanFile::set_count() const { return impl_->sets.size(); }
const std::string& PlanFile::set_name(std::size_t set) const { return impl_->sets[set].name; }
std::uint64_t PlanFile::shard_count(std::size_t set) const {
  return impl_->sets[set].identity.shards;
}
std::uint64_t PlanFile::sample_count(std::size_t set) const {
  return impl_->sets[set].identity.samples;
}

Result<PlannedSet> PlanFile::read(std::size_t set, ShardRange range) const {
  const SetHead& head = impl_->sets[set];
  PlannedSet planned;
  SetReader reader(head, impl_->record, planned);
  PackOptions options;
  options.record = impl_->record;
  options.shard = impl_->shard;
  Status status = reader.begin(options, impl_->labels);
  for (std::uint64_t i = 0; i < head.identity.shards && status.ok(); ++i) {
    const ShardRow row = impl_->row(head.first_row + i);
    std::optional<std::span<const std::byte>> frame;
    if (i >= range.first && i < range.end) {
      if (!range_fits(row[kFrameBegin], row[kFrameBytes], impl_->frames.size()))
        return with_path(damaged_error("its table points outside the file"), impl_->path);
      frame = impl_->frames.subspan(static_cast<std::size_t>(row[kFrameBegin]),
                                    static_cast<std::size_t>(row[kFrameBytes]));
    }
    status = reader.add(row, frame);
  }
  if (!status.ok()) return with_path(std::move(status).error(), impl_->path);
  return planned;
}

}  // namespace hotpack::pipeline
