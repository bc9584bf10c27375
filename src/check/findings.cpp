#include "check/findings.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

namespace {

// "--exif apply|--exif ignore"
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

void Finding::add_example(Evidence example) {
  if (examples.size() < kExamples) examples.push_back(std::move(example));
}

void Sightings::add(Evidence example) {
  ++count;
  if (examples.size() < Finding::kExamples) examples.push_back(std::move(example));
}

void Findings::add(Finding finding) {
  const auto after = std::find_if(all_.begin(), all_.end(), [&](const Finding& each) { return each.severity > finding.severity; });
  all_.insert(after, std::move(finding));
}

std::uint64_t Findings::count(Severity severity) const {
  return static_cast<std::uint64_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Finding& each) { return each.severity == severity; }));
}

void add_problems(const ProblemLog& log, const std::vector<ProblemKind>& leave_out, bool skipping, Findings& findings) {
  for (std::size_t i = 0; i < kProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    const ProblemLog::Group& group = log.group(kind);
    if (group.count == 0 || std::find(leave_out.begin(), leave_out.end(), kind) != leave_out.end()) continue;
    Finding finding;
    finding.kind = problem_name(kind);
    finding.severity = Severity::problem;
    finding.title = problem_title(kind, group.count);
    finding.title = kind == ProblemKind::open_question ? finding.title + ":" : number_text(group.count) + " " + finding.title;
    finding.count = group.count;
    for (const Problem& problem : group.examples) finding.add_example({problem.path, problem.detail});
    finding.advice = skipping ? advice_once_skipped(kind) : problem_advice(kind);
    finding.options = split_options(problem_options(kind));
    if (skipping) std::erase(finding.options, "--on-error skip");
    findings.add(std::move(finding));
  }
}

}  // namespace hotpack::pipeline
