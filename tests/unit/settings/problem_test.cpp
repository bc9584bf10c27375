#include "settings/problem.hpp"

#include <set>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

Problem numbered(ProblemKind kind, int number) {
  return {kind, "file" + std::to_string(number), "found"};
}

}  // namespace

TEST_CASE("a log without problems has no text") {
  const ProblemLog log;
  CHECK(log.count() == 0);
  CHECK(log.text().empty());
}

TEST_CASE("problems are grouped by kind, with count, examples and advice") {
  ProblemLog log;
  log.add({ProblemKind::damaged_image, "b.png", "the file is truncated"});
  log.add({ProblemKind::orphan_image, "a.png", "no label has its key 'a'"});
  log.add({ProblemKind::damaged_image, "c.png", "bad checksum"});
  CHECK(log.count() == 3);
  CHECK(log.text() ==
        "1 image without a label:\n"
        "    a.png: no label has its key 'a'\n"
        "  what to do: add the labels, or leave these images out: by name with --exclude GLOB, or "
        "all with --orphans skip; if labels have other names, say how names differ with "
        "--label-suffix or --pair-regex\n"
        "2 damaged or truncated images:\n"
        "    b.png: the file is truncated\n"
        "    c.png: bad checksum\n"
        "  what to do: replace the damaged files, or leave them out with --on-error skip\n");
}

TEST_CASE("only the first examples are kept, all are counted") {
  ProblemLog log;
  for (int i = 0; i < 1000; ++i) log.add(numbered(ProblemKind::size_mismatch, i));
  const ProblemLog::Group& group = log.group(ProblemKind::size_mismatch);
  CHECK(group.count == 1000);
  REQUIRE(group.examples.size() == ProblemLog::kExamples);
  CHECK(group.examples[0].path == "file0");
  CHECK(group.examples[4].path == "file4");
  CHECK_THAT(log.text(), ContainsSubstring("… and 995 more\n"));
}

TEST_CASE("appending a log keeps the order of examples and adds the counts") {
  ProblemLog first, second;
  for (int i = 0; i < 3; ++i) first.add(numbered(ProblemKind::too_large, i));
  for (int i = 3; i < 9; ++i) second.add(numbered(ProblemKind::too_large, i));
  second.add(numbered(ProblemKind::label_form, 9));
  first.append(second);
  CHECK(first.count() == 10);
  CHECK(first.group(ProblemKind::too_large).count == 9);
  REQUIRE(first.group(ProblemKind::too_large).examples.size() == 5);
  CHECK(first.group(ProblemKind::too_large).examples[3].path == "file3");
  CHECK(first.group(ProblemKind::label_form).count == 1);
}

TEST_CASE("a group can be settled") {
  ProblemLog log;
  log.add(numbered(ProblemKind::unsupported_file, 1));
  log.add(numbered(ProblemKind::unsupported_file, 2));
  log.add(numbered(ProblemKind::orphan_label, 3));
  CHECK(log.forget(ProblemKind::unsupported_file) == 2);
  CHECK(log.forget(ProblemKind::unsupported_file) == 0);
  CHECK(log.count() == 1);
  CHECK_THAT(log.text(), !ContainsSubstring("format"));
}

TEST_CASE("every kind has a name of its own, a title and advice") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    names.insert(problem_name(kind));
    CHECK_FALSE(problem_name(kind).empty());
    CHECK_FALSE(problem_title(kind, 2).empty());
    CHECK(problem_advice(kind).empty() == (kind == ProblemKind::open_question));
  }
  CHECK(names.size() == kProblemKinds);
}

TEST_CASE("a problem of no file is its finding alone") {
  CHECK((Problem{ProblemKind::label_form, "", "found"}.text()) == "found");
  CHECK((Problem{ProblemKind::label_form, "a.png", "found"}.text()) == "a.png: found");
}

TEST_CASE("the examples in a report do not depend on the order of discovery") {
  const auto text_of = [](const std::vector<int>& order) {
    ProblemLog whole;
    ProblemLog part;
    for (const int number : order)
      (number % 2 == 0 ? whole : part)
          .add({ProblemKind::missing_file, "list.txt", "line " + std::to_string(number)});
    whole.append(part);
    return whole.text();
  };
  const std::string text = text_of({1, 2, 3, 4, 5, 6, 10, 20});
  CHECK(text == text_of({20, 6, 10, 5, 3, 4, 2, 1}));
  CHECK(text.find("line 2\n") < text.find("line 5\n"));
  CHECK(text.find("line 10") == std::string::npos);
}

TEST_CASE("skipped samples do not get the advice to skip them") {
  ProblemLog log;
  log.add({ProblemKind::damaged_image, "a.png", "cut"});
  log.add({ProblemKind::orphan_image, "b.png", "no label has its key 'b'"});
  CHECK_THAT(log.text(), ContainsSubstring(
                             "replace the damaged files, or leave them out with --on-error skip"));
  CHECK_THAT(log.skipped_text(), ContainsSubstring("what to do: replace the damaged files\n") &&
                                     ContainsSubstring("--orphans skip"));
  CHECK_THAT(log.skipped_text(), !ContainsSubstring("--on-error skip"));
}
