#include "pack/receipt_merge.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "pack/missing_shards.hpp"
#include "pack/output_folder.hpp"
#include "pack/output_lock.hpp"
#include "pack/receipt.hpp"
#include "settings/accepted_skips.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 3;

// A set of a receipt, with the receipt's path.
struct Given {
  std::string path;
  Partition partition;
  ReceiptSet set;
};

// ---- reading

Result<std::vector<std::string>> receipts_in(const std::string& source) {
  std::error_code failure;
  if (!fs::is_directory(source, failure)) {
    if (failure) return io_error("cannot open the receipt", source, failure.value());
    return std::vector<std::string>{source};
  }
  HOTPACK_ASSIGN(const std::vector<std::string> names, names_in_folder(source));
  std::vector<std::string> paths;
  for (const std::string& name : names)
    if (is_receipt_name(name)) paths.push_back((fs::path(source) / name).string());
  if (!paths.empty()) return paths;
  return Error{ErrorCode::data,
               "holds no receipts; they are named as in " + quoted_text(receipt_name({0, 4})) +
                   ", and `hotpack pack --receipt DIR` writes them",
               source,
               {}};
}

class ReceiptReader {
 public:
  explicit ReceiptReader(Observer& observer) : observer_(observer) {}

  Status read(const std::vector<std::string>& sources) {
    if (sources.empty()) return usage_error("--receipts: name receipts, or folders of receipts");
    for (const std::string& source : sources) {
      HOTPACK_ASSIGN(const std::vector<std::string> paths, receipts_in(source));
      for (const std::string& path : paths) {
        if (observer_.stop_requested()) return {};
        HOTPACK_TRY(read_one(path));
      }
    }
    return {};
  }

  // The receipts by split.
  [[nodiscard]] std::map<std::string, std::vector<Given>>& splits() { return splits_; }

 private:
  Status read_one(const std::string& path) {
    HOTPACK_ASSIGN(const std::string text, read_text_file(path));
    Result<Receipt> receipt = decode_receipt(text);
    if (!receipt.ok()) {
      Error error = std::move(receipt).error();
      error.path = path;
      return error;
    }
    HOTPACK_TRY(check_splits(path, *receipt));
    for (ReceiptSet& set : receipt->sets) {
      std::vector<Given>& of_split = splits_[set.split];
      of_split.push_back({path, receipt->partition, std::move(set)});
    }
    return {};
  }

  // All parts of a pack have the same splits.
  Status check_splits(const std::string& path, const Receipt& receipt) {
    std::set<std::string> names;
    for (const ReceiptSet& set : receipt.sets) names.insert(set.split);
    if (first_.empty()) first_ = path, names_ = names;
    if (names == names_) return {};
    return usage_error(path + ": is of other splits than " + quoted_text(first_) +
                       ", so it is of another pack; leave one of the two out");
  }

  Observer& observer_;
  std::string first_;            // the first receipt
  std::set<std::string> names_;  // of its splits
  std::map<std::string, std::vector<Given>> splits_;
};

// ---- joining

std::string in_split(const std::string& split) { return split.empty() ? "" : split + ": "; }

// Joins the receipts of one split into its manifest.
class ReceiptJoiner {
 public:
  explicit ReceiptJoiner(std::vector<Given>& given) : given_(given) {}

  Result<format::Manifest> join() {
    HOTPACK_TRY(check_one_plan());
    HOTPACK_TRY(collect());
    HOTPACK_TRY(check_complete());
    HOTPACK_TRY(read_identity());
    format::Sums total(given_.front().set.channels, given_.front().set.class_count);
    for (auto& [index, shard] : shards_) HOTPACK_TRY(take(*shard, total));
    if (samples_ != manifest_.plan.samples)
      return damaged_error(
          in_split(split()) + "the receipts hold " + counted_text(samples_, "sample") +
          ", packed or skipped; their plan has " + std::to_string(manifest_.plan.samples));
    manifest_.skipped = total.skipped;
    manifest_.statistics = format::statistics_of(total);
    return std::move(manifest_);
  }

  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

 private:
  [[nodiscard]] const std::string& split() const { return given_.front().set.split; }

