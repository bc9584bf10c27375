// The commands of hotpack, one source file each.
//
// Each function adds one subcommand to `app` (CommandContext::add_command), and if the line names
// it, also its options, bound to values that a shared_ptr keeps alive, and its action, passed to
// `context.set_action()`. No action runs while the command line is being parsed.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace hotpack::cli {

class CommandContext;

void add_pack_command(CLI::App& app, CommandContext& context);
void add_plan_command(CLI::App& app, CommandContext& context);
void add_check_command(CLI::App& app, CommandContext& context);
void add_info_command(CLI::App& app, CommandContext& context);
void add_verify_command(CLI::App& app, CommandContext& context);
void add_preview_command(CLI::App& app, CommandContext& context);
void add_extract_command(CLI::App& app, CommandContext& context);
void add_merge_command(CLI::App& app, CommandContext& context);
void add_bench_command(CLI::App& app, CommandContext& context);

using AddCommand = void (*)(CLI::App& app, CommandContext& context);

// Returns the functions of all commands, in the order of the help.
[[nodiscard]] std::span<const AddCommand> all_commands();

}  // namespace hotpack::cli
