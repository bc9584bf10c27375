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
#include "labels/packed_color.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostGroups = 8;  // groups with a diagnostic of their own
constexpr std::size_t kListed = 8;      // values named in a text

// Returns the number in a text such as "id 37"; absent for other texts.
std::optional<std::uint32_t> id_of(const std::string& text) {
  constexpr std::string_view kId = "id ";
  std::uint32_t id = 0;
  if (!text.starts_with(kId)) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + kId.size(), end, id).ptr != end || id > 65535)
    return std::nullopt;
  return id;
}

std::string in_labels(std::uint64_t count, std::uint64_t of) {
  return " in " + share_text(count, of, "label", "labels");
}

// Makes a diagnostic with kind and severity: a problem if pack refuses unknown values, else a note.
Diagnostic unknown_diagnostic(const LabelContext& context) {
  Diagnostic diagnostic;
  diagnostic.kind = "unknown-value";
  diagnostic.severity = context.refuses_unknown ? Severity::problem : Severity::note;
  return diagnostic;
}

// Returns a text such as "id 37", "ids 12…40", "colors (1,2,3), (4,5,6), …".
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

// Adds advice about one color: the nearest class color may have been meant.
void advise_color(const LabelContext& context, RgbColor color, const std::vector<bool>& never_seen,
                  Diagnostic& diagnostic) {
  const auto near = context.nearest(color);
  if (!near) return;
  diagnostic.advice = "the nearest color is that of class '" + context.class_names[near->class_id] +
                      "', at distance " + std::to_string(near->distance);
  if (never_seen[near->class_id])
    diagnostic.advice +=
        ", and that class never occurs, so its line in the class file may be wrong";
  diagnostic.advice += "; ";
  // Colors farther apart are probably not meant to be the same.
  constexpr int kNear = 64;
  if (near->distance <= kNear)
    diagnostic.options.push_back("--unknown nearest:" + std::to_string(near->distance));
}

void advise_id(const LabelContext& context, std::uint32_t id, bool zero_is_seen,
               Diagnostic& diagnostic) {
  if (id == context.last_id + 1 && id == context.class_names.size() && !zero_is_seen) {
    diagnostic.advice =
        "id 0 never occurs, so ids seem to count from 1; if they do, shift the ids; otherwise ";
    diagnostic.options.emplace_back("--shift-ids -1");
    return;
  }
  if (id == context.last_id + 1) {
    diagnostic.advice = "this id is one more than the id of the last class; ";
  }
  diagnostic.options.push_back("--ignore " + std::to_string(id));
}

// True if each value is the color of a class with red and blue exchanged.
template <class Values>
bool are_exchanged(const Values& values, const LabelContext& context) {
  return std::all_of(values.begin(), values.end(), [&](const auto* value) {
    return value->color && std::any_of(context.colors.begin(), context.colors.end(),
                                       [&](const LabelContext::KnownColor& known) {
                                         return known.color == labels::exchanged(*value->color);
                                       });
  });
}

}  // namespace

