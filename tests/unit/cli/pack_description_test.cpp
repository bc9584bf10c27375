#include "cli/pack_description.hpp"

#include <cmath>

#include "format/json.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

Dataset pack_of(const TempFolder& folder, const TinyForm& form, std::size_t records) {
  (void)write_pack(folder.path(), form, tiny_records(form, records), 4, 1);
  return Dataset::open(folder.path()).value();
}

}  // namespace

TEST_CASE("a pack is described in words") {
  const TempFolder folder;
  const std::string text = cli::pack_description(pack_of(folder, {}, 6)).text();
  for (const char* wanted :
       {"samples   6 (1 more were skipped)", "6x5, RGB, hwc", "a class per pixel, stored as bits",
        "fit crop-or-pad", "class 2  #a0ff00", "ignored in labels: 255"}) {
    CHECK_THAT(text, ContainsSubstring(wanted));
  }
}

TEST_CASE("packs without labels or without samples are described") {
  const TempFolder folder;
  TinyForm form;
  form.labeled = false;
  CHECK_THAT(cli::pack_description(pack_of(folder, form, 2)).text(),
             ContainsSubstring("label     none"));
  const TempFolder other;
  const std::string empty = cli::pack_description(pack_of(other, {}, 0)).text();
  CHECK_THAT(empty, ContainsSubstring("mean      - - -"));
}

TEST_CASE("the JSON has schema, plan and statistics as the manifest") {
  const TempFolder folder;
  const Dataset dataset = pack_of(folder, {}, 6);
  const auto json = cli::pack_description(dataset).json();
  CHECK(json["samples"] == 6);
  CHECK(json["skipped"] == 1);
  CHECK(json["schema"]["classes"][2]["name"] == "class 2");
  CHECK(json["plan"]["samples"] == 7);
  CHECK(json["statistics"]["mean"][0] == *dataset.packs()[0].statistics.mean[0]);
  double shares = 0;
  for (const auto& share : json["statistics"]["shares"]) shares += share.get<double>();
  CHECK(std::abs(shares - 1.0) < 1e-12);
}
