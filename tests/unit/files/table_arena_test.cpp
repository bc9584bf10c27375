#include "files/table_arena.hpp"

#include <string>

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("paths take the place of rows that were read") {
  TableArena arena("image,label\na.png,b.png\nc.png,d.png\n");
  CHECK(arena.table().size() == 36);
  const std::string rest(arena.table().substr(24));
  CHECK(arena.add("a.png", 23) == 0);
  CHECK(arena.add("b.png", 23) == 5);
  CHECK(arena.table().substr(0, 10) == "a.pngb.png");
  CHECK(arena.table().substr(24) == rest);
  CHECK(arena.add("c.png", 35) == 10);
  const TextArena text = arena.finish();
  CHECK(text.view(0, 15) == "a.pngb.pngc.png");
}

TEST_CASE("what does not fit into rows that were read follows the table") {
  TableArena arena("ab,cd\nef,gh\n");
  CHECK(arena.add("abcdef", 5) == 12);
  CHECK(arena.add("abc", 5) == 0);
  CHECK(arena.add("def", 5) == 18);
  CHECK(arena.add("de", 5) == 3);
  CHECK(arena.table().substr(5) == "\nef,gh\n");
  CHECK(arena.add("x", 99) == 5);
  const TextArena text = arena.finish();
  CHECK(text.view(0, 6) == "abcdex");
  CHECK(text.view(12, 9) == "abcdefdef");
}

TEST_CASE("a table of which paths are a small part gives its memory back") {
  TableArena arena("a.png," + std::string(1'000'000, 'x') + "\n");
  (void)arena.add("a.png", 1'000'006);
  const TextArena text = arena.finish();
  CHECK(text.view(0, 5) == "a.png");
  CHECK(text.memory_bytes() < 1000);
}

TEST_CASE("a table without paths leaves no text") {
  TableArena arena("");
  CHECK(arena.finish().memory_bytes() < 100);
}
