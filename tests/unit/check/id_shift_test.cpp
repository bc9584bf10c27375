#include "check/id_shift.hpp"

#include <optional>

#include "support/drawn_labels.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Counts = std::vector<std::uint64_t>;

// The pixels of ids 0, 1, 2, …; a little different in each label.
std::vector<ValueCount> ids_of(const Counts& pixels, int label = 0, RawValue raised_by = 0) {
  std::vector<ValueCount> ids;
  for (std::size_t id = 0; id < pixels.size(); ++id)
    if (pixels[id] > 0)
      ids.push_back({static_cast<RawValue>(id) + raised_by,
                     pixels[id] + static_cast<std::uint64_t>(label) * (id % 3)});
  return ids;
}

const Counts kUsual{500, 50, 300, 0, 80, 20};
const Counts kWithoutLast{500, 50, 300, 0, 100};

IdShift usual_labels(std::size_t classes = 6) {
  IdShift shift(classes);
  for (int i = 0; i < 20; ++i) shift.add("usual", ids_of(kUsual, i));
  return shift;
}

}  // namespace

TEST_CASE("a label with ids one too high is found by an id beyond the classes") {
  IdShift shift = usual_labels();
  shift.add("raised", ids_of(kUsual, 3, 1));
  const Occurrences found = shift.shifted();
  REQUIRE(found.count == 1);
  CHECK(found.examples[0].path == "raised");
  CHECK_THAT(found.examples[0].found, ContainsSubstring("ids 1…6, never 0: ") &&
                                          ContainsSubstring("if every id is lowered by one"));
}

TEST_CASE("a label with ids one too high is found by its class shares alone") {
  IdShift shift = usual_labels();
  shift.add("raised", ids_of(kWithoutLast, 0, 1));
  REQUIRE(shift.shifted().count == 1);
  CHECK(shift.shifted().examples[0].path == "raised");
}

TEST_CASE("a missing id 0 alone is not reported") {
  IdShift shift = usual_labels();
  shift.add("without 0", ids_of({0, 50, 300, 0, 80, 20}));
  shift.add("two classes", ids_of({0, 900, 30}));
  shift.add("one class", ids_of({0, 0, 900}));
  CHECK(shift.shifted().count == 0);
}

TEST_CASE("if id 0 is rare, its absence is not reported") {
  IdShift shift(6);
  for (int i = 0; i < 20; ++i) shift.add("from 1", ids_of(kUsual, i, i % 2 == 0 ? 1 : 0));
  CHECK(shift.shifted().count == 0);
}

TEST_CASE("a few labels are too few for a report") {
  IdShift shift(6);
  for (int i = 0; i < 4; ++i) shift.add("usual", ids_of(kUsual, i));
  shift.add("raised", ids_of(kUsual, 0, 1));
  CHECK(shift.shifted().count == 0);
}

TEST_CASE("ignored pixels do not count as a class") {
  IdShift shift = usual_labels();
  auto ids = ids_of(kUsual, 0, 1);
  ids.push_back({255, 100000});
  shift.add("raised", ids);
  shift.add("all ignored", {{255, 10}});
  CHECK(shift.shifted().count == 1);
}