  // Groups the receipts by their plan; more than one group is an error that names all.
  Status check_one_plan() const {
    std::map<std::string, std::vector<std::string>> paths;  // by fingerprint
    for (const Given& each : given_) paths[each.set.fingerprint].push_back(each.path);
    if (paths.size() == 1) return {};
    const auto largest = std::max_element(
        paths.begin(), paths.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::vector<std::string> others;
    for (const auto& [fingerprint, group] : paths)
      if (fingerprint != largest->first) others.insert(others.end(), group.begin(), group.end());
    return usage_error(in_split(split()) + "the receipts are of " + std::to_string(paths.size()) +
                       " different plans. " + counted_text(largest->second.size(), "receipt") +
                       " of one, such as " + quoted_text(largest->second.front()) +
                       "; of others: " + quoted_list_text(others, kMostNamed) +
                       ". Pack the parts of the others again with the same plan, or leave their "
                       "receipts out");
  }

  Status collect() {
    for (const Given& each : given_)
      for (const auto& [index, shard] : each.set.shards) {
        const auto [place, is_new] = shards_.try_emplace(index, &shard);
        if (is_new) {
          holders_[index] = each.path;
          continue;
        }
        ++repeated_;
        if (place->second->finished.row == shard.finished.row) continue;
        return data_error(
            "has " + shard.finished.row.file + " in another version than " +
                quoted_text(holders_[index]) +
                ": one of the two runs skipped samples, or read other bytes. Pack one "
                "of the two parts again, or leave its receipt out",
            each.path);
      }
    return {};
  }

  Status check_complete() const {
    const std::uint64_t count = given_.front().set.shard_count;
    std::vector<std::uint64_t> present;
    present.reserve(shards_.size());
    for (const auto& [index, shard] : shards_) present.push_back(index);
    const MissingShards missing = missing_from(count, present);
    if (missing.empty()) return {};
    const std::string name = format::shard_file_name(missing.ranges.front().first, count);
    return data_error(in_split(split()) + std::to_string(missing.count()) + " of " +
                      counted_text(count, "shard") +
                      (missing.count() == 1 ? " is in no receipt: " : " are in no receipt: ") +
                      missing.short_list() + ", the first is " + name + ". " + advice(missing));
  }

  // Names the parts that the missing shards belong to, if all receipts are of the same number.
  [[nodiscard]] std::string advice(const MissingShards& missing) const {
    const std::uint64_t parts = given_.front().partition.count;
    const bool same = std::all_of(given_.begin(), given_.end(),
                                  [&](const Given& each) { return each.partition.count == parts; });
    if (!same) return "Run the parts again that pack them, or name their receipts";
    return "Of " + counted_text(parts, "part") +
           ", run again or name the receipts of: " + missing.partition_list(parts);
  }

  // Takes schema and plan from a receipt that says them.
  Status read_identity() {
    const auto says = std::find_if(given_.begin(), given_.end(),
                                   [](const Given& each) { return !each.set.schema_text.empty(); });
    if (says == given_.end())
      return damaged_error(in_split(split()) +
                           "no receipt has the schema. That of part 0 has it: name it too");
    manifest_.schema_text = says->set.schema_text;
    manifest_.plan_text = says->set.plan_text;
    manifest_.fingerprint = says->set.fingerprint;
    HOTPACK_ASSIGN(manifest_.schema, format::decode_schema(manifest_.schema_text, 0));
    HOTPACK_ASSIGN(manifest_.plan, format::decode_plan(manifest_.plan_text, 0));
    const bool fits = std::all_of(given_.begin(), given_.end(), [&](const Given& each) {
      const std::size_t classes = manifest_.schema.label ? manifest_.schema.class_count() : 0;
      return each.set.shard_count == manifest_.plan.shards &&
             each.set.channels == manifest_.schema.image.channels() &&
             each.set.class_count == classes;
    });
    return fits ? Status()
                : damaged_error(in_split(split()) +
                                "a receipt does not fit the schema of the "
                                "others");
  }

  Status take(const ReceiptShard& shard, format::Sums& total) {
    const format::ShardRow& row = shard.finished.row;
    HOTPACK_TRY(check_order(shard));
    const std::uint64_t skipped = shard.finished.sums.skipped;
    const std::uint64_t left = manifest_.plan.samples - samples_;
    if (row.records > left || skipped > left - row.records)
      return damaged_error(in_split(split()) + "the receipts up to " + row.file +
                           " hold more samples than their plan");
    samples_ += row.records + skipped;
    total.add(shard.finished.sums);
    manifest_.shards.push_back(row);
    return {};
  }

  // The keys of a pack rise from shard to shard, in the order of --shuffle if that was given.
  Status check_order(const ReceiptShard& shard) {
    if (shard.first_key.empty()) return {};
    const auto place = [&](const std::string& key) {
      const auto seed = manifest_.schema.options.shuffle;
      return std::pair(seed ? format::shuffle_rank(*seed, key) : Hash128{}, key);
    };
    const auto first = place(shard.first_key), last = place(shard.last_key);
    if (last < first || (last_ && first <= *last_))
      return damaged_error(in_split(split()) + "the keys of " + shard.finished.row.file +
                           " do not follow those of the shard before it");
    last_ = last;
    return {};
  }

  std::vector<Given>& given_;
  std::map<std::uint64_t, const ReceiptShard*> shards_;
  std::map<std::uint64_t, std::string> holders_;  // the receipt of each shard
  format::Manifest manifest_;
  std::uint64_t samples_ = 0;
  std::uint64_t repeated_ = 0;
  std::optional<std::pair<Hash128, std::string>> last_;
};

// ---- writing

MergeReport report_of(const std::string& output, const format::Manifest& manifest,
                      MergeStatus status, std::uint64_t repeated) {
  MergeReport report;
  report.status = status;
  report.output = output;
  report.records = manifest.records();
  report.skipped = manifest.skipped;
  report.shards = manifest.shards.size();
  report.repeated = repeated;
  report.manifest_only = true;
  for (const format::ShardRow& row : manifest.shards) report.bytes += row.bytes;
  report.schema = manifest.schema;
  report.statistics = manifest.statistics;
  return report;
}

// Refuses an output folder whose manifest or shards are of another pack.
Status check_output(const OutputFolder& folder, const format::Manifest& manifest) {
  const bool other = folder.manifest && (folder.manifest->schema_text != manifest.schema_text ||
                                         folder.manifest->plan_text != manifest.plan_text);
  if (other)
    return usage_error(folder.path +
                       ": holds the manifest of another pack. Choose another folder for -o, or "
                       "remove that pack");
  for (const std::string& name : folder.shards)
    if (const auto parsed = format::parse_shard_file_name(name);
        parsed->count != manifest.shards.size())
      return usage_error(folder.path + "/" + name + ": is not one of the " +
                         std::to_string(manifest.shards.size()) +
                         " shards of this data set; choose another folder for -o, or remove it");
  return {};
}

// The manifest of one split, and where it goes.
struct Joined {
  std::string output;
  format::Manifest manifest;
  std::uint64_t repeated = 0;
};

Result<MergeReport> write_manifest(const Joined& joined, Observer& observer) {
  HOTPACK_ASSIGN(const std::optional<OutputLock> lock,
                 OutputLock::take(joined.output, OutputLock::Sharing::none, observer));
  if (!lock) return report_of(joined.output, joined.manifest, MergeStatus::stopped, 0);
  HOTPACK_ASSIGN(const OutputFolder folder, read_output_folder(joined.output));
  HOTPACK_TRY(check_output(folder, joined.manifest));
  const std::string text = format::encode_manifest(joined.manifest);
  const auto status = folder.manifest_text == text ? MergeStatus::complete : MergeStatus::merged;
  if (status == MergeStatus::merged)
    HOTPACK_TRY(
        writer::write_file_atomically(joined.output, std::string(format::kManifestName), text));
  return report_of(joined.output, joined.manifest, status, joined.repeated);
}

// `-o DIR/dataset.json` means `-o DIR`.
std::string folder_of(const std::string& output) {
  const fs::path path(output);
  if (path.filename() != format::kManifestName) return output;
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

Result<std::vector<MergeReport>> merge_receipts(const ReceiptMergeOptions& options,
                                                Observer& observer) {
  if (options.output.empty())
    return usage_error("--receipts needs -o DIR: the folder for the manifest");
  ReceiptReader reader(observer);
  HOTPACK_TRY(reader.read(options.sources));
  if (observer.stop_requested()) {
    MergeReport stopped;
    stopped.status = MergeStatus::stopped;
    stopped.output = options.output;
    return std::vector{std::move(stopped)};
  }
  std::vector<Joined> all;
  for (auto& [split, given] : reader.splits()) {
    Joined joined{folder_of(options.output) + (split.empty() ? "" : "/" + split), {}, 0};
    ReceiptJoiner joiner(given);
    HOTPACK_ASSIGN(joined.manifest, joiner.join());
    joined.repeated = joiner.repeated();
    all.push_back(std::move(joined));
  }
  if (all.empty()) return data_error("the receipts hold no data set");
  std::vector<MergeReport> reports;
  for (const Joined& joined : all) {
    HOTPACK_ASSIGN(MergeReport report, write_manifest(joined, observer));
    if (options.accepted_skips)
      report.accepted = most_accepted(*options.accepted_skips, report.records + report.skipped);
    reports.push_back(std::move(report));
    if (reports.back().status == MergeStatus::stopped) break;
  }
  return reports;
}

}  // namespace hotpack::pipeline
