#include "pack/merge.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pack/partition_set.hpp"
#include "support/catch.hpp"
#include "support/inputs.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;
using Content = std::map<std::string, Bytes>;

// ---- files

// A new file, never the old one changed: it may be linked to another.
void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void flip(const std::string& path, std::size_t offset) {
  Bytes bytes = read_bytes(path);
  bytes.at(offset) ^= std::byte{1};
  write_bytes(path, bytes);
}

std::string shard(std::uint64_t index, std::uint64_t count = 5) {
  return format::shard_file_name(index, count);
}

ino_t inode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

std::vector<TinyForm> forms() {
  TinyForm zstd, mixed, whole_image, unlabeled;
  zstd.image_zstd = zstd.label_zstd = true;
  mixed.size.reset();
  whole_image.scope = LabelScope::image;
  whole_image.layout = AxisOrder::channels_first;
  unlabeled.labeled = false;
  return {{}, zstd, mixed, whole_image, unlabeled};
}

void write_whole(const std::string& folder, const TinyForm& form = {}, std::size_t records = 10,
                 std::size_t first = 0, std::uint64_t skipped = 0) {
  fs::create_directories(folder);
  write_pack(folder, form, tiny_records(form, records - skipped, first), 2, skipped);
}

// A pack of five shards of two samples as one run writes it, and its shards in folders as
// partitions write them.
struct Parts {
  explicit Parts(const TinyForm& form = {}, std::uint64_t skipped = 0) {
    write_whole(whole, form, 10, 0, skipped);
    expected = content_of(whole);
  }

  // A folder with these shards of the whole pack.
  std::string part(const std::string& name, const std::vector<std::uint64_t>& shards) const {
    fs::create_directories(folder / name);
    for (const std::uint64_t index : shards)
      fs::copy_file(whole + "/" + shard(index), folder / name + "/" + shard(index));
    return folder / name;
  }

  [[nodiscard]] Result<MergeReport> try_merge(const Names& sources,
                                              const std::string& output = "out") const {
    Recorder recorder;
    return merge({sources, output.empty() ? "" : folder / output}, recorder);
  }

  [[nodiscard]] MergeReport merged(const Names& sources, const std::string& output = "out") const {
    Result<MergeReport> report = try_merge(sources, output);
    if (!report.ok()) FAIL(report.error().describe());
    return std::move(report).value();
  }

  // The message of a merge that is refused with this code and leaves nothing behind.
  [[nodiscard]] std::string refusal(ErrorCode code, const Names& sources,
                                    const std::string& output = "out") const {
    const auto before = fs::exists(out) ? content_of(out) : Content();
    const Result<MergeReport> report = try_merge(sources, output);
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().code == code);
    CHECK((fs::exists(out) ? content_of(out) : Content()) == before);
    return report.error().describe();
  }

  TempFolder folder;
  std::string whole = folder / "whole";
  std::string out = folder / "out";
  Content expected;
};

}  // namespace

// ---- splits

TEST_CASE("folders of one plan are partitions, all others are splits") {
  const Parts parts;
  parts.part("parts/0", {0, 1});
  parts.part("parts/1", {2, 4});
  CHECK_FALSE(are_splits(parts.folder / "parts", {"0", "1"}));
  parts.part("repeated/a", {0, 1});
  parts.part("repeated/b", {1, 2});
  CHECK(are_splits(parts.folder / "repeated", {"a", "b"}));
  parts.part("lacking/a", {0, 1, 2, 3, 4});
  fs::create_directories(parts.folder / "lacking/b");
  fs::copy_file(parts.whole + "/" + shard(0), parts.folder / "lacking/b/" + shard(6, 7));
  CHECK(are_splits(parts.folder / "lacking", {"a", "b"}));
  fs::remove(parts.folder / "lacking/a/" + shard(0));
  CHECK(are_splits(parts.folder / "lacking", {"a", "b"}));
}

// ---- joining

TEST_CASE("merge: partitions in separate folders give the bytes of a single run") {
  for (const TinyForm& form : forms()) {
    const Parts parts(form);
    const MergeReport report =
        parts.merged({parts.part("b", {2, 3}), parts.part("c", {4}), parts.part("a", {0, 1})});
    CHECK(content_of(parts.out) == parts.expected);
    CHECK(report.status == MergeStatus::merged);
    CHECK(report.records == 10);
    CHECK(report.shards == 5);
    CHECK(report.linked + report.copied == 5);
  }
}

