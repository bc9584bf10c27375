#include "base/temporary_name.hpp"

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("a temporary name holds the final name and a number") {
  CHECK(temporary_name("dataset.json", 0x0123456789abcdef) == ".dataset.json.0123456789abcdef.tmp");
  CHECK(temporary_name("a", 7) == ".a.0000000000000007.tmp");
  CHECK(final_name_of(temporary_name("a", ~std::uint64_t{0})) == "a");
}

TEST_CASE("final names of temporary files") {
  CHECK(final_name_of(".dataset.json.0123456789abcdef.tmp") == "dataset.json");
  CHECK(final_name_of(".a.fedcba9876543210.tmp") == "a");
  for (const std::string_view name :
       {"", ".", ".tmp", "dataset.json", "dataset.json.0123456789abcdef.tmp",
        ".dataset.json.0123456789abcdef", ".0123456789abcdef.tmp", "..0123456789abcdef.tmp",
        ".a.0123456789abcdeg.tmp", ".a.0123456789ABCDEF.tmp", ".a.123456789abcdef.tmp",
        ".a0123456789abcdef.tmp", ".a.0123456789abcdef.tmp2"})
    CHECK(final_name_of(name).empty());
}

TEST_CASE("numbers of temporary files") {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}})
    CHECK(number_of(temporary_name("dataset.json", number)) == number);
  CHECK(number_of(".a.0123456789abcdef.tmp") == 0x0123456789abcdef);
  for (const std::string_view name : {"", "dataset.json", ".a.0123456789ABCDEF.tmp"})
    CHECK(number_of(name) == 0);
}

TEST_CASE("names that NFS and FUSE give to removed files") {
  CHECK(is_removed_file(".nfs000000000123abcd00000001"));
  CHECK(is_removed_file(".fuse_hidden0000001400000001"));
  for (const std::string_view name : {"", ".nfs", ".nfs1", ".fuse_hidden", ".nfsnotes.txt.old",
                                      "nfs000000000123abcd", ".dataset.json.0123456789abcdef.tmp"})
    CHECK_FALSE(is_removed_file(name));
}
