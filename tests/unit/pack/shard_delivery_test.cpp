#include "pack/shard_delivery.hpp"

#include <csignal>
#include <filesystem>

#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

TEST_CASE("signals that hotpack ignores end the programs of a command as usual") {
  const TempFolder folder;
  put_pair(folder, "a", 1);
  PackOptions options = options_for(folder);
  options.label.class_count = 3;
  options.run.receipts = folder / "receipts";
  options.run.on_shard =
      "ulimit -c 0; : {}; sh -c 'kill -PIPE $$'; test $? = 141 || exit 5; "
      "sh -c 'kill -XFSZ $$'; test $? = 153";
  auto* const pipe = std::signal(SIGPIPE, SIG_IGN);
  auto* const size = std::signal(SIGXFSZ, SIG_IGN);
  CHECK(packed(options).packed_shards == 1);
  std::signal(SIGPIPE, pipe);
  std::signal(SIGXFSZ, size);
}

TEST_CASE("a shard whose size changed in scratch is not delivered") {
  const TempFolder folder;
  put(folder, "scratch/shard", Bytes(5));
  std::filesystem::create_directory(folder / "out");
  RunOptions run;
  run.scratch = folder / "scratch";
  run.output = folder / "out";
  ReceiptShard shard;
  shard.finished.row.file = "shard";
  shard.finished.row.bytes = 4;
  const Status delivered = ShardDelivery(run, "", nullptr, 0).deliver(0, shard);
  REQUIRE_FALSE(delivered.ok());
  CHECK_THAT(delivered.error().message, ContainsSubstring("changed while it was copied"));
  CHECK(content_of(run.output).empty());
}
