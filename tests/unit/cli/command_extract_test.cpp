#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "format/json.hpp"
#include "hotpack/dataset.hpp"
#include "run_commands.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace hotpack::test;

namespace {

Ran run(const std::vector<std::string>& arguments) {
  const AddCommand commands[] = {add_extract_command, add_verify_command, add_info_command};
  return run_commands(commands, arguments);
}

// A pack of samples with these keys, and a folder to extract them to.
struct PackWithKeys {
  explicit PackWithKeys(const std::vector<std::string>& keys) {
    auto records = tiny_records({}, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) records[i].key = keys[i];
    (void)write_pack(pack.path(), {}, records, 4);
  }
  [[nodiscard]] Ran extract(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"extract", pack.path(), "-o", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  [[nodiscard]] bool wrote_nothing() const { return !std::filesystem::exists(other / "below"); }

  TempFolder pack, other;
  std::string out = other / "below/out";
};

// Packs of a few samples in folders below one.
struct SeveralPacks {
  explicit SeveralPacks(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      std::filesystem::create_directories(folder / name);
      (void)write_pack(folder / name, {}, tiny_records({}, 3), 4);
    }
  }
  TempFolder folder;
};

}  // namespace

TEST_CASE("extract refuses a key that is a folder of another before it writes") {
  const PackWithKeys made({"a", "a.png/b"});
  const Ran refused = made.extract();
  CHECK(refused.code == kExitData);
  CHECK_THAT(refused.messages, ContainsSubstring("'a'") && ContainsSubstring("'a.png/b'"));
  CHECK(made.wrote_nothing());
  CHECK(made.extract({"--key", "a.png/b"}).code == kExitGood);
}

TEST_CASE("a key that is given twice is extracted once") {
  const PackWithKeys made({"a", "b"});
  const Ran ran = made.extract({"--key", "a", "--key", "b", "--key", "a"});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.messages, ContainsSubstring("4 files written"));
}

TEST_CASE("the end of extract says how its labels are packed again") {
  const Ran ran = PackWithKeys({"a", "b"}).extract();
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.messages,
             ContainsSubstring("--label-kind index --classes ") && ContainsSubstring("--size 6x5"));
}

TEST_CASE("names of files that are not UTF-8 do not spoil the JSON of verify") {
  const PackWithKeys made({"a", "b"});
  made.pack.write("bad\xFF", "");
  const Ran ran = run({"verify", made.pack.path(), "--json"});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.output, ContainsSubstring("bad\uFFFD: not a file of this data set"));
}

TEST_CASE("a key too long for a file is refused before anything is written") {
  const PackWithKeys made({"a", "b/" + std::string(253, 'x')});
  const Ran refused = made.extract();
  CHECK(refused.code == kExitData);
  CHECK_THAT(refused.messages, ContainsSubstring("too long for a file name"));
  CHECK(made.wrote_nothing());
  CHECK(made.extract({"--key", "a"}).code == kExitGood);
}

TEST_CASE("keys that lead out of the folder are refused and nothing is written") {
  for (const char* key : {"../escape", "/absolute", "a/../../escape", "./a"}) {
    const PackWithKeys made({key});
    CHECK(made.extract().code == kExitDamaged);
    CHECK(made.wrote_nothing());
  }
}

TEST_CASE("control characters of keys do not reach the terminal") {
  const PackWithKeys made({"\x1b[31mred\nline\x07"});
  CHECK(made.extract().code == kExitGood);
  CHECK(std::filesystem::exists(made.out + "/images/\x1b[31mred\nline\x07.png"));
  const Ran again = made.extract();
  CHECK(again.code == kExitUsage);
  CHECK(again.messages.find_first_of("\x1b\x07") == std::string::npos);
  CHECK_THAT(again.messages, ContainsSubstring("\\x1b[31mred"));
}

