#include "pack/receipt_merge.hpp"

#include <algorithm>
#include <filesystem>

#include "pack/receipt.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace fs = std::filesystem;

namespace {

struct Parts {
  explicit Parts(int samples = 9) {
    for (int i = 0; i < samples; ++i)
      put_pair(folder, std::to_string(i), static_cast<std::uint32_t>(i));
    options = options_for(folder);
    options.label.class_count = 3;
    options.shard.shard_samples = 2;
  }

  void plan_all() {
    Recorder recorder;
    REQUIRE(plan(options, folder / "a.plan", recorder).ok());
  }

  // The options of part `index` of `count`, whose shards a command copies to `bucket`.
  [[nodiscard]] PackOptions part(std::uint64_t index, std::uint64_t count = 3) const {
    PackOptions run;
    run.run.plan_file = folder / "a.plan";
    run.run.partition = Partition{index, count};
    run.run.scratch = folder / ("scratch" + std::to_string(index));
    run.run.receipts = folder / "receipts";
    run.run.on_shard = "cp {} '" + (folder / "bucket") + "'";
    return run;
  }

  void pack_parts(std::uint64_t count = 3) {
    fs::create_directories(folder / "bucket");
    for (std::uint64_t i = 0; i < count; ++i) (void)packed(part(i, count));
  }

  [[nodiscard]] Result<std::vector<MergeReport>> merge(const std::string& output = "merged") const {
    Recorder recorder;
    return merge_receipts({{folder / "receipts"}, folder / output}, recorder);
  }

  TempFolder folder;
  PackOptions options;
};

}  // namespace

TEST_CASE("parts without a shared folder make the pack of a single run") {
  Parts parts;
  SECTION("one data set") {}
  SECTION("shuffled") { parts.options.shard.shuffle_seed = 3; }
  SECTION("splits") {
    parts.options.input.split.method = SplitOptions::Method::ratio;
    parts.options.input.split.parts = {{"train", "60"}, {"val", "40"}};
  }
  (void)packed(parts.options);
  parts.plan_all();
  const bool splits = !parts.options.input.split.parts.empty();
  fs::create_directories(parts.folder / "bucket");
  for (std::uint64_t i = 0; i < 3; ++i) {
    PackOptions run = parts.part(i);
    if (splits)
      run.run.on_shard = "mkdir -p '" + (parts.folder / "bucket") + "'/{split} && cp {} '" +
                         (parts.folder / "bucket") + "'/{split}/";
    (void)packed(run);
    REQUIRE(!fs::exists(parts.folder / ("scratch" + std::to_string(i))));
  }
  REQUIRE(parts.merge().value().size() == (splits ? 2 : 1));
  auto shards = content_of(parts.folder / "bucket");
  shards.merge(content_of(parts.folder / "merged"));
  REQUIRE(shards == content_of(parts.options.run.output));
}

TEST_CASE("a part that runs again hands over only what its receipt lacks") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts();
  fs::remove_all(parts.folder / "bucket");
  fs::create_directories(parts.folder / "bucket");
  const PackReport again = packed(parts.part(1));
  REQUIRE(again.status == PackStatus::complete);
  REQUIRE(content_of(parts.folder / "bucket").empty());
  fs::remove(parts.folder / "receipts/part-00001-of-00003.json");
  REQUIRE(packed(parts.part(1)).packed_shards == 2);
  REQUIRE(content_of(parts.folder / "bucket").size() == 2);
}

TEST_CASE("a command that fails stops the part, which then continues") {
  Parts parts;
  parts.plan_all();
  fs::create_directories(parts.folder / "bucket");
  PackOptions run = parts.part(0, 1);
  run.run.on_shard =
      "case {} in *00002*) exit 7;; *) cp {} '" + (parts.folder / "bucket") + "';; esac";
  Recorder recorder;
  const auto failed = pack(run, false, recorder);
  REQUIRE(!failed.ok());
  REQUIRE(failed.error().code == ErrorCode::io);
  REQUIRE_THAT(failed.error().message, ContainsSubstring("exit status 7"));
  REQUIRE_THAT(failed.error().path, ContainsSubstring("shard-00002-of-00005"));
  REQUIRE(content_of(parts.folder / "bucket").size() == 2);
  REQUIRE(packed(parts.part(0, 1)).kept_shards == 2);
  REQUIRE(content_of(parts.folder / "bucket").size() == 5);
  REQUIRE(parts.merge().ok());
}

