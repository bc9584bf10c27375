#include "pack/receipt.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"
#include "format/plan_text.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

using format::Json;
using format::JsonNode;

constexpr std::string_view kVersion = "1.0";
constexpr std::string_view kCheck = ",\"check\":\"";
constexpr std::string_view kEnd = "\"}\n";
constexpr std::size_t kCheckBytes = 15;  // "crc32c:" and eight digits
constexpr std::size_t kDigits = 5;
constexpr std::uint64_t kMostShards = 100'000'000;
constexpr std::chrono::seconds kPause{1};  // between two writes of the file

// ---- writing

Json sums_json(const format::Sums& sums) {
  Json numbers = Json::array();
  for (int c = 0; c < sums.channels; ++c)
    numbers.push_back(sums.channel_sums[static_cast<std::size_t>(c)]);
  for (int c = 0; c < sums.channels; ++c)
    numbers.push_back(sums.channel_squares[static_cast<std::size_t>(c)]);
  for (const std::uint64_t number : {sums.pixels_counted, sums.ignored, sums.skipped})
    numbers.push_back(number);
  return numbers;
}

// Four numbers per class that occurs: id, pixels, samples, labeled pixels.
Json classes_json(const format::Sums& sums) {
  Json numbers = Json::array();
  for (std::size_t id = 0; id < sums.classes.size(); ++id) {
    const format::Sums::ClassCount& count = sums.classes[id];
    if (count == format::Sums::ClassCount{}) continue;
    for (const std::uint64_t number :
         {std::uint64_t{id}, count.pixels, count.samples, count.labeled})
      numbers.push_back(number);
  }
  return numbers;
}

std::string shard_text(std::uint64_t index, const ReceiptShard& shard) {
  const format::ShardRow& row = shard.finished.row;
  return format::canonical_json(Json{{"index", index},
                                     {"records", row.records},
                                     {"bytes", row.bytes},
                                     {"sources", row.sources},
                                     {"digest", row.digest},
                                     {"keys", {shard.first_key, shard.last_key}},
                                     {"sums", sums_json(shard.finished.sums)},
                                     {"classes", classes_json(shard.finished.sums)}});
}

std::string set_text(const ReceiptSet& set) {
  std::string text = format::canonical_json(Json{{"split", set.split},
                                                 {"fingerprint", set.fingerprint},
                                                 {"schema", set.schema_text},
                                                 {"plan", set.plan_text},
                                                 {"shard_count", set.shard_count},
                                                 {"channels", set.channels},
                                                 {"class_count", set.class_count}});
  text.pop_back();
  text += ",\"shards\":[\n";
  for (const auto& [index, shard] : set.shards)
    text += (text.ends_with('}') ? ",\n" : "") + shard_text(index, shard);
  return text + "\n]}";
}

// ---- reading

Result<std::vector<std::uint64_t>> decode_numbers(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < length; ++i) {
    // Sums of squares use the whole range of 64 bits.
    const Json& json = node.element(i).json();
    if (!json.is_number_unsigned()) return node.element(i).error("must be a whole number");
    numbers.push_back(json.get<std::uint64_t>());
  }
  return numbers;
}

Status decode_classes(const JsonNode& node, format::Sums& sums) {
  HOTPACK_ASSIGN(const std::vector<std::uint64_t> numbers, decode_numbers(node));
  if (numbers.size() % 4 != 0) return node.error("must have four numbers per class");
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    if (numbers[i] >= sums.classes.size()) return node.error("has the id of no class");
    sums.classes[static_cast<std::size_t>(numbers[i])] = {numbers[i + 1], numbers[i + 2],
                                                          numbers[i + 3]};
  }
  return {};
}

Result<format::Sums> decode_sums(const JsonNode& node, const ReceiptSet& set) {
  format::Sums sums(set.channels, set.class_count);
  HOTPACK_ASSIGN(const std::vector<std::uint64_t> numbers, decode_numbers(node.at("sums")));
  const auto channels = static_cast<std::size_t>(set.channels);
  if (numbers.size() != 2 * channels + 3)
    return node.at("sums").error("must have " + std::to_string(2 * channels + 3) + " numbers");
  std::copy_n(numbers.begin(), channels, sums.channel_sums.begin());
  std::copy_n(numbers.begin() + set.channels, channels, sums.channel_squares.begin());
  sums.pixels_counted = numbers[2 * channels];
  sums.ignored = numbers[2 * channels + 1];
  sums.skipped = numbers[2 * channels + 2];
  HOTPACK_TRY(decode_classes(node.at("classes"), sums));
  return sums;
}