TEST_CASE("extract writes one folder per split, and a key may name its split") {
  const SeveralPacks made({"packed/train", "packed/val"});
  const TempFolder& folder = made.folder;
  const std::string pack = folder / "packed", out = folder / "out";
  const Ran ran = run({"extract", pack, "-o", out});
  CHECK(ran.code == kExitGood);
  CHECK_THAT(ran.messages, ContainsSubstring("12 files written") &&
                               ContainsSubstring(out + "/val/images") &&
                               ContainsSubstring("-o DIR/val"));
  CHECK(std::filesystem::exists(folder / "out/train/images/street/sample 0002.png"));
  CHECK(std::filesystem::exists(folder / "out/val/labels/street/sample 0001.png"));
  CHECK(run({"extract", pack, "-o", folder / "one", "--key", "val/street/sample 0000"}).code ==
        kExitGood);
  CHECK(std::filesystem::exists(folder / "one/val/images/street/sample 0000.png"));
  CHECK_FALSE(std::filesystem::exists(folder / "one/train"));
  CHECK(run({"extract", pack, "-o", folder / "none", "--key", "nobody"}).code == kExitUsage);
}

TEST_CASE("extract reports as JSON what it wrote and what it left out") {
  const PackWithKeys made({"a", "b", "c"});
  const Ran ran = made.extract({"--key", "b", "--json"});
  CHECK(ran.code == kExitGood);
  const auto report = format::parse_json(ran.output.substr(0, ran.output.size() - 1)).value();
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made.out))
    if (entry.is_regular_file()) bytes += entry.file_size();
  CHECK(report["status"] == "extracted");
  CHECK(report["samples"] == 1);
  CHECK(report["skipped"] == 2);
  CHECK(report["files"] == 2);
  CHECK(report["bytes"] == bytes);
  CHECK(report["packs"].size() == 1);
  CHECK(report["packs"][0]["pack"] == made.pack.path());
}

TEST_CASE("info and verify take several packs and exit with the worst code") {
  const SeveralPacks made({"packed/train", "packed/val", "alone"});
  const TempFolder& folder = made.folder;
  const std::string parent = folder / "packed", alone = folder / "alone";
  for (const char* command : {"info", "verify"}) {
    const Ran ran = run({command, parent, alone});
    CHECK(ran.code == kExitGood);
    for (const char* name : {"packed/train", "packed/val", "alone"})
      CHECK_THAT(ran.output, ContainsSubstring(folder / name));
    const Ran json = run({command, parent, alone, "--json"});
    CHECK(json.output.starts_with("{\"packs\":[{\"pack\":"));
    CHECK(std::count(json.output.begin(), json.output.end(), '\n') == 1);
    CHECK(run({command, alone, "--json"}).output.starts_with("{\"pack\":"));
  }
  const std::string shard = folder / "packed/val/shard-00000-of-00001.safetensors";
  std::filesystem::resize_file(shard, 5000);
  const Ran info = run({"info", parent, alone});
  CHECK(info.code == kExitDamaged);
  CHECK_THAT(info.messages, ContainsSubstring(shard + ": has 5,000 bytes, dataset.json says ") &&
                                ContainsSubstring("--repair"));
  const Ran verified = run({"verify", parent, alone});
  CHECK(verified.code == kExitDamaged);
  CHECK_THAT(verified.output, ContainsSubstring("alone: ok") &&
                                  ContainsSubstring("packed/val: damaged: shard-00000-of-00001"));
  std::filesystem::remove(shard);
  CHECK_THAT(run({"info", parent}).messages, ContainsSubstring(shard + ": is missing"));
  CHECK(run({"verify", alone, folder / "missing"}).code == kExitIo);
}

TEST_CASE("a pack that cannot be opened is an error object, alone or among others") {
  const PackWithKeys made({"a"});
  const std::string missing = made.other / "missing";
  for (const char* command : {"info", "verify"}) {
    const Ran alone = run({command, missing, "--json"});
    CHECK(alone.code == kExitIo);
    CHECK(alone.output.starts_with(R"({"type":"error","code":"io")"));
    CHECK(std::count(alone.output.begin(), alone.output.end(), '\n') == 1);
    const Ran both = run({command, made.pack.path(), missing, "--json"});
    CHECK(both.code == kExitIo);
    CHECK_THAT(both.output,
               ContainsSubstring("{\"packs\":[") &&
                   ContainsSubstring(R"(/missing","error":{"type":"error","code":"io")"));
  }
}
