#include "cli/pack_command.hpp"

#include <CLI/CLI.hpp>

#include "cli/pack_arguments.hpp"
#include "support/catch.hpp"

using namespace hotpack;

namespace {

// The pack command for a check with these arguments.
std::string pack_line(std::vector<std::string> arguments) {
  CLI::App app;
  cli::PackArguments options;
  cli::add_sample_options(app, options);
  cli::add_writing_options(app, options);
  bool fast = false, json = false;
  int jobs = 0, quiet = 0;
  std::string log;
  app.add_flag("--fast", fast);
  app.add_flag("--json", json);
  app.add_option("-j,--jobs", jobs);
  app.add_flag("-q,--quiet", quiet)->group("Messages");
  app.add_option("--log-file", log)->group("Messages");
  for (CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->nonpositional(); }))
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) option->allow_extra_args(false);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return cli::pack_command_line(app);
}

}  // namespace

TEST_CASE("the pack command has a check's options, but not those about the check itself") {
  CHECK(pack_line({"--fast", "--json", "-q", "--log-file", "log", "--images", "a", "--labels", "b", "--num-classes", "12", "-o", "out",
                   "-j", "4"}) == "hotpack pack --images a --labels b --num-classes 12 -o out -j 4");
}

TEST_CASE("an output folder is proposed where none was named") {
  CHECK(pack_line({"--images", "a"}) == "hotpack pack --images a -o packed");
  CHECK(pack_line({"data"}) == "hotpack pack data -o packed");
}

TEST_CASE("repeated options, options of two values and flags come back as they were given") {
  CHECK(pack_line({"--images", "a", "--images", "b", "--key-prefix", "x", "--key-prefix", "y"}) ==
        "hotpack pack --images a --images b --key-prefix x --key-prefix y -o packed");
  CHECK(pack_line({"data", "--pair-regex", "(.*)_i", "(.*)_l"}) == "hotpack pack data --pair-regex '(.*)_i' '(.*)_l' -o packed");
  CHECK(pack_line({"data", "--allow-empty", "--force"}) == "hotpack pack data --allow-empty --force -o packed");
  CHECK(pack_line({"data", "--zstd"}) == "hotpack pack data --zstd -o packed");
  CHECK(pack_line({"data", "--zstd=label:3"}) == "hotpack pack data --zstd=label:3 -o packed");
}

TEST_CASE("values are quoted for a shell, and kept apart from options") {
  CHECK(pack_line({"--images", "my photos", "--ignore", "road's edge"}) ==
        "hotpack pack --images 'my photos' --ignore 'road'\\''s edge' -o packed");
  CHECK(pack_line({"my\x1b[2J/a'b\\c"}) ==
        R"(hotpack pack $'my\033[2J/a\047b\134c' -o packed)");  // a terminal is not driven, and a shell reads it
  CHECK(pack_line({"data", "--label-suffix=-mask"}) == "hotpack pack data --label-suffix=-mask -o packed");
}
