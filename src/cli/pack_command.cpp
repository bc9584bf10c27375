#include "cli/pack_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "cli/option_values.hpp"

namespace hotpack::cli {

namespace {

// True for options of `check` itself, about how it runs and reports, not about what is packed.
bool is_own_option(const CLI::Option& option) {
  static constexpr std::array<std::string_view, 5> kNames = {"--help", "--json", "--config",
                                                             "--fast", "--write-classes"};
  return option.get_group() == "Messages" || has_name(option, kNames);
}

std::string name_of(const CLI::Option& option) {
  return option.get_snames().empty() ? "--" + option.get_lnames().front()
                                     : "-" + option.get_snames().front();
}

// Returns the words for one value of an option: the option's name and the value. They are joined by
// "=" if the value begins like an option or is optional, else by a space.
std::string with_value(const CLI::Option& option, const std::string& value) {
  const std::string name = name_of(option);
  const bool joined =
      name.starts_with("--") && (value.starts_with('-') || option.get_items_expected_min() == 0);
  return " " + name + (joined ? "=" : " ") + shell_word(value);
}

std::string words_of(const CLI::Option& option) {
  const std::vector<std::string>& values = option.results();
  std::string words;
  if (option.get_positional()) {
    for (const std::string& value : values) words += " " + shell_word(value);
  } else if (option.get_items_expected_max() == 0 ||
             (values.size() == 1 && values.front().empty())) {
    words = " " + name_of(option);
  } else if (option.get_items_expected_min() > 1) {
    words = " " + name_of(option);
    for (const std::string& value : values) words += " " + shell_word(value);
  } else {
    for (const std::string& value : values) words += with_value(option, value);
  }
  return words;
}

// Returns true if the option names or pairs inputs. A command that an error proposes has other
// inputs or pairs them in another way, so it must not get such options of the user.
bool names_or_pairs_inputs(const CLI::Option& option) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "--images",       "--labels",     "--image-folders",  "--key-prefix",  "--image-suffix",
      "--label-suffix", "--pair-regex", "--mask-per-class", "--allow-empty", "--pairs"};
  return option.get_positional() || has_name(option, kNames);
}

bool has_word(std::string_view line, const std::string& word) {
  return line.find(" " + word + " ") != std::string_view::npos ||
         line.find(" " + word + "=") != std::string_view::npos;
}

bool says(std::string_view line, const GivenOption& option) {
  const auto is = [&](std::string_view name) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  };
  if ((is("--group") || is("--split-seed")) && has_word(line, "--split")) return true;
  // --pairs, and --split with lists, name the samples themselves, so these options do not apply.
  if ((is("--list") || is("--root") || is("--strip-prefix")) &&
      (has_word(line, "--pairs") || has_word(line, "--split")))
    return true;
  return std::any_of(option.names.begin(), option.names.end(),
                     [&](const std::string& name) { return has_word(line, name); });
}

constexpr std::string_view kSomewhere = " -o OUT";

// `line` is a proposed command and ends with a space. If the user gave options about classes,
// returns the line without the `--classes` that was proposed at its end, else the whole line.
std::string_view without_proposed_classes(std::string_view line,
                                          std::span<const GivenOption> given) {
  constexpr std::array<std::string_view, 4> kAboutClasses = {"--classes", "--num-classes",
                                                             "--preset", "--map"};
  const bool said = std::any_of(given.begin(), given.end(), [&](const GivenOption& option) {
    return std::find(kAboutClasses.begin(), kAboutClasses.end(), option.names.front()) !=
           kAboutClasses.end();
  });
  const std::size_t proposed = line.rfind(" --classes ");
  return said && proposed != std::string_view::npos ? line.substr(0, proposed + 1) : line;
}

// Returns true if the option makes sense for the inputs of the proposed command `line`. Options
// about labels apply to label files; only a few of them also apply to class folders or to masks per
// class.
bool goes_with(std::string_view line, const GivenOption& option) {
  const auto is = [&](std::string_view name) { return option.names.front() == name; };
  const bool masks = has_word(line, "--mask-per-class"),
             folders = has_word(line, "--image-folders");
  if (masks && is("--fold")) return false;
  if (is("--columns")) return has_word(line, "--pairs");
  if (!option.about_labels) return true;
  if (masks) return is("--classes") || is("--threshold");
  if (folders) return is("--classes") || is("--map");
  const bool data_set = !has_word(line, "--images");  // its labels are found below it
  return data_set || has_word(line, "--labels") || has_word(line, "--pairs");
}

// Returns the proposed command `line` with the user's options added. Precondition: `line` ends with
// kSomewhere, the placeholder for the output.
std::string finished_command(std::string_view line, std::span<const GivenOption> given) {
  const std::string_view begin =
      without_proposed_classes(line.substr(0, line.size() - kSomewhere.size() + 1), given);
  std::string words, output(kSomewhere);
  for (const GivenOption& option : given) {
    if (option.names.front() == "--output")
      output = option.words;
    else if (!says(begin, option) && goes_with(begin, option))
      words += option.words;
  }
  return std::string(begin.substr(0, begin.size() - 1)) + words + output;
}

}  // namespace

std::vector<GivenOption> options_to_keep(const CLI::App& command, const CLI::App& pack) {
  std::vector<GivenOption> kept;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || is_own_option(*option) || names_or_pairs_inputs(*option)) continue;
    const CLI::Option* const same = pack.get_option_no_throw(name_of(*option));
    if (same == nullptr || same->get_group() != option->get_group())
      continue;  // pack has no such option, or it means something else there, as -o of preview
    GivenOption given{{}, words_of(*option), option->get_group() == "Labels"};
    for (const std::string& name : option->get_lnames()) given.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) given.names.push_back("-" + name);
    kept.push_back(std::move(given));
  }
  return kept;
}

std::string with_given_options(std::string_view text, std::span<const GivenOption> given,
                               std::string_view command) {
  constexpr std::string_view kPack = "hotpack pack ";
  std::string finished;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = line.find(kPack);
    if (at == std::string_view::npos || !line.ends_with(kSomewhere)) {
      finished += std::string(line) + "\n";
    } else {
      const std::string proposed = finished_command(line, given);
      finished += proposed.substr(0, at) + "hotpack " + std::string(command) + " " +
                  proposed.substr(at + kPack.size()) + "\n";
    }
  }
  if (!text.ends_with('\n') && !finished.empty()) finished.pop_back();
  return finished;
}

std::string pack_command_line(const CLI::App& command) {
  std::string line = "hotpack pack";
  bool has_output = false;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || is_own_option(*option)) continue;
    line += words_of(*option);
    has_output = has_output || option->check_name("--output");
  }
  return has_output ? line : line + " -o packed";
}

}  // namespace hotpack::cli
