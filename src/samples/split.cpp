#include "samples/split.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/key_text.hpp"
#include "files/path_pattern.hpp"
#include "format/plan_text.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMaxDigits = 9;          // before and after the decimal point of a share
__extension__ using Wide = unsigned __int128;  // a share times a number of samples

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A share in units of 10^-9.
std::optional<std::uint64_t> parse_share(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.size() + fraction.size() == 0 || whole.size() > kMaxDigits ||
      fraction.size() > kMaxDigits)
    return std::nullopt;
  if (!all_digits(whole) || !all_digits(fraction)) return std::nullopt;
  std::string digits(whole);
  digits.append(fraction).append(kMaxDigits - fraction.size(), '0');
  const std::uint64_t share = std::stoull(digits);
  return share > 0 ? std::optional(share) : std::nullopt;
}

// Samples that must be in the same part.
struct Group {
  std::string_view name;
  std::size_t first = 0;  // in Groups::members
  std::size_t count = 0;
};
struct Groups {
  const SampleList& list;
  bool each_sample = false;            // without --group each sample is a group named by its key
  std::vector<Group> groups;           // sorted by name
  std::vector<std::uint32_t> members;  // samples
  std::uint64_t alone = 0;             // samples whose key does not match --group

  [[nodiscard]] std::size_t size() const {
    return each_sample ? list.samples.size() : groups.size();
  }
  [[nodiscard]] std::string_view name(std::size_t group) const {
    return each_sample ? list.key(list.samples[group]) : groups[group].name;
  }
  [[nodiscard]] std::size_t count(std::size_t group) const {
    return each_sample ? 1 : groups[group].count;
  }
};

// Groups by --group. The samples of `list` are sorted by key.
Result<Groups> groups_of(const SampleList& list, const std::string& expression) {
  Groups result{list, expression.empty(), {}, {}, 0};
  if (result.each_sample) return result;
  HOTPACK_ASSIGN(const PathPattern pattern, PathPattern::compile(expression, "--group"));
  std::vector<std::pair<std::string_view, std::uint32_t>> names;
  names.reserve(list.samples.size());
  for (const Sample& sample : list.samples) {
    std::string_view name = list.key(sample);
    HOTPACK_ASSIGN(const std::optional<std::string_view> found, pattern.find(name));
    if (!found) ++result.alone;
    name = found.value_or(name);
    names.emplace_back(name, static_cast<std::uint32_t>(names.size()));
  }
  std::sort(names.begin(), names.end());
  for (const auto& [name, sample] : names) {
    if (result.groups.empty() || result.groups.back().name != name)
      result.groups.push_back({name, result.members.size(), 0});
    ++result.groups.back().count;
    result.members.push_back(sample);
  }
  return result;
}

void assign(const Groups& groups, std::size_t group, std::uint32_t part,
            std::vector<std::uint32_t>& part_of) {
  if (groups.each_sample) {
    part_of[group] = part;
    return;
  }
  const Group& own = groups.groups[group];
  for (std::size_t i = 0; i < own.count; ++i) part_of[groups.members[own.first + i]] = part;
}

std::vector<std::uint32_t> parts_by_hash(const Groups& groups,
                                         const std::vector<std::uint64_t>& shares) {
  std::vector<std::uint32_t> part_of(groups.list.samples.size(), kNoPart);
  const std::uint64_t total = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::uint64_t rest = xxh3_64(bytes_of(groups.name(group))) % total;
    std::uint32_t part = 0;
    for (; rest >= shares[part]; ++part) rest -= shares[part];
    assign(groups, group, part, part_of);
  }
  return part_of;
}

std::vector<std::uint32_t> parts_by_ratio(const Groups& groups,
                                          const std::vector<std::uint64_t>& shares,
                                          std::uint64_t seed) {
  std::vector<std::pair<Hash128, std::uint32_t>> order;
  order.reserve(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group)
    order.emplace_back(format::shuffle_rank(seed, groups.name(group)),
                       static_cast<std::uint32_t>(group));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> lacking;
  for (const std::uint64_t due : largest_remainders(shares, groups.list.samples.size()))
    lacking.push_back(static_cast<std::int64_t>(due));
  std::vector<std::uint32_t> part_of(groups.list.samples.size(), kNoPart);
  for (const auto& [rank, index] : order) {
    const auto most = std::max_element(lacking.begin(), lacking.end());
    *most -= static_cast<std::int64_t>(groups.count(index));
    assign(groups, index, static_cast<std::uint32_t>(most - lacking.begin()), part_of);
  }
  return part_of;
}

