// Effects of the ways to read on the process. The disposition of a signal belongs to the whole
// process, so each test runs in one of its own: a hidden test case of this program.
#include <signal.h>

#include <fstream>
#include <string>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"
#include "support/own_process.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

void own_handler(int) {}

struct sigaction action_now() {
  struct sigaction action {};
  REQUIRE(sigaction(SIGBUS, nullptr, &action) == 0);
  return action;
}

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("alone: reading by calls", "[.]") {
  signal(SIGBUS, own_handler);
  const struct sigaction before = action_now();
  for (const char* const form : {"bits", "zstd", "mixed", "zstd-mixed"}) {
    const TinyPack pack(all_forms().at(form));
    const Dataset dataset = pack.open();
    LoaderOptions options = in_file_order(1);
    options.access = FileAccess::read;
    Loader loader = open_loader(dataset, options);
    CHECK(rest_of_epoch(loader).size() == 12);
    CHECK_FALSE(is_mapped(pack.shard_path(0)));
    CHECK_FALSE(is_mapped(pack.shard_path(2)));
  }
  const struct sigaction after = action_now();
  CHECK(after.sa_handler == before.sa_handler);
  CHECK(after.sa_flags == before.sa_flags);
}

TEST_CASE("alone: reading from mappings", "[.]") {
  signal(SIGBUS, own_handler);
  const TinyPack pack;
  const Dataset dataset = pack.open();
  CHECK(action_now().sa_handler == own_handler);  // no shard is mapped yet
  const auto expect_handler = [&] {
    CHECK(action_now().sa_handler != own_handler);
    CHECK(is_mapped(pack.shard_path(0)));
    signal(SIGBUS, own_handler);
  };
  REQUIRE(dataset.sample(0).ok());
  expect_handler();
  const Loader loader = open_loader(dataset, in_file_order(1));
  expect_handler();
}

TEST_CASE("only what maps shards installs a SIGBUS handler") {
  CHECK(end_of_process("alone: reading by calls") == 0);
  CHECK(end_of_process("alone: reading from mappings") == 0);
}
