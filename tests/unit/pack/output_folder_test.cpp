#include "pack/output_folder.hpp"

#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kSecond = ThreeShards::kSecond;
constexpr const char* kTemporaryShard = ".shard-00001-of-00003.safetensors.0123456789abcdef.tmp";

struct PackedFolder : ThreeShards {
  explicit PackedFolder(bool damage_one = false)
      : ThreeShards([&](const TempFolder& inputs, PackOptions& given) {
          if (damage_one) put(inputs, "images/3.png", with_bad_png_checksum(photo(), "IDAT"));
          given.run.skip_errors = damage_one;
        }) {}

  [[nodiscard]] OutputFolder read() const { return read_output_folder(folder / "packed").value(); }

  // The plan of the present inputs and `changed` options.
  [[nodiscard]] Plan plan(const PackOptions& changed) {
    Prepared run = prepared(changed);
    Plan made = make_plan(changed, run.setup, run.list).value();
    list = std::move(run.list);
    return made;
  }
  [[nodiscard]] Plan plan() { return plan(options); }

  SampleList list;
};

std::vector<bool> kept_of(const OutputFolder& folder, const Plan& plan, Names& damaged) {
  std::vector<bool> kept;
  for (const auto& shard : find_kept_shards(folder, plan, {0, plan.shards.size()}, damaged))
    kept.push_back(shard.has_value());
  return kept;
}

std::vector<bool> kept_of(const OutputFolder& folder, const Plan& plan) {
  Names damaged;
  const auto kept = kept_of(folder, plan, damaged);
  CHECK(damaged.empty());
  return kept;
}

std::string difference(PackedFolder& pack, const PackOptions& changed) {
  const Plan plan = pack.plan(changed);
  std::vector<std::string> warnings;
  const Status status = check_same_options(pack.read(), plan, pack.list, warnings);
  if (status.ok()) return "";
  CHECK(status.error().code == ErrorCode::usage);
  return status.error().message;
}

}  // namespace

// ---- what is in the folder

TEST_CASE("a missing folder and an empty folder hold nothing") {
  const TempFolder folder;
  const OutputFolder missing = read_output_folder(folder / "missing").value();
  CHECK_FALSE(missing.exists);
  CHECK_FALSE(missing.manifest);
  std::filesystem::create_directory(folder / "empty");
  const OutputFolder empty = read_output_folder(folder / "empty").value();
  CHECK(empty.exists);
  CHECK(empty.shards.empty());
  CHECK(empty.manifest_fault.empty());
}

TEST_CASE("a finished pack has its manifest and its shards in order") {
  const PackedFolder pack;
  const OutputFolder output = pack.read();
  REQUIRE(output.manifest);
  CHECK(output.manifest->records() == 5);
  CHECK(output.shards == Names{"shard-00000-of-00003.safetensors",
                               "shard-00001-of-00003.safetensors",
                               "shard-00002-of-00003.safetensors"});
}

TEST_CASE("files that hotpack did not make are refused by name") {
  const TempFolder folder;
  for (const std::string name :
       {"notes.txt", ".hidden", "shard-0-of-1.safetensors", "shard-00000-of-00001.safetensors",
        "model.safetensors", ".notes.txt.0123456789abcdef.tmp"}) {
    folder.write("packed/" + name, "somebody's work");
    const auto output = read_output_folder(folder / "packed");
    REQUIRE_FALSE(output.ok());
    CHECK(output.error().code == ErrorCode::usage);
    CHECK_THAT(output.error().message, ContainsSubstring(folder / "packed/" + name));
    std::filesystem::remove(folder / ("packed/" + name));
  }
  std::filesystem::create_directory(folder / "packed/sub");
  CHECK_THAT(read_output_folder(folder / "packed").error().message,
             ContainsSubstring("packed/sub"));
}

