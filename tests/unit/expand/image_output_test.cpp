#include <optional>

#include "hotpack/expand.hpp"
#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("normalized: mean and deviation of the pack, as floats in planes") {
  Statistics statistics;
  statistics.mean = {0.5, 0.25, 0.125};
  statistics.std = {0.5, 0.25, 1.0};
  const ImageOutput output = ImageOutput::normalized(statistics).value();
  CHECK(output == ImageOutput{ElementType::f32,
                              AxisOrder::channels_first,
                              {0.5F, 0.25F, 0.125F},
                              {0.5F, 0.25F, 1.0F}});
  CHECK(ImageOutput::normalized(statistics, ElementType::bf16, AxisOrder::channels_last)
            .value()
            .dtype == ElementType::bf16);
}

TEST_CASE("normalized: a pack without statistics is an error with advice") {
  Statistics statistics;
  statistics.mean = {0.5, std::nullopt};
  statistics.std = {0.5, std::nullopt};
  CHECK(ImageOutput::normalized(statistics).error().message ==
        "channel 1 of the pack has no mean, because it has no pixel; set mean and std yourself, or "
        "leave both empty");
  statistics.mean = {0.5};
  statistics.std = {0.0};
  CHECK(ImageOutput::normalized(statistics).error().message ==
        "channel 0 of the pack has no standard deviation above 0; set mean and std yourself, or "
        "leave both empty");
  CHECK(ImageOutput::normalized(statistics, ElementType::u8).error().message ==
        "a normalized image needs a float type: f32, f16 or bf16, not u8");
}