Status decode_shard(const JsonNode& node, ReceiptSet& set) {
  HOTPACK_TRY(node.require_keys(
      {"index", "records", "bytes", "sources", "digest", "keys", "sums", "classes"}, 0));
  HOTPACK_ASSIGN(const std::uint64_t index, node.at("index").count());
  if (index >= set.shard_count) return node.at("index").error("is the number of no shard");
  ReceiptShard shard;
  format::ShardRow& row = shard.finished.row;
  row.file = format::shard_file_name(index, set.shard_count);
  HOTPACK_ASSIGN(row.records, node.at("records").count());
  HOTPACK_ASSIGN(row.bytes, node.at("bytes").count());
  HOTPACK_ASSIGN(row.sources, node.at("sources").digest());
  HOTPACK_ASSIGN(row.digest, node.at("digest").digest());
  const JsonNode keys = node.at("keys");
  HOTPACK_ASSIGN(const std::size_t length, keys.length());
  if (length != 2) return keys.error("must have two keys");
  HOTPACK_ASSIGN(shard.first_key, keys.element(0).text());
  HOTPACK_ASSIGN(shard.last_key, keys.element(1).text());
  HOTPACK_ASSIGN(shard.finished.sums, decode_sums(node, set));
  if (!set.shards.emplace(index, std::move(shard)).second)
    return node.error("is a shard that the receipt has already");
  return {};
}

Result<ReceiptSet> decode_set(const JsonNode& node) {
  HOTPACK_TRY(node.require_keys({"split", "fingerprint", "schema", "plan", "shard_count",
                                 "channels", "class_count", "shards"},
                                0));
  ReceiptSet set;
  HOTPACK_ASSIGN(set.split, node.at("split").text());
  if (set.split == "." || set.split == ".." || set.split.find('/') != std::string::npos)
    return node.at("split").error("is no name of a folder");
  HOTPACK_ASSIGN(set.fingerprint, node.at("fingerprint").digest());
  HOTPACK_ASSIGN(set.schema_text, node.at("schema").text());
  HOTPACK_ASSIGN(set.plan_text, node.at("plan").text());
  if (!set.schema_text.empty() &&
      format::fingerprint(set.schema_text, set.plan_text) != set.fingerprint)
    return node.at("fingerprint").error("does not fit schema and plan");
  HOTPACK_ASSIGN(set.shard_count, node.at("shard_count").count(1, kMostShards));
  HOTPACK_ASSIGN(const std::uint64_t channels, node.at("channels").count(1, 3));
  set.channels = static_cast<int>(channels);
  HOTPACK_ASSIGN(set.class_count, node.at("class_count").count(0, labels::kMaxClasses));
  const JsonNode shards = node.at("shards");
  HOTPACK_ASSIGN(const std::size_t length, shards.length());
  for (std::size_t i = 0; i < length; ++i) HOTPACK_TRY(decode_shard(shards.element(i), set));
  return set;
}

// Checks the checksum at the end, so that a cut or edited receipt cannot make a manifest.
Status check_end(std::string_view text) {
  const std::size_t tail_bytes = kCheck.size() + kCheckBytes + kEnd.size();
  const std::string_view tail =
      text.size() < tail_bytes ? std::string_view() : text.substr(text.size() - tail_bytes);
  if (!tail.starts_with(kCheck) || !tail.ends_with(kEnd))
    return damaged_error("is cut off, or is not a receipt of hotpack");
  const std::string found =
      format::crc_text(crc32c(bytes_of(text.substr(0, text.size() - tail_bytes))));
  if (tail.substr(kCheck.size(), kCheckBytes) == found) return {};
  return damaged_error("its checksum is wrong: it was damaged, or edited by hand");
}

std::string padded(std::uint64_t number) {
  std::string text = std::to_string(number);
  return text.insert(0, kDigits - std::min(kDigits, text.size()), '0');
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads the receipt of an earlier run; an empty one if there is none.
Result<Receipt> read_earlier(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Receipt();
  HOTPACK_ASSIGN(const std::string text, read_text_file(path));
  Result<Receipt> receipt = decode_receipt(text);
  if (receipt.ok()) return receipt;
  return usage_error("--receipt: " + path + ": " + receipt.error().message +
                     ", so it is not replaced; remove the file, or choose another folder");
}

}  // namespace

std::string encode_receipt(const Receipt& receipt) {
  std::string text = "{\"hotpack_receipt\":" + format::canonical_string(kVersion) +
                     ",\"partition\":[" + std::to_string(receipt.partition.index) + "," +
                     std::to_string(receipt.partition.count) + "],\"sets\":[";
  for (const ReceiptSet& set : receipt.sets)
    text += (text.ends_with('[') ? "" : ",") + set_text(set);
  text += "]";
  const std::string check = format::crc_text(crc32c(bytes_of(text)));
  return text.append(kCheck).append(check).append(kEnd);
}

