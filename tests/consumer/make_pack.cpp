// Writes a tiny pack into an existing folder: make_pack FOLDER [mixed]. With `mixed` its records
// have different sizes.
#include <exception>
#include <iostream>
#include <string>

#include "support/tiny_shard.hpp"

int main(int argc, char* argv[]) {
  const bool mixed = argc == 3 && std::string(argv[2]) == "mixed";
  if (argc != 2 && !mixed) return 2;
  try {
    hotpack::test::TinyForm form;
    if (mixed) form.size.reset();
    (void)hotpack::test::write_pack(argv[1], form, hotpack::test::tiny_records(form, 13), 2);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