TEST_CASE("only shards that a run may change are opened") {
  const PackedFolder pack;
  pack.folder.write(std::string("packed/") + kSecond, "somebody's work");
  OriginRules rules;
  rules.may_change = [](const format::ShardName& shard) { return shard.index != 1; };
  const auto output = read_output_folder(pack.folder / "packed", rules);
  REQUIRE(output.ok());
  CHECK(output->shards.size() == 3);
  CHECK(output->known.size() == 2);
  rules.may_change = [](const format::ShardName& shard) { return shard.index == 1; };
  CHECK_THAT(read_output_folder(pack.folder / "packed", rules).error().message,
             ContainsSubstring(kSecond));
  // With --repair any file of hotpack vouches for the folder, also one that is left alone.
  std::filesystem::remove(pack.folder / "packed/dataset.json");
  CHECK_FALSE(read_output_folder(pack.folder / "packed", rules).ok());
  rules.repair = true;
  CHECK(read_output_folder(pack.folder / "packed", rules).ok());
}

TEST_CASE("a second reading opens only files that have changed") {
  const PackedFolder pack;
  const OutputFolder first = pack.read();
  const std::string path = pack.path(kSecond);
  // The same file with other content of equal size; only opening it would show that.
  const std::string foreign(std::filesystem::file_size(path), 'x');
  pack.folder.write(std::string("packed/") + kSecond, foreign);
  const OriginRules rules{false, {}, &first};
  const auto second = read_output_folder(pack.folder / "packed", rules);
  REQUIRE(second.ok());
  CHECK(second->known == first.known);
  // Another file of the same size.
  pack.folder.write("other", foreign);
  std::filesystem::rename(pack.folder / "other", path);
  CHECK_THAT(read_output_folder(pack.folder / "packed", rules).error().message,
             ContainsSubstring(kSecond));
}

TEST_CASE("hotpack's own temporary files are not foreign files") {
  const PackedFolder pack;
  pack.folder.write("packed/.dataset.json.0123456789abcdef.tmp", "x");
  pack.folder.write(std::string("packed/") + kTemporaryShard, "x");
  CHECK(pack.read().shards.size() == 3);
}

TEST_CASE("files that NFS or FUSE keep for open descriptors are not foreign") {
  const PackedFolder pack;
  pack.folder.write("packed/.fuse_hidden0000001400000001", "x");
  pack.folder.write("packed/.nfs000000000123abcd00000001", "x");
  CHECK(pack.read().shards.size() == 3);
}

TEST_CASE("a folder inside a pack is refused, finished or not") {
  const PackedFolder pack;
  const auto refusal = [&](const std::string& path) {
    return read_output_folder(pack.folder / path).error().message;
  };
  CHECK_THAT(refusal("packed/north"),
             ContainsSubstring("packed/north: is inside '" + (pack.folder / "packed")));
  CHECK_THAT(refusal("packed/north"), ContainsSubstring("such as '" + (pack.folder / "north'")));
  CHECK_THAT(refusal("packed/north/"), ContainsSubstring("such as '" + (pack.folder / "north'")));
  CHECK_THAT(refusal("packed/a/b"), ContainsSubstring("is inside '" + (pack.folder / "packed")));
  std::filesystem::remove(pack.folder / "packed/dataset.json");
  CHECK_THAT(refusal("packed/north"), ContainsSubstring("is inside"));
  CHECK(read_output_folder(pack.folder / "packed").ok());
  CHECK(read_output_folder(pack.folder / "other").ok());
}

TEST_CASE("a manifest that cannot be used says why") {
  const PackedFolder pack;
  pack.flip("dataset.json", 40);
  const OutputFolder output = pack.read();
  CHECK_FALSE(output.manifest);
  CHECK_THAT(output.manifest_fault, ContainsSubstring(pack.folder / "packed/dataset.json"));
}

TEST_CASE("a file in place of the folder is an I/O error") {
  const TempFolder folder;
  folder.write("packed", "x");
  const auto output = read_output_folder(folder / "packed");
  REQUIRE_FALSE(output.ok());
  CHECK(output.error().code == ErrorCode::io);
}

// ---- shards

TEST_CASE("a shard yields its row of the manifest, its sums and its keys") {
  PackedFolder pack;
  const OutputFolder output = pack.read();
  format::Sums total(3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const ExistingShard shard = read_existing_shard(output.path, output.shards[i]).value();
    CHECK(shard.finished.row == output.manifest->shards[i]);
    CHECK(shard.metadata.plan == output.manifest->plan_text);
    CHECK(shard.schema == output.manifest->schema);
    total.add(shard.finished.sums);
  }
  CHECK(format::statistics_of(total) == output.manifest->statistics);
  CHECK(read_keys(output.path, kSecond).value() == Names{"2", "3"});
}

