#include "pipeline/source_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::chrono::milliseconds, 3> kPauses{std::chrono::milliseconds(20), std::chrono::milliseconds(100),
                                                           std::chrono::milliseconds(400)};
constexpr std::size_t kFirstRead = 16 << 10;

// Network file systems lose and find files again: try a few times before the run stops.
template <class Attempt>
auto with_retries(Attempt attempt) -> decltype(attempt()) {
  for (const auto pause : kPauses) {
    auto result = attempt();
    if (result.ok() || result.error().code != ErrorCode::io) return result;
    std::this_thread::sleep_for(pause);
  }
  return attempt();
}

Error explain(Error error) {
  if (error.code == ErrorCode::io)
    error.message += "; tried " + std::to_string(kPauses.size() + 1) + " times; run the same command again to continue";
  return error;
}

Result<codecs::PictureInfo> probe_once(const std::string& path, std::vector<std::byte>& buffer) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  HOTPACK_ASSIGN(const std::uint64_t size, file.size());
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

Result<std::span<const std::byte>> SourceReader::read(const std::string& path, std::uint64_t planned_bytes) {
  const Status status = with_retries([&] { return read_file(path, buffer_); });
  if (!status.ok()) return explain(status.error());
  if (buffer_.size() != planned_bytes)
    return Error{ErrorCode::io,
                 "has " + std::to_string(buffer_.size()) + " bytes where the plan saw " + std::to_string(planned_bytes) +
                     ": the input changed during the run; run the same command again",
                 path,
                 {}};
  return std::span<const std::byte>(buffer_);
}

Result<codecs::PictureInfo> SourceReader::probe(const std::string& path) {
  Result<codecs::PictureInfo> info = with_retries([&] { return probe_once(path, buffer_); });
  if (!info.ok()) return explain(std::move(info).error());
  return info;
}

}  // namespace hotpack::pipeline
