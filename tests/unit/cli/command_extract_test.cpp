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
  const AddCommand commands[] = {add_extract_command, add_verify_command, add_info_command};
  const Captured output, messages;
  Ran ran;
  ran.code = run_command_line(commands, static_cast<int>(arguments.size()), arguments.data(), {output.descriptor(), messages.descriptor()});
  ran.output = output.text();
  ran.messages = messages.text();
  return ran;
}

}  // namespace

TEST_CASE("extract refuses a key that is a folder of another before it writes") {
  const TempFolder folder;
  auto records = tiny_records({}, 2);
  records[0].key = "a";
  records[1].key = "a.png/b";
  (void)write_pack(folder.path(), {}, records, 4);
  const TempFolder other;
  const std::string pack = folder.path(), out = other / "out";
  const Ran refused = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(refused.code == kExitData);
  CHECK_THAT(refused.messages, ContainsSubstring("'a'") && ContainsSubstring("'a.png/b'"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run({"extract", pack.c_str(), "-o", out.c_str(), "--key", "a.png/b"}).code == kExitGood);
}

TEST_CASE("the end of extract says how its labels are packed again") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  const TempFolder other;
  const std::string pack = folder.path(), out = other / "out";
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

TEST_CASE("a key too long for a file is refused before anything is written") {
  const TempFolder folder;
  auto records = tiny_records({}, 2);
  records[0].key = "a";
  records[1].key = "b/" + std::string(253, 'x');
  (void)write_pack(folder.path(), {}, records, 4);
  const TempFolder other;
  const std::string pack = folder.path(), out = other / "out";
  const Ran refused = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(refused.code == kExitData);
  CHECK_THAT(refused.messages, ContainsSubstring("too long for the name of a file"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run({"extract", pack.c_str(), "-o", out.c_str(), "--key", "a"}).code == kExitGood);
}

TEST_CASE("keys that lead out of the folder are refused and nothing is written") {
  for (const char* key : {"../escape", "/absolute", "a/../../escape", "./a"}) {
    const TempFolder folder;
    auto records = tiny_records({}, 1);
    records[0].key = key;
    (void)write_pack(folder / "", {}, records, 4);
    const TempFolder other;
    const std::string pack = folder.path(), out = other / "below/out";
    CHECK(run({"extract", pack.c_str(), "-o", out.c_str()}).code == kExitDamaged);
    CHECK_FALSE(std::filesystem::exists(other / "below"));
  }
}

TEST_CASE("control characters of keys do not reach the terminal") {
  const TempFolder folder;
  auto records = tiny_records({}, 1);
  records[0].key = "\x1b[31mred\nline\x07";
  (void)write_pack(folder.path(), {}, records, 4);
  const TempFolder other;
  const std::string pack = folder.path(), out = other / "out";
  CHECK(run({"extract", pack.c_str(), "-o", out.c_str()}).code == kExitGood);
  CHECK(std::filesystem::exists(other / "out/images/\x1b[31mred\nline\x07.png"));
  const Ran again = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(again.code == kExitUsage);
  CHECK(again.messages.find('\x1b') == std::string::npos);
  CHECK(again.messages.find('\x07') == std::string::npos);
  CHECK_THAT(again.messages, ContainsSubstring("\\x1b[31mred"));
}

TEST_CASE("extract writes one folder per split, and a key may name its split") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "packed/val");
  std::filesystem::create_directories(folder / "packed/train");
  (void)write_pack(folder / "packed/train", {}, tiny_records({}, 3), 4);
  (void)write_pack(folder / "packed/val", {}, tiny_records({}, 2), 4);
  const std::string pack = folder / "packed", out = folder / "out", one = folder / "one", none = folder / "none";
  const Ran ran = run({"extract", pack.c_str(), "-o", out.c_str()});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.messages,
             ContainsSubstring("10 files written") && ContainsSubstring(out + "/val/images") && ContainsSubstring("-o DIR/val"));
  CHECK(std::filesystem::exists(folder / "out/train/images/street/sample 0002.png"));
  CHECK(std::filesystem::exists(folder / "out/val/labels/street/sample 0001.png"));
  CHECK(run({"extract", pack.c_str(), "-o", one.c_str(), "--key", "val/street/sample 0000"}).code == kExitGood);
  CHECK(std::filesystem::exists(folder / "one/val/images/street/sample 0000.png"));
  CHECK_FALSE(std::filesystem::exists(folder / "one/train"));
  CHECK(run({"extract", pack.c_str(), "-o", none.c_str(), "--key", "nobody"}).code == kExitUsage);
}

TEST_CASE("info and verify take several packs and exit with the worst code") {
  const TempFolder folder;
  for (const char* name : {"packed/train", "packed/val", "alone"}) {
    std::filesystem::create_directories(folder / name);
    (void)write_pack(folder / name, {}, tiny_records({}, 3), 4);
  }
  const std::string parent = folder / "packed", alone = folder / "alone";
  for (const char* command : {"info", "verify"}) {
    const Ran ran = run({command, parent.c_str(), alone.c_str()});
    CHECK(ran.code == kExitGood);
    for (const char* name : {"packed/train", "packed/val", "alone"}) CHECK_THAT(ran.output, ContainsSubstring(folder / name));
    const Ran json = run({command, parent.c_str(), alone.c_str(), "--json"});
    CHECK(json.output.starts_with("{\"packs\":[{\"pack\":"));
    CHECK(std::count(json.output.begin(), json.output.end(), '\n') == 1);
    CHECK(run({command, alone.c_str(), "--json"}).output.starts_with("{\"pack\":"));
  }
  std::filesystem::resize_file(folder / "packed/val/shard-00000-of-00001.safetensors", 5000);
  const Ran info = run({"info", parent.c_str(), alone.c_str()});
  CHECK(info.code == kExitDamaged);
  CHECK_THAT(info.messages, ContainsSubstring("packed/val/shard-00000-of-00001.safetensors: has 5,000 bytes, the manifest says ") &&
                                ContainsSubstring("--repair"));
  const Ran verified = run({"verify", parent.c_str(), alone.c_str()});
  CHECK(verified.code == kExitDamaged);
  CHECK_THAT(verified.output, ContainsSubstring("alone: ok") && ContainsSubstring("packed/val: damaged: shard-00000-of-00001"));
  std::filesystem::remove(folder / "packed/val/shard-00000-of-00001.safetensors");
  CHECK_THAT(run({"info", parent.c_str()}).messages, ContainsSubstring("shard-00000-of-00001.safetensors: is missing"));
  const std::string missing = folder / "missing";
  CHECK(run({"verify", alone.c_str(), missing.c_str()}).code == kExitIo);
}

TEST_CASE("a pack that cannot be opened is an error object, alone or among others") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 3), 4);
  const std::string pack = folder.path(), missing = folder / "missing";
  for (const char* command : {"info", "verify"}) {
    const Ran alone = run({command, missing.c_str(), "--json"});
    CHECK(alone.code == kExitIo);
    CHECK(alone.output.starts_with("{\"error\":{\"code\":\"io\""));
    CHECK(std::count(alone.output.begin(), alone.output.end(), '\n') == 1);
    const Ran both = run({command, pack.c_str(), missing.c_str(), "--json"});
    CHECK(both.code == kExitIo);
    CHECK_THAT(both.output, ContainsSubstring("{\"packs\":[") && ContainsSubstring("/missing\",\"error\":{\"code\":\"io\""));
  }
}
