#include "cli/whole_file.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/temporary_name.hpp"
#include "base/try.hpp"

namespace hotpack::cli {

namespace {

std::string temporary_path(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / temporary_name_of_process()).string();
}

Status write_content(const std::string& path, std::string_view content) {
  HOTPACK_ASSIGN(File file, File::create_exclusive(path));
  HOTPACK_TRY(file.write_at(0, bytes_of(content)));
  return file.close();
}

// The same error about the file that the user named, not about its temporary name.
Status with_path(Status status, const std::string& path) {
  if (status.ok()) return status;
  Error error = std::move(status).error();
  error.path = path;
  return error;
}

}  // namespace

std::string temporary_name_of_process() {
  static std::atomic<unsigned> count{0};
  return temporary_name("hotpack", static_cast<std::uint64_t>(::getpid()) << 32 | count++);
}

Status write_new_file(const std::string& path, std::string_view content) {
  const std::string temporary = temporary_path(path);
  Status status = with_path(write_content(temporary, content), path);
  if (status.ok() && ::link(temporary.c_str(), path.c_str()) != 0)
    status = errno == EEXIST ? usage_error(path + ": exists already; choose a new name")
                             : io_error("cannot create this", path, errno);
  ::unlink(temporary.c_str());
  return status;
}

Status write_whole_file(const std::string& path, std::string_view content) {
  const std::string temporary = temporary_path(path);
  Status status = with_path(write_content(temporary, content), path);
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = io_error("cannot rename to this", path, errno);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace hotpack::cli
