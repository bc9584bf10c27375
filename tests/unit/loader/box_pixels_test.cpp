// The pixels of a crop are those of ORDER.md's formulas, bit for bit.
#include <cstdint>
#include <vector>

#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"
#include "support/catch.hpp"
#include "unit/loader/order_golden.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kClasses = 5;

expand::Placement placement_of(const format::Json& one) {
  const auto box = one.at("box").get<std::vector<std::int32_t>>();
  const auto output = one.at("output").get<std::vector<std::int64_t>>();
  return {{box[0], box[1], box[2], box[3], box[4] != 0, box[5] != 0},
          {output[0], output[1]},
          one.at("resample").get<bool>()};
}

// An image or label expander's output for one record.
template <class Expander, class View>
Bytes shown(const Expander& expander, const View& record, const expand::Placement& placement) {
  expand::Scratch scratch;
  scratch.reserve(
      expander.scratch_bytes({record.shape.width, record.shape.height}, placement.output));
  Bytes out(expander.row_bytes(placement.output));
  expander.expand(record, placement, scratch, reinterpret_cast<std::byte*>(out.data()),
                  expand::Stores::cached);
  return out;
}

}  // namespace

TEST_CASE("the pixels of crops are the golden ones") {
  for (const auto& one : order_golden("pixels")) {
    CAPTURE(one.at("box").dump(), one.at("output").dump());
    const auto size = one.at("record").get<std::vector<std::int64_t>>();
    const auto channels = one.at("channels").get<int>();
    const auto image = one.at("image").get<Bytes>(), label = one.at("label").get<Bytes>();
    const ImageView image_view{image, {size[1], size[0], channels, AxisOrder::channels_last}};
    const LabelView label_view{
        label, {LabelScope::pixel, LabelStorage::index, false, size[1], size[0], kClasses}};
    const auto images = expand::ImageExpander::make({}, channels).value();
    const auto labels =
        expand::LabelExpander::make({}, {LabelScope::pixel, LabelStorage::index, false, kClasses})
            .value();
    CHECK(shown(images, image_view, placement_of(one)) == one.at("shown_image").get<Bytes>());
    CHECK(shown(labels, label_view, placement_of(one)) == one.at("shown_label").get<Bytes>());
  }
}
