#include "cli/pack_command.hpp"

#include <CLI/CLI.hpp>

#include "cli/pack_arguments.hpp"
#include "support/catch.hpp"

using namespace hotpack;

namespace {

// Applies `read` to a parsed check with these arguments.
template <class Read>
auto of_check(std::vector<std::string> arguments, Read read) {
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
  for (CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return each->nonpositional(); }))
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size)
      option->allow_extra_args(false);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return read(app);
}

std::string pack_line(std::vector<std::string> arguments) {
  return of_check(std::move(arguments), cli::pack_command_line);
}

// The text of an error as a check with these arguments shows it.
std::string told(std::string_view text, std::vector<std::string> arguments) {
  const auto given = of_check(std::move(arguments),
                              [](const CLI::App& app) { return cli::options_to_keep(app, app); });
  return cli::with_given_options(text, given);
}

}  // namespace

TEST_CASE("the pack command takes over the options of check that apply to it") {
  CHECK(pack_line({"--fast", "--json", "-q", "--log-file", "log", "--images", "a", "--labels", "b",
                   "--num-classes", "12", "-o", "out", "-j", "4"}) ==
        "hotpack pack --images a --labels b --num-classes 12 -o out -j 4");
}

TEST_CASE("an error of plan proposes commands of plan") {
  CHECK(cli::with_given_options("run\n  hotpack pack --images a -o OUT\nor hotpack pack b", {},
                                "plan") ==
        "run\n  hotpack plan --images a -o OUT\nor hotpack pack b");
}

TEST_CASE("an output folder is proposed where none was named") {
  CHECK(pack_line({"--images", "a"}) == "hotpack pack --images a -o packed");
  CHECK(pack_line({"data"}) == "hotpack pack data -o packed");
}

TEST_CASE("repeated options, two-value options and flags are reproduced as given") {
  CHECK(pack_line({"--images", "a", "--images", "b", "--key-prefix", "x", "--key-prefix", "y"}) ==
        "hotpack pack --images a --images b --key-prefix x --key-prefix y -o packed");
  CHECK(pack_line({"data", "--pair-regex", "(.*)_i", "(.*)_l"}) ==
        "hotpack pack data --pair-regex '(.*)_i' '(.*)_l' -o packed");
  CHECK(pack_line({"data", "--allow-empty", "--force"}) ==
        "hotpack pack data --allow-empty --force -o packed");
  CHECK(pack_line({"data", "--zstd"}) == "hotpack pack data --zstd -o packed");
  CHECK(pack_line({"data", "--zstd=label:3"}) == "hotpack pack data --zstd=label:3 -o packed");
}

TEST_CASE("values are quoted for a shell, and kept apart from options") {
  CHECK(pack_line({"--images", "my photos", "--ignore", "road's edge"}) ==
        "hotpack pack --images 'my photos' --ignore 'road'\\''s edge' -o packed");
  CHECK(pack_line({"my\x1b[2J/a'b\\c"}) ==
        R"(hotpack pack $'my\033[2J/a\047b\134c' -o packed)");  // harmless to terminals, and a
                                                                // shell reads it
  CHECK(pack_line({"data", "--label-suffix=-mask"}) ==
        "hotpack pack data --label-suffix=-mask -o packed");
}

TEST_CASE("commands that an error proposes have what was given besides the inputs") {
  constexpr std::string_view kText =
      "two readings. Say\n  hotpack pack --images a --labels b -o OUT\nor:\n  hotpack pack "
      "--image-folders a -o OUT";
  CHECK(told(kText, {"a", "--classes", "my classes.csv", "--size", "64x32", "-o", "out"}) ==
        "two readings. Say\n  hotpack pack --images a --labels b --classes 'my classes.csv' --size "
        "64x32 -o out\nor:\n"
        "  hotpack pack --image-folders a --classes 'my classes.csv' --size 64x32 -o out");
  CHECK(told(kText, {"a", "--label-suffix", "_L", "--pair-regex", "x", "y", "--key-prefix", "p"}) ==
        kText);  // the error's own
  CHECK(told("  hotpack pack --images a --split folder -o OUT",
             {"a", "--split", "ratio:x=1", "--split-seed", "3", "--fold", "case"}) ==
        "  hotpack pack --images a --split folder --fold case -o OUT");
  CHECK(told("hotpack pack a -o OUT is no command here\n", {"a", "-o", "out"}) ==
        "hotpack pack a -o OUT is no command here\n");
  CHECK(told("hotpack pack --images a --labels a --classes 'a/a b.csv' -o OUT",
             {"a", "--size", "8"}) ==
        "hotpack pack --images a --labels a --classes 'a/a b.csv' --size 8 -o OUT");
  CHECK(told("hotpack pack --images a --labels a --classes 'a/a b.csv' -o OUT",
             {"a", "--preset", "voc"}) == "hotpack pack --images a --labels a --preset voc -o OUT");
  // The labels of a whole data set are found below it.
  CHECK(told("hotpack pack a --label-suffix _seg --orphans skip -o OUT", {"a", "--map", "m.csv"}) ==
        "hotpack pack a --label-suffix _seg --orphans skip --map m.csv -o OUT");
  CHECK(told("hotpack pack --images a -o OUT", {"a", "--map", "m.csv"}) ==
        "hotpack pack --images a -o OUT");
  CHECK(told("hotpack pack --image-folders a -o OUT", {"a", "--classes", "c.csv", "--map", "m.csv",
                                                       "--num-classes", "3", "--list", "l.txt"}) ==
        "hotpack pack --image-folders a --list l.txt --map m.csv --classes c.csv -o OUT");
  CHECK(told("hotpack pack --images a --labels a --mask-per-class '{key}_{class}' -o OUT",
             {"a", "--classes", "c.csv", "--num-classes", "3", "--label-kind", "index", "--fold",
              "case", "--threshold", "9"}) ==
        "hotpack pack --images a --labels a --mask-per-class '{key}_{class}' --classes c.csv "
        "--threshold 9 -o OUT");
}