TEST_CASE("merge: partitions in one folder get a manifest, shards stay untouched") {
  const Parts parts;
  const std::string shared = parts.part("shared", {0, 1, 2, 3, 4});
  const ino_t before = inode_of(shared + "/" + shard(3));
  const MergeReport report = parts.merged({shared}, "");
  CHECK(report.status == MergeStatus::merged);
  CHECK(report.output == shared);
  CHECK(content_of(shared) == parts.expected);
  CHECK(inode_of(shared + "/" + shard(3)) == before);
}

TEST_CASE("merge: sources stay unchanged and share their bytes if possible") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2}), b = parts.part("b", {3, 4});
  const auto before_a = content_of(a), before_b = content_of(b);
  const MergeReport report = parts.merged({a, b});
  CHECK(content_of(a) == before_a);
  CHECK(content_of(b) == before_b);
  CHECK(report.linked == 5);
  CHECK(inode_of(parts.out + "/" + shard(4)) == inode_of(b + "/" + shard(4)));
}

TEST_CASE("merge: shards on another file system are copied") {
  const Parts parts;
  std::string elsewhere = "/dev/shm/hotpack-merge-XXXXXX";
  if (::mkdtemp(elsewhere.data()) == nullptr) return;
  struct stat here {
  }, there{};
  REQUIRE(::stat(parts.whole.c_str(), &here) == 0);
  REQUIRE(::stat(elsewhere.c_str(), &there) == 0);
  if (here.st_dev != there.st_dev) {
    Recorder recorder;
    const auto report = merge({{parts.whole}, elsewhere}, recorder);
    REQUIRE(report.ok());
    CHECK(report->copied == 5);
    CHECK(content_of(elsewhere) == parts.expected);
    const auto again = merge({{parts.whole}, elsewhere}, recorder);
    REQUIRE(again.ok());
    CHECK(again->status == MergeStatus::complete);
  }
  fs::remove_all(elsewhere);
}

TEST_CASE("merge: an equal shard from several runs or a whole pack counts once") {
  const Parts parts;
  const MergeReport report =
      parts.merged({parts.part("a", {0, 1, 2}), parts.part("b", {2, 3, 4}), parts.whole});
  CHECK(content_of(parts.out) == parts.expected);
  CHECK(report.repeated == 6);
}

TEST_CASE("merge: a folder named twice is one") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4});
  fs::create_directory_symlink(a, parts.folder / "link");
  const MergeReport report = parts.merged({a, a + "/", parts.folder / "link"});
  CHECK(content_of(parts.out) == parts.expected);
  CHECK(report.repeated == 0);
}

TEST_CASE("merge: a second run does nothing") {
  const Parts parts;
  const Names sources{parts.part("a", {0, 1, 2}), parts.part("b", {3, 4})};
  (void)parts.merged(sources);
  const auto written = fs::last_write_time(parts.out + "/dataset.json");
  const MergeReport again = parts.merged(sources);
  CHECK(again.status == MergeStatus::complete);
  CHECK(again.kept == 5);
  CHECK(again.records == 10);
  CHECK(fs::last_write_time(parts.out + "/dataset.json") == written);
  CHECK(parts.merged({parts.out}, "").status == MergeStatus::complete);
}

TEST_CASE("merge: skipped samples are counted as a single run counts them") {
  const Parts parts({}, 1);
  const MergeReport report = parts.merged({parts.part("a", {0, 1, 2}), parts.part("b", {3, 4})});
  CHECK(content_of(parts.out) == parts.expected);
  CHECK(report.records == 9);
  CHECK(report.skipped == 1);
}

TEST_CASE("merge: an empty folder is a partition that had no shards") {
  const Parts parts;
  fs::create_directory(parts.folder / "empty");
  Recorder recorder;
  REQUIRE(merge({{parts.whole, parts.folder / "empty"}, parts.out}, recorder).ok());
  CHECK_THAT(recorder.messages,
             ContainsSubstring(parts.folder / "empty") && ContainsSubstring("without shards"));
  CHECK(content_of(parts.out) == parts.expected);
}

