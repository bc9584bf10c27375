#include "cli/npy.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::cli;

TEST_CASE("an array has NumPy's header, padded to 64 bytes, and its data") {
  const std::vector<std::uint8_t> data{1, 2, 3, 4, 5, 6};
  const std::uint64_t shape[] = {2, 3};
  const std::string file = npy_file(ElementType::u8, shape, data);
  CHECK(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  CHECK(file.size() == 128 + 6);
  CHECK(static_cast<unsigned char>(file[8]) == 118);
  CHECK(file[9] == 0);
  CHECK(file.substr(10, 58) == "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), ");
  CHECK(file[127] == '\n');
  CHECK(file.substr(128) == "\x01\x02\x03\x04\x05\x06");
}

TEST_CASE("shapes of one size and of none are tuples too") {
  const std::vector<std::uint8_t> data{7, 0};
  const std::uint64_t one[] = {1};
  CHECK_THAT(npy_file(ElementType::u16, one, data),
             ContainsSubstring("'<u2', 'fortran_order': False, 'shape': (1,), }"));
  CHECK_THAT(npy_file(ElementType::u16, {}, data), ContainsSubstring("'shape': (), }"));
}
