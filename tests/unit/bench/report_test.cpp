#include "bench/report.hpp"

#include "support/catch.hpp"

using namespace hotpack::bench;

namespace {

BenchRow row(Stage stage, unsigned threads, double samples_per_second) {
  BenchRow made;
  made.stage = stage;
  made.threads = threads;
  made.rate.samples_per_second = samples_per_second;
  return made;
}

}  // namespace

TEST_CASE("recommended are the fewest threads within 3 % of the best end to end") {
  CHECK(recommended_threads({row(Stage::end_to_end, 1, 50), row(Stage::end_to_end, 2, 98),
                             row(Stage::end_to_end, 4, 100)}) == 2);
  CHECK(recommended_threads({row(Stage::end_to_end, 4, 100), row(Stage::end_to_end, 1, 97)}) == 1);
  CHECK(recommended_threads({row(Stage::end_to_end, 1, 96), row(Stage::end_to_end, 4, 100)}) == 4);
  CHECK(recommended_threads({row(Stage::copies, 8, 1000), row(Stage::end_to_end, 2, 10)}) == 2);
  CHECK(recommended_threads({}) == 1);
}

TEST_CASE("a rate's share of its limit") {
  BenchRow made;
  CHECK(made.share() == 0);
  made.rate.bytes_per_second = 3;
  made.limit_bytes_per_second = 4;
  CHECK(made.share() == 0.75);
}
