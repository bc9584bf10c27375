#include "labels/run_encoder.hpp"

#include <algorithm>
#include <vector>

#include "labels/label_decoder.hpp"
#include "labels/one_hot.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::labels;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte kUntouched{0x5A};
constexpr std::size_t kMargin = 16;
constexpr std::size_t kClassCounts[] = {1,  2,  7,  8,  9,  12, 16,  17,
                                        24, 25, 32, 33, 64, 65, 255, 300};
constexpr std::size_t kPixelCounts[] = {0, 1, 3, 17, 64, 700, 5000};

// What write() leaves in memory with a margin on both sides.
Bytes written(const RunEncoder& encoder, std::uint16_t id, std::size_t pixels) {
  Bytes memory(kMargin + pixels * encoder.pixel_bytes() + kMargin, kUntouched);
  encoder.write(id, pixels, memory.data() + kMargin);
  return memory;
}

Bytes wanted(LabelStorage storage, std::size_t class_count, std::uint16_t id, std::size_t pixels) {
  Bytes encoded(static_cast<std::size_t>(encoded_bytes(storage, pixels, class_count)));
  encode_ids(std::vector<std::uint16_t>(pixels, id), class_count, storage, encoded);
  Bytes memory(kMargin, kUntouched);
  memory.insert(memory.end(), encoded.begin(), encoded.end());
  memory.insert(memory.end(), kMargin, kUntouched);
  return memory;
}

}  // namespace

TEST_CASE("a run is written as encode_ids() writes its pixels") {
  for (const LabelStorage storage :
       {LabelStorage::index, LabelStorage::bits, LabelStorage::one_hot}) {
    for (const std::size_t classes : kClassCounts) {
      const RunEncoder encoder(storage, classes);
      const auto last = static_cast<std::uint16_t>(classes - 1);
      const auto middle = static_cast<std::uint16_t>(classes / 2);
      for (const std::uint16_t id : {std::uint16_t{0}, middle, last, kIgnored}) {
        for (const std::size_t pixels : kPixelCounts) {
          INFO(classes << " classes, class " << id << ", " << pixels << " pixels");
          REQUIRE(encoder.pixel_bytes() == encoded_bytes(storage, 1, classes));
          REQUIRE((written(encoder, id, pixels) == wanted(storage, classes, id, pixels)));
        }
      }
    }
  }
}
