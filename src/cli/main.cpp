#include "cli/command.hpp"

int main(int argc, char** argv) { return hotpack::cli::run_main(argc, argv); }
