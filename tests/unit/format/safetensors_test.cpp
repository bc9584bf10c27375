#include "format/safetensors.hpp"

#include <string>
#include <vector>

#include "altered.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

const Bytes kBuffer(16, std::byte{7});

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

std::string refusal(const std::string& header, std::span<const std::byte> buffer = kBuffer) {
  const Bytes file = with_header(header, buffer);
  const auto container = read_container(file);
  if (container.ok()) return "accepted";
  CHECK(container.error().code == ErrorCode::damaged);
  return container.error().message;
}

}  // namespace

TEST_CASE("a container has metadata in file order and tensors by offset") {
  const Bytes file = with_header(
      "{" + entry("b", "F32", "2", "8,16") + ",\"__metadata__\":{\"z\":\"1\",\"a\":\"2\"}," +
          entry("a", "U16", "2,2", "0,8") + "," + entry("empty", "U8", "0,5", "8,8") + "} \n ",
      kBuffer);
  const auto container = read_container(file);
  REQUIRE(container.ok());
  CHECK(container->metadata ==
        std::vector<std::pair<std::string, std::string>>{{"z", "1"}, {"a", "2"}});
  REQUIRE(container->tensors.size() == 3);
  CHECK(container->tensors[0] == Tensor{"a", DType::u16, {2, 2}, 0, 8});
  CHECK(container->tensors[1].name == "empty");
  CHECK(container->tensors[2] == Tensor{"b", DType::other, {2}, 8, 16});
}

TEST_CASE("scalars and every type of whole bytes can be read") {
  CHECK(refusal("{" + entry("a", "C64", "", "0,8") + "," + entry("b", "BF16", "4", "8,16") + "}") ==
        "accepted");
  CHECK(refusal("{}", {}) == "accepted");
}

TEST_CASE("lengths beyond the file are refused") {
  const auto message = [](Bytes file) { return read_container(file).error().message; };
  CHECK_THAT(message({}), ContainsSubstring("too few"));
  CHECK_THAT(message(Bytes(7)), ContainsSubstring("too few"));
  CHECK_THAT(message(Bytes(8)), ContainsSubstring("unfinished"));
  CHECK_THAT(message(Bytes(100000)), ContainsSubstring("unfinished"));
  Bytes file(100);
  store_le(file.data(), std::uint64_t{93});
  CHECK_THAT(message(file), ContainsSubstring("truncated"));
  store_le(file.data(), std::uint64_t{100'000'001});
  CHECK_THAT(message(file), ContainsSubstring("not a safetensors file"));
  store_le(file.data(), ~std::uint64_t{0});
  CHECK_THAT(message(file), ContainsSubstring("not a safetensors file"));
  store_le(file.data(), std::uint64_t{92});
  CHECK_THAT(message(file), ContainsSubstring("start with '{'"));
}

TEST_CASE("gaps, overlaps, ends and sizes are checked") {
  const std::string good = entry("a", "U8", "10", "0,10");
  CHECK(refusal("{" + good + "," + entry("b", "U8", "6", "10,16") + "}") == "accepted");
  CHECK_THAT(refusal("{" + good + "," + entry("b", "U8", "5", "11,16") + "}"),
             ContainsSubstring("\"b\": there is a gap before it"));
  CHECK_THAT(refusal("{" + good + "," + entry("b", "U8", "7", "9,16") + "}"),
             ContainsSubstring("\"b\": it overlaps"));
  CHECK_THAT(refusal("{" + good + "," + entry("b", "U8", "10", "0,10") + "}"),
             ContainsSubstring("overlaps"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "15", "1,16") + "}"), ContainsSubstring("gap"));
  CHECK_THAT(refusal("{" + good + "}"), ContainsSubstring("6 bytes follow the last tensor"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "17", "0,17") + "}"), ContainsSubstring("truncated"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "4611686018427387904", "0,4611686018427387904") + "}"),
             ContainsSubstring("truncated"));
  CHECK_THAT(refusal("{}"), ContainsSubstring("16 bytes follow the last tensor"));
}

TEST_CASE("shapes and types must match the bytes") {
  CHECK_THAT(refusal("{" + entry("a", "U8", "15", "0,16") + "}"),
             ContainsSubstring("does not fit its size, 16 bytes"));
  CHECK_THAT(refusal("{" + entry("a", "U32", "16", "0,16") + "}"),
             ContainsSubstring("does not fit its size, 16 bytes"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "4294967296,4294967296,16", "0,16") + "}"),
             ContainsSubstring("does not fit its size"));
  CHECK_THAT(refusal("{" + entry("a", "U7", "16", "0,16") + "}"),
             ContainsSubstring("\"U7\" is not a type that hotpack knows"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "-16", "0,16") + "}"), ContainsSubstring("shape[0]"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "16.0", "0,16") + "}"), ContainsSubstring("shape[0]"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "16", "16,0") + "}"),
             ContainsSubstring("data_offsets[1]"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "16", "0") + "}"), ContainsSubstring("data_offsets"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "16", "0,18446744073709551615") + "}"),
             ContainsSubstring("data_offsets[1]"));
}

