#include "samples/split.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "files/key_text.hpp"
#include "files/path_pattern.hpp"
#include "format/plan_text.hpp"

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

// Divides `total` samples: each split gets its proportion, rounded down, and one more for those
// with the largest remainders, earlier splits first.
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

Result<std::vector<Split>> divide_by_share(SampleList list, const SplitOptions& options,
                                           std::string& about) {
  HOTPACK_ASSIGN(const std::vector<std::uint64_t> shares, parse_shares(options.parts));
  HOTPACK_ASSIGN(const Groups groups, groups_of(list, options.group));
  const std::size_t samples = list.samples.size();
  if (groups.alone == samples && samples > 0)
    return usage_error("--group '" + options.group + "' matches none of the keys, such as '" +
                       std::string(list.key(list.samples[0])) + "'");
  const std::string count = std::to_string(groups.count);
  if (!options.group.empty()) about += "groups: " + count + " by --group\n";
  if (groups.augmented)
    about += "groups: " + count + " originals; augmented copies (NAME.rf.HASH) stay with theirs\n";
  if (groups.alone > 0)
    about += "not matched by --group, each a group of its own: " + std::to_string(groups.alone) +
             " samples\n";
  const std::vector<std::uint32_t> part_of =
      options.method == SplitOptions::Method::hash
          ? parts_by_hash(groups.names, shares)
          : parts_by_ratio(groups.names, shares, options.seed);
  std::vector<SampleList> lists = divide_samples(std::move(list), part_of, shares.size());
  std::vector<Split> splits;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::string& name = options.parts[i].name;
    if (lists[i].samples.empty())
      return data_error("--split: no sample falls to '" + name + "' (there are " +
                        std::to_string(samples) + " samples" +
                        (groups.count < samples ? " in " + count + " groups" : "") +
                        "); give it a larger share, or leave it out");
    splits.push_back({name, std::move(lists[i])});
  }
  return splits;
}

std::optional<std::string_view> roboflow_original(std::string_view key) {
  constexpr std::string_view kMark = ".rf.";
  const std::size_t mark = key.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  const std::string_view hash = key.substr(mark + kMark.size());
  const bool given =
      hash.size() == 32 && hash.find_first_not_of("0123456789abcdefABCDEF") == hash.npos;
  return given ? std::optional(key.substr(0, mark)) : std::nullopt;
}

}  // namespace hotpack::pipeline
