#include "samples/split.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/key_text.hpp"
#include "files/path_pattern.hpp"
#include "format/plan_text.hpp"
#include "samples/augmented_copy.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMaxDigits = 9;          // before and after the decimal point of a share
__extension__ using Wide = unsigned __int128;  // a share times a number of samples

// A share in units of 10^-9.
std::optional<std::uint64_t> parse_share(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.size() + fraction.size() == 0 || whole.size() > kMaxDigits ||
      fraction.size() > kMaxDigits)
    return std::nullopt;
  std::string digits(whole);
  digits.append(fraction).append(kMaxDigits - fraction.size(), '0');
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::uint64_t share = std::stoull(digits);
  return share > 0 ? std::optional(share) : std::nullopt;
}

// The group of each sample, with the number of the sample.
using GroupNames = std::vector<std::pair<std::string_view, std::uint32_t>>;

// Samples that must be in the same part.
struct Groups {
  GroupNames names;         // sorted
  std::size_t count = 0;    // of different names
  std::uint64_t alone = 0;  // samples whose key does not match --group
  bool augmented = false;   // some sample is an augmented copy of another
};

Result<Groups> groups_of(const SampleList& list, const std::string& expression) {
  std::optional<PathPattern> pattern;
  if (!expression.empty()) {
    HOTPACK_ASSIGN(pattern, PathPattern::compile(expression, "--group"));
  }
  Groups groups;
  groups.names.reserve(list.samples.size());
  for (const Sample& sample : list.samples) {
    const std::string_view key = list.key(sample);
    std::optional<std::string_view> name = pattern ? std::nullopt : roboflow_original(key);
    groups.augmented = groups.augmented || name;
    if (pattern) {
      HOTPACK_ASSIGN(name, pattern->find(key));
      if (!name) ++groups.alone;
    }
    groups.names.emplace_back(name.value_or(key), static_cast<std::uint32_t>(groups.names.size()));
  }
  std::sort(groups.names.begin(), groups.names.end());
  for (std::size_t i = 0; i < groups.names.size(); ++i)
    if (i == 0 || groups.names[i].first != groups.names[i - 1].first) ++groups.count;
  return groups;
}

std::vector<std::uint32_t> parts_by_hash(const GroupNames& names,
                                         const std::vector<std::uint64_t>& shares) {
  std::vector<std::uint32_t> part_of(names.size());
  const std::uint64_t total = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  for (const auto& [name, sample] : names) {
    std::uint64_t rest = xxh3_64(bytes_of(name)) % total;
    std::uint32_t part = 0;
    for (; rest >= shares[part]; ++part) rest -= shares[part];
    part_of[sample] = part;
  }
  return part_of;
}

std::vector<std::uint32_t> parts_by_ratio(const GroupNames& names,
                                          const std::vector<std::uint64_t>& shares,
                                          std::uint64_t seed) {
  std::vector<std::pair<Hash128, std::uint32_t>> order;  // of groups, by their first names
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i == 0 || names[i].first != names[i - 1].first)
      order.emplace_back(format::shuffle_rank(seed, names[i].first), static_cast<std::uint32_t>(i));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> lacking;
  for (const std::uint64_t due : largest_remainders(shares, names.size()))
    lacking.push_back(static_cast<std::int64_t>(due));
  std::vector<std::uint32_t> part_of(names.size());
  for (const auto& [rank, first] : order) {
    const auto most = std::max_element(lacking.begin(), lacking.end());
    for (std::size_t i = first; i < names.size() && names[i].first == names[first].first; ++i) {
      part_of[names[i].second] = static_cast<std::uint32_t>(most - lacking.begin());
      --*most;
    }
  }
  return part_of;
}

std::string group_text(const Groups& groups, bool given) {
  if (!given && !groups.augmented) return "";
  std::string text =
      "groups: " + std::to_string(groups.count) +
      (given ? " by --group\n" : " originals; augmented copies (NAME.rf.HASH) stay with theirs\n");
  if (groups.alone > 0)
    text += "not matched by --group, each a group of its own: " + std::to_string(groups.alone) +
            " samples\n";
  return text;
}

Status check_filled(const std::vector<Split>& splits, std::size_t samples, std::size_t groups) {
  for (const Split& split : splits)
    if (split.list.samples.empty())
      return data_error("--split: no sample falls to '" + split.name + "' (there are " +
                        std::to_string(samples) + " samples" +
                        (groups < samples ? " in " + std::to_string(groups) + " groups" : "") +
                        "); give it a larger share, or leave it out");
  return {};
}

}  // namespace

Status check_split_names(const std::vector<SplitOptions::Part>& parts) {
  std::set<std::string_view> names;
  for (const SplitOptions::Part& part : parts) {
    if (!valid_split_name(part.name))
      return usage_error("--split: '" + part.name +
                         "' cannot be the name of a folder: expected a name in UTF-8 without '/' "
                         "or a dot at the beginning");
    if (!names.insert(part.name).second)
      return usage_error("--split: '" + part.name + "' is given twice");
  }
  return {};
}