TEST_CASE("a shard goes from scratch to the output folder") {
  Parts parts;
  (void)packed(parts.options);
  parts.plan_all();
  PackOptions run = parts.part(0, 1);
  run.run.partition.reset();
  run.run.on_shard.clear();
  run.run.receipts.clear();
  run.run.output = parts.folder / "out";
  (void)packed(run);
  REQUIRE(content_of(parts.folder / "out") == content_of(parts.options.run.output));
  REQUIRE(!fs::exists(parts.folder / "scratch0"));
}

TEST_CASE("a shard in the output folder is handed over once, whoever wrote it") {
  Parts parts;
  parts.plan_all();
  PackOptions run = parts.part(0, 1);
  run.run.scratch.clear();
  run.run.output = parts.folder / "out";
  run.run.on_shard.clear();
  run.run.receipts.clear();
  (void)packed(run);
  run.run.receipts = parts.folder / "receipts";
  run.run.on_shard = "echo {} >> '" + (parts.folder / "log") + "'";
  (void)packed(run);
  (void)packed(run);
  const Bytes log = read_bytes(parts.folder / "log");
  REQUIRE(std::count(log.begin(), log.end(), std::byte{'\n'}) == 5);
}

TEST_CASE("missing receipts are named by shard and by part") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts();
  fs::remove(parts.folder / "receipts/part-00001-of-00003.json");
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE(merged.error().code == ErrorCode::data);
  REQUIRE_THAT(merged.error().message, ContainsSubstring("2 of 5 shards are in no receipt: 2-3"));
  REQUIRE_THAT(merged.error().message,
               ContainsSubstring("Of 3 parts, run again or name the receipts of: 1"));
  REQUIRE(!fs::exists(parts.folder / "merged"));
}

TEST_CASE("receipts of different plans are told apart") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts();
  put_pair(parts.folder, "new", 50);
  parts.plan_all();
  PackOptions again = parts.part(2);
  again.run.force = true;
  (void)packed(again);
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE(merged.error().code == ErrorCode::usage);
  REQUIRE_THAT(merged.error().message, ContainsSubstring("2 different plans"));
  REQUIRE_THAT(merged.error().message, ContainsSubstring("part-00002-of-00003.json"));
}

TEST_CASE("parts that ran twice are merged if they are equal") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts(3);
  parts.pack_parts(2);
  REQUIRE(parts.merge().value().front().repeated == 5);
  REQUIRE(parts.merge().value().front().status == MergeStatus::complete);
}

TEST_CASE("two versions of a shard are not merged") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts(3);
  Receipt receipt =
      decode_receipt(read_text_file(parts.folder / "receipts/part-00001-of-00003.json").value())
          .value();
  receipt.sets[0].shards.begin()->second.finished.row.digest =
      "xxh3-128:00000000000000000000000000000000";
  receipt.partition = {0, 9};
  parts.folder.write("receipts/part-00000-of-00009.json", encode_receipt(receipt));
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE(merged.error().code == ErrorCode::data);
  REQUIRE_THAT(merged.error().message, ContainsSubstring("in another version"));
}

TEST_CASE("receipts whose keys do not follow each other are damaged") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts(3);
  const std::string name = "receipts/part-00001-of-00003.json";
  Receipt receipt = decode_receipt(read_text_file(parts.folder / name).value()).value();
  receipt.sets[0].shards.begin()->second.first_key = "3";  // the last key of part 0
  parts.folder.write(name, encode_receipt(receipt));
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE(merged.error().code == ErrorCode::damaged);
  REQUIRE_THAT(merged.error().message, ContainsSubstring("do not follow"));
}

