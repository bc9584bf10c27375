// --repair: whatever is damaged or missing is packed again, and the folder ends with the bytes of a
// fresh run.

#include <algorithm>
#include <filesystem>

#include "pack/pack.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr const char* kSecond = ThreeShards::kSecond;
constexpr const char* kManifest = "dataset.json";

// A pack, and its bytes before it is damaged.
struct Packed : ThreeShards {
  explicit Packed(bool zstd = false)
      : ThreeShards([&](const TempFolder&, PackOptions& given) {
          given.shard.zstd_image = given.shard.zstd_label = zstd;
        }) {
    whole = content_of(options.run.output);
    options.run.repair = true;
  }

  void cut(const std::string& name, std::size_t size) const {
    Bytes bytes = whole.at(name);
    bytes.resize(size);
    write(name, bytes);
  }
  // Repaired to the bytes of the first run, one shard packed again at most.
  void check_repaired(std::uint64_t packed_again) const {
    const PackReport report = packed(options);
    CHECK(report.packed_shards == packed_again);
    CHECK(report.kept_shards == 3 - packed_again);
    REQUIRE(content_of(options.run.output) == whole);
  }

  std::map<std::string, Bytes> whole;
};

// The places of a file whose damage is tried: all of its first bytes, then spread over the rest,
// the last among them.
std::vector<std::size_t> places_in(std::size_t size, std::size_t step) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < size; at += at < 64 ? 3 : step) places.push_back(at);
  places.push_back(size - 1);
  return places;
}

}  // namespace

TEST_CASE("repair: a flipped bit anywhere in a shard is repaired, others stay") {
  for (const bool zstd : {false, true}) {
    const Packed pack(zstd);
    for (const std::size_t at : places_in(pack.whole.at(kSecond).size(), 331)) {
      INFO("byte " << at << (zstd ? ", zstd" : ""));
      pack.flip(kSecond, at);
      pack.check_repaired(1);
    }
  }
}

TEST_CASE("repair: a truncated, empty, longer or missing shard is repaired") {
  const Packed pack;
  const Bytes& shard = pack.whole.at(kSecond);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{20}, std::size_t{46},
        std::size_t{300}, std::size_t{5000}, shard.size() - 1}) {
    INFO("cut to " << size);
    pack.cut(kSecond, size);
    pack.check_repaired(1);
  }
  pack.cut(kSecond, shard.size() + 1);
  pack.check_repaired(1);
  fs::remove(pack.path(kSecond));
  pack.check_repaired(1);
}

TEST_CASE("repair: a damaged or missing manifest is rewritten without its shards") {
  const Packed pack;
  for (const std::size_t at : places_in(pack.whole.at(kManifest).size(), 97)) {
    INFO("byte " << at);
    pack.flip(kManifest, at);
    pack.check_repaired(0);
  }
  pack.cut(kManifest, 0);
  pack.check_repaired(0);
  pack.cut(kManifest, 5);
  pack.check_repaired(0);
  fs::remove(pack.path(kManifest));
  pack.check_repaired(0);
}

TEST_CASE("a manifest that is written again is not also advised to be") {
  const Packed pack;
  pack.flip(kManifest, 40);
  PackOptions options = pack.options;
  options.run.repair = GENERATE(false, true);
  const PackReport report = packed(options);
  REQUIRE(report.plan.warnings.size() == 1);
  CHECK_THAT(report.plan.warnings[0], ContainsSubstring("damaged, or edited by hand; it is written "
                                                        "again"));
}

TEST_CASE("repair: a shard whose inputs changed is packed again with a warning") {
  for (const bool changed : {false, true}) {
    const Packed pack;
    const std::string image = pack.folder / "images/2.png";
    const auto written = fs::last_write_time(image);
    if (changed) put(pack.folder, "images/2.png", photo(8, 6, 77));
    fs::last_write_time(image, written);
    fs::remove(pack.path(kSecond));
    const PackReport report = packed(pack.options);
    CHECK(report.packed_shards == 1);
    const bool warned = std::any_of(
        report.plan.warnings.begin(), report.plan.warnings.end(), [](const std::string& warning) {
          return warning.find("its records differ from before") != std::string::npos;
        });
    CHECK(warned == changed);
  }
}

TEST_CASE("repair: several damaged shards and the manifest at once") {
  const Packed pack;
  pack.flip("shard-00000-of-00003.safetensors", 5000);
  pack.cut(kSecond, 100);
  pack.flip(kManifest, 40);
  pack.check_repaired(2);
}

TEST_CASE("repair: what is damaged is named, and a dry run changes nothing") {
  const Packed pack;
  pack.flip(kSecond, 4200);
  const auto damaged = content_of(pack.options.run.output);
  Recorder recorder;
  const PackReport plan = only_set(hotpack::pipeline::pack(pack.options, true, recorder).value());
  CHECK(plan.plan.kept_shards == 2);
  REQUIRE(plan.plan.warnings.size() == 1);
  CHECK_THAT(plan.plan.warnings[0], ContainsSubstring(std::string(kSecond) + ": record ") &&
                                        ContainsSubstring("is packed again"));
  CHECK(content_of(pack.options.run.output) == damaged);
}

TEST_CASE("repair: a sound pack is complete, and a new folder is packed") {
  Packed pack;
  CHECK(packed(pack.options).status == PackStatus::complete);
  fs::remove_all(pack.options.run.output);
  pack.check_repaired(3);
}

TEST_CASE("repair: a plain run keeps no damaged shard of a stopped repair") {
  Packed pack;
  pack.flip(kSecond, 4200);
  pack.flip(ThreeShards::kThird, 4200);
  Recorder recorder;
  recorder.stop_after = 4;  // one of three is kept; one sample is packed
  (void)hotpack::pipeline::pack(pack.options, false, recorder).value();
  pack.options.run.repair = false;
  (void)packed(pack.options);
  CHECK(content_of(pack.options.run.output) == pack.whole);
}

TEST_CASE("repair: a partition fixes its own shards alone") {
  Packed pack;
  fs::remove(pack.path(kManifest));
  pack.options.run.partition = Partition{0, 2};  // shards 0 and 1
  pack.flip(kSecond, 4200);
  pack.flip(ThreeShards::kThird, 4200);
  CHECK(packed(pack.options).packed_shards == 1);
  CHECK(content_of(pack.options.run.output).at(kSecond) == pack.whole.at(kSecond));
  CHECK(content_of(pack.options.run.output).at(ThreeShards::kThird) !=
        pack.whole.at(ThreeShards::kThird));
}

TEST_CASE("a plain run repairs shards that are missing, truncated or empty") {
  Packed pack;
  pack.options.run.repair = false;
  fs::remove(pack.path(kSecond));
  pack.check_repaired(1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{30}, std::size_t{4500}}) {
    pack.cut(kSecond, size);
    pack.check_repaired(1);
  }
}

TEST_CASE("a foreign file start is refused with the way to repair, and stays") {
  Packed pack;
  pack.options.run.repair = false;
  pack.flip(kSecond, 9);
  Recorder recorder;
  const auto refused = hotpack::pipeline::pack(pack.options, false, recorder);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring(kSecond) && ContainsSubstring("--repair"));

  fs::remove_all(pack.options.run.output);
  pack.folder.write("packed/shard-00000-of-00001.safetensors", std::string(100, 'x'));
  pack.options.run.repair = true;
  CHECK_FALSE(hotpack::pipeline::pack(pack.options, false, recorder).ok());
  CHECK(read_bytes(pack.path("shard-00000-of-00001.safetensors")).size() == 100);
}