TEST_CASE("merge: files next to the shards of a source are ignored with a message") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4});
  parts.folder.write("a/job.log", "done");
  parts.folder.write("a/." + shard(0) + ".0123456789abcdef.tmp", "half");
  Recorder recorder;
  REQUIRE(merge({{a}, parts.out}, recorder).ok());
  CHECK_THAT(recorder.messages, ContainsSubstring("job.log") && !ContainsSubstring(".tmp"));
  CHECK(content_of(parts.out) == parts.expected);
}

// ---- going on after a kill

TEST_CASE("merge: a killed merge is completed") {
  const Parts parts;
  const Names sources{parts.part("a", {0, 1, 2}), parts.part("b", {3, 4})};
  parts.part("out", {1, 2});
  parts.folder.write("out/." + shard(3) + ".0123456789abcdef.tmp", "half");
  parts.folder.write("out/.dataset.json.0123456789abcdef.tmp", "half");
  const MergeReport report = parts.merged(sources);
  CHECK(report.kept == 2);
  CHECK(report.linked + report.copied == 3);
  CHECK(content_of(parts.out) == parts.expected);
}

TEST_CASE("merge: a stop leaves no data set, and the next run completes it") {
  for (const std::string_view stage : {"merging", "joining"}) {
    const Parts parts;
    const Names sources{parts.part("a", {0, 1, 2}), parts.part("b", {3, 4})};
    Recorder recorder;
    recorder.stop_in = stage;
    const auto report = merge({sources, parts.out}, recorder);
    REQUIRE(report.ok());
    CHECK(report->status == MergeStatus::stopped);
    CHECK_FALSE(fs::exists(parts.out + "/dataset.json"));
    (void)parts.merged(sources);
    CHECK(content_of(parts.out) == parts.expected);
  }
}

TEST_CASE("merge: a damaged shard in the output is replaced after all is known") {
  const Parts parts;
  (void)parts.merged({parts.whole});
  write_bytes(parts.out + "/" + shard(2), Bytes(100));
  CHECK_THAT(parts.refusal(ErrorCode::usage, {parts.whole}), ContainsSubstring(shard(2)));
  auto hurt = read_bytes(parts.whole + "/" + shard(2));
  hurt[60] ^= std::byte{1};
  write_bytes(parts.out + "/" + shard(2), hurt);
  const MergeReport report = parts.merged({parts.whole});
  CHECK(report.replaced == 1);
  CHECK(report.kept == 4);
  CHECK(content_of(parts.out) == parts.expected);
}

TEST_CASE("merge: advice about a foreign file names no option that merge lacks") {
  const Parts parts;
  flip(parts.whole + "/dataset.json", 0);
  const auto damaged = parts.try_merge({parts.whole}, "");
  REQUIRE_FALSE(damaged.ok());
  CHECK_THAT(damaged.error().message, ContainsSubstring("`hotpack pack --repair`"));
  fs::remove(parts.whole + "/dataset.json");
  parts.folder.write("whole/notes.txt", "mine");
  const auto foreign = parts.try_merge({parts.whole}, "");
  REQUIRE_FALSE(foreign.ok());
  CHECK_THAT(foreign.error().message, ContainsSubstring("another folder for -o"));
  CHECK(parts.merged({parts.whole}).status == MergeStatus::merged);
}

TEST_CASE("merge: a manifest that cannot be read is written again from the shards") {
  const Parts parts;
  flip(parts.whole + "/dataset.json", 40);
  Recorder recorder;
  const Result<MergeReport> report = merge({{parts.whole}, ""}, recorder);
  REQUIRE(report.ok());
  CHECK(report->status == MergeStatus::merged);
  CHECK(content_of(parts.whole) == parts.expected);
  CHECK_THAT(recorder.messages, ContainsSubstring("edited by hand; the manifest is ignored"));
}

// ---- what is missing

