#include "cli/named_option.hpp"

#include "support/catch.hpp"

using namespace hotpack::cli;

namespace {

const std::vector<NamedOption> kOptions{{{"--output", "-o"}, false},
                                        {{"--size"}, true},
                                        {{"--fit"}, true},
                                        {{"--force"}, false},
                                        {{"PACK"}, false}};

}  // namespace

TEST_CASE("the option with which a message begins is the one it is about") {
  CHECK(option_in("-o DIR is required: the folder", kOptions) == "--output");
  CHECK(option_in("--size: 'x' is no size", kOptions) == "--size");
  CHECK(option_in("PACK is required", kOptions) == "PACK");
}

TEST_CASE("within a message only options that were given count") {
  CHECK(option_in("packed: other options: --fit cover now; use --force", kOptions) == "--fit");
  CHECK(option_in("the folder is not empty; use --force", kOptions).empty());
  CHECK(option_in("the images differ in size", kOptions).empty());
}

TEST_CASE("an unknown option is named as it was typed") {
  CHECK(option_in("unknown option '--sise'; did you mean '--size'?", kOptions) == "--sise");
}

TEST_CASE("options of commands that a message proposes do not count") {
  CHECK(option_in("which labels? What to do: hotpack pack --size 1x1", kOptions).empty());
  CHECK(option_in("which labels?\n  hotpack pack --fit cover", kOptions).empty());
}
