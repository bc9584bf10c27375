#include "cli/extraction.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include "base/file.hpp"
#include "support/catch.hpp"
#include "support/own_threads.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;
using namespace hotpack::cli;

namespace fs = std::filesystem;

namespace {

const auto kGoOn = [](const ExtractionProgress&) { return true; };

std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] =
          read_text_file(entry.path().string()).value();
  return files;
}

void flip(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const int old = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(old ^ 1));
}

}  // namespace

TEST_CASE("any number of threads extracts the same files") {
  for (const LabelScope scope : {LabelScope::pixel, LabelScope::image}) {
    const TempFolder folder;
    TinyForm form;
    form.scope = scope;
    (void)write_pack(folder.path(), form, tiny_records(form, 40), 7);
    const auto dataset = Dataset::open(folder.path()).value();
    std::map<std::string, std::string> first;
    for (const unsigned threads : {1U, 2U, 5U, 64U}) {
      const std::string out = folder / ("out" + std::to_string(threads));
      const auto tree = OutputTree::open(out).value();
      const Extracted done = extract_samples(dataset, {}, *tree, {}, threads, kGoOn).value();
      CHECK(done.complete);
      CHECK(done.files == (scope == LabelScope::pixel ? 80 : 41));
      if (first.empty()) first = files_in(out);
      CHECK(files_in(out) == first);
    }
  }
}

TEST_CASE("the first damaged sample is the error, whatever the threads") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 40), 40);
  const TinyShard shard = make_shard(form, tiny_records(form, 40), manifest.plan);
  for (const std::uint64_t record : {11U, 12U, 30U})
    flip(folder / manifest.shards[0].file, shard.layout.file_offset("image") + record * 90 + 3);
  const auto dataset = Dataset::open(folder.path()).value();
  for (const unsigned threads : {1U, 3U, 8U}) {
    const auto tree = OutputTree::open(folder / ("out" + std::to_string(threads))).value();
    const auto done = extract_samples(dataset, {}, *tree, {}, threads, kGoOn);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == ErrorCode::damaged);
    CHECK_THAT(done.error().describe(), ContainsSubstring("record 11"));
  }
}

TEST_CASE("of samples that fail at the same time, the first is the error") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 6), 6);
  const TinyShard shard = make_shard(form, tiny_records(form, 6), manifest.plan);
  for (const std::uint64_t record : {3U, 4U, 5U})
    flip(folder / manifest.shards[0].file, shard.layout.file_offset("image") + record * 90 + 3);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto tree = OutputTree::open(folder / "out").value();
  const std::size_t threads = own_threads().size();
  // Each of three threads reports a good sample, and waits until the others also wait to report.
  const auto done =
      extract_samples(dataset, {}, *tree, {}, 3, [threads](const ExtractionProgress& progress) {
        while (progress.samples_done == 1 && own_threads().size() < threads + 2) continue;
        wait_until_others_sleep();
        return true;
      });
  REQUIRE_FALSE(done.ok());
  CHECK_THAT(done.error().describe(), ContainsSubstring("record 3"));
}

TEST_CASE("the next sample of a shard that is cut meanwhile is the error") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 9), 9);
  const std::string path = folder / manifest.shards[0].file;
  const auto dataset = Dataset::open(folder.path()).value();
  const auto tree = OutputTree::open(folder / "out").value();
  const auto done = extract_samples(dataset, {}, *tree, {}, 1, [&](const ExtractionProgress& told) {
    if (told.samples_done == 3) fs::resize_file(path, 0);
    return true;
  });
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == ErrorCode::damaged);
  CHECK(done.error().path == path);
  CHECK(done.error().record == 3u);
  CHECK(done.error().offset.has_value());
}

TEST_CASE("a sample with a damaged label gets no file, the samples before it do") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 40), 40);
  const TinyShard shard = make_shard(form, tiny_records(form, 40), manifest.plan);
  const std::uint64_t label_bytes = shard.layout.find("label")->bytes() / 40;
  flip(folder / manifest.shards[0].file, shard.layout.file_offset("label") + 11 * label_bytes);
  const auto dataset = Dataset::open(folder.path()).value();
  const std::string damaged(dataset.sample(11).value().key());
  for (const unsigned threads : {1U, 3U}) {
    const std::string out = folder / ("out" + std::to_string(threads));
    const auto tree = OutputTree::open(out).value();
    REQUIRE_FALSE(extract_samples(dataset, {}, *tree, {}, threads, kGoOn).ok());
    const auto files = files_in(out);
    CHECK(files.count("images/" + damaged + ".png") == 0);
    CHECK(files.count("labels/" + damaged + ".png") == 0);
    for (std::uint64_t i = 0; i < 11; ++i)
      CHECK(files.count("labels/" + std::string(dataset.sample(i).value().key()) + ".png") == 1);
  }
}

TEST_CASE("a stop ends between samples and writes no list") {
  const TempFolder folder;
  TinyForm form;
  form.scope = LabelScope::image;
  (void)write_pack(folder.path(), form, tiny_records(form, 40), 40);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto tree = OutputTree::open(folder / "out").value();
  const auto done =
      extract_samples(dataset, {}, *tree, {}, 2,
                      [](const ExtractionProgress& progress) { return progress.samples_done < 5; });
  CHECK_FALSE(done.value().complete);
  CHECK_FALSE(fs::exists(folder / "out/labels.csv"));
}
