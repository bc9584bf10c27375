#include <filesystem>
#include <string>
#include <vector>

#include "captured.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "hotpack/dataset.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace hotpack::test;

namespace {

struct Ran {
  int code = -1;
  std::string output;
  std::string messages;
};

Ran run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "hotpack");
  const AddCommand commands[] = {add_extract_command, add_verify_command};
  const Captured output, messages;
  Ran ran;
  ran.code = run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(), {output.descriptor(), messages.descriptor()});
  ran.output = output.text();
  ran.messages = messages.text();
  return ran;
}

}  // namespace

TEST_CASE("a key whose file is a folder of another key is refused before anything is written") {
  const TempFolder folder;
  auto records = tiny_records({}, 2);
  records[0].key = "a";
  records[1].key = "a.png/b";
  (void)write_pack(folder.path(), {}, records, 4);
  const std::string pack = folder.path(), out = folder / "out";
  const Ran refused = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(refused.code == kExitData);
  CHECK_THAT(refused.messages, ContainsSubstring("'a'") && ContainsSubstring("'a.png/b'"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run({"extract", pack.c_str(), "-o", out.c_str(), "--key", "a.png/b"}).code == kExitGood);
}

TEST_CASE("the end of extract says how its labels are packed again") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  const std::string pack = folder.path(), out = folder / "out";
  const Ran ran = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.messages, ContainsSubstring("--label-kind index --classes ") && ContainsSubstring("--size 6x5"));
}

TEST_CASE("names of files that are no UTF-8 do not spoil verify's JSON") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  folder.write("bad\xFF", "");
  const std::string pack = folder.path();
  const Ran ran = run({"verify", pack.c_str(), "--json"});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.output, ContainsSubstring("bad\uFFFD: not a file of this data set"));
}