TEST_CASE("merge: missing shards are named as ranges") {
  const Parts parts;
  CHECK_THAT(parts.refusal(ErrorCode::data, {parts.part("a", {1}), parts.part("b", {4})}),
             ContainsSubstring("3 of 5 shards are missing: 0, 2-3, the first is " + shard(0, 5)));
  CHECK_THAT(parts.refusal(ErrorCode::data, {parts.part("c", {0, 1, 2, 3})}),
             ContainsSubstring("1 of 5 shards is missing: " + shard(4, 5)));
  CHECK_THAT(parts.refusal(ErrorCode::data, {parts.part("d", {4})}),
             ContainsSubstring("missing: 0-3"));
  CHECK_FALSE(fs::exists(parts.out));
  fs::create_directory(parts.folder / "empty");
  CHECK_THAT(parts.refusal(ErrorCode::data, {parts.folder / "a", parts.folder / "empty"}),
             ContainsSubstring("missing") && ContainsSubstring(parts.folder / "empty': empty"));
}

TEST_CASE("merge: the partitions of missing shards are told") {
  const Parts parts;
  Recorder recorder;
  MissingShards missing;
  auto report = merge({{parts.part("a", {0, 3})}, parts.out, 1, 4}, recorder, &missing);
  REQUIRE_FALSE(report.ok());
  // of four partitions the first has two shards
  CHECK_THAT(report.error().message,
             ContainsSubstring("3 of 5 shards are missing: 1-2, 4, the first is " + shard(1) +
                               ". To pack them, run 3 of 4 partitions again: HOTPACK_PARTITIONS=4 "
                               "and --array=0-1,3; or name the folders"));
  CHECK(missing.shards == 5);
  CHECK(missing.count() == 3);
  CHECK(missing.list() == "1-2,4");
  CHECK(missing.partition_list(4) == "0-1,3");
  CHECK(missing.partition_list(1) == "0");
  CHECK(missing.partition_list(100) == "1-2,4");
  report = merge({{parts.part("b", {0, 1, 2, 3})}, parts.out, 1, 2}, recorder);
  CHECK_THAT(report.error().message,
             ContainsSubstring("run partition 1 of 2 again: HOTPACK_PARTITIONS=2"));
}

TEST_CASE("merge: results and errors do not depend on the number of threads") {
  const TempFolder folder;
  const TinyForm form;
  fs::create_directory(folder / "many");
  write_pack(folder / "many", form, tiny_records(form, 300), 1);
  const Content expected = content_of(folder / "many");
  const auto at = [&](std::uint64_t index) { return folder / "many/" + shard(index, 300); };
  Recorder recorder;
  for (const int threads : {1, 2, 7}) {
    const std::string out = folder / ("out" + std::to_string(threads));
    REQUIRE(merge({{folder / "many"}, out, threads}, recorder).ok());
    CHECK(content_of(out) == expected);
  }
  fs::remove(folder / "many/dataset.json");
  const Bytes good = read_bytes(at(250));
  for (const std::uint64_t index : std::vector<std::uint64_t>{299, 251, 250}) flip(at(index), 9);
  for (const int threads : {1, 2, 7}) {
    const auto report = merge({{folder / "many"}, "", threads}, recorder);
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().path == at(250));
  }
  write_bytes(at(250), good);
  for (const int threads : {1, 2, 7}) {
    const auto report = merge({{folder / "many"}, "", threads}, recorder);
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().path == at(251));
  }
}

TEST_CASE("merge: many missing shards are listed in part") {
  const TempFolder folder;
  const TinyForm form;
  fs::create_directory(folder / "many");
  write_pack(folder / "many", form, tiny_records(form, 60), 1);
  for (std::uint64_t i = 0; i < 60; i += 2) fs::remove(folder / "many/" + shard(i, 60));
  Recorder recorder;
  const auto report = merge({{folder / "many"}, folder / "out"}, recorder);
  REQUIRE_FALSE(report.ok());
  CHECK_THAT(report.error().message,
             ContainsSubstring("30 of 60 shards are missing: 0, 2, 4,") &&
                 ContainsSubstring("38, …, the first is " + shard(0, 60) + ".") &&
                 ContainsSubstring("; --partitions N tells which of N partitions write them"));
}

