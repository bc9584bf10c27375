#include "gpu/acceptance/matrix_loop.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::gpu {

namespace {

// Numbers from cublas_api.h and library_types.h. They are the same in all versions since 11.
constexpr int kNoTranspose = 0;    // CUBLAS_OP_N
constexpr int kBfloat16 = 14;      // CUDA_R_16BF
constexpr int kComputeFloat = 68;  // CUBLAS_COMPUTE_32F
constexpr int kDefault = -1;       // CUBLAS_GEMM_DEFAULT
constexpr int kSide = 8192;
constexpr std::uint64_t kMatrixBytes = std::uint64_t{2} * kSide * kSide;
constexpr std::uint64_t kPatternBytes = std::uint64_t{8} << 20;  // divides a matrix
static_assert(kMatrixBytes % kPatternBytes == 0);

using Handle = struct cublasContext*;
using Create = int (*)(Handle*);
using SetStream = int (*)(Handle, device::StreamHandle);
using Multiply = int (*)(Handle, int, int, int, int, int, const void*, const void*, int, int,
                         const void*, int, int, const void*, void*, int, int, int, int);

struct Library {
  Create create = nullptr;
  SetStream set_stream = nullptr;
  Multiply multiply = nullptr;
};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the files to try, the best first. If HOTPACK_CUBLAS names a library, no other one is
// tried.
std::vector<std::string> library_files() {
  if (const std::string asked = setting("HOTPACK_CUBLAS"); !asked.empty()) return {asked};
  std::vector<std::string> files;
  const std::string home = setting("CUDA_HOME");
  for (const std::string& folder : {std::string(), home.empty() ? home : home + "/lib64/",
                                    std::string("/usr/local/cuda/lib64/")})
    for (const char* name :
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
      files.push_back(folder + name);
  return files;
}

Result<Library> find_library() {
  void* handle = nullptr;
  for (const std::string& file : library_files())
    if (handle == nullptr) handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string asked = setting("HOTPACK_CUBLAS");
    return usage_error("there is no cuBLAS: " +
                       (asked.empty()
                            ? "libcublas.so.11 to .13 are neither on the system's search "
                              "path, nor in $CUDA_HOME/lib64 or /usr/local/cuda/lib64; set "
                              "HOTPACK_CUBLAS to the file"
                            : asked + ", which HOTPACK_CUBLAS names, cannot be loaded"));
  }
  const auto find = [&](const char* name) { return dlsym(handle, name); };
  Library library{reinterpret_cast<Create>(find("cublasCreate_v2")),
                  reinterpret_cast<SetStream>(find("cublasSetStream_v2")),
                  reinterpret_cast<Multiply>(find("cublasGemmEx"))};
  if (library.create == nullptr || library.set_stream == nullptr || library.multiply == nullptr)
    return usage_error(
        "libcublas lacks functions that this benchmark needs; set HOTPACK_CUBLAS to another "
        "library");
  return library;
}

Status check(const char* call, int status) {
  if (status == 0) return {};
  return Error{
      ErrorCode::io, std::string(call) + " failed with status " + std::to_string(status), {}, {}};
}

// Fills `out` with random bf16 numbers from ±0.5 to ±1. Equal numbers would not do: their products
// take less power, and are faster.
void fill_with_noise(std::byte* out, std::uint64_t bytes) {
  constexpr std::uint16_t kHalf = 0x3F00;  // 0.5; below it 7 bits of mantissa, above it the sign
  std::uint32_t noise = 12345;
  for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint16_t)) {
    noise = noise * 1664525 + 1013904223;
    const auto number =
        static_cast<std::uint16_t>(kHalf | (noise >> 16 & 0x8000) | (noise >> 20 & 0x7F));
    std::memcpy(out + at, &number, sizeof number);
  }
}

}  // namespace

// The library and its handle stay open, because they must not close after the context.
struct MatrixLoop::Impl {
  const DeviceSession* session = nullptr;
  Library library;
  Handle handle = nullptr;
  device::Stream stream;
  std::array<device::DeviceMemory, 3> matrices;
  TimedEvent start;
  TimedEvent end;
  double seconds_a_product = 0;

  Status take_matrices() {
    HOTPACK_ASSIGN(device::PinnedMemory pattern,
                   device::PinnedMemory::take(session->context, kPatternBytes));
    fill_with_noise(pattern.data(), kPatternBytes);
    for (device::DeviceMemory& matrix : matrices) {
      HOTPACK_ASSIGN(matrix, device::DeviceMemory::take(session->context, kMatrixBytes));
      for (std::uint64_t at = 0; at < kMatrixBytes; at += kPatternBytes)
        HOTPACK_TRY(HOTPACK_DRIVER(session->context->driver(), MemcpyHtoDAsync,
                                   matrix.address() + at, pattern.data(), kPatternBytes,
                                   stream.handle()));
    }
    return stream.synchronize();
  }

  [[nodiscard]] Status multiply() const {
    constexpr float kOne = 1, kZero = 0;
    const auto at = [this](std::size_t matrix) {
      return reinterpret_cast<void*>(static_cast<std::uintptr_t>(
          matrices[matrix].address()));  // NOLINT(performance-no-int-to-ptr)
    };
    return check("cublasGemmEx",
                 library.multiply(handle, kNoTranspose, kNoTranspose, kSide, kSide, kSide, &kOne,
                                  at(0), kBfloat16, kSide, at(1), kBfloat16, kSide, &kZero, at(2),
                                  kBfloat16, kSide, kComputeFloat, kDefault));
  }
};

Result<MatrixLoop> MatrixLoop::open(const DeviceSession& session) {
  const auto impl = std::make_shared<Impl>();
  impl->session = &session;
  HOTPACK_ASSIGN(impl->library, find_library());
  HOTPACK_TRY(check("cublasCreate", impl->library.create(&impl->handle)));
  HOTPACK_ASSIGN(impl->stream, device::Stream::create(session.context));
  HOTPACK_TRY(
      check("cublasSetStream", impl->library.set_stream(impl->handle, impl->stream.handle())));
  HOTPACK_TRY(impl->take_matrices());
  HOTPACK_ASSIGN(impl->start, TimedEvent::create(session.context));
  HOTPACK_ASSIGN(impl->end, TimedEvent::create(session.context, TimedEvent::Wait::sleep));
  return MatrixLoop(impl);
}

Result<Work> MatrixLoop::run(double seconds) {
  Impl& impl = *impl_;
  constexpr double kMostProducts = 100000;
  const double wanted = impl.seconds_a_product > 0
                            ? std::min(seconds / impl.seconds_a_product, kMostProducts) + 1
                            : 3;
  const auto products = static_cast<std::uint64_t>(wanted);
  const double began = now_seconds();
  HOTPACK_TRY(impl.start.record(impl.stream.handle()));
  for (std::uint64_t product = 0; product < products; ++product) HOTPACK_TRY(impl.multiply());
  HOTPACK_TRY(impl.end.record(impl.stream.handle()));
  HOTPACK_TRY(impl.end.wait());
  HOTPACK_ASSIGN(const double spent, seconds_between(impl.start, impl.end, now_seconds() - began));
  impl.seconds_a_product = spent / static_cast<double>(products);
  constexpr std::uint64_t kOperations = std::uint64_t{2} * kSide * kSide * kSide;
  return Work{spent, products, products * kOperations};
}

}  // namespace hotpack::gpu
