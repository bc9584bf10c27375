#include "check/diagnostics.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

namespace {

// Splits a text such as "--exif apply|--exif ignore" into its options.
std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> options;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    options.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return options;
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::problem:
      return "problem";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

void Diagnostic::add_example(Evidence example) {
  if (examples.size() < kExamples) examples.push_back(std::move(example));
}

void Occurrences::add(Evidence example) {
  ++count;
  if (examples.size() < Diagnostic::kExamples) examples.push_back(std::move(example));
}

Diagnostic make_diagnostic(std::string kind, Severity severity, std::string title,
                           const Occurrences& occurrences, std::uint64_t of, std::string advice) {
  Diagnostic diagnostic;
  diagnostic.kind = std::move(kind);
  diagnostic.severity = severity;
  diagnostic.title = std::move(title);
  diagnostic.count = occurrences.count;
  diagnostic.of = of;
  diagnostic.examples = occurrences.examples;
  diagnostic.advice = std::move(advice);
  return diagnostic;
}

void Diagnostics::add(Diagnostic diagnostic) {
  const auto after = std::find_if(all_.begin(), all_.end(), [&](const Diagnostic& each) {
    return each.severity > diagnostic.severity;
  });
  all_.insert(after, std::move(diagnostic));
}

std::uint64_t Diagnostics::count(Severity severity) const {
  return static_cast<std::uint64_t>(std::count_if(
      all_.begin(), all_.end(), [&](const Diagnostic& each) { return each.severity == severity; }));
}

void add_problems(const ProblemLog& log, const std::vector<ProblemKind>& leave_out, bool skipping,
                  Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < kProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    const ProblemLog::Group& group = log.group(kind);
    if (group.count == 0 || std::find(leave_out.begin(), leave_out.end(), kind) != leave_out.end())
      continue;
    Diagnostic diagnostic;
    diagnostic.kind = problem_name(kind);
    diagnostic.severity = Severity::problem;
    diagnostic.title = problem_title(kind, group.count);
    diagnostic.title = kind == ProblemKind::open_question
                           ? diagnostic.title + ":"
                           : number_text(group.count) + " " + diagnostic.title;
    diagnostic.count = group.count;
    for (const Problem& problem : group.examples)
      diagnostic.add_example({problem.path, problem.detail});
    diagnostic.advice = skipping ? advice_once_skipped(kind) : problem_advice(kind);
    diagnostic.options = split_options(problem_options(kind));
    if (skipping) std::erase(diagnostic.options, "--on-error skip");
    diagnostics.add(std::move(diagnostic));
  }
}

}  // namespace hotpack::pipeline
