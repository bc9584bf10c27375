#include "cli/config_file.hpp"

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/config_text.hpp"
#include "cli/refusal.hpp"

namespace hotpack::cli {

namespace {

// Reads a configuration file for CLI11 and assigns its keys to the subcommand on the command line.
// CLI11 alone would assign them to the root command; it reads the file after it has parsed the
// whole line.
class CommandConfig final : public CLI::ConfigBase {
 public:
  explicit CommandConfig(const CLI::App& root) : root_(root) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::string text(std::istreambuf_iterator<char>(input), {});
    auto entries = parse_config(text);
    if (!entries.ok())
      throw CLI::ConfigError("--config " + file() + ": " + entries.error().message);
    std::vector<CLI::ConfigItem> found;
    for (ConfigEntry& entry : entries.value()) {
      if (const CLI::Option* option = given_command(root_).get_option_no_throw("--" + entry.key);
          option != nullptr && option->empty())
        lines_[entry.key] = entry.line;
      CLI::ConfigItem item = item_of(std::move(entry), given_command(root_));
      // A key with an empty list is treated as missing.
      if (!item.inputs.empty()) found.push_back(std::move(item));
    }
    return found;
  }

  [[nodiscard]] std::string place_of(const std::string& key) const {
    const auto found = lines_.find(key);
    return found == lines_.end() ? std::string()
                                 : " (" + file() + ", line " + std::to_string(found->second) + ")";
  }

 private:
  [[nodiscard]] std::string file() const { return root_.get_config_ptr()->results().front(); }

  [[nodiscard]] CLI::ConfigItem item_of(ConfigEntry entry, const CLI::App& command) const {
    const CLI::Option* option = command.get_option_no_throw("--" + entry.key);
    if (option == nullptr || !option->get_configurable()) {
      throw CLI::ConfigError("--config " + file() + ": line " + std::to_string(entry.line) + ": " +
                             unknown_name("key", entry.key, long_names(command)));
    }
    CLI::ConfigItem item;
    item.parents = {command.get_name()};
    item.name = std::move(entry.key);
    item.inputs = std::move(entry.values);
    return item;
  }

  const CLI::App& root_;
  mutable std::map<std::string, int> lines_;  // line of each key that the command line does not set
};

}  // namespace

void prepare_config_files(CLI::App& root) {
  root.set_config("--config")->group("");
  root.config_formatter(std::make_shared<CommandConfig>(root));
}

std::string config_place(const CLI::App& root, const std::string& option) {
  const auto config =
      std::dynamic_pointer_cast<const CommandConfig>(root.get_config_formatter_base());
  return config && option.starts_with("--") ? config->place_of(option.substr(2)) : std::string();
}

void add_config_file_option(CLI::App& command) {
  CLI::Option* const root_option = command.get_parent()->get_config_ptr();
  // Runs while the line is parsed, because the root reads its files right after that.
  const auto remember = [root_option](const std::string& file) {
    if (root_option->count() > 0) throw CLI::ValidationError("--config", "may be given only once");
    root_option->add_result(file);
  };
  command.add_option_function<std::string>("--config", remember)
      ->trigger_on_parse()
      ->configurable(false)
      ->option_text("FILE")
      ->description(
          "read options from FILE: lines `name = value`, with option names without dashes; the "
          "command line takes precedence")
      ->group("Running");
}

}  // namespace hotpack::cli
