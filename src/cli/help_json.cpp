#include "cli/help_json.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/option_values.hpp"
#include "cli/report.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

constexpr std::string_view kReport = "hotpack-help/1";

// CLI11's name of the type that the value is converted to, without the names of validators.
std::string converted_type(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

std::string_view type_of_value(const CLI::Option& option) {
  const std::string type = converted_type(option);
  if (type == "INT" || type == "UINT") return "integer";
  return type == "FLOAT" ? "number" : "text";
}

std::string_view type_of(const CLI::Option& option) {
  if (is_switch(option)) return "switch";
  if (const ValueForm* const form = find_form(form_of(option))) return form->type;
  if (has_choices(option)) return "choice";
  return type_of_value(option);
}

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

// Returns the number in the text; the text itself if it is none.
Json value_json(const CLI::Option& option) {
  const std::string& text = option.get_default_str();
  const std::string_view type = type_of(option);
  if (text.empty()) return {};
  return type == "integer" || type == "number" ? Json::parse(text, nullptr, false) : Json(text);
}

// Sets the limits of a number, which CLI11's validators describe as "INT in [1 - 1024]".
void add_limits(Json& json, const CLI::Option& option) {
  constexpr std::string_view kIn = " in [", kTo = " - ";
  const std::string name = option.get_type_name();
  json["minimum"] = name.ends_with(":POSITIVE") ? Json(1) : Json();
  json["maximum"] = nullptr;
  const std::size_t begin = name.find(kIn), to = name.find(kTo, begin);
  if (begin == std::string::npos || to == std::string::npos) return;
  const std::size_t from = begin + kIn.size(), last = to + kTo.size();
  json["minimum"] = Json::parse(name.substr(from, to - from), nullptr, false);
  json["maximum"] = Json::parse(name.substr(last, name.find(']', last) - last), nullptr, false);
}

bool takes_many(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

// True if the option may be given several times. Switches that are counted, such as -v, may.
bool is_repeatable(const CLI::Option& option) {
  if (is_switch(option))
    return option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeLast;
  return takes_many(option);
}

// Sets the least and the greatest number of values that follow the option each time.
void add_value_counts(Json& json, const CLI::Option& option) {
  const bool each = option.nonpositional() && takes_many(option);
  const int most = each ? 1 : option.get_items_expected_max();
  json["least_values"] = each ? 1
                         : option.get_positional() && !option.get_required()
                             ? 0
                             : option.get_items_expected_min();
  json["most_values"] = takes_many(option) && !each ? Json() : Json(most);
}

Json option_json(const CLI::Option& option, const std::string& group) {
  const ValueForm* const form = find_form(form_of(option));
  const std::string_view type = type_of(option);
  std::vector<std::string> choices = choices_of(option);
  Json json;
  if (option.get_positional())
    json["name"] = option.get_name(true, false);
  else
    json["names"] = names_of(option);
  json["form"] = text_or_null(form_of(option));
  json["type"] = type;
  json["path"] = type == "path" ? Json(form->path) : Json();
  json["items"] = type == "list" ? Json(type_of_value(option)) : Json();
  json["separator"] = type == "list" ? Json(",") : Json();
  json["choices"] = choices.empty() ? Json() : Json(std::move(choices));
  json["default"] = value_json(option);
  add_limits(json, option);
  add_value_counts(json, option);
  json["repeatable"] = is_repeatable(option);
  json["required"] = option.get_required();
  json["group"] = group;
  json["text"] = option.get_description();
  return json;
}

// Adds what a command and the program have in common.
void add_common(Json& json, const CLI::App& app, const std::string& name) {
  json["text"] = app.get_description();
  json["usage"] = usage_line(app, name);
  const std::string examples = app.get_footer();
  json["examples"] = Json::array();
  for (const std::string_view line : lines_of(examples)) json["examples"].push_back(line);
  json["arguments"] = Json::array();
  for (const CLI::Option* option : arguments_of(app))
    json["arguments"].push_back(option_json(*option, "Arguments"));
  json["options"] = Json::array();
  for (const OptionGroup& group : option_groups(app))
    for (const CLI::Option* option : group.options)
      json["options"].push_back(option_json(*option, group.title));
}

}  // namespace

Json command_json(const CLI::App& command, const std::string& program) {
  Json json{{"report", kReport}, {"program", program}, {"command", command.get_name()}};
  add_common(json, command, program + " " + command.get_name());
  return json;
}

Json program_json(const CLI::App& root, const std::string& version) {
  Json json{{"report", kReport}, {"program", root.get_name()}, {"version", version}};
  add_common(json, root, root.get_name());
  json["commands"] = Json::array();
  for (const CLI::App* command : root.get_subcommands({}))
    json["commands"].push_back(
        {{"name", command->get_name()}, {"text", command->get_description()}});
  json["exit_codes"] = Json::array();
  for (const ExitCode& exit : kExitCodes)
    json["exit_codes"].push_back({{"code", exit.code}, {"text", exit.text}});
  return json;
}

}  // namespace hotpack::cli
