#include "check/unknown_values.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <span>
#include <tuple>
#include <utility>

#include "base/checksum.hpp"
#include "base/text.hpp"
#include "label_setup/id_scan.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kToldApart = 8;  // groups with a finding of their own
constexpr std::size_t kListed = 8;     // values

// The number of "id 37".
std::optional<std::uint32_t> id_of(const std::string& text) {
  constexpr std::string_view kId = "id ";
  std::uint32_t id = 0;
  if (!text.starts_with(kId)) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + kId.size(), end, id).ptr != end || id > 65535) return std::nullopt;
  return id;
}

std::string in_labels(std::uint64_t count, std::uint64_t of) { return " in " + share_text(count, of, "label", "labels"); }

// The start of a finding: refused labels, or what --unknown settled.
Finding unknown_finding(const LabelContext& context) {
  Finding finding;
  finding.kind = "unknown-value";
  finding.severity = context.refuses_unknown ? Severity::problem : Severity::note;
  return finding;
}

// "id 37", "ids 12…40", "colors (1,2,3), (4,5,6), …"
template <class Values>
std::string text_of(const Values& values) {
  if (values.size() == 1) return values.front()->text;
  std::bitset<65536> ids;
  std::vector<std::string> texts;
  for (const auto* value : values) {
    if (const auto id = id_of(value->text))
      ids.set(*id);
    else
      texts.push_back(value->text);
  }
  if (ids.any()) texts.insert(texts.begin(), "ids " + ids_text(ids));
  return list_text(texts, kListed);
}

// What to do about one color; the class whose color is nearest may be the one that is meant.
void advise_color(const LabelContext& context, RgbColor color, const std::vector<bool>& never_seen, Finding& finding) {
  const auto near = context.nearest(color);
  if (!near) return;
  finding.advice =
      "the nearest color is that of class '" + context.class_names[near->class_id] + "', at distance " + std::to_string(near->distance);
  if (never_seen[near->class_id]) finding.advice += ", and that class never occurs: its line in the class file may be wrong";
  finding.advice += "; ";
  // Farther apart two colors are hardly meant to be one.
  constexpr int kNear = 64;
  if (near->distance <= kNear) finding.options.push_back("--unknown nearest:" + std::to_string(near->distance));
}

void advise_id(const LabelContext& context, std::uint32_t id, bool zero_is_seen, Finding& finding) {
  if (id == context.last_id + 1 && id == context.class_names.size() && !zero_is_seen) {
    finding.advice = "id 0 never occurs, so ids seem to count from 1: shift them; ";
    finding.options.emplace_back("--shift-ids -1");
    return;
  }
  if (id == context.last_id + 1) {
    finding.advice = "it is one more than the last class's id; ";
    if (context.numbered) finding.options.push_back("--num-classes " + std::to_string(id + 1));
  }
  finding.options.push_back("--ignore " + std::to_string(id));
}

}  // namespace

void UnknownValues::add(const std::string& path, const LabelInspection& label) {
  ++labels_;
  if (label.unknown_pixels == 0) return;
  if (label.unknown_kinds > kMostInALabel) {
    many_.add({path,
               number_text(label.unknown_pixels) + " of " + number_text(label.pixels()) + " pixels have " +
                   number_text(label.unknown_kinds) + " different unknown values",
               PixelPlace{label.unknown.front().x, label.unknown.front().y}});
    return;
  }
  const std::uint64_t number = xxh3_64(std::as_bytes(std::span(&labels_, 1)));
  for (const labels::UnknownValue& unknown : label.unknown) {
    if (values_.size() >= kMostValues && values_.count(unknown.text) == 0) {
      left_out_ += unknown.count;
      continue;
    }
    Value& value = values_[unknown.text];
    value.text = unknown.text;
    value.color = unknown.color;
    value.pixels += unknown.count;
    value.label_set += number;
    value.labels.add({path, counted_text(unknown.count, "pixel", "pixels"), PixelPlace{unknown.x, unknown.y}});
  }
}