TEST_CASE("merge: folders without any shard") {
  const Parts parts;
  fs::create_directory(parts.folder / "empty");
  CHECK_THAT(parts.refusal(ErrorCode::data, {parts.folder / "empty"}),
             ContainsSubstring("no folder holds a shard"));
  parts.folder.write("photos/a.png", "x");
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.whole, parts.folder / "photos"}),
             ContainsSubstring(parts.folder / "photos") &&
                 ContainsSubstring("no shards of hotpack") && ContainsSubstring("a.png"));
  parts.folder.write("lost/dataset.json", "x");
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.folder / "lost"}),
             ContainsSubstring("manifest but no shards"));
  fs::create_directory(parts.folder / "splits");
  parts.part("splits/train", {0, 1});
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.folder / "splits"}),
             ContainsSubstring("train") && ContainsSubstring("merge them one at a time"));
}

TEST_CASE("merge: folders that are missing, or none") {
  const Parts parts;
  CHECK_THAT(parts.refusal(ErrorCode::io, {parts.whole, parts.folder / "missing"}),
             ContainsSubstring(parts.folder / "missing"));
  CHECK_THAT(parts.refusal(ErrorCode::io, {parts.folder / "missing"}, ""),
             ContainsSubstring("missing"));
  CHECK_FALSE(fs::exists(parts.folder / "missing"));
  CHECK_THAT(parts.refusal(ErrorCode::io, {parts.whole + "/dataset.json"}),
             ContainsSubstring("is not a folder"));
}

// ---- what does not go together

TEST_CASE("merge: one shard with different bytes is refused, both files named") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4}), b = parts.part("b", {4});
  const TinyForm form;
  auto records = tiny_records(form, 10);
  records[8].image[0] ^= 1;  // an input that changed between the two runs
  const TinyShard other =
      make_shard(form, {records.begin() + 8, records.end()}, tiny_plan(records, 5));
  write_bytes(b + "/" + shard(4), other.bytes);
  const std::string message = parts.refusal(ErrorCode::data, {a, b});
  CHECK_THAT(message, ContainsSubstring(a + "/" + shard(4)) &&
                          ContainsSubstring(b + "/" + shard(4)) &&
                          ContainsSubstring("different bytes"));
}

TEST_CASE("merge: a run that skipped a sample does not match one that packed it") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4}), b = parts.part("b", {});
  const TinyForm form;
  const auto records = tiny_records(form, 10);
  const TinyShard shorter = make_shard(form, {records[8]}, tiny_plan(records, 5), 1);
  write_bytes(b + "/" + shard(4), shorter.bytes);
  CHECK_THAT(parts.refusal(ErrorCode::data, {a, b}), ContainsSubstring("differs from"));
}

TEST_CASE("merge: different options are refused by first difference and files") {
  const Parts parts;
  TinyForm form;
  form.storage = LabelStorage::index;
  write_whole(parts.folder / "index", form);
  const std::string message =
      parts.refusal(ErrorCode::usage, {parts.part("a", {0, 1, 2}), parts.folder / "index"});
  CHECK_THAT(message, ContainsSubstring("--label-storage bits in the first, index in the second"));
  CHECK_THAT(message, ContainsSubstring(parts.folder / "index/" + shard(0)) &&
                          ContainsSubstring(parts.folder / "a/" + shard(0)));
}

TEST_CASE("merge: other samples and another cut are refused") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2});
  write_whole(parts.folder / "others", {}, 10, 100);
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, parts.folder / "others"}),
             ContainsSubstring("other samples"));
  write_whole(parts.folder / "more", {}, 12);
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, parts.folder / "more"}),
             ContainsSubstring(
                 "10 samples in 5 shards in the first, 12 samples in 6 shards in the second"));
  const TinyForm form;
  fs::create_directory(parts.folder / "cut");
  write_pack(parts.folder / "cut", form, tiny_records(form, 10), 5);
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, parts.folder / "cut"}),
             ContainsSubstring("10 samples in 2 shards"));
}

