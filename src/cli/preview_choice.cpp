#include "cli/preview_choice.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "check/diagnostics.hpp"
#include "cli/refusal.hpp"
#include "cli/text.hpp"
#include "preview/label_classes.hpp"
#include "preview/legend.hpp"

namespace hotpack::cli {

namespace {

using Numbers = std::vector<std::uint64_t>;
using Chosen = std::vector<ChosenSample>;

Error unknown_key_error(PreviewSource& source, const std::string& asked) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < source.samples(); ++i) {
    Result<std::string> key = source.key(i);
    if (!key.ok()) return std::move(key).error();
    keys.push_back(std::move(key).value());
  }
  return usage_error(unknown_key(asked, source.name(), keys));
}

// The error for a part of `text` that is no key. The commas of `text` may belong to a key.
Error unknown_part(PreviewSource& source, const std::string& asked, const std::string& text) {
  Error error = unknown_key_error(source, asked);
  if (asked != text) error.message += ". Give each key that contains a comma its own --keys";
  return error;
}

// Returns the numbers of the samples whose keys are in `text`, separated by commas. A key may
// itself contain commas, so the whole text is tried as one key first.
Result<Numbers> numbers_of_keys(PreviewSource& source, const std::string& text) {
  HOTPACK_ASSIGN(const auto whole, source.find(text));
  if (!whole.empty()) return whole;
  Numbers numbers;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string key(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (key.empty()) continue;
    HOTPACK_ASSIGN(const auto found, source.find(key));
    if (found.empty()) return unknown_part(source, key, text);
    numbers.insert(numbers.end(), found.begin(), found.end());
  }
  return numbers;
}

Result<Numbers> samples_with_keys(PreviewSource& source, const std::vector<std::string>& keys) {
  Numbers all;
  for (const std::string& text : keys) {
    HOTPACK_ASSIGN(const Numbers numbers, numbers_of_keys(source, text));
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  if (all.empty()) return usage_error("--keys is empty: name at least one key");
  return all;
}

// Returns a text such as "the classes are: sky, building, …".
std::string class_list(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 40;
  const std::string more =
      names.size() > kListed ? ", … (" + number_text(names.size()) + " in all)" : "";
  return "the classes are: " +
         list_text({names.begin(),
                    names.begin() + static_cast<std::ptrdiff_t>(std::min(kListed, names.size()))},
                   kListed) +
         more;
}

Result<std::size_t> class_named(const PreviewSource& source, const std::string& name) {
  const std::vector<ClassInfo>& classes = source.schema().classes;
  if (!source.schema().label)
    return usage_error("--class " + name + ": " + quoted_text(source.name()) +
                       " has no labels; leave --class out");
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const ClassInfo& info : classes) names.push_back(info.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::size_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  if (error == std::errc() && end == name.data() + name.size() && id < classes.size()) return id;
  return usage_error(unknown_name("class", name, names) + "\n" + class_list(names));
}

// A sample, and the share of the class in its label.
struct Rich {
  double part = 0;
  std::uint64_t number = 0;
};

// Returns the samples that contain the class, with its share of their pixels, in the order of their
// numbers. Returns an empty list if the user requested a stop.
Result<std::vector<Rich>> samples_of_class(PreviewSource& source, std::size_t class_id,
                                           Terminal& terminal) {
  std::vector<Rich> rich;
  pipeline::Progress progress{"reading labels", 0, source.samples(), 0, 0, 0};
  for (std::uint64_t number = 0; number < source.samples(); ++number) {
    if (terminal.stop_requested()) return std::vector<Rich>();
    HOTPACK_ASSIGN(const auto label, source.load_label(number));
    const std::uint64_t count = label ? preview::count_class(*label, class_id) : 0;
    if (count > 0)
      rich.push_back(
          {static_cast<double>(count) / static_cast<double>(label->shape.vectors()), number});
    ++progress.samples_done;
    progress.bytes_in += label ? label->bytes.size() : 0;
    terminal.progress(progress);
  }
  return rich;
}

Result<Chosen> richest_samples(PreviewSource& source, const std::string& name, std::size_t most,
                               Terminal& terminal) {
  HOTPACK_ASSIGN(const std::size_t class_id, class_named(source, name));
  HOTPACK_ASSIGN(std::vector<Rich> rich, samples_of_class(source, class_id, terminal));
  terminal.finish_progress();
  const std::string& class_name = source.schema().classes[class_id].name;
  if (rich.empty() && !terminal.stop_requested())
    return usage_error("no sample of " + quoted_text(source.name()) + " contains the class '" +
                       class_name + "'");
  Chosen chosen;
  if (source.schema().label->scope == LabelScope::image) {
    for (const std::uint64_t place : spread_evenly(rich.size(), most))
      chosen.push_back({rich[place].number, {}});
    return chosen;
  }
  std::stable_sort(rich.begin(), rich.end(),
                   [](const Rich& a, const Rich& b) { return a.part > b.part; });
  rich.resize(std::min(rich.size(), most));
  const std::string start =
      (class_name == std::to_string(class_id) ? "class " : "") + class_name + ": ";
  for (const Rich& each : rich)
    chosen.push_back({each.number, start + preview::class_share_text(each.part)});
  return chosen;
}

Chosen without_remarks(const Numbers& numbers) {
  Chosen chosen;
  for (const std::uint64_t number : numbers) chosen.push_back({number, {}});
  return chosen;
}

}  // namespace

Result<std::vector<ChosenSample>> choose_samples(PreviewSource& source, const PreviewChoice& choice,
                                                 Terminal& terminal) {
  if (choice.class_name) return richest_samples(source, *choice.class_name, choice.most, terminal);
  if (choice.keys.empty()) return without_remarks(spread_evenly(source.samples(), choice.most));
  HOTPACK_ASSIGN(const Numbers numbers, samples_with_keys(source, choice.keys));
  return without_remarks(numbers);
}

std::vector<std::uint64_t> spread_evenly(std::uint64_t total, std::size_t count) {
  const std::uint64_t taken = std::min<std::uint64_t>(total, count);
  std::vector<std::uint64_t> numbers;
  // Divides the samples into `taken` equal parts and takes the middle of each. The product does not
  // overflow, because a sheet has few samples.
  for (std::uint64_t i = 0; i < taken; ++i) numbers.push_back((2 * i + 1) * total / (2 * taken));
  return numbers;
}

}  // namespace hotpack::cli
