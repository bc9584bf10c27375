#include "pack/output_lock.hpp"

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

using Sharing = OutputLock::Sharing;

// Requests a stop as soon as it has to wait.
class Impatient : public Observer {
 public:
  void message(Level, std::string_view text) override { said += std::string(text); }
  void progress(const Progress&) override {}
  [[nodiscard]] bool stop_requested() const override { return !said.empty(); }
  std::string said;
};

// Can the folder be locked at once?
bool is_free(const std::string& folder, Sharing sharing) {
  Impatient observer;
  const bool taken = OutputLock::take(folder, sharing, observer).value().has_value();
  if (!taken) CHECK_THAT(observer.said, ContainsSubstring(folder) && ContainsSubstring("waiting"));
  return taken;
}

std::optional<OutputLock> taken(const std::string& folder, Sharing sharing) {
  Impatient observer;
  return OutputLock::take(folder, sharing, observer).value();
}

}  // namespace

TEST_CASE("partitions work side by side in one folder, every other run is alone") {
  const TempFolder folder;
  {
    const auto partition = taken(folder.path(), Sharing::partitions);
    CHECK(is_free(folder.path(), Sharing::partitions));
    CHECK_FALSE(is_free(folder.path(), Sharing::none));
  }
  const auto run = taken(folder.path(), Sharing::none);
  CHECK_FALSE(is_free(folder.path(), Sharing::none));
  CHECK_FALSE(is_free(folder.path(), Sharing::partitions));
}

TEST_CASE("a created folder is removed again if nothing was written to it") {
  const TempFolder folder;
  (void)taken(folder / "a/b", Sharing::none);
  CHECK_FALSE(std::filesystem::exists(folder / "a"));
  {
    const auto lock = taken(folder / "a/b", Sharing::none);
    folder.write("a/b/file", "x");
  }
  CHECK(std::filesystem::exists(folder / "a/b/file"));
}

TEST_CASE("an empty folder stays while another partition will write to it") {
  const TempFolder folder;
  auto first = taken(folder / "a", Sharing::partitions);
  const auto second = taken(folder / "a", Sharing::partitions);
  first.reset();
  CHECK(std::filesystem::exists(folder / "a"));
}
