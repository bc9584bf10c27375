#include "pipeline/prepare.hpp"

#include "unit/pipeline/inputs.hpp"

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

Result<SampleList> gathered(const InputOptions& input, PlanSummary& summary, ProblemLog& problems) {
  return gather_samples(input, summary, problems);
}

}  // namespace

TEST_CASE("options that go together are accepted") { CHECK(check_options(good_options()).ok()); }

TEST_CASE("options that contradict each other are named before any folder is read") {
  CHECK_THAT(refusal_after([](PackOptions& o) { o.input.images.clear(); }), ContainsSubstring("--images"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.input.image_folders = {"x"}; }), ContainsSubstring("--image-folders"));
  CHECK_THAT(refusal_after([](PackOptions& o) {
               o.input.images.clear();
               o.input.image_folders = {"x"};
               o.input.labels = {"y"};
             }),
             ContainsSubstring("--labels goes with --images"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.record.size = {}; }), ContainsSubstring("--size WIDTHxHEIGHT is required"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.record.size = {65536, 1}; }), ContainsSubstring("65535"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.shard_bytes = 0; }), ContainsSubstring("--shard-size"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.shard_samples = 0; }), ContainsSubstring("--shard-samples"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.shard.zstd_level = 20; }), ContainsSubstring("--zstd"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.threads = 0; }), ContainsSubstring("-j"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.max_errors = 3; }), ContainsSubstring("--on-error skip"));
  CHECK_THAT(refusal_after([](PackOptions& o) { o.run.skipped_file = "x"; }), ContainsSubstring("--on-error skip"));
  CHECK(refusal_after([](PackOptions& o) { o.run.skip_errors = true, o.run.max_errors = 3, o.run.skipped_file = "x"; }).empty());
}

TEST_CASE("one key prefix a folder, for images and labels alike") {
  const TempFolder folder;
  for (const std::string side : {"images", "labels"})
    for (const std::string root : {"1", "2"}) put(folder, side + root + "/a.png", photo());
  PlanSummary summary;
  ProblemLog problems;
  InputOptions input;
  input.images = {folder / "images1", folder / "images2/"};
  input.labels = {folder / "labels1//", folder / "labels2"};
  input.key_prefixes = {"one", "two/"};
  const SampleList list = gathered(input, summary, problems).value();
  CHECK(problems.text() == "");
  REQUIRE(list.samples.size() == 2);
  CHECK(list.key(list.samples[0]) == "one/a");
  CHECK(list.key(list.samples[1]) == "two/a");
  CHECK(list.label_path(list.samples[0]) == folder / "labels1/a.png");
  CHECK(list.image_path(list.samples[1]) == folder / "images2/a.png");

  input.key_prefixes = {"one"};
  const auto refused = gathered(input, summary, problems);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring("--key-prefix is given 1 times, --images 2 times"));
}

TEST_CASE("folders without pictures are an error of the data that names them") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "images");
  std::filesystem::create_directory(folder / "labels");
  PlanSummary summary;
  ProblemLog problems;
  InputOptions input;
  input.images = {folder / "images"};
  const auto empty = gathered(input, summary, problems);
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error().code == ErrorCode::data);
  CHECK_THAT(empty.error().message, ContainsSubstring(folder / "images"));

  folder.write("images/README.md", "x");
  CHECK_THAT(gathered(input, summary, problems).error().message, ContainsSubstring("1 other files"));

  put(folder, "images/a.png", photo());
  input.labels = {folder / "labels"};
  const auto no_labels = gathered(input, summary, problems);
  REQUIRE_FALSE(no_labels.ok());
  CHECK_THAT(no_labels.error().message, ContainsSubstring(folder / "labels"));
}

TEST_CASE("no key in common is an error although orphans may be left out") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  put(folder, "labels/a_L.png", photo());
  PlanSummary summary;
  ProblemLog problems;
  InputOptions input;
  input.images = {folder / "images"};
  input.labels = {folder / "labels"};
  input.skip_orphans = true;
  const auto list = gathered(input, summary, problems);
  REQUIRE_FALSE(list.ok());
  CHECK(list.error().code == ErrorCode::data);
  CHECK_THAT(list.error().message, ContainsSubstring("suffixes"));
}

TEST_CASE("option --orphans skip leaves out unsupported pictures too, and counts them") {
  const TempFolder folder;
  put(folder, "images/a.png", photo());
  put(folder, "images/b.png", photo());
  put(folder, "labels/a.png", photo());
  folder.write("images/c.tif", "x");
  folder.write("labels/readme.txt", "x");
  PlanSummary summary;
  ProblemLog problems;
  InputOptions input;
  input.images = {folder / "images"};
  input.labels = {folder / "labels"};
  input.skip_orphans = true;
  CHECK(gathered(input, summary, problems).value().samples.size() == 1);
  CHECK(problems.count() == 0);
  CHECK(summary.orphans_left_out == 2);
  CHECK(summary.other_files == 1);
  input.skip_orphans = false;
  CHECK(gathered(input, summary, problems).ok());
  CHECK(problems.count() == 2);
}

TEST_CASE("free space is that of the nearest folder that exists") {
  const TempFolder folder;
  const auto here = free_bytes_at(folder.path());
  REQUIRE(here);
  CHECK(*here > 0);
  CHECK(free_bytes_at(folder / "not/there/yet").has_value());
}
