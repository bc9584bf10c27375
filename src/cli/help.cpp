#include "cli/help.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/option_values.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

// Options that most runs need: the short help of a command with many options shows only these.
constexpr std::array<std::string_view, 15> kMainOptions = {
    "--images",  "--labels",      "--image-folders", "--pairs",   "--preset",
    "--classes", "--num-classes", "--label-kind",    "--ignore",  "--size",
    "--fit",     "--split",       "--output",        "--dry-run", "--json"};
constexpr std::size_t kFewOptions = 15;

// Returns a remark, broken into lines that each begin with "#".
std::string remark_lines(const std::string& remark, std::size_t columns) {
  std::string text = "  # " + wrapped(remark, columns - 4, 2) + "\n";
  for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at + 5))
    text.insert(at + 3, "# ");
  return text;
}

// Marks the space between an option and its value, so that no line breaks there.
std::string with_values_kept(const std::string& command) {
  std::istringstream words(command);
  std::string out, before;
  for (std::string word; words >> word; before = word) {
    const bool value = before.starts_with('-') && !word.starts_with('-');
    out += out.empty() ? word : value ? unbroken(" " + word) : " " + word;
  }
  return out;
}

// Returns the lines of one example: the command, with its remark on the line above. A command that
// is longer than `columns` is continued on the next line after a backslash.
std::string example(const std::string& line, std::size_t columns) {
  const std::size_t remark = line.find("   # ");
  if (text_width(line) + 2 <= columns) return "  " + line + "\n";
  const std::string command = line.substr(0, remark);
  std::string out =
      remark == std::string::npos ? "" : remark_lines(line.substr(remark + 5), columns);
  std::string broken = wrapped(with_values_kept(command), columns - 8, 6);
  for (std::size_t at = broken.find('\n'); at != std::string::npos; at = broken.find('\n', at + 3))
    broken.insert(at, " \\");
  return out + "  " + with_spaces(broken) + "\n";
}

std::string examples(const std::string& text, std::size_t columns) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out += example(std::string(line), columns);
  return out;
}

// Breaks a name with a long list of words, "--fit stretch|cover|…", after '|'.
std::string name_lines(const std::string& name, std::size_t columns) {
  if (text_width(name) + 2 <= columns) return "  " + name;
  std::string spaced;
  for (const char c : name)
    spaced += c == '|' ? std::string("| ") : c == ' ' ? std::string("\x1f") : std::string(1, c);
  std::string out = wrapped(spaced, columns - 6, 6);
  for (std::size_t at = out.find("| "); at != std::string::npos; at = out.find("| ", at + 1))
    out.erase(at + 1, 1);
  return "  " + with_spaces(out);
}

// Returns "  name   text". After a long name, the text begins on a line of its own.
std::string entry(const std::string& name, const std::string& text, std::size_t columns) {
  const std::size_t text_column = columns >= 80 ? 30 : 22;
  std::string out = name_lines(name, columns);
  const std::size_t used = text_width(out);
  if (used + 2 > text_column) {
    out += "\n" + std::string(text_column, ' ');
  } else {
    out.append(text_column - used, ' ');
  }
  return out + wrapped(text, columns - text_column, text_column) + "\n";
}

// Returns the names of an option and its value: "-j, --jobs N".
std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  const std::string form = form_of(option);
  return joined_text(names_of(option), ", ") + (form.empty() ? "" : " " + form);
}

std::string text_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += " [default: " + option.get_default_str() + "]";
  if (option.get_required()) text += " (required)";
  return text;
}

std::string group(const std::string& title, const std::vector<const CLI::Option*>& options,
                  std::size_t columns) {
  if (options.empty()) return {};
  std::string out = "\n" + title + ":\n";
  for (const CLI::Option* option : options)
    out += entry(name_of(*option), text_of(*option), columns);
  return out;
}

using Wanted = std::function<bool(const CLI::Option&)>;

std::string groups(const CLI::App& app, const Wanted& wanted, std::size_t columns) {
  std::string out;
  for (OptionGroup& each : option_groups(app)) {
    std::erase_if(each.options, [&](const CLI::Option* option) { return !wanted(*option); });
    out += group(each.title, each.options, columns);
  }
  return out;
}

std::string commands(const CLI::App& app, std::size_t columns) {
  std::string out;
  for (const CLI::App* each : app.get_subcommands({}))
    out += entry(each->get_name(), each->get_description(), columns);
  return out.empty() ? out : "\nCommands:\n" + out;
}

// Returns the number of options that not every command has.
std::size_t own_options(const CLI::App& app) {
  const auto own = [](const CLI::Option* each) {
    return each->nonpositional() && !each->get_group().empty() && each->get_group() != "Messages" &&
           each->get_group() != "Options";
  };
  return app.get_options(own).size();
}

Wanted main_options(const CLI::App& app) {
  const bool few = own_options(app) <= kFewOptions;
  return [few](const CLI::Option& option) {
    if (option.get_group() == "Messages" || option.get_group() == "Options") return false;
    return few || has_name(option, kMainOptions);
  };
}

// Returns the last lines of the short help: how to see all options.
std::string pointer(const CLI::App& app, const std::string& name) {
  if (!app.get_subcommands({}).empty())
    return "\nMore:\n  " + name + " COMMAND -h       the main options of a command\n  " + name +
           " COMMAND --help   all of them\n";
  return "\nAll options: " + name + " --help\n";
}

}  // namespace

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* each) { return each->get_positional() && !each->get_group().empty(); });
}

std::vector<OptionGroup> option_groups(const CLI::App& app) {
  const std::string last = "Options";  // CLI11's name for those without a group: --help
  std::vector<std::string> titles = app.get_groups();
  std::stable_partition(titles.begin(), titles.end(),
                        [&](const std::string& title) { return title != last; });
  std::vector<OptionGroup> found;
  for (const std::string& title : titles) {
    if (title.empty()) continue;
    const auto shown = [&](const CLI::Option* each) {
      return each->get_group() == title && each->nonpositional();
    };
    found.push_back({title, app.get_options(shown)});
  }
  return found;
}

bool is_switch(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string form_of(const CLI::Option& option) {
  if (is_switch(option)) return {};
  if (option.get_positional()) return option.get_name(true, false);
  return option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
}

std::string usage_line(const CLI::App& app, const std::string& name) {
  std::string line = name;
  if (!app.get_subcommands({}).empty()) line += " COMMAND";
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string word =
        option->get_name(true, false) + (option->get_expected_max() > 1 ? "..." : "");
    line += option->get_required() ? " " + word : " [" + word + "]";
  }
  return line + " [options]";
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string out = wrapped(app->get_description(), columns_, 0) + "\n\n";
  if (!app->get_footer().empty())
    out += "Examples:\n" + examples(app->get_footer(), columns_) + "\n";
  out += "Usage:\n  " + usage_line(*app, name) + "\n" + commands(*app, columns_) +
         group("Arguments", arguments_of(*app), columns_);
  const bool whole = mode == CLI::AppFormatMode::All;
  const bool is_root = !app->get_subcommands({}).empty();
  out +=
      groups(*app, whole || is_root ? [](const CLI::Option&) { return true; } : main_options(*app),
             columns_);
  return whole ? out : out + pointer(*app, name);
}

}  // namespace hotpack::cli
