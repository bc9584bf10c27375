#include "pack/receipt.hpp"

#include <filesystem>
#include <limits>

#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

ReceiptShard shard_of(std::uint64_t records) {
  ReceiptShard shard;
  shard.finished.row = {"shard-00001-of-00003.safetensors", records, 5000,
                        "xxh3-128:0123456789abcdef0123456789abcdef",
                        "xxh3-128:fedcba9876543210fedcba9876543210"};
  shard.finished.sums = format::Sums(3, 4);
  shard.finished.sums.channel_squares[2] = std::numeric_limits<std::uint64_t>::max();
  shard.finished.sums.skipped = 2;
  shard.finished.sums.classes[3] = {7, 1, 9};
  shard.first_key = "a/\"quoted\"";
  shard.last_key = "b/ü";
  return shard;
}

Receipt example() {
  ReceiptSet set;
  set.split = "train";
  set.fingerprint = "xxh3-128:00000000000000000000000000000000";
  set.shard_count = 3;
  set.class_count = 4;
  set.shards.emplace(1, shard_of(20));
  return {{3, 40}, {set}};
}

}  // namespace

TEST_CASE("a receipt comes back with every field") {
  const Receipt receipt = example();
  const Receipt back = decode_receipt(encode_receipt(receipt)).value();
  REQUIRE(back.partition.index == 3);
  REQUIRE(back.partition.count == 40);
  REQUIRE(back.sets.size() == 1);
  const ReceiptShard& shard = back.sets[0].shards.at(1);
  const ReceiptShard& wanted = receipt.sets[0].shards.at(1);
  REQUIRE(shard.finished.row == wanted.finished.row);
  REQUIRE(shard.finished.sums == wanted.finished.sums);
  REQUIRE(shard.first_key == wanted.first_key);
  REQUIRE(shard.last_key == wanted.last_key);
  REQUIRE(encode_receipt(back) == encode_receipt(receipt));
}

TEST_CASE("a receipt that is cut off or edited is refused") {
  const std::string text = encode_receipt(example());
  for (std::size_t size = 0; size < text.size(); ++size)
    REQUIRE(!decode_receipt(std::string_view(text).substr(0, size)).ok());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    REQUIRE(!decode_receipt(changed).ok());
  }
}

TEST_CASE("receipts are named after their part") {
  REQUIRE(receipt_name({3, 40}) == "part-00003-of-00040.json");
  REQUIRE(receipt_name({123456, 1000000}) == "part-123456-of-1000000.json");
  for (const Partition part : {Partition{0, 1}, Partition{3, 40}, Partition{123456, 1000000}})
    REQUIRE(is_receipt_name(receipt_name(part)));
  for (const char* name : {"part-3-of-40.json", "part-00003-of-00040.json.tmp", "dataset.json",
                           "part--of-.json", "part-0000x-of-00040.json"})
    REQUIRE(!is_receipt_name(name));
}

TEST_CASE("a receipt book keeps the shards of an earlier run with the same plan") {
  TempFolder folder;
  Plan plan;
  plan.schema_text = "{}";
  plan.plan_text = "{}";
  plan.schema.image.color = ImageColor::rgb;
  plan.shards.resize(3);
  const std::string receipts = folder / "receipts";
  {
    ReceiptBook book = ReceiptBook::open(receipts, {0, 2}).value();
    const std::size_t set = book.begin_set("", plan, false).value();
    ReceiptShard shard = shard_of(20);
    shard.finished.sums = format::Sums(3, 0);
    REQUIRE(book.add(set, 1, shard).ok());
    REQUIRE(book.write().ok());
  }
  ReceiptBook book = ReceiptBook::open(receipts, {0, 2}).value();
  const std::string sources = shard_of(20).finished.row.sources;
  SECTION("the same plan") {
    const std::size_t set = book.begin_set("", plan, false).value();
    REQUIRE(book.find(set, 1, sources) != nullptr);
    REQUIRE(book.find(set, 1, "other sources") == nullptr);
    REQUIRE(book.find(set, 2, sources) == nullptr);
  }
  SECTION("another plan") {
    plan.plan_text = "{\"other\":1}";
    REQUIRE(book.begin_set("", plan, false).error().code == ErrorCode::usage);
  }
  SECTION("--force") {
    plan.plan_text = "{\"other\":1}";
    REQUIRE(book.find(book.begin_set("", plan, true).value(), 1, sources) == nullptr);
  }
}

TEST_CASE("a file that is no receipt is not replaced by one") {
  TempFolder folder;
  folder.write("receipts/part-00000-of-00002.json", "{\"mine\":1}");
  const auto book = ReceiptBook::open(folder / "receipts", {0, 2});
  REQUIRE(!book.ok());
  REQUIRE(book.error().code == ErrorCode::usage);
}
