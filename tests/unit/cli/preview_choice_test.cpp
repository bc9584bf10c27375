#include "cli/preview_choice.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captured.hpp"
#include "cli/preview_pack.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::cli;
using namespace hotpack::test;

namespace {

// A pack of four samples: "a/one" has class 2 on every pixel, "a/two" on half of them, "b,c" and
// "b/three" nowhere.
class FourSamples {
 public:
  explicit FourSamples(LabelStorage storage = LabelStorage::bits) {
    TinyForm form;
    form.storage = storage;
    auto records = tiny_records(form, 4);
    const char* const keys[] = {"a/one", "a/two", "b,c", "b/three"};
    for (std::size_t r = 0; r < records.size(); ++r) {
      records[r].key = keys[r];
      for (std::size_t p = 0; p < records[r].labels.size(); ++p)
        records[r].labels[p] = {
            static_cast<std::uint16_t>(r == 0 || (r == 1 && p % 2 == 0) ? 2 : 0)};
    }
    (void)write_pack(folder_.path(), form, records, 3);
    source_.emplace(PackSource::open({folder_.path()}).value());
  }

  Result<std::vector<ChosenSample>> choose(const PreviewChoice& choice) {
    return choose_samples(*source_, choice, *terminal_);
  }

  std::vector<std::uint64_t> numbers(const PreviewChoice& choice) {
    const auto chosen = choose(choice);
    REQUIRE(chosen.ok());
    std::vector<std::uint64_t> all;
    for (const ChosenSample& each : *chosen) all.push_back(each.number);
    return all;
  }

 private:
  TempFolder folder_;
  Captured messages_;
  std::unique_ptr<Terminal> terminal_ =
      Terminal::open({}, TerminalSurroundings::of_descriptor(messages_.descriptor())).value();
  std::optional<PackSource> source_;
};

PreviewChoice with_keys(std::vector<std::string> keys) { return {std::move(keys), {}, 12}; }
PreviewChoice of_class(std::string name) { return {{}, std::move(name), 12}; }

}  // namespace

TEST_CASE("without a wish samples are spread evenly over the data set") {
  CHECK(spread_evenly(24, 4) == std::vector<std::uint64_t>{3, 9, 15, 21});
  CHECK(spread_evenly(3, 12) == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(spread_evenly(1000000, 1) == std::vector<std::uint64_t>{500000});
  CHECK(spread_evenly(0, 5).empty());
  FourSamples pack;
  CHECK(pack.numbers({{}, {}, 2}) == std::vector<std::uint64_t>{1, 3});
}

TEST_CASE("option --keys keeps the order and accepts keys with commas") {
  FourSamples pack;
  CHECK(pack.numbers(with_keys({"b/three,a/one"})) == std::vector<std::uint64_t>{3, 0});
  CHECK(pack.numbers(with_keys({"a/two", "b,c"})) == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("an unknown key is refused with the key that was probably meant") {
  FourSamples pack;
  const auto [asked, meant] =
      GENERATE(std::pair{"a/onee", "'a/one'"}, std::pair{"three", "'b/three'"},
               std::pair{"b/three.png", "'b/three'"},
               std::pair{"completely different", "first key is 'a/one'"});
  const auto chosen = pack.choose(with_keys({asked}));
  REQUIRE_FALSE(chosen.ok());
  CHECK(chosen.error().code == ErrorCode::usage);
  CHECK_THAT(chosen.error().message, ContainsSubstring(asked) && ContainsSubstring(meant));
}

TEST_CASE("option --class picks the samples with the largest share of it") {
  FourSamples pack(GENERATE(LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index));
  for (const char* name : {"class 2", "2"}) {
    const auto chosen = pack.choose(of_class(name));
    REQUIRE(chosen.ok());
    REQUIRE(chosen->size() == 2);
    CHECK(chosen->at(0).number == 0);
    CHECK(chosen->at(1).number == 1);
    CHECK(chosen->at(0).remark == "class 2: 100.00 %");
    CHECK(chosen->at(1).remark == "class 2: 50.00 %");
  }
}

TEST_CASE("option --class refuses unknown classes and those without samples") {
  FourSamples pack;
  const auto unknown = pack.choose(of_class("clas 2"));
  REQUIRE_FALSE(unknown.ok());
  CHECK_THAT(unknown.error().message,
             ContainsSubstring("'clas 2'") && ContainsSubstring("'class 2'"));
  const auto empty = pack.choose(of_class("class 1"));
  REQUIRE_FALSE(empty.ok());
  CHECK_THAT(empty.error().message, ContainsSubstring("'class 1'"));
  CHECK(empty.error().code == ErrorCode::usage);
}

TEST_CASE("a wrong part of a key with commas gets advice on --keys") {
  FourSamples samples;
  const auto wrong = samples.choose(with_keys({"a/one,b,c"}));
  REQUIRE_FALSE(wrong.ok());
  CHECK_THAT(wrong.error().message, ContainsSubstring("its own --keys"));
  CHECK(samples.numbers(with_keys({"a/one", "b,c"})) == std::vector<std::uint64_t>{0, 2});
}

TEST_CASE("a key matches every pack, and a folder prefix selects one") {
  const TempFolder folder;
  std::vector<std::string> packs;
  for (const char* name : {"train", "val"}) {
    const TinyForm form;
    auto records = tiny_records(form, 2);
    records[0].key = "a", records[1].key = "b";
    std::filesystem::create_directory(folder / name);
    (void)write_pack(folder / name, form, records, 2);
    packs.push_back(folder / name);
  }
  PackSource source = PackSource::open(packs).value();
  CHECK(source.find("a").value() == std::vector<std::uint64_t>{0, 2});
  CHECK(source.find("val/a").value() == std::vector<std::uint64_t>{2});
  CHECK(source.find("c").value().empty());
}