TEST_CASE("a merge of receipts does not replace another pack") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts();
  parts.options.record.size = {4, 4};
  parts.options.run.output = parts.folder / "merged";
  (void)packed(parts.options);
  const auto before = content_of(parts.folder / "merged");
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE(merged.error().code == ErrorCode::usage);
  REQUIRE(content_of(parts.folder / "merged") == before);
}

TEST_CASE("a merge writes to the manifest that -o names") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts();
  REQUIRE(parts.merge("merged/dataset.json").ok());
  REQUIRE(fs::is_regular_file(parts.folder / "merged/dataset.json"));
}

TEST_CASE("a folder without receipts is refused") {
  Parts parts;
  fs::create_directories(parts.folder / "receipts");
  const auto merged = parts.merge();
  REQUIRE(!merged.ok());
  REQUIRE_THAT(merged.error().message, ContainsSubstring("holds no receipts"));
}

TEST_CASE("options of delivery that contradict each other are refused") {
  Parts parts;
  parts.plan_all();
  PackOptions run = parts.part(0);
  std::string expected;
  SECTION("a command without a place for the path") {
    run.run.on_shard = "cp shard bucket";
    expected = "has no {}";
  }
  SECTION("a command without a receipt") {
    run.run.receipts.clear();
    expected = "needs --receipt";
  }
  SECTION("neither output nor command") {
    run.run.on_shard.clear();
    expected = "-o DIR is required, or --on-shard";
  }
  SECTION("neither output nor scratch") {
    run.run.scratch.clear();
    expected = "-o DIR is required";
  }
  SECTION("scratch and output are one folder") {
    run.run.output = run.run.scratch;
    expected = "is the folder of -o";
  }
  SECTION("a recheck of shards that are elsewhere") {
    run.run.recheck = true;
    expected = "need -o";
  }
  Recorder recorder;
  const auto failed = pack(run, false, recorder);
  REQUIRE(!failed.ok());
  REQUIRE(failed.error().code == ErrorCode::usage);
  REQUIRE_THAT(failed.error().message, ContainsSubstring(expected));
}

TEST_CASE("packs may share one scratch folder") {
  Parts parts;
  (void)packed(parts.options);
  parts.plan_all();
  parts.pack_parts(1);
  PackOptions other = parts.part(0, 1);
  other.run.plan_file.clear();
  other.run.receipts = parts.folder / "other receipts";
  other.run.on_shard = "cp {} '" + (parts.folder / "bucket") + "'/other";
  parts.folder.write("scratch0/hotpack-of-another-run/shard-00000-of-00005.safetensors", "theirs");
  other.input = parts.options.input;
  other.label = parts.options.label;
  other.record.size = {4, 4};
  other.shard = parts.options.shard;
  (void)packed(other);
  REQUIRE(read_bytes(parts.folder /
                     "scratch0/hotpack-of-another-run/shard-00000-of-00005.safetensors") ==
          text_file("theirs"));
}

TEST_CASE("folders for other files are neither packs nor in the output folder") {
  Parts parts;
  (void)packed(parts.options);
  parts.plan_all();
  const auto before = content_of(parts.options.run.output);
  PackOptions run = parts.part(0, 1);
  SECTION("scratch is a pack") { run.run.scratch = parts.options.run.output; }
  SECTION("receipts are a pack") { run.run.receipts = parts.options.run.output; }
  SECTION("receipts in the output folder") {
    run.run.output = parts.folder / "out";
    run.run.receipts = parts.folder / "out/receipts";
  }
  Recorder recorder;
  const auto failed = pack(run, false, recorder);
  REQUIRE(!failed.ok());
  REQUIRE(failed.error().code == ErrorCode::usage);
  REQUIRE(content_of(parts.options.run.output) == before);
}

TEST_CASE("a receipt follows a shard that was packed again without it") {
  Parts parts;
  PackOptions run = parts.options;
  run.run.receipts = parts.folder / "receipts";
  (void)packed(run);
  // Other pixels in a file of the same size.
  Bytes file = read_bytes(parts.folder / "images/3.png");
  const std::size_t size = file.size();
  file = photo(8, 6, 77);
  file.resize(std::max(size, file.size()));
  put(parts.folder, "images/3.png", file);
  parts.options.run.force = true;
  (void)packed(parts.options);
  (void)packed(run);
  REQUIRE(parts.merge().ok());
  REQUIRE(read_bytes(parts.folder / "merged/dataset.json") ==
          read_bytes(parts.options.run.output + "/dataset.json"));
}

