#include "cli/commands.hpp"

namespace hotpack::cli {

std::span<const AddCommand> all_commands() {
  static constexpr AddCommand kCommands[] = {
      add_pack_command,   add_check_command,   add_info_command,
      add_verify_command, add_preview_command, add_extract_command,
      add_plan_command,   add_merge_command,   add_bench_command};
  return kCommands;
}

}  // namespace hotpack::cli
