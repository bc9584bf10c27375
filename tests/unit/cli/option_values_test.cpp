#include "cli/option_values.hpp"

#include "support/catch.hpp"

using namespace hotpack::cli;

namespace {

using Words = std::vector<std::string>;

// An option of a form whose value is any text.
struct TextOption {
  explicit TextOption(const std::string& form)
      : option(add_value(command, "--value", value, "a value", form, "Group")) {}
  CLI::App command;
  std::string value;
  CLI::Option* option;
};

}  // namespace

TEST_CASE("the choices of an option are its words, whatever its form shows") {
  CLI::App command;
  int value = 0;
  CLI::Option* const option =
      add_choice(command, "--value", value, {{"one", 1}, {"two", 2}}, "a number", "Group");
  option->option_text("one|other");
  CHECK(has_choices(*option));
  CHECK(choices_of(*option) == Words{"one", "two"});
  option->check(CLI::Range(1, 2));
  CHECK(choices_of(*option) == Words{"one", "two"});
}

TEST_CASE("words of a form that are to be typed are choices next to other values") {
  CHECK(choices_of(*TextOption("error|nearest[:D]|CLASS").option) == Words{"error", "nearest"});
  CHECK(choices_of(*TextOption("I/N|auto").option) == Words{"auto"});
  CHECK(choices_of(*TextOption("R,G,B|#RRGGBB").option).empty());
  CHECK_FALSE(has_choices(*TextOption("I/N|auto").option));
}

TEST_CASE("a form says what kind of value it stands for") {
  REQUIRE(find_form("DIR") != nullptr);
  CHECK(find_form("DIR")->path == "folder");
  CHECK(find_form("NAME") == nullptr);
  CHECK(not_of_form("CxR") == " is not of the form CxR, columns x rows, such as 4x3");
  CHECK(not_of_form("NAME") == " is not of the form NAME");
  CHECK(not_of_form("a|b") == " is none of a|b");
}
