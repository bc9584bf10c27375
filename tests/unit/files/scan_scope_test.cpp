#include "files/scan_scope.hpp"

#include <thread>

#include "files/file_sizes.hpp"
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

TEST_CASE("sizes are those of regular files, with any number of threads") {
  const TempFolder folder;
  std::vector<std::string> paths{"", folder.path(), folder / "missing"};
  for (std::size_t i = 0; i < 200; ++i) {
    folder.write(std::to_string(i), std::string(i, 'x'));
    paths.push_back(folder / std::to_string(i));
  }
  for (const int threads : {1, 16}) {
    ScanScope scope(threads, nullptr);
    scope.set_useful_threads(static_cast<std::size_t>(threads));
    const auto sizes = sizes_of(paths);
    REQUIRE(sizes.size() == paths.size());
    for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(sizes[i]);
    for (std::size_t i = 3; i < paths.size(); ++i) CHECK(sizes[i] == i - 3);
  }
}
