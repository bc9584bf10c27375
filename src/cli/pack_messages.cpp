#include "cli/pack_messages.hpp"

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

void warn_of_set(CommandContext& context, const pipeline::PackReport& set) {
  for (const std::string& warning : set.plan.warnings)
    say_lines(context.terminal(), pipeline::Level::warning, warning, set.split);
  say_lines(context.terminal(), pipeline::Level::warning, remarks_text(set.diagnostics), set.split);
  if (set.problems.count() > 0)
    say_lines(context.terminal(), pipeline::Level::warning,
              "skipped: " + set.problems.skipped_text(), set.split);
}

}  // namespace hotpack::cli