// Those of most labels first, then of most pixels.
std::vector<UnknownValues::Group> UnknownValues::groups() const {
  Group values;
  for (const auto& [text, value] : values_) values.push_back(&value);
  std::sort(values.begin(), values.end(), [](const Value* a, const Value* b) {
    return std::tie(b->labels.count, b->pixels, a->text) < std::tie(a->labels.count, a->pixels, b->text);
  });
  std::vector<Group> groups;
  std::map<std::uint64_t, std::size_t> group_of;
  for (const Value* value : values) {
    const auto [found, added] = group_of.emplace(value->label_set, groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(value);
  }
  return groups;
}

Finding UnknownValues::finding_of_group(const Group& group, const LabelContext& context, std::uint64_t labels,
                                        const std::vector<bool>& never_seen) const {
  const Value& first = *group.front();
  Finding finding = unknown_finding(context);
  for (const Value* value : group) finding.pixels += value->pixels;
  finding.value = text_of(group);
  finding.count = first.labels.count;
  finding.of = labels;
  finding.title = counted_text(finding.pixels, "pixel", "pixels") + in_labels(finding.count, labels) +
                  (finding.pixels == 1 ? " has " : " have ") + finding.value + ", which no class has";
  finding.examples = first.labels.examples;
  for (Evidence& example : finding.examples) example.found += group.size() > 1 ? " of " + first.text : "";
  if (!context.refuses_unknown) {
    finding.title += "; --unknown " + context.unknown + " settles it";
    return finding;
  }
  if (const auto id = id_of(first.text); id && group.size() == 1)
    advise_id(context, *id, never_seen.empty() || !never_seen.front(), finding);
  if (first.color && group.size() == 1) advise_color(context, *first.color, never_seen, finding);
  finding.advice += group.size() == 1 ? "if it is a class, add it to the class table; if not, say what happens to it"
                                      : "is this the right class table, and are these the right labels?";
  finding.options.emplace_back("--unknown ignore");
  return finding;
}

Finding UnknownValues::finding_of_rest(const Group& rest, const LabelContext& context) const {
  Finding finding = unknown_finding(context);
  finding.pixels = left_out_;
  for (const Value* value : rest) {
    finding.pixels += value->pixels;
    finding.count = std::max(finding.count, value->labels.count);
    const Evidence& example = value->labels.examples.front();
    finding.add_example({example.path, example.found + " of " + value->text, example.place});
  }
  finding.value = text_of(rest);
  finding.title = counted_text(finding.pixels, "pixel", "pixels") + (finding.pixels == 1 ? " has" : " have") + " one of " +
                  (left_out_ > 0 ? "more than " : "") + counted_text(rest.size(), "further unknown value", "further unknown values") +
                  ": " + finding.value;
  if (!context.refuses_unknown) {
    finding.title += "; --unknown " + context.unknown + " settles it";
    return finding;
  }
  finding.advice = "so many values are rarely classes: are these the right labels, and is this the right class table?";
  finding.options = {"--unknown ignore"};
  return finding;
}

Finding UnknownValues::finding_of_many(const LabelContext& context, std::uint64_t labels) const {
  Finding finding = unknown_finding(context);
  finding.kind = "many-unknown-values";
  finding.title = share_text(many_.count, labels, "label", "labels") + (many_.count == 1 ? " has" : " have") + " more than " +
                  std::to_string(kMostInALabel) + " different unknown values";
  finding.count = many_.count;
  finding.of = labels;
  finding.examples = many_.examples;
  finding.advice = "such a label was interpolated, saved as JPEG, or is a photo (are --images and --labels swapped?): use the original";
  if (context.unknown.starts_with("nearest:")) finding.options = {"--unknown nearest"};
  if (context.refuses_unknown) finding.options.emplace_back("--on-error skip");
  return finding;
}

void UnknownValues::finish(const LabelContext& context, std::uint64_t labels, const std::vector<bool>& never_seen,
                           Findings& findings) const {
  const std::vector<Group> all = groups();
  Group rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < kToldApart)
      findings.add(finding_of_group(all[i], context, labels, never_seen));
    else
      rest.insert(rest.end(), all[i].begin(), all[i].end());
  }
  if (!rest.empty() || left_out_ > 0) findings.add(finding_of_rest(rest, context));
  if (many_.count > 0) findings.add(finding_of_many(context, labels));
}

}  // namespace hotpack::pipeline
