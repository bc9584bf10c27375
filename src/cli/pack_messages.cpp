#include "cli/pack_messages.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/pack_report.hpp"

namespace hotpack::cli {

void say_lines(Terminal& terminal, pipeline::Level level, const std::string& text,
               const std::string& about) {
  const std::string beginning = about.empty() ? "" : about + ": ";
  for (const std::string_view line : lines_of(text))
    terminal.message(level, beginning + std::string(line));
}

int refuse(CommandContext& context, const pipeline::PackRun& run, double seconds) {
  say_lines(context.terminal(), pipeline::Level::error, run.problems.text());
  const Error error = data_error(
      "nothing was packed: " + counted_text(run.problems.count(), "problem") + " in the input");
  if (context.json()) context.print(refused_report(run, error, seconds));
  return context.fail(error);
}

void warn_of_sets(CommandContext& context, const std::vector<pipeline::PackReport>& sets) {
  using pipeline::Level;
  Terminal& terminal = context.terminal();
  const auto of_all = [&](const std::string& warning) {
    return sets.size() > 1 && std::ranges::all_of(sets, [&](const pipeline::PackReport& set) {
             return std::ranges::count(set.plan.warnings, warning) > 0;
           });
  };
  for (const pipeline::PackReport& set : sets) {
    for (const std::string& warning : set.plan.warnings)
      if (!of_all(warning))
        say_lines(terminal, Level::warning, warning, set.split);
      else if (&set == &sets.front())
        say_lines(terminal, Level::warning, warning, "");
    say_lines(terminal, Level::warning, remarks_text(set.diagnostics), set.split);
    if (set.problems.count() > 0)
      say_lines(terminal, Level::warning, "skipped: " + set.problems.skipped_text(), set.split);
  }
}

}  // namespace hotpack::cli