void UnknownValues::add(const std::string& path, const LabelInspection& label) {
  ++labels_;
  if (label.unknown_pixels == 0) return;
  if (label.unknown_kinds > kMostInALabel) {
    many_.add({path,
               number_text(label.unknown_pixels) + " of " + number_text(label.pixels()) +
                   " pixels have " + number_text(label.unknown_kinds) + " different unknown values",
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
    value.labels.add(
        {path, counted_text(unknown.count, "pixel", "pixels"), PixelPlace{unknown.x, unknown.y}});
  }
}

// Returns groups of values that occur in the same labels, sorted by the number of these labels,
// most first; with equal numbers, by pixels.
std::vector<UnknownValues::Group> UnknownValues::groups() const {
  Group values;
  for (const auto& [text, value] : values_) values.push_back(&value);
  std::sort(values.begin(), values.end(), [](const Value* a, const Value* b) {
    return std::tie(b->labels.count, b->pixels, a->text) <
           std::tie(a->labels.count, a->pixels, b->text);
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

Diagnostic UnknownValues::diagnostic_of_group(const Group& group, const LabelContext& context,
                                              std::uint64_t labels,
                                              const std::vector<bool>& never_seen) const {
  const Value& first = *group.front();
  Diagnostic diagnostic = unknown_diagnostic(context);
  for (const Value* value : group) diagnostic.pixels += value->pixels;
  diagnostic.value = text_of(group);
  diagnostic.count = first.labels.count;
  diagnostic.of = labels;
  diagnostic.title =
      counted_text(diagnostic.pixels, "pixel", "pixels") + in_labels(diagnostic.count, labels) +
      (diagnostic.pixels == 1 ? " has " : " have ") + diagnostic.value + ", which no class has";
  diagnostic.examples = first.labels.examples;
  for (Evidence& example : diagnostic.examples)
    example.found += group.size() > 1 ? " of " + first.text : "";
  if (!context.refuses_unknown) {
    diagnostic.title += "; --unknown " + context.unknown + " handles these pixels";
    return diagnostic;
  }
  if (are_exchanged(group, context)) {
    diagnostic.advice =
        "these colors are those of the class table with red and blue exchanged, as cv2.imwrite "
        "saves RGB: exchange them back in the labels, or in the class table";
    return diagnostic;
  }
  if (const auto id = id_of(first.text); id && group.size() == 1)
    advise_id(context, *id, never_seen.empty() || !never_seen.front(), diagnostic);
  if (first.color && group.size() == 1) advise_color(context, *first.color, never_seen, diagnostic);
  diagnostic.advice +=
      group.size() == 1
          ? "if this value is a class, add it to the class table; if not, choose how to treat it"
          : "is this the right class table, and are these the right labels?";
  diagnostic.options.emplace_back("--unknown ignore");
  return diagnostic;
}

Diagnostic UnknownValues::diagnostic_of_rest(const Group& rest, const LabelContext& context) const {
  Diagnostic diagnostic = unknown_diagnostic(context);
  diagnostic.pixels = left_out_;
  for (const Value* value : rest) {
    diagnostic.pixels += value->pixels;
    diagnostic.count = std::max(diagnostic.count, value->labels.count);
    const Evidence& example = value->labels.examples.front();
    diagnostic.add_example({example.path, example.found + " of " + value->text, example.place});
  }
  diagnostic.value = text_of(rest);
  diagnostic.title = counted_text(diagnostic.pixels, "pixel", "pixels") +
                     (diagnostic.pixels == 1 ? " has" : " have") + " one of " +
                     (left_out_ > 0 ? "more than " : "") +
                     counted_text(rest.size(), "further unknown value", "further unknown values") +
                     ": " + diagnostic.value;
  if (!context.refuses_unknown) {
    diagnostic.title += "; --unknown " + context.unknown + " handles these pixels";
    return diagnostic;
  }
  diagnostic.advice =
      "so many values are rarely classes. Are these the right labels, and is this the right class "
      "table?";
  diagnostic.options = {"--unknown ignore"};
  return diagnostic;
}

Diagnostic UnknownValues::diagnostic_of_many(const LabelContext& context,
                                             std::uint64_t labels) const {
  Diagnostic diagnostic = unknown_diagnostic(context);
  diagnostic.kind = "many-unknown-values";
  diagnostic.title = share_text(many_.count, labels, "label", "labels") +
                     (many_.count == 1 ? " has" : " have") + " more than " +
                     std::to_string(kMostInALabel) + " different unknown values";
  diagnostic.count = many_.count;
  diagnostic.of = labels;
  diagnostic.examples = many_.examples;
  diagnostic.advice =
      "such a label was interpolated or saved as a JPEG, or it is a photo (are --images and "
      "--labels "
      "swapped?). Use the original label";
  if (context.unknown.starts_with("nearest:")) diagnostic.options = {"--unknown nearest"};
  if (context.refuses_unknown) diagnostic.options.emplace_back("--on-error skip");
  return diagnostic;
}

void UnknownValues::finish(const LabelContext& context, std::uint64_t labels,
                           const std::vector<bool>& never_seen, Diagnostics& diagnostics) const {
  const std::vector<Group> all = groups();
  Group rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < kMostGroups)
      diagnostics.add(diagnostic_of_group(all[i], context, labels, never_seen));
    else
      rest.insert(rest.end(), all[i].begin(), all[i].end());
  }
  if (!rest.empty() || left_out_ > 0) diagnostics.add(diagnostic_of_rest(rest, context));
  if (many_.count > 0) diagnostics.add(diagnostic_of_many(context, labels));
}

}  // namespace hotpack::pipeline
