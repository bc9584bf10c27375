#include "device/lease.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/stream_checks.hpp"

namespace hotpack::device {

Error no_memory_error() {
  return {ErrorCode::io,
          "the host has no memory for the description of a batch; free some memory and call again: "
          "the batch is not lost",
          {},
          {}};
}

Output::Output(std::shared_ptr<Core> core, DeviceBatchInfo info)
    : core_(std::move(core)), info_(std::move(info)) {
  const auto self = std::this_thread::get_id();
  for (std::size_t part = 0; part < info_.parts.size(); ++part)
    uses_.push_back({part, info_.parts[part].stream, self});
}

Output::~Output() {
  if (memory_ == nullptr) return;
  if (core_->stager().forked()) {  // a child must not use CUDA
    static_cast<void>(memory_.release());
    // A pointer that is never destroyed keeps the Core alive.
    alignas(std::shared_ptr<Core>) std::array<std::byte, sizeof(std::shared_ptr<Core>)> kept;
    static_cast<void>(::new (static_cast<void*>(kept.data()))
                          std::shared_ptr<Core>(std::move(core_)));
    return;
  }
  const Status ended = core_->outputs().give_back(std::move(memory_), std::move(uses_));
  if (!ended.ok()) core_->stager().fail(ended.error());
}

Status Output::record_stream(CUstream_st* stream, std::size_t part) {
  try {
    return note_use(stream, part);
  } catch (const std::bad_alloc&) {
    return no_memory_error();
  }
}

Status Output::note_use(CUstream_st* stream, std::size_t part) {
  if (part >= info_.parts.size()) {
    return usage_error("there is no part " + std::to_string(part) + "; the batch has " +
                       std::to_string(info_.parts.size()));
  }
  if (core_->stager().forked())
    return usage_error(
        "the loader was opened before a fork, and CUDA does not work in the child; start the child "
        "process with exec or spawn");
  const Part& of = core_->parts()[part];
  const CurrentContext current(*of.context);
  HOTPACK_TRY(current.status());
  HOTPACK_TRY(check_stream(*of.context, stream, part));
  HOTPACK_TRY(memory_->parts[part].written.make_wait(stream));
  const StreamUse use{part, stream, std::this_thread::get_id()};
  const std::lock_guard lock(mutex_);
  if (std::find(uses_.begin(), uses_.end(), use) != uses_.end()) return {};
  uses_.push_back(use);
  return {};
}

}  // namespace hotpack::device
