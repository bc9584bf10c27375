#include "cli/help.hpp"

#include <algorithm>
#include <vector>

#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kTextColumn = 30;

std::string indented(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

// "  name   text", the text on a line of its own where the name is long.
std::string entry(const std::string& name, const std::string& text) {
  std::string out = "  " + name;
  const std::size_t used = text_width(out);
  if (used + 2 > kTextColumn) {
    out += "\n" + std::string(kTextColumn, ' ');
  } else {
    out.append(kTextColumn - used, ' ');
  }
  return out + wrapped(text, kWidth - kTextColumn, kTextColumn) + "\n";
}

// "-j, --jobs N"
std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (option.get_type_size() == 0) return names;
  return names + " " + (option.get_option_text().empty() ? option.get_type_name() : option.get_option_text());
}

std::string text_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += " [default: " + option.get_default_str() + "]";
  if (option.get_required()) text += " (required)";
  return text;
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string line = name;
  if (!app.get_subcommands({}).empty()) line += " COMMAND";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string word = option->get_name(true, false) + (option->get_expected_max() > 1 ? "..." : "");
    line += option->get_required() ? " " + word : " [" + word + "]";
  }
  return "Usage:\n  " + line + " [options]\n";
}

std::string group(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return {};
  std::string out = "\n" + title + ":\n";
  for (const CLI::Option* option : options) out += entry(name_of(*option), text_of(*option));
  return out;
}

std::string positionals(const CLI::App& app) {
  return group("Arguments", app.get_options([](const CLI::Option* each) { return each->get_positional() && !each->get_group().empty(); }));
}

std::string option_groups(const CLI::App& app) {
  const std::string last = "Options";  // CLI11's name for those without a group: --help
  std::vector<std::string> titles = app.get_groups();
  std::stable_partition(titles.begin(), titles.end(), [&](const std::string& title) { return title != last; });
  std::string out;
  for (const std::string& title : titles) {
    if (title.empty()) continue;
    out += group(title, app.get_options([&](const CLI::Option* each) { return each->get_group() == title && each->nonpositional(); }));
  }
  return out;
}

std::string commands(const CLI::App& app) {
  std::string out;
  for (const CLI::App* each : app.get_subcommands({})) out += entry(each->get_name(), each->get_description());
  return out.empty() ? out : "\nCommands:\n" + out;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string out = wrapped(app->get_description(), kWidth, 0) + "\n\n";
  if (!app->get_footer().empty()) out += "Examples:\n" + indented(app->get_footer()) + "\n\n";
  return out + usage(*app, name) + commands(*app) + positionals(*app) + option_groups(*app);
}

}  // namespace hotpack::cli
