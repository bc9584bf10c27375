#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "captured.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;

namespace {

struct OutputOnFullDisk {
  ~OutputOnFullDisk() { ::close(full); }
  int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  Output output{full};
};

}  // namespace

TEST_CASE("results are buffered and written at the end") {
  const Captured file;
  Output output(file.descriptor());
  output.write("a");
  output.line("b");
  CHECK(file.text().empty());
  REQUIRE(output.finish().ok());
  CHECK(file.text() == "ab\n");
}

TEST_CASE("long results arrive whole") {
  const Captured file;
  Output output(file.descriptor());
  std::string expected;
  for (int i = 0; i < 50'000; ++i) {
    output.line(std::to_string(i));
    expected += std::to_string(i) + "\n";
  }
  REQUIRE(output.finish().ok());
  CHECK(file.text() == expected);
}

TEST_CASE("a full disk is reported at the end") {
  OutputOnFullDisk disk;
  disk.output.line("result");
  CHECK(disk.output.good());
  const Status finished = disk.output.finish();
  REQUIRE_FALSE(finished.ok());
  CHECK(finished.error().code == ErrorCode::io);
  CHECK_THAT(finished.error().describe(),
             ContainsSubstring("standard output") && ContainsSubstring("No space left"));
}

TEST_CASE("the first failure stops further writing") {
  OutputOnFullDisk disk;
  disk.output.write(std::string(100'000, 'x'));
  CHECK_FALSE(disk.output.good());
  disk.output.write("more");
  CHECK_FALSE(disk.output.finish().ok());
}

TEST_CASE("an unused output cannot fail") {
  Output output(-1);
  output.write("");
  CHECK(output.finish().ok());
}
