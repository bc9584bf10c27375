#include "label_setup/source_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::chrono::milliseconds, 3> kPauses{
    std::chrono::milliseconds(20), std::chrono::milliseconds(100), std::chrono::milliseconds(400)};
constexpr std::size_t kFirstRead = 16 << 10;
constexpr std::string_view kRunAgain = "; run the same command again";
constexpr std::string_view kPlanAgain =
    "; restore the file, or make the plan again with `hotpack plan`";

// True if a retry cannot help: reading the file is not permitted, or the path is no regular file.
bool stays_closed(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0 && (errno == EACCES || errno == ELOOP || errno == ENOTDIR))
    return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

bool same_time(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Reads the whole file. Returns an error if the file changes meanwhile.
Status read_at_rest(const std::string& path, std::vector<std::byte>& buffer) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  struct stat before {
  }, after{};
  if (::fstat(file.descriptor(), &before) != 0) return io_error("cannot stat", path, errno);
  buffer.resize(static_cast<std::size_t>(before.st_size));
  HOTPACK_TRY(file.read_at(0, buffer));
  if (::fstat(file.descriptor(), &after) != 0) return io_error("cannot stat", path, errno);
  if (before.st_size == after.st_size && same_time(before.st_mtim, after.st_mtim)) return {};
  return Error{ErrorCode::io, "is being written: it changed while it was read", path, {}};
}

// Calls `attempt` again a few times if it fails and `retries` is true, because network file systems
// may lose files for a moment.
template <class Attempt>
auto with_retries(bool retries, Attempt attempt) -> decltype(attempt()) {
  for (const auto pause : kPauses) {
    auto result = attempt();
    if (result.ok() || !retries || result.error().code != ErrorCode::io ||
        stays_closed(result.error().path))
      return result;
    std::this_thread::sleep_for(pause);
  }
  return attempt();
}

Error explain(Error error, bool retried) {
  if (error.code != ErrorCode::io) return error;
  if (retried && !stays_closed(error.path))
    error.message += "; tried " + std::to_string(kPauses.size() + 1) + " times";
  error.message += std::string(kRunAgain) + " to continue";
  return error;
}

Result<codecs::ImageInfo> probe_once(const std::string& path, std::vector<std::byte>& buffer) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  const std::uint64_t size = file.size_when_opened();
  for (std::size_t wanted = kFirstRead;; wanted *= 4) {
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, size)));
    HOTPACK_ASSIGN(const std::size_t got, file.read_some(0, buffer));
    const bool complete = got < wanted || got == size;
    Result<codecs::Probe> probe = codecs::probe(std::span(buffer).first(got), complete);
    if (!probe.ok()) {
      Error error = std::move(probe).error();
      error.path = path;
      return error;
    }
    if (!probe->need_more) return probe->info;
    if (complete) return data_error("the header is incomplete", path);
  }
}

}  // namespace

std::string what_failed(const Error& error) {
  return error.message.substr(0, error.message.find(kRunAgain));
}

Result<std::span<const std::byte>> SourceReader::read(const std::string& path,
                                                      std::uint64_t planned_bytes) {
  const Status status = with_retries(retries_, [&] { return read_at_rest(path, buffer_); });
  if (!status.ok()) return explain(status.error(), retries_);
  if (buffer_.size() == planned_bytes) return std::span<const std::byte>(buffer_);
  const std::string sizes = "has " + std::to_string(buffer_.size()) + " bytes where the plan saw " +
                            std::to_string(planned_bytes) + ": the input changed ";
  if (keeps_to_plan_)
    return data_error(sizes + "after the plan was made" + std::string(kPlanAgain), path);
  return Error{ErrorCode::io, sizes + "during the run" + std::string(kRunAgain), path, {}};
}

Result<codecs::ImageInfo> SourceReader::probe(const std::string& path) {
  Result<codecs::ImageInfo> info =
      with_retries(retries_, [&] { return probe_once(path, buffer_); });
  if (!info.ok()) return explain(std::move(info).error(), retries_);
  return info;
}

}  // namespace hotpack::pipeline