TEST_CASE("a damaged shard is an error that names it") {
  const PackedFolder pack;
  pack.flip(kSecond, 100);
  const auto shard = read_existing_shard(pack.folder / "packed", kSecond);
  REQUIRE_FALSE(shard.ok());
  CHECK(shard.error().path == pack.folder / "packed/" + kSecond);
  CHECK_FALSE(read_keys(pack.folder / "packed", kSecond).ok());
}

// ---- what can be kept

TEST_CASE("all shards of equal inputs and options are kept as a complete pack") {
  PackedFolder pack;
  const Plan plan = pack.plan();
  Names damaged;
  const auto kept = find_kept_shards(pack.read(), plan, {0, plan.shards.size()}, damaged);
  CHECK(damaged.empty());
  CHECK(is_complete(pack.read(), plan, kept));
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(kept[i]);
    CHECK(kept[i]->row == pack.read().manifest->shards[i]);
  }
}

TEST_CASE("a shard or manifest that is missing makes the pack incomplete") {
  PackedFolder pack;
  const Plan plan = pack.plan();
  std::filesystem::remove(pack.folder / ("packed/" + std::string(kSecond)));
  Names damaged;
  CHECK(kept_of(pack.read(), plan) == std::vector<bool>{true, false, true});
  CHECK_FALSE(is_complete(pack.read(), plan,
                          find_kept_shards(pack.read(), plan, {0, plan.shards.size()}, damaged)));

  PackedFolder other;
  const Plan other_plan = other.plan();
  std::filesystem::remove(other.folder / "packed/dataset.json");
  CHECK(kept_of(other.read(), other_plan) == std::vector<bool>{true, true, true});
  CHECK_FALSE(is_complete(
      other.read(), other_plan,
      find_kept_shards(other.read(), other_plan, {0, other_plan.shards.size()}, damaged)));
}

TEST_CASE("a damaged shard is not kept, and named") {
  PackedFolder pack;
  const Plan plan = pack.plan();
  pack.flip(kSecond, 100);
  Names damaged;
  CHECK(kept_of(pack.read(), plan, damaged) == std::vector<bool>{true, false, true});
  REQUIRE(damaged.size() == 1);
  CHECK_THAT(damaged[0], ContainsSubstring(kSecond));
}

TEST_CASE("an undamaged shard that differs from the manifest is not kept") {
  PackedFolder pack, other;
  const Bytes one = id_label(8, 6, std::vector<std::uint16_t>(48, 1)),
              two = id_label(8, 6, std::vector<std::uint16_t>(48, 2));
  REQUIRE(one.size() == two.size());
  put(pack.folder, "labels/3.png", one);
  put(other.folder, "labels/3.png", two);
  (void)packed(pack.options);
  (void)packed(other.options);
  put(pack.folder, std::string("packed/") + kSecond,
      read_bytes(other.folder / "packed/" + kSecond));
  Names damaged;
  CHECK(kept_of(pack.read(), pack.plan(), damaged) == std::vector<bool>{true, false, true});
  REQUIRE(damaged.size() == 1);
  CHECK_THAT(damaged[0], ContainsSubstring("differs from what is recorded in dataset.json"));
}

TEST_CASE("shards of an input of another size are packed again, the others kept") {
  PackedFolder pack;
  put(pack.folder, "labels/4.png", with_tail(read_bytes(pack.folder / "labels/4.png"), "!"));
  CHECK(kept_of(pack.read(), pack.plan()) == std::vector<bool>{true, true, false});
}

TEST_CASE("shards of another plan or other options are not kept") {
  PackedFolder pack;
  PackOptions changed = pack.options;
  changed.record.fit = Fit::cover;
  CHECK(kept_of(pack.read(), pack.plan(changed)) == std::vector<bool>{false, false, false});
  put(pack.folder, "images/9.png", photo());
  put(pack.folder, "labels/9.png", noise_label());
  CHECK(kept_of(pack.read(), pack.plan()) == std::vector<bool>{false, false, false});
}

// ---- other options

