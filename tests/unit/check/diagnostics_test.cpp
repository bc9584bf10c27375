#include "check/diagnostics.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

Diagnostic named(const std::string& kind, Severity severity) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.severity = severity;
  return diagnostic;
}

}  // namespace

TEST_CASE("diagnostics are sorted by severity, then by the order of reporting") {
  Diagnostics diagnostics;
  diagnostics.add(named("note 1", Severity::note));
  diagnostics.add(named("warning", Severity::warning));
  diagnostics.add(named("problem 1", Severity::problem));
  diagnostics.add(named("note 2", Severity::note));
  diagnostics.add(named("problem 2", Severity::problem));
  std::string order;
  for (const Diagnostic& diagnostic : diagnostics.all()) order += diagnostic.kind + ", ";
  CHECK(order == "problem 1, problem 2, warning, note 1, note 2, ");
  CHECK(diagnostics.count(Severity::problem) == 2);
  CHECK(diagnostics.count(Severity::warning) == 1);
}

TEST_CASE("each kind of problem becomes a diagnostic with options that resolve it") {
  ProblemLog log;
  log.add({ProblemKind::orientation, "a.jpg", "EXIF orientation 3"});
  for (int i = 0; i < 7; ++i)
    log.add({ProblemKind::orphan_label, std::to_string(i) + ".png", "no image"});
  log.add({ProblemKind::unknown_value, "b.png", "reported elsewhere"});
  Diagnostics diagnostics;
  add_problems(log, {ProblemKind::unknown_value}, false, diagnostics);
  REQUIRE(diagnostics.all().size() == 2);
  const Diagnostic& orphans = diagnostics.all()[0];
  CHECK(orphans.kind == "orphan-label");
  CHECK(orphans.title == "7 labels without an image");
  CHECK(orphans.count == 7);
  CHECK(orphans.examples.size() == Diagnostic::kExamples);
  CHECK(orphans.options.empty());  // no option that loses data is offered for pasting
  const Diagnostic& orientation = diagnostics.all()[1];
  CHECK(orientation.title == "1 image whose EXIF orientation may or may not fit the label");
  CHECK(orientation.options == std::vector<std::string>{"--exif apply", "--exif ignore"});
}

TEST_CASE("occurrences count all and keep the first") {
  Occurrences occurrences;
  for (int i = 0; i < 100; ++i) occurrences.add({std::to_string(i), "", {}});
  CHECK(occurrences.count == 100);
  REQUIRE(occurrences.examples.size() == Diagnostic::kExamples);
  CHECK(occurrences.examples.back().path == "4");
}

TEST_CASE("with --on-error skip no diagnostic advises to skip") {
  ProblemLog log;
  log.add({ProblemKind::damaged_image, "a.png", "cut"});
  Diagnostics diagnostics;
  add_problems(log, {}, true, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].advice == "replace the damaged files");
  CHECK(diagnostics.all()[0].options.empty());
}
