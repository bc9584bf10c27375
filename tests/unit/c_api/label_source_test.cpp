#include "c_api/label_source.hpp"

#include <string>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

TEST_CASE("the source of a class is an id or a text") {
  const LabelSource id = std::int64_t{-7}, color = std::string("#ff0000");
  CHECK(source_of(id).text == nullptr);
  CHECK(source_of(id).id == -7);
  CHECK(std::string(source_of(color).text) == "#ff0000");
  CHECK(source_of(color).id == 0);
}
