#include "check/findings.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

Finding named(const std::string& kind, Severity severity) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  return finding;
}

}  // namespace

TEST_CASE("findings are sorted by severity, then by the order of reporting") {
  Findings findings;
  findings.add(named("note 1", Severity::note));
  findings.add(named("warning", Severity::warning));
  findings.add(named("problem 1", Severity::problem));
  findings.add(named("note 2", Severity::note));
  findings.add(named("problem 2", Severity::problem));
  std::string order;
  for (const Finding& finding : findings.all()) order += finding.kind + ", ";
  CHECK(order == "problem 1, problem 2, warning, note 1, note 2, ");
  CHECK(findings.count(Severity::problem) == 2);
  CHECK(findings.count(Severity::warning) == 1);
}

TEST_CASE("each kind of problem becomes a finding with the options that settle it") {
  ProblemLog log;
  log.add({ProblemKind::orientation, "a.jpg", "EXIF orientation 3"});
  for (int i = 0; i < 7; ++i) log.add({ProblemKind::orphan_label, std::to_string(i) + ".png", "no image"});
  log.add({ProblemKind::unknown_value, "b.png", "told elsewhere"});
  Findings findings;
  add_problems(log, {ProblemKind::unknown_value}, false, findings);
  REQUIRE(findings.all().size() == 2);
  const Finding& orphans = findings.all()[0];
  CHECK(orphans.kind == "orphan-label");
  CHECK(orphans.title == "7 labels without an image");
  CHECK(orphans.count == 7);
  CHECK(orphans.examples.size() == Finding::kExamples);
  CHECK(orphans.options == std::vector<std::string>{"--orphans skip"});
  const Finding& orientation = findings.all()[1];
  CHECK(orientation.title == "1 image whose EXIF orientation may or may not fit the label");
  CHECK(orientation.options == std::vector<std::string>{"--exif apply", "--exif ignore"});
}

TEST_CASE("sightings count all and keep the first") {
  Sightings sightings;
  for (int i = 0; i < 100; ++i) sightings.add({std::to_string(i), "", {}});
  CHECK(sightings.count == 100);
  REQUIRE(sightings.examples.size() == Finding::kExamples);
  CHECK(sightings.examples.back().path == "4");
}

TEST_CASE("a finding about what is skipped already does not advise to skip it") {
  ProblemLog log;
  log.add({ProblemKind::damaged_image, "a.png", "cut"});
  Findings findings;
  add_problems(log, {}, true, findings);
  REQUIRE(findings.all().size() == 1);
  CHECK(findings.all()[0].advice == "replace them");
  CHECK(findings.all()[0].options.empty());
}
