// Writes a tiny pack into an existing folder: make_pack FOLDER.
#include <exception>
#include <iostream>

#include "support/tiny_shard.hpp"

int main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  try {
    const hotpack::test::TinyForm form;
    (void)hotpack::test::write_pack(argv[1], form, hotpack::test::tiny_records(form, 13), 2);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
