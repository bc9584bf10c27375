#include "pipeline/unknown_values.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstring>
#include <tuple>
#include <utility>

#include "pipeline/id_scan.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kToldApart = 8;  // values with a finding of their own

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
  finding.weight = context.refuses_unknown ? Weight::problem : Weight::note;
  return finding;
}

// What to do about a value, and the options that settle it.
void advise(const LabelContext& context, const std::optional<RgbColor>& color, std::optional<std::uint32_t> id,
            const std::vector<bool>& never_seen, Finding& finding) {
  if (const auto near = color ? context.nearest(*color) : std::nullopt) {
    finding.advice =
        "the nearest colour is that of class '" + context.class_names[near->class_id] + "', at distance " + std::to_string(near->distance);
    if (never_seen[near->class_id]) finding.advice += ", and that class never occurs: its line in the class file may be wrong";
    finding.advice += "; ";
    finding.options.push_back("--unknown nearest:" + std::to_string(near->distance));
  }
  if (id && *id == context.last_id + 1) {
    finding.advice = "it is one more than the last class's id; ";
    if (context.numbered) finding.options.push_back("--num-classes " + std::to_string(*id + 1));
  }
  if (id) finding.options.push_back("--ignore " + std::to_string(*id));
  finding.options.push_back("--unknown ignore");
  finding.advice += "if it is a class, add it to the class table; if not, say what becomes of it";
}

}  // namespace

void UnknownValues::add(const std::string& path, const LabelInspection& label) {
  if (label.unknown_pixels == 0) return;
  if (label.unknown_kinds > kMostInALabel) {
    many_.add({path,
               number_text(label.unknown_pixels) + " of " + number_text(label.pixels()) + " pixels have " +
                   number_text(label.unknown_kinds) + " different unknown values",
               PixelPlace{label.unknown.front().x, label.unknown.front().y}});
    return;
  }
  for (const labels::UnknownValue& unknown : label.unknown) {
    if (values_.size() >= kMostValues && values_.count(unknown.text) == 0) {
      left_out_ += unknown.count;
      continue;
    }
    Value& value = values_[unknown.text];
    value.text = unknown.text;
    value.color = unknown.color;
    value.pixels += unknown.count;
    value.labels.add({path, counted_text(unknown.count, "pixel", "pixels"), PixelPlace{unknown.x, unknown.y}});
  }
}

std::vector<const UnknownValues::Value*> UnknownValues::by_labels() const {
  std::vector<const Value*> values;
  for (const auto& [text, value] : values_) values.push_back(&value);
  std::sort(values.begin(), values.end(), [](const Value* a, const Value* b) {
    return std::tie(b->labels.count, b->pixels, a->text) < std::tie(a->labels.count, a->pixels, b->text);
  });
  return values;
}

Finding UnknownValues::finding_of_value(const Value& value, const LabelContext& context, std::uint64_t labels,
                                        const std::vector<bool>& never_seen) const {
  Finding finding = unknown_finding(context);
  finding.title = counted_text(value.pixels, "pixel", "pixels") + in_labels(value.labels.count, labels) +
                  (value.pixels == 1 ? " has " : " have ") + value.text + ", which no class has";
  finding.count = value.labels.count;
  finding.of = labels;
  finding.value = value.text;
  finding.pixels = value.pixels;
  finding.examples = value.labels.examples;
  if (context.refuses_unknown)
    advise(context, value.color, id_of(value.text), never_seen, finding);
  else
    finding.title += "; --unknown " + context.unknown + " settles it";
  return finding;
}

Finding UnknownValues::finding_of_rest(const std::vector<const Value*>& rest, const LabelContext& context) const {
  Finding finding = unknown_finding(context);
  std::bitset<65536> ids;
  std::vector<std::string> texts;
  finding.pixels = left_out_;
  for (const Value* value : rest) {
    finding.pixels += value->pixels;
    finding.count = std::max(finding.count, value->labels.count);
    finding.add_example({value->labels.examples.front().path, value->text + ": " + value->labels.examples.front().found,
                         value->labels.examples.front().place});
    if (const auto id = id_of(value->text))
      ids.set(*id);
    else
      texts.push_back(value->text);
  }
  if (ids.any()) texts.push_back("ids " + ids_text(ids));
  finding.value = list_text(texts, kToldApart);
  finding.title = counted_text(finding.pixels, "pixel", "pixels") + (finding.pixels == 1 ? " has" : " have") + " one of " +
                  (left_out_ > 0 ? "more than " : "") + counted_text(rest.size(), "unknown value", "unknown values") + ": " + finding.value;
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
  if (context.refuses_unknown) finding.options = {"--on-error skip"};
  return finding;
}

void UnknownValues::finish(const LabelContext& context, std::uint64_t labels, const std::vector<bool>& never_seen,
                           Findings& findings) const {
  std::vector<const Value*> values = by_labels();
  const bool ids = !values.empty() && id_of(values.front()->text).has_value();
  // Many ids make one line; of colours the commonest are worth a line each.
  const std::size_t apart = ids && values.size() > kToldApart ? 0 : std::min(kToldApart, values.size());
  for (std::size_t i = 0; i < apart; ++i) findings.add(finding_of_value(*values[i], context, labels, never_seen));
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(apart));
  if (!values.empty() || left_out_ > 0) findings.add(finding_of_rest(values, context));
  if (many_.count > 0) findings.add(finding_of_many(context, labels));
}

}  // namespace hotpack::pipeline