TEST_CASE("entries have exactly their three keys") {
  CHECK_THAT(refusal("{\"a\":{\"dtype\":\"U8\",\"shape\":[16]}}"),
             ContainsSubstring("lacks the key \"data_offsets\""));
  CHECK_THAT(refusal("{\"a\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16],\"x\":0}}"),
             ContainsSubstring("\"x\" is unknown"));
  CHECK_THAT(refusal("{\"a\":7}"), ContainsSubstring("not an object"));
  CHECK_THAT(refusal("{\"__metadata__\":{\"a\":1}}"), ContainsSubstring("not a string"));
  CHECK_THAT(refusal("{\"__metadata__\":[]}"), ContainsSubstring("not an object"));
  CHECK_THAT(
      refusal("{" + entry("a", "U8", "16", "0,16") + "," + entry("a", "U8", "16", "0,16") + "}"),
      ContainsSubstring("occurs twice"));
}

TEST_CASE("an error in the header's text has the byte in the file") {
  const Bytes file = with_header("{\"a\":1,\"a\":2}", {});
  CHECK(read_container(file).error().offset == 8u + 10u);
}

TEST_CASE("many tensors cost no quadratic time and no memory beyond their text") {
  std::string header = "{";
  for (int i = 0; i < 100000; ++i)
    header += (i == 0 ? "" : ",") + entry(std::to_string(i), "U8", "0", "0,0");
  CHECK_THAT(refusal(header + "}"), ContainsSubstring("16 bytes follow the last tensor"));
}

TEST_CASE("long or deep lists are refused before they are built") {
  CHECK(refusal("{" + entry("a", "U8", "1,1,1,1,1,1,1,16", "0,16") + "}") == "accepted");
  CHECK_THAT(refusal("{" + entry("a", "U8", "1,1,1,1,1,1,1,1,16", "0,16") + "}"),
             ContainsSubstring("more than 8 elements"));
  std::string many = "0";
  for (int i = 0; i < 1000; ++i) many += ",0";
  CHECK_THAT(refusal("{" + entry("a", "U8", "16", many) + "}"),
             ContainsSubstring("more than 8 elements"));
  CHECK_THAT(refusal("{" + entry("a", "U8", "[1]", "0,16") + "}"),
             ContainsSubstring("deeper than 3"));
}

// ---- the fast reader

namespace {

// Both readers accept a header with the same meaning, or refuse it with the same words.
void check_agreement(const std::string& header) {
  INFO(header);
  const Bytes file = with_header(header, kBuffer);
  const auto fast = read_container(file), general = read_container_generally(file);
  REQUIRE(fast.ok() == general.ok());
  if (!fast.ok()) {
    CHECK(fast.error().describe() == general.error().describe());
    return;
  }
  CHECK(fast->header_bytes == general->header_bytes);
  CHECK(fast->metadata == general->metadata);
  CHECK(fast->tensors == general->tensors);
}

}  // namespace

TEST_CASE("the fast reader of headers agrees with the general one") {
  const std::string metadata = R"("__metadata__":{"k":"{\"a\":\"\\n\"}","größe":""})";
  const std::string tensors = entry("a", "U8", "2,4", "0,8") + "," + entry("b", "U64", "1", "8,16");
  const std::string good = "{" + metadata + "," + tensors + "}";
  for (const std::string& header : std::vector<std::string>{
           good,
           good + "   ",
           "{" + tensors + "}",
           "{" + tensors + "," + metadata + "}",
           "{\"__metadata__\":{}," + tensors + "}",
           good + "\n",
           good + "x",
           std::string("{}"),
           "{" + metadata + "}",
           "{" + tensors + ",}",
           "{" + tensors,
           "{" + tensors + "]",
           "{" + tensors + "," + entry("a", "U8", "0", "16,16") + "}",
           "{" + metadata + "," + metadata + "," + tensors + "}",
           R"({"__metadata__":{"k":"1","k":"2"},)" + tensors + "}",
           R"({"__metadata__":{"k":1},)" + tensors + "}",
           R"({"__metadata__":[],)" + tensors + "}",
           "{" + entry("a", "U9", "16", "0,16") + "}",
           "{" + entry("a", "U8", "016", "0,16") + "}",
           "{" + entry("a", "U8", "16.0", "0,16") + "}",
           "{" + entry("a", "U8", "16", "16,0") + "}",
           "{" + entry("a", "U8", "15", "0,16") + "}",
           "{" + entry("a", "U8", "17", "0,17") + "}",
           "{" + entry("a", "U8", "4294967296,4294967296,4294967296", "0,16") + "}",
           "{" + entry("a", "U8", "1,1,1,1,1,1,1,16", "0,16") + "}",
           "{" + entry("a", "U8", "1,1,1,1,1,1,1,1,16", "0,16") + "}",
           "{" + entry("a", "F64", "", "0,8") + "," + entry("b", "F64", "", "8,16") + "}",
           "{" + entry("a\\u0041", "U8", "16", "0,16") + "}",
           "{" + entry("\xC3", "U8", "16", "0,16") + "}",
           "{ " + tensors + "}",
           R"({"a":{"shape":[16],"dtype":"U8","data_offsets":[0,16]}})",
           R"({"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16,16]}})",
           R"({"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16],"more":1}})"})
    check_agreement(header);
  for (std::size_t i = 1; i < good.size(); ++i) {
    for (const char c : {' ', '"', '0', '}', '\\', '\n', '\x80'}) {
      std::string header = good;
      header[i] = c;
      check_agreement(header);
    }
  }
}