TEST_CASE("merge: shards of several packs are counted, the few to be removed") {
  const Parts parts;
  TinyForm index;
  index.storage = LabelStorage::index;
  write_whole(parts.folder / "index", index);
  const std::string a = parts.part("a", {0, 1, 2, 3}), b = parts.part("b", {});
  fs::copy_file(parts.folder / "index/" + shard(4), b + "/" + shard(4));
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, b}),
             ContainsSubstring(b + "/" + shard(4) + ": is not part of the same pack as '" + a +
                               "/" + shard(0) + "': --label-storage index in the first") &&
                 ContainsSubstring("Of 5 shard files, 4 are of the pack of the second, 1 of "
                                   "another: '" +
                                   b + "/" + shard(4) + "'. Remove these files") &&
                 ContainsSubstring("pack the shards that are then missing: 4. "));
  // the first shard is the odd one
  fs::copy_file(parts.folder / "index/" + shard(0), a + "/" + shard(0),
                fs::copy_options::overwrite_existing);
  parts.part("b2", {4});
  Recorder recorder;
  MissingShards missing;
  const auto report = merge({{a, parts.folder / "b2"}, parts.out, 4, 3}, recorder, &missing);
  REQUIRE_FALSE(report.ok());
  CHECK_THAT(report.error().message,
             ContainsSubstring(a + "/" + shard(0) + ": is not part of the same pack as '" + a +
                               "/" + shard(1)) &&
                 ContainsSubstring("missing: 0. For that, run partition 0 of 3 again: "
                                   "HOTPACK_PARTITIONS=3 and --array=0."));
  CHECK(missing.list() == "0");
  CHECK(missing.partition_list(3) == "0");
}

TEST_CASE("merge: shards of three packs and of other counts are counted") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4});
  write_whole(parts.folder / "others", {}, 10, 100);
  write_whole(parts.folder / "more", {}, 12);
  for (std::uint64_t i = 3; i < 5; ++i) fs::remove(parts.folder / "others/" + shard(i));
  for (std::uint64_t i = 1; i < 6; ++i) fs::remove(parts.folder / "more/" + shard(i, 6));
  fs::remove(parts.folder / "others/dataset.json");
  fs::remove(parts.folder / "more/dataset.json");
  CHECK_THAT(
      parts.refusal(ErrorCode::usage, {parts.folder / "more", parts.folder / "others", a}),
      ContainsSubstring("Of 9 shard files, 5 are of the pack of the second, 4 of 2 others: ") &&
          ContainsSubstring("and 1 more. Remove these files, or leave out their folders. All "));
}

TEST_CASE("merge: different engines are named as the difference") {
  const Schema here = tiny_schema({});
  Schema there = here;
  there.options.engines = {"zstd:1.5.4"};
  const std::string here_text = "a", there_text = "b", plan_text = "p";
  const format::PlanIdentity plan;
  CHECK_THAT(first_difference({here_text, here, plan_text, plan},
                              {there_text, there, plan_text, plan}, {"here", "there"}),
             ContainsSubstring("engines") && ContainsSubstring("zstd:1.5.4"));
  CHECK(first_difference({here_text, here, plan_text, plan}, {here_text, here, plan_text, plan},
                         {"here", "there"})
            .empty());
}

// ---- damage

TEST_CASE("merge: damaged headers and tables are refused, payload is not read") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4}), third = a + "/" + shard(3);
  const auto good = read_bytes(third);
  for (const std::size_t offset :
       {std::size_t{9}, std::size_t{100}, good.size() - 1, good.size() - 30}) {
    flip(third, offset);
    CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}), ContainsSubstring(third));
    write_bytes(third, good);
  }
  write_bytes(third, std::span(good).first(good.size() - 1));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}), ContainsSubstring(third));
  write_bytes(third, {});
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}), ContainsSubstring(third));
  write_bytes(third, Bytes(8192));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}), ContainsSubstring(third));
  write_bytes(third, good);
  flip(third, 8192);  // a pixel: verify's business
  CHECK(parts.merged({a}).status == MergeStatus::merged);
}

TEST_CASE("merge: a shard that its manifest does not know is refused") {
  const Parts parts;
  const TinyForm form;
  auto records = tiny_records(form, 10);
  records[8].image[0] ^= 1;
  write_bytes(parts.whole + "/" + shard(4),
              make_shard(form, {records.begin() + 8, records.end()}, tiny_plan(records, 5)).bytes);
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.whole}),
             ContainsSubstring(shard(4)) && ContainsSubstring("dataset.json"));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.whole}, ""), ContainsSubstring(shard(4)));
}

