#include "bench/plain_read.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "bench/workers.hpp"

namespace hotpack::bench {

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;

struct FilePiece {
  const File* file;
  std::uint64_t offset;
};

// The first read that failed, whichever thread made it.
struct Failure {
  std::atomic<bool> failed{false};
  const File* file = nullptr;
  int errno_value = 0;

  void set(const File& of, int value) {
    if (failed.exchange(true)) return;
    file = &of;
    errno_value = value;
  }
};

// Makes reads bypass the page cache (O_DIRECT), which File::open_read does not offer. If the system
// refuses that, the file is read through the page cache.
void read_past_cache(const File& file) {
  const int flags = ::fcntl(file.descriptor(), F_GETFL);
  static_cast<void>(::fcntl(file.descriptor(), F_SETFL, flags | O_DIRECT));
}

Result<std::vector<FilePiece>> pieces_of(const std::vector<File>& files) {
  std::vector<FilePiece> pieces;
  for (const File& file : files) {
    HOTPACK_ASSIGN(const std::uint64_t size, file.size());
    for (std::uint64_t offset = 0; offset < size; offset += kPiece)
      pieces.push_back({&file, offset});
  }
  return pieces;
}

}  // namespace

Result<Work> plain_read(std::span<const std::string> paths, unsigned threads, double seconds,
                        double start) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    HOTPACK_ASSIGN(File file, File::open_read(path));
    read_past_cache(file);
    files.push_back(std::move(file));
  }
  HOTPACK_ASSIGN(const std::vector<FilePiece> pieces, pieces_of(files));
  if (pieces.empty()) return Work{};
  ThreadBuffers buffers(threads, 0, kPiece);
  const auto first = static_cast<std::uint64_t>(start * static_cast<double>(pieces.size()));
  std::atomic<std::uint64_t> bytes{0};
  Failure failure;
  const auto read_piece = [&](unsigned thread, std::uint64_t number) {
    if (number >= pieces.size() || failure.failed) return false;
    const FilePiece& piece = pieces[(first + number) % pieces.size()];
    const ::ssize_t got = ::pread(piece.file->descriptor(), buffers.take(thread, kPiece), kPiece,
                                  static_cast<::off_t>(piece.offset));
    if (got < 0) failure.set(*piece.file, errno);
    bytes += static_cast<std::uint64_t>(std::max<::ssize_t>(got, 0));
    return got >= 0;
  };
  const Pieces done = run_pieces(threads, seconds, read_piece);
  if (failure.failed) return io_error("cannot read", failure.file->path(), failure.errno_value);
  return Work{done.seconds, 0, bytes};
}

}  // namespace hotpack::bench
