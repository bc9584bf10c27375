#include "format/schema_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {
namespace {

// The words for a fit that a schema may contain: those of the option, and the one for tiles.
constexpr auto kFits = [] {
  std::array<std::string_view, kWords<Fit>.size() + 1> words{};
  for (std::size_t i = 0; i < kWords<Fit>.size(); ++i) words[i] = kWords<Fit>[i].packed;
  words.back() = "tile";
  return words;
}();
constexpr auto kImageFilters = packed_words<ImageFilter>();
constexpr auto kLabelFilters = packed_words<LabelFilter>();
constexpr auto kMismatches = packed_words<SizeMismatch>();
// The kinds that decoders read, and "folder", which is for classes of whole images.
constexpr auto kLabelKinds = [] {
  std::array<std::string_view, kDecodedKinds.size() + 1> words{};
  for (std::size_t i = 0; i < kDecodedKinds.size(); ++i)
    words[i] = packed_word_of(kDecodedKinds[i]);
  words.back() = "folder";
  return words;
}();

// Options that a schema must not contain, because they must not affect the bytes of a record, or
// affect the pack only through its keys and its plan.
constexpr std::array<std::string_view, 15> kForeignOptions{
    "on_error", "max_errors", "orphans", "threads",       "jobs", "force",    "list",     "split",
    "pairing",  "shard_size", "output",  "shard_samples", "time", "hostname", "timestamp"};

template <std::size_t N>
Status check_choice(std::string key, const std::string& value,
                    const std::array<std::string_view, N>& names) {
  const Json json = value;
  const auto choice = JsonNode(json, std::move(key)).choice(names);
  return choice.ok() ? Status() : Status(choice.error());
}

Status check_geometry(const Schema& schema) {
  const Geometry& geometry = schema.geometry;
  HOTPACK_TRY(check_choice("geometry.fit", geometry.fit, kFits));
  HOTPACK_TRY(check_choice("geometry.image_filter", geometry.image_filter, kImageFilters));
  HOTPACK_TRY(check_choice("geometry.label_filter", geometry.label_filter, kLabelFilters));
  const auto channels = static_cast<std::size_t>(schema.image.channels());
  if (geometry.pad_color.size() == channels) return {};
  return damaged_error("geometry.pad_color: must have one number per channel, in all " +
                       std::to_string(channels));
}

Status check_names(const std::vector<ClassInfo>& classes) {
  std::set<std::string_view> names;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::string& name = classes[c].name;
    const std::string key = "classes[" + std::to_string(c) + "].name: ";
    if (name.empty()) return damaged_error(key + "must not be empty");
    if (!names.insert(name).second)
      return damaged_error(key + excerpt(Json(name)) + " is the name of another class too");
  }
  return {};
}

Status check_sources(const std::vector<LabelSource>& sources, const std::string& owner,
                     std::set<LabelSource>& seen) {
  for (const LabelSource& source : sources) {
    if (seen.insert(source).second) continue;
    const Json value = std::visit([](const auto& one) { return Json(one); }, source);
    return damaged_error(owner + ".sources: " + excerpt(value) + " occurs twice in the schema");
  }
  return {};
}

Status check_all_sources(const Schema& schema) {
  std::set<LabelSource> seen;
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    HOTPACK_TRY(
        check_sources(schema.classes[c].sources, "classes[" + std::to_string(c) + "]", seen));
  }
  return check_sources(schema.ignore, "ignore", seen);
}

// Returns true if a value contains a floating-point number. Schemas must not contain any, because
// their text would then depend on how numbers are printed.
bool holds_fraction(const Json& value) {
  if (value.is_number_float()) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), holds_fraction);
}

Status check_option(const std::string& name, const std::string& text) {
  if (std::find(kForeignOptions.begin(), kForeignOptions.end(), name) != kForeignOptions.end()) {
    return damaged_error(
        "options." + name +
        ": must not be in a schema, because it does not change the bytes of a sample");
  }
  HOTPACK_ASSIGN(const JsonDocument document, parse_document(text));
  const Json& value = document.root();
  if (holds_fraction(value))
    return damaged_error("options." + name + ": contains a number that is not an integer");
  if (name != "label_kind" || value.is_null()) return {};
  const auto kind = JsonNode(value, "options.label_kind").choice(kLabelKinds);
  return kind.ok() ? Status() : Status(kind.error());
}

}  // namespace

Status check_schema(const Schema& schema) {
  HOTPACK_TRY(check_geometry(schema));
  HOTPACK_TRY(check_names(schema.classes));
  HOTPACK_TRY(check_all_sources(schema));
  HOTPACK_TRY(check_choice("options.size_mismatch", schema.options.size_mismatch, kMismatches));
  for (const auto& [name, text] : schema.options.more) HOTPACK_TRY(check_option(name, text));
  return {};
}

}  // namespace hotpack::format
