#include "c_api/status.hpp"

#include "c_api/structs.hpp"
#include "hotpack/build_info.hpp"
#include "hotpack/version.hpp"

namespace hotpack::c_api {

hotpack_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return HOTPACK_ERROR_USAGE;
    case ErrorCode::data:
      return HOTPACK_ERROR_DATA;
    case ErrorCode::io:
      return HOTPACK_ERROR_IO;
    case ErrorCode::damaged:
      return HOTPACK_ERROR_DAMAGED;
    case ErrorCode::internal:
      return HOTPACK_ERROR_INTERNAL;
    case ErrorCode::timeout:
      return HOTPACK_ERROR_TIMEOUT;
    case ErrorCode::cancelled:
      return HOTPACK_ERROR_CANCELLED;
    case ErrorCode::busy:
      return HOTPACK_ERROR_BUSY;
  }
  return HOTPACK_ERROR_INTERNAL;
}

}  // namespace hotpack::c_api

uint32_t hotpack_abi_version(void) { return HOTPACK_ABI_VERSION; }

hotpack_status hotpack_build_describe(hotpack_build_info* info) {
  using namespace hotpack;
  if (info == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    static const BuildInfo& known = *new BuildInfo(build_info());  // never freed, so texts stay
    const hotpack_build_info texts{sizeof texts, known.version.c_str(), known.compiler.c_str(),
                                   known.zstd.c_str(), known.instructions.c_str()};
    return c_api::write_struct(texts, info, "hotpack_build_info").ok() ? HOTPACK_OK
                                                                       : HOTPACK_ERROR_USAGE;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

const char* hotpack_version(void) { return HOTPACK_VERSION; }

const char* hotpack_status_name(hotpack_status status) {
  switch (status) {
    case HOTPACK_OK:
      return "ok";
    case HOTPACK_END_OF_EPOCH:
      return "end of epoch";
    case HOTPACK_NOT_FOUND:
      return "not found";
    case HOTPACK_ERROR_USAGE:
      return "usage";
    case HOTPACK_ERROR_DATA:
      return "data";
    case HOTPACK_ERROR_IO:
      return "io";
    case HOTPACK_ERROR_DAMAGED:
      return "damaged";
    case HOTPACK_ERROR_INTERNAL:
      return "internal";
    case HOTPACK_ERROR_TIMEOUT:
      return "timeout";
    case HOTPACK_ERROR_CANCELLED:
      return "cancelled";
    case HOTPACK_ERROR_BUSY:
      return "busy";
    default:
      return "unknown status";
  }
}
