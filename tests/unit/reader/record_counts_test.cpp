#include "reader/record_counts.hpp"

#include "support/catch.hpp"
#include "unit/reader/tiny_files.hpp"

using namespace hotpack;
using namespace hotpack::test;
using reader::LabelCounter;
using reader::LabelFaults;

namespace {

LabelFaults count(const std::vector<std::uint8_t>& bytes, LabelStorage storage, std::int64_t width,
                  std::size_t classes, format::Sums& sums, bool multi = false) {
  sums = format::Sums(3, classes);
  LabelCounter counter;
  return counter.count(
      {bytes, {LabelScope::pixel, storage, multi, static_cast<std::int64_t>(1), width, classes}},
      sums);
}

}  // namespace

TEST_CASE("labels of each storage give the same counts") {
  format::Sums ids, bits, bytes;
  (void)count({0, 2, 255, 2}, LabelStorage::index, 4, 3, ids);
  (void)count({1, 4, 0, 4}, LabelStorage::bits, 4, 3, bits);
  (void)count({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}, LabelStorage::one_hot, 4, 3, bytes);
  CHECK(ids.ignored == 1);
  CHECK(ids.classes[2].pixels == 2);
  CHECK(ids.classes[2].samples == 1);
  CHECK(ids.classes[2].labeled == 3);
  CHECK(ids.classes[1] == format::Sums::ClassCount{});
  CHECK(ids == bits);
  CHECK(ids == bytes);
}

TEST_CASE("16-bit ids are counted") {
  format::Sums sums;
  const LabelFaults faults =
      count({0x2B, 1, 0xFF, 0xFF, 0x2C, 1}, LabelStorage::index, 3, 300, sums);
  CHECK(sums.classes[299].pixels == 1);
  CHECK(sums.ignored == 1);
  CHECK(faults.foreign_id.count == 1);
  CHECK(faults.foreign_id.first == 2);
  CHECK(faults.foreign_id.value == 300);
}

TEST_CASE("values that a label must not have are reported with their place") {
  format::Sums sums;
  const LabelFaults ids = count({0, 9, 255, 4}, LabelStorage::index, 4, 3, sums);
  CHECK(ids.foreign_id.count == 2);
  CHECK(ids.foreign_id.first == 1);
  CHECK(ids.foreign_id.value == 9);
  const LabelFaults bits = count({1, 3, 0x81}, LabelStorage::bits, 3, 3, sums);
  CHECK(bits.crowded.count == 1);
  CHECK(bits.crowded.first == 1);
  CHECK(bits.spare_bit.count == 1);
  CHECK(bits.spare_bit.first == 2);
  const LabelFaults bytes = count({1, 1, 0, 2}, LabelStorage::one_hot, 2, 2, sums);
  CHECK(bytes.crowded.count == 1);
  CHECK(bytes.wrong_byte.count == 1);
  CHECK(bytes.wrong_byte.value == 2);
  const LabelFaults multi = count({3, 7}, LabelStorage::bits, 2, 3, sums, true);
  CHECK(multi.crowded.count == 0);
}

TEST_CASE("an image is counted inside its region, in both layouts") {
  for (const AxisOrder layout : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    TinyForm form;
    form.layout = layout;
    for (const TinyRecord& record : tiny_records(form, 3)) {
      const auto stored = stored_image(form, record);
      const ImageView view{{reinterpret_cast<const std::uint8_t*>(stored.data()), stored.size()},
                           {record.size.height, record.size.width, 3, layout}};
      format::Sums found(3, 0), wanted(3, 0);
      reader::count_image(
          view, {record.region.x, record.region.y, record.region.width, record.region.height},
          found);
      wanted.pixels_counted = found.pixels_counted;
      for (std::size_t i = 0; i < record.image.size(); ++i) {  // pixels outside the region are 0
        wanted.channel_sums[i % 3] += record.image[i];
        wanted.channel_squares[i % 3] += std::uint64_t{record.image[i]} * record.image[i];
      }
      CHECK(found == wanted);
    }
  }
  format::Sums outside(3, 0);
  const std::vector<std::uint8_t> pixels(12, 9);
  reader::count_image({pixels, {2, 2, 3, AxisOrder::channels_last}}, {5, -9, 3, 4}, outside);
  CHECK(outside.pixels_counted == 0);
}
