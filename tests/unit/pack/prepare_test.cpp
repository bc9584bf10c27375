#include "pack/prepare.hpp"
#include "base/words.hpp"

#include "support/inputs.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

PackOptions good_options() {
  PackOptions options;
  options.input.images = {"images"};
  options.record.size = {8, 6};
  return options;
}

template <class Change>
std::string refusal_after(Change change) {
  PackOptions options = good_options();
  change(options);
  const Status status = check_options(options);
  if (status.ok()) return "";
  CHECK(status.error().code == ErrorCode::usage);
  return status.error().message;
}

}  // namespace

TEST_CASE("options that go together are accepted") { CHECK(check_options(good_options()).ok()); }

TEST_CASE("options that contradict each other are named before any folder is read") {
  CHECK_THAT(refusal_after([](PackOptions& o) { o.record.size = {}, o.record.fit = Fit::cover; }),
             ContainsSubstring("--fit cover needs --size"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.record.fit = Fit::none; }),
             ContainsSubstring("leave out --size"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.record.pad_multiple = 32; }),
             ContainsSubstring("use --size 32x32"));
  CHECK_THAT(refusal_after([](PackOptions& o) {
               o.record.tile = TileOptions{{8, 8}, 0}, o.record.pad_multiple = 2;
             }),
             ContainsSubstring("exclude each other"));
  CHECK_THAT(refusal_after([](PackOptions& o) {
               o.input.mask_per_class = "{key}_{class}",
               o.record.size_mismatch = SizeMismatch::crop_min;
             }),
             ContainsSubstring("crop-min"));
  CHECK(refusal_after([](PackOptions& o) { o.record.size = {}; }) == "");
  CHECK_THAT(refusal_after([](PackOptions& o) {
               o.record.size = {65536, 1};
             }),
             ContainsSubstring("65535"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.shard_bytes = 0; }),
             ContainsSubstring("--shard-size"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.shard_samples = 0; }),
             ContainsSubstring("--shard-samples"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.zstd_level = 20; }),
             ContainsSubstring("--zstd"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.threads = 0; }), ContainsSubstring("-j"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.max_errors = 3; }),
             ContainsSubstring("--on-error skip"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.skipped_file = "x"; }),
             ContainsSubstring("--on-error skip"));
  CHECK(refusal_after([](PackOptions& o) {
          o.run.skip_errors = true, o.run.max_errors = 3, o.run.skipped_file = "x";
        }).empty());
}

TEST_CASE("free space is that of the nearest folder that exists") {
  const TempFolder folder;
  const auto here = free_bytes_at(folder.path());
  REQUIRE(here);
  CHECK(*here > 0);
  CHECK(free_bytes_at(folder / "not/there/yet").has_value());
}

TEST_CASE("more bytes than are free are refused, fewer are not") {
  const TempFolder folder;
  CHECK(check_free_space(folder / "out", 1, true).ok());
  for (const bool exact : {true, false}) {
    const Status status = check_free_space(folder / "out", ~std::uint64_t{0}, exact);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::io);
    CHECK(status.error().path == folder / "out");
    CHECK_THAT(status.error().message,
               ContainsSubstring("bytes free, but the pack needs ") &&
                   ContainsSubstring(exact ? "needs 18446744073709551615" : "needs up to "));
  }
}