TEST_CASE("the receipt of another pack is not replaced") {
  Parts parts;
  parts.plan_all();
  parts.pack_parts(1);
  PackOptions other = parts.options;
  other.record.size = {4, 4};
  other.run.partition = Partition{0, 1};
  other.run.output = parts.folder / "other";
  other.run.receipts = parts.folder / "receipts";
  Recorder recorder;
  const auto failed = pack(other, false, recorder);
  REQUIRE(!failed.ok());
  REQUIRE_THAT(failed.error().message, ContainsSubstring("receipt of another pack"));
  REQUIRE(parts.merge().ok());
}

TEST_CASE("a receipt names all splits before the first is packed") {
  Parts parts;
  parts.options.input.split.method = SplitOptions::Method::ratio;
  parts.options.input.split.parts = {{"train", "60"}, {"val", "40"}};
  parts.plan_all();
  PackOptions run = parts.part(0, 1);
  run.run.on_shard = "exit 1 # {} {split}";
  Recorder recorder;
  REQUIRE(!pack(run, false, recorder).ok());
  const Receipt receipt =
      decode_receipt(read_text_file(parts.folder / "receipts/part-00000-of-00001.json").value())
          .value();
  REQUIRE(receipt.sets.size() == 2);
  REQUIRE_THAT(parts.merge().error().message, ContainsSubstring("in no receipt"));
}

TEST_CASE("a command must tell shards of several splits apart") {
  Parts parts;
  parts.options.input.split.method = SplitOptions::Method::ratio;
  parts.options.input.split.parts = {{"train", "60"}, {"val", "40"}};
  parts.plan_all();
  PackOptions planned = parts.part(0, 1), unplanned = parts.options;
  unplanned.run = planned.run;
  unplanned.run.plan_file.clear();
  for (const PackOptions& run : {planned, unplanned}) {
    Recorder recorder;
    const auto refused = pack(run, false, recorder);
    REQUIRE(!refused.ok());
    REQUIRE(refused.error().code == ErrorCode::usage);
    REQUIRE_THAT(refused.error().message,
                 ContainsSubstring("has no {split}, and the shards of the 2 splits"));
    REQUIRE(!fs::exists(parts.folder / "receipts/part-00000-of-00001.json"));
  }
}

TEST_CASE("a split with any name is one word of the command, or is refused") {
  Parts parts;
  parts.options.input.split.method = SplitOptions::Method::ratio;
  parts.options.input.split.parts = {{"it's a; split", "60"}, {"-val", "40"}};
  parts.plan_all();
  PackOptions run = parts.part(0, 1);
  run.run.on_shard = "echo {split}x${split} >> " + (parts.folder / "told") + "; : {}";
  (void)packed(run);
  const std::string told = "\n" + read_text_file(parts.folder / "told").value();
  REQUIRE_THAT(told, ContainsSubstring("\nit's a; splitx\n") && ContainsSubstring("\n-valx\n"));
  run.run.on_shard = "cp {} \"" + (parts.folder / "bucket") + "/{split}/\"";
  Recorder recorder;
  REQUIRE_THAT(pack(run, false, recorder).error().message,
               ContainsSubstring("the split 'it's a; split' needs quotes of its own"));
  run.run.on_shard = "cp {} bucket/${split}/";
  REQUIRE_THAT(pack(run, false, recorder).error().message, ContainsSubstring("has no {split}"));
}

TEST_CASE("a command gets any path as it is") {
  Parts parts;
  parts.plan_all();
  fs::create_directories(parts.folder / "bucket");
  PackOptions run = parts.part(0, 1);
  run.run.scratch = parts.folder / "a 'b'\t\xff$HOME";
  (void)packed(run);
  REQUIRE(content_of(parts.folder / "bucket").size() == 5);
}