Result<std::vector<std::uint64_t>> parse_shares(const std::vector<SplitOptions::Part>& parts) {
  std::vector<std::uint64_t> shares;
  std::uint64_t divisor = 0;
  for (const SplitOptions::Part& part : parts) {
    const std::optional<std::uint64_t> share = parse_share(part.value);
    if (!share)
      return usage_error("--split: the share of '" + part.name + "', '" + part.value +
                         "', is no number above 0 such as 80 or 0.8");
    shares.push_back(*share);
    divisor = std::gcd(divisor, *share);
  }
  for (std::uint64_t& share : shares) share /= divisor;
  return shares;
}

std::vector<std::uint64_t> largest_remainders(const std::vector<std::uint64_t>& shares,
                                              std::uint64_t total) {
  const std::uint64_t sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  std::vector<std::uint64_t> counts;
  std::vector<std::pair<std::uint64_t, std::size_t>> remainders;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Wide due = static_cast<Wide>(shares[i]) * total;
    counts.push_back(static_cast<std::uint64_t>(due / sum));
    remainders.emplace_back(static_cast<std::uint64_t>(due % sum), i);
    given += counts.back();
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; given < total; ++i, ++given) ++counts[remainders[i].second];
  return counts;
}

Result<std::vector<Split>> divide_by_share(SampleList list, const SplitOptions& options,
                                           std::string& about) {
  HOTPACK_ASSIGN(const std::vector<std::uint64_t> shares, parse_shares(options.parts));
  HOTPACK_ASSIGN(const Groups groups, groups_of(list, options.group));
  const std::size_t samples = list.samples.size();
  if (groups.alone == samples && samples > 0)
    return usage_error("--group '" + options.group + "' matches none of the keys, such as '" +
                       std::string(list.key(list.samples[0])) + "'");
  about += group_text(groups, !options.group.empty());
  const std::vector<std::uint32_t> part_of =
      options.method == SplitOptions::Method::hash
          ? parts_by_hash(groups.names, shares)
          : parts_by_ratio(groups.names, shares, options.seed);
  std::vector<SampleList> lists = divide_samples(std::move(list), part_of, shares.size());
  std::vector<Split> splits;
  for (std::size_t i = 0; i < shares.size(); ++i)
    splits.push_back({options.parts[i].name, std::move(lists[i])});
  HOTPACK_TRY(check_filled(splits, samples, groups.count));
  return splits;
}

Status check_disjoint(const std::vector<Split>& splits, const std::string& source) {
  if (splits.size() < 2) return {};
  std::vector<std::pair<std::string_view, std::size_t>> keys;  // with their splits
  for (std::size_t split = 0; split < splits.size(); ++split)
    for (const Sample& sample : splits[split].list.samples)
      keys.emplace_back(splits[split].list.key(sample), split);
  std::sort(keys.begin(), keys.end());
  std::string examples;
  std::size_t count = 0;
  for (std::size_t i = 0, end = 0; i < keys.size(); i = end) {
    std::vector<std::string> holders;
    for (; end < keys.size() && keys[end].first == keys[i].first; ++end)
      holders.push_back(quoted_text(splits[keys[end].second].name));
    if (holders.size() < 2 || ++count > ProblemLog::kExamples) continue;
    examples += (examples.empty() ? "" : ", ") +
                ("'" + std::string(keys[i].first) + "' (in " + joined_text(holders, " and ") + ")");
  }
  if (count == 0) return {};
  return data_error(source + ": " + counted_text(count, "sample is", "samples are") +
                    " in more than one split, such as " + examples +
                    "; keep each sample in one split only");
}

Result<std::vector<FolderPart>> divide_by_folder(const FileList& list) {
  std::map<std::string_view, std::uint32_t> names;
  for (const FoundFile& file : list.files) {
    const std::string_view key = list.key(file);
    if (key.find('/') == std::string_view::npos)
      return data_error(
          "is in no folder that could be its split; move it into one, or leave out --split folder, "
          "which takes the first part of a key. The key of this file is '" +
              std::string(key) + "'",
          list.path(file));
    names.try_emplace(key.substr(0, key.find('/')));
  }
  std::vector<FolderPart> parts;
  for (auto& [name, index] : names) {
    index = static_cast<std::uint32_t>(parts.size());
    parts.push_back({std::string(name), {}});
  }
  std::vector<std::uint32_t> part_of;
  part_of.reserve(list.files.size());
  for (const FoundFile& file : list.files)
    part_of.push_back(names.find(list.key(file).substr(0, list.key(file).find('/')))->second);
  std::vector<FileList> divided = divide_files(list, part_of, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].files = std::move(divided[i]);
    for (FoundFile& file : parts[i].files.files) {
      file.key += parts[i].name.size() + 1;
      file.key_length = static_cast<std::uint16_t>(file.key_length - parts[i].name.size() - 1);
    }
  }
  return parts;
}

}  // namespace hotpack::pipeline
