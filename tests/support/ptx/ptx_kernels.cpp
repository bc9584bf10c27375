#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "support/ptx/ptx_operations.hpp"

namespace hotpack::test::ptx {

void misaligned(const Origin& origin, int line, U64 address, unsigned bytes) {
  std::fprintf(stderr,
               "%s (%s:%d): %u bytes at 0x%" PRIx64
               ", which is no multiple of %u: a device stops here with 'misaligned address'\n",
               origin.kernel, origin.file, line, bytes, address, bytes);
  std::abort();
}

void outside_parameters(const Origin& origin, int line, S64 offset, unsigned bytes) {
  std::fprintf(stderr, "%s (%s:%d): %u bytes at %" PRId64 " of the parameters, which are fewer\n",
               origin.kernel, origin.file, line, bytes, offset);
  std::abort();
}

void trapped(const Origin& origin, int line) {
  std::fprintf(stderr, "%s (%s:%d): the instruction 'trap'\n", origin.kernel, origin.file, line);
  std::abort();
}

}  // namespace hotpack::test::ptx
