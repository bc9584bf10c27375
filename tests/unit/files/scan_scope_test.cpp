#include "files/scan_scope.hpp"

#include <thread>

#include "support/discover_inputs.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

TEST_CASE("scans count files for the observer once they take a while") {
  Recorder recorder;
  ScanScope scope(1, &recorder);
  CHECK(ScanScope::current() == &scope);
  REQUIRE(count_scanned(5).ok());
  CHECK(recorder.last.stage.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  REQUIRE(count_scanned(7).ok());
  CHECK(recorder.last.stage == "listing files");
  CHECK(recorder.last.samples_done == 12);
  CHECK(recorder.last.samples_total == 0);
}

TEST_CASE("without a scope a scan goes on and counts for nobody") {
  CHECK(ScanScope::current() == nullptr);
  CHECK(count_scanned(5).ok());
}

TEST_CASE("a scope ends where it began") {
  ScanScope outer(2, nullptr);
  {
    ScanScope inner(3, nullptr);
    CHECK(ScanScope::current()->io_threads() == 3);
  }
  CHECK(ScanScope::current()->io_threads() == 2);
}

TEST_CASE("a stop ends the search for samples") {
  const TempFolder folder;
  touch(folder, {"images/1.png", "images/2.png"});
  Recorder recorder;
  recorder.stopped = true;
  ProblemLog problems;
  CHECK_FALSE(discover(options_for(folder), problems, &recorder).ok());
  recorder.stopped = false;
  CHECK(discover(options_for(folder), problems, &recorder).ok());
}
