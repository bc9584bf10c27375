#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "run_commands.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace hotpack::test;

namespace {

Ran verify(const std::vector<std::string>& arguments) {
  const AddCommand commands[] = {add_verify_command};
  std::vector<std::string> all{"verify"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_commands(commands, all);
}

// A pack whose manifest exists, but cannot be read.
struct UnreadableManifest {
  UnreadableManifest() {
    shard = write_pack(pack.path(), {}, tiny_records({}, 3), 4).shards.at(0).file;
    std::filesystem::remove(pack / "dataset.json");
    std::filesystem::create_directory(pack / "dataset.json");
  }
  void damage_shard() const {
    std::filesystem::resize_file(pack / shard, std::filesystem::file_size(pack / shard) - 1);
  }

  TempFolder pack;
  std::string shard;
};

}  // namespace

TEST_CASE("verify: a file that cannot be read is an I/O error, not damage") {
  const UnreadableManifest made;
  const Ran ran = verify({made.pack.path()});
  CHECK(ran.code == kExitIo);
  CHECK_THAT(ran.output, ContainsSubstring("not checked to the end"));
}

TEST_CASE("verify: damage decides the exit code even if it is not listed") {
  const UnreadableManifest made;
  made.damage_shard();
  const std::string most = GENERATE("1", "1000");
  const Ran ran = verify({made.pack.path(), "--max-findings", most});
  CHECK(ran.code == kExitDamaged);
  CHECK_THAT(ran.output, ContainsSubstring("not ok: 2 findings") &&
                             ContainsSubstring("damaged: " + made.shard));
}