std::string group_text(const Groups& groups) {
  std::string text = "groups: " + std::to_string(groups.size()) + " by --group\n";
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

std::string_view first_part(std::string_view key) { return key.substr(0, key.find('/')); }

// Returns the different first parts of all keys, in byte order.
Result<std::vector<std::string>> first_folders(const FileList& list) {
  std::set<std::string, std::less<>> names;
  for (const FoundFile& file : list.files) {
    const std::string_view key = list.key(file);
    const std::string_view name = first_part(key);
    if (name.size() == key.size())
      return data_error(
          "is in no folder that could be its split; move it into one, or leave out --split folder, "
          "which takes the first part of a key. The key of this file is '" +
              std::string(key) + "'",
          list.path(file));
    if (names.find(name) == names.end()) names.emplace(name);
  }
  return std::vector<std::string>(names.begin(), names.end());
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
  if (!options.group.empty()) about += group_text(groups);
  const std::size_t group_count = groups.size();
  const bool by_hash = options.method == SplitOptions::Method::hash;
  const std::vector<std::uint32_t> part_of =
      by_hash ? parts_by_hash(groups, shares) : parts_by_ratio(groups, shares, options.seed);
  std::vector<SampleList> lists = divide_samples(std::move(list), part_of, shares.size());
  std::vector<Split> splits;
  for (std::size_t i = 0; i < shares.size(); ++i)
    splits.push_back({options.parts[i].name, std::move(lists[i])});
  HOTPACK_TRY(check_filled(splits, samples, group_count));
  return splits;
}

Status check_disjoint(const std::vector<Split>& splits, const std::string& source) {
  if (splits.size() < 2) return {};
  // The next key of each split, the least first.
  using Next = std::tuple<std::string_view, std::size_t, std::size_t>;  // key, split, sample
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto add = [&](std::size_t split, std::size_t sample) {
    const SampleList& list = splits[split].list;
    if (sample < list.samples.size()) queue.emplace(list.key(list.samples[sample]), split, sample);
  };
  for (std::size_t split = 0; split < splits.size(); ++split) add(split, 0);
  std::string examples;
  std::size_t count = 0;
  while (!queue.empty()) {
    const std::string_view key = std::get<0>(queue.top());
    std::vector<std::string> holders;
    while (!queue.empty() && std::get<0>(queue.top()) == key) {
      const auto [same, split, sample] = queue.top();
      queue.pop();
      add(split, sample + 1);
      holders.push_back(quoted_text(splits[split].name));
    }
    if (holders.size() < 2 || ++count > ProblemLog::kExamples) continue;
    examples += (examples.empty() ? "" : ", ") +
                ("'" + std::string(key) + "' (in " + joined_text(holders, " and ") + ")");
  }
  if (count == 0) return {};
  return data_error(source + ": " + counted_text(count, "sample is", "samples are") +
                    " in more than one split, such as " + examples +
                    "; keep each sample in one split only");
}

Result<std::vector<FolderPart>> divide_by_folder(const FileList& list) {
  HOTPACK_ASSIGN(const std::vector<std::string> names, first_folders(list));
  std::vector<std::uint32_t> part_of;
  part_of.reserve(list.files.size());
  for (const FoundFile& file : list.files) {
    const auto found = std::lower_bound(names.begin(), names.end(), first_part(list.key(file)));
    part_of.push_back(static_cast<std::uint32_t>(found - names.begin()));
  }
  std::vector<FileList> divided = divide_files(list, part_of, names.size());
  std::vector<FolderPart> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (FoundFile& file : divided[i].files) {
      file.key += names[i].size() + 1;
      file.key_length = static_cast<std::uint16_t>(file.key_length - names[i].size() - 1);
    }
    parts.push_back({names[i], std::move(divided[i])});
  }
  return parts;
}

}  // namespace hotpack::pipeline
