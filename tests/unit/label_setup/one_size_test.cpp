#include "label_setup/one_size.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

SampleList list_of(const std::vector<Extent>& sizes) {
  SampleList list;
  for (const Extent size : sizes) list.samples.emplace_back().size = size;
  return list;
}

RecordOptions settled(const std::vector<Extent>& sizes, RecordOptions options = {}) {
  RecordSizes found;
  found.add(list_of(sizes), options);
  found.settle(options);
  return options;
}

}  // namespace

TEST_CASE("images of one size make records of it, unreadable headers do not count") {
  const RecordOptions options = settled({{48, 36}, {}, {48, 36}});
  CHECK(options.size == Extent{48, 36});
  CHECK(options.resolved_fit() == Fit::stretch);
}

TEST_CASE("images of several sizes, or of none, settle nothing") {
  CHECK(settled({{48, 36}, {36, 48}}).size == Extent{});
  CHECK(settled({{}, {}}).size == Extent{});
}

TEST_CASE("sizes given by the user are kept") {
  RecordOptions none;
  none.fit = Fit::none;
  CHECK(settled({{48, 36}}, none).size == Extent{});
}

TEST_CASE("padding to a multiple counts as part of the record") {
  RecordOptions options;
  options.pad_multiple = 32;
  options = settled({{48, 36}, {60, 40}}, options);
  CHECK(options.size == Extent{64, 64});
  CHECK(options.resolved_fit() == Fit::crop_or_pad);
}

TEST_CASE("of several sizes the commonest is advised") {
  RecordSizes found;
  found.add(list_of({{48, 36}, {60, 40}, {60, 40}}), {});
  CHECK(found.differ());
  CHECK(found.advice(true) == "--size 60x40 --fit contain");
}
