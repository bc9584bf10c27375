#include "pack/shard_delivery.hpp"

#include <csignal>

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
      ": {}; sh -c 'kill -PIPE $$'; test $? = 141 || exit 5; "
      "sh -c 'kill -XFSZ $$'; test $? = 153";
  auto* const pipe = std::signal(SIGPIPE, SIG_IGN);
  auto* const size = std::signal(SIGXFSZ, SIG_IGN);
  CHECK(packed(options).packed_shards == 1);
  std::signal(SIGPIPE, pipe);
  std::signal(SIGXFSZ, size);
}