TEST_CASE("merge: shards with exchanged names are refused") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3, 4});
  fs::rename(a + "/" + shard(1), a + "/saved");
  fs::rename(a + "/" + shard(2), a + "/" + shard(1));
  fs::rename(a + "/saved", a + "/" + shard(2));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}),
             ContainsSubstring(a + "/" + shard(2)) && ContainsSubstring("must come after"));
  fs::copy_file(a + "/" + shard(3), a + "/" + shard(4), fs::copy_options::overwrite_existing);
  write_bytes(a + "/" + shard(1), read_bytes(parts.whole + "/" + shard(1)));
  write_bytes(a + "/" + shard(2), read_bytes(parts.whole + "/" + shard(2)));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}), ContainsSubstring(a + "/" + shard(4)));
}

TEST_CASE("merge: a shard named as one of another count is refused") {
  const Parts parts;
  const std::string a = parts.part("a", {});
  for (std::uint64_t i = 0; i < 4; ++i)
    fs::copy_file(parts.whole + "/" + shard(i), a + "/" + shard(i, 4));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}),
             ContainsSubstring("of a pack of 5") && ContainsSubstring(shard(0, 4)));
}

TEST_CASE("merge: shards that hold fewer samples than their plan are refused") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2, 3});
  const TinyForm form;
  const auto records = tiny_records(form, 10);
  write_bytes(a + "/" + shard(4), make_shard(form, {records[8]}, tiny_plan(records, 5)).bytes);
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {a}),
             ContainsSubstring("9 samples") && ContainsSubstring("10"));
}

TEST_CASE("merge: newer and mixed versions of the format are refused") {
  TinyForm later;
  later.later = true;
  const Parts parts(later);
  fs::remove(parts.whole + "/dataset.json");
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.whole}),
             ContainsSubstring("format 1.1") && ContainsSubstring(shard(0)));
  CHECK_THAT(parts.refusal(ErrorCode::damaged, {parts.whole}, ""), ContainsSubstring("format 1.1"));
  const Parts present;
  const std::string mixed = present.part("mixed", {0, 1, 2, 3});
  fs::copy_file(parts.whole + "/" + shard(4), mixed + "/" + shard(4));
  CHECK_THAT(present.refusal(ErrorCode::damaged, {mixed}),
             ContainsSubstring("format 1.1") && ContainsSubstring(shard(4)));
}

// ---- the output folder

TEST_CASE("merge: a foreign file in the output is refused by name") {
  const Parts parts;
  parts.folder.write("out/notes.txt", "mine");
  CHECK_THAT(parts.refusal(ErrorCode::usage, {parts.whole}), ContainsSubstring("out/notes.txt"));
  const std::string a = parts.part("a", {0, 1, 2, 3, 4});
  parts.folder.write("a/notes.txt", "mine");
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a}, ""), ContainsSubstring("a/notes.txt"));
}

TEST_CASE("merge: another pack in the output is refused by its first difference") {
  const Parts parts;
  TinyForm gray;
  gray.color = ImageColor::gray;
  write_whole(parts.out, gray);
  CHECK_THAT(parts.refusal(ErrorCode::usage, {parts.whole}),
             ContainsSubstring("does not belong to the pack that is merged") &&
                 ContainsSubstring("--channels rgb in the merged shards, gray in this file"));
  fs::remove(parts.out + "/dataset.json");
  CHECK_THAT(parts.refusal(ErrorCode::usage, {parts.whole}),
             ContainsSubstring(parts.out + "/" + shard(0)));
  fs::remove_all(parts.out);
  write_whole(parts.out, {}, 12);
  CHECK_THAT(
      parts.refusal(ErrorCode::usage, {parts.whole}),
      ContainsSubstring(
          "10 samples in 5 shards in the merged shards, 12 samples in 6 shards in this file"));
}

TEST_CASE("merge: the output is none of the sources, and several sources need one") {
  const Parts parts;
  const std::string a = parts.part("a", {0, 1, 2}), b = parts.part("b", {3, 4});
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, b}, ""), ContainsSubstring("-o DIR is required"));
  CHECK_THAT(parts.refusal(ErrorCode::usage, {a, b}, "b/../a"),
             ContainsSubstring("one of the folders to merge"));
  CHECK_THAT(parts.refusal(ErrorCode::usage, {}), ContainsSubstring("name the folders"));
}