Result<Receipt> decode_receipt(std::string_view text) {
  HOTPACK_TRY(check_end(text));
  HOTPACK_ASSIGN(const format::JsonDocument document, format::parse_document(text));
  const JsonNode node(document.root(), "");
  if (!node.has("hotpack_receipt")) return damaged_error("is not a receipt of hotpack");
  HOTPACK_TRY(node.require_keys({"hotpack_receipt", "partition", "sets", "check"}, 0));
  HOTPACK_ASSIGN(const std::string version, node.at("hotpack_receipt").text());
  if (version != kVersion)
    return damaged_error("has format " + version + ", this hotpack reads " + std::string(kVersion));
  Receipt receipt;
  const JsonNode partition = node.at("partition");
  HOTPACK_ASSIGN(const std::size_t numbers, partition.length());
  if (numbers != 2) return partition.error("must have two numbers");
  HOTPACK_ASSIGN(receipt.partition.index, partition.element(0).count());
  HOTPACK_ASSIGN(receipt.partition.count, partition.element(1).count());
  const JsonNode sets = node.at("sets");
  HOTPACK_ASSIGN(const std::size_t length, sets.length());
  for (std::size_t i = 0; i < length; ++i) {
    HOTPACK_ASSIGN(ReceiptSet set, decode_set(sets.element(i)));
    receipt.sets.push_back(std::move(set));
  }
  return receipt;
}

std::string receipt_name(const Partition& partition) {
  return "part-" + padded(partition.index) + "-of-" + padded(partition.count) + ".json";
}

bool is_receipt_name(std::string_view name) {
  constexpr std::string_view kStart = "part-", kBetween = "-of-", kEnding = ".json";
  if (!name.starts_with(kStart) || !name.ends_with(kEnding)) return false;
  const std::string_view numbers =
      name.substr(kStart.size(), name.size() - kStart.size() - kEnding.size());
  const std::size_t between = numbers.find(kBetween);
  if (between == std::string_view::npos) return false;
  const auto index = number_of(numbers.substr(0, between));
  const auto count = number_of(numbers.substr(between + kBetween.size()));
  return index && count && name == receipt_name({*index, *count});
}

ReceiptBook::ReceiptBook(std::string folder, const Partition& partition)
    : folder_(std::move(folder)), path_(folder_ + "/" + receipt_name(partition)) {
  receipt_.partition = partition;
}

Result<ReceiptBook> ReceiptBook::open(const std::string& folder, const Partition& partition) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return io_error("cannot create the folder of --receipt", folder, failure.value());
  ReceiptBook book(folder, partition);
  HOTPACK_ASSIGN(book.earlier_, read_earlier(book.path_));
  const std::string name = receipt_name(partition);
  HOTPACK_TRY(writer::remove_stale_temporaries(
      folder, [&](std::string_view final_name) { return final_name == name; }));
  return book;
}

Result<std::size_t> ReceiptBook::begin_set(const std::string& split, const Plan& plan,
                                           bool forget) {
  ReceiptSet set;
  set.split = split;
  set.fingerprint = format::fingerprint(plan.schema_text, plan.plan_text);
  set.schema_text = plan.schema_text;
  set.plan_text = plan.plan_text;
  set.shard_count = plan.shards.size();
  set.channels = plan.schema.image.channels();
  set.class_count = plan.schema.label ? plan.schema.class_count() : 0;
  // All parts of a plan file have the same schema, so one of them may say it for all.
  if (plan.is_fixed && receipt_.partition.index > 0) set.schema_text.clear(), set.plan_text.clear();
  forgets_ = forget;
  for (ReceiptSet& before : earlier_.sets) {
    if (forget || before.split != split) continue;
    if (before.fingerprint != set.fingerprint && !before.shards.empty())
      return usage_error("--receipt: " + path_ +
                         ": is the receipt of another pack, or of other samples. Choose another "
                         "folder for receipts, or replace it with --force");
    if (before.fingerprint == set.fingerprint) set.shards = std::move(before.shards);
  }
  receipt_.sets.push_back(std::move(set));
  return receipt_.sets.size() - 1;
}

const ReceiptShard* ReceiptBook::find(std::size_t set, std::uint64_t shard,
                                      std::string_view sources) const {
  const auto& shards = receipt_.sets[set].shards;
  const auto found = shards.find(shard);
  return found != shards.end() && found->second.finished.row.sources == sources ? &found->second
                                                                                : nullptr;
}

Status ReceiptBook::add(std::size_t set, std::uint64_t index, ReceiptShard shard) {
  receipt_.sets[set].shards.insert_or_assign(index, std::move(shard));
  const auto now = std::chrono::steady_clock::now();
  if (now - written_ < kPause) return {};
  written_ = now;
  return write();
}

Status ReceiptBook::write() {
  const Result<Receipt> there = forgets_ ? Receipt() : read_earlier(path_);
  for (ReceiptSet& set : receipt_.sets) {
    for (const ReceiptSet& other : there.ok() ? there->sets : std::vector<ReceiptSet>())
      if (other.split == set.split && other.fingerprint == set.fingerprint)
        set.shards.insert(other.shards.begin(), other.shards.end());
  }
  const std::filesystem::path path(path_);
  return writer::write_file_atomically(folder_, path.filename().string(), encode_receipt(receipt_));
}

}  // namespace hotpack::pipeline
