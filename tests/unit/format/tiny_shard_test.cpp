// The test helper itself. It writes its packs to HOTPACK_TINY_PACKS, to compare them with another
// reader by hand.
#include "support/tiny_shard.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>

#include "format/shard_check.hpp"
#include "format/shard_header.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::test;

TEST_CASE("every form of shard keeps every rule") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    for (const std::size_t records : {0u, 1u, 5u}) {
      const TinyShard shard = make_shard(form, records);
      const auto header = format::decode_header(shard.bytes);
      REQUIRE((header.ok() ? "" : header.error().describe()) == "");
      CHECK(header->records == records);
      CHECK(header->aligned);
      CHECK(header->metadata == shard.metadata);
      CHECK(header->tensors == shard.layout.tensors);
      CHECK(header->tables_begin == shard.layout.tables_begin);
      CHECK(header->schema == tiny_schema(form));
      for (const Status& status :
           {format::check_tables(shard.bytes, *header), format::check_form(shard.bytes, *header),
            format::check_fillers(shard.bytes, *header)}) {
        CHECK((status.ok() ? "" : status.error().describe()) == "");
      }
      CHECK(format::read_sums(shard.bytes, *header) == shard.sums);
    }
  }
}

TEST_CASE("packs are written for another reader", "[.packs]") {
  const char* target = std::getenv("HOTPACK_TINY_PACKS");
  REQUIRE(target != nullptr);
  for (const auto& [name, form] : all_forms()) {
    for (const auto& [variant, records, skipped] :
         {std::tuple("", 7, 0), {"-skipped", 6, 2}, {"-empty", 0, 0}, {"-all-skipped", 0, 3}}) {
      const std::string folder = std::string(target) + "/" + name + variant;
      std::filesystem::create_directories(folder);
      write_pack(folder, form, tiny_records(form, static_cast<std::size_t>(records)), 3,
                 static_cast<std::uint64_t>(skipped));
    }
  }
}