TEST_CASE("the first option that differs is named") {
  PackedFolder pack;
  CHECK(difference(pack, pack.options) == "");
  PackOptions changed = pack.options;
  changed.record.size = {16, 12};
  CHECK_THAT(difference(pack, changed),
             ContainsSubstring("--size 16x12 now, 8x6 then") && ContainsSubstring("--force"));
  changed = pack.options;
  changed.label.class_count = 4;
  CHECK_THAT(difference(pack, changed), ContainsSubstring("classes"));
  changed = pack.options;
  changed.label.unknown = "ignore";
  CHECK_THAT(difference(pack, changed), ContainsSubstring("--unknown ignore now, error then"));
  changed = pack.options;
  changed.shard.shuffle_seed = 5;
  CHECK_THAT(difference(pack, changed),
             ContainsSubstring("--shuffle 5 now, without --shuffle then"));
  changed = pack.options;
  changed.shard.zstd_image = changed.shard.zstd_label = true;
  CHECK_THAT(difference(pack, changed), ContainsSubstring("--zstd now, without --zstd then"));
  changed = pack.options;
  changed.shard.shard_samples = 3;
  CHECK_THAT(difference(pack, changed),
             ContainsSubstring("--shard-samples") && ContainsSubstring("2 shards now, 3 then"));
}

TEST_CASE("an unfinished folder is compared by its shards") {
  PackedFolder pack;
  std::filesystem::remove(pack.folder / "packed/dataset.json");
  CHECK(difference(pack, pack.options) == "");
  PackOptions changed = pack.options;
  changed.record.fit = Fit::contain;
  CHECK_THAT(difference(pack, changed), ContainsSubstring("fit"));
}

TEST_CASE("more samples of the same set are accepted, another set is refused") {
  PackedFolder pack;
  put(pack.folder, "images/9.png", photo());
  put(pack.folder, "labels/9.png", noise_label());
  CHECK(difference(pack, pack.options) == "");
  PackOptions other = pack.options;
  put(pack.folder, "other/images/x.png", photo());
  put(pack.folder, "other/labels/x.png", noise_label());
  other.input.images = {pack.folder / "other/images"};
  other.input.labels = {pack.folder / "other/labels"};
  CHECK_THAT(difference(pack, other), ContainsSubstring("0 of its 5 samples"));
}

// ---- --recheck

TEST_CASE("sources are compared by their hashes") {
  PackedFolder pack;
  const Plan plan = pack.plan();
  const auto unchanged = [&](std::size_t shard) {
    return check_sources(pack.folder / "packed", format::shard_file_name(shard, 3),
                         plan.shards[shard], pack.list)
        .value()
        .unchanged;
  };
  CHECK(unchanged(0));
  CHECK(unchanged(1));
  Bytes label = read_bytes(pack.folder / "labels/3.png");
  label.back() ^= std::byte{1};
  put(pack.folder, "labels/3.png", label);
  CHECK(unchanged(0));
  CHECK_FALSE(unchanged(1));
  Bytes image = read_bytes(pack.folder / "images/0.png");
  image.back() ^= std::byte{1};
  put(pack.folder, "images/0.png", image);
  CHECK_FALSE(unchanged(0));
}

TEST_CASE("checking sources names the samples that a shard lacks") {
  PackedFolder pack(true);
  const Plan plan = pack.plan();
  const SourceCheck first = check_sources(pack.folder / "packed", format::shard_file_name(0, 3),
                                          plan.shards[0], pack.list)
                                .value();
  CHECK(first.unchanged);
  CHECK(first.skipped.empty());
  const SourceCheck second =
      check_sources(pack.folder / "packed", kSecond, plan.shards[1], pack.list).value();
  CHECK(second.unchanged);
  CHECK(second.skipped.size() == 1);
}

TEST_CASE("a source that vanished is an I/O error") {
  PackedFolder pack;
  const Plan plan = pack.plan();
  std::filesystem::remove(pack.folder / "images/2.png");
  const auto unchanged = check_sources(pack.folder / "packed", kSecond, plan.shards[1], pack.list);
  REQUIRE_FALSE(unchanged.ok());
  CHECK(unchanged.error().code == ErrorCode::io);
}
