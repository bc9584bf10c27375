#include "base/shell_word.hpp"

#include "support/catch.hpp"

using hotpack::shell_path;
using hotpack::shell_word;

TEST_CASE("words are quoted if a shell would split them") {
  CHECK(shell_word("a/b-1.png") == "a/b-1.png");
  CHECK(shell_word("").size() == 2);
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("~x") == "'~x'");
  CHECK(shell_word("$HOME;`ls`") == "'$HOME;`ls`'");
  CHECK(shell_word("\xc3\xa4") == "'\xc3\xa4'");
}

TEST_CASE("unprintable characters become numbers") {
  CHECK(shell_word("a\nb") == "$'a\\012b'");
  CHECK(shell_word("\xff'") == "$'\\377\\047'");
  CHECK(shell_word("x\xe2\x80\xaey") == "$'x\\342\\200\\256y'");  // turns the direction of text
  // So do the isolates U+2066 to U+2069.
  for (const std::string last : {"\xa6", "\xa7", "\xa8", "\xa9"})
    CHECK(shell_word("\xe2\x81" + last).starts_with("$'\\342\\201"));
  CHECK(shell_word("\xed\xa0\x80") == "$'\\355\\240\\200'");  // half a surrogate pair
  CHECK(shell_word("\xc0\xaf") == "$'\\300\\257'");           // an overlong form
}

TEST_CASE("a path that begins with a dash is not an option") {
  CHECK(shell_path("-d") == "./-d");
  CHECK(shell_path("- d") == "'./- d'");
  CHECK(shell_path("d") == "d");
}
