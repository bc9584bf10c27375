// A stand-in for cuBLAS: the functions that the benchmark's loop of matrix products calls. Used
// with the stand-in of a device. A product copies a part of its matrix on the stream that was set.
// In tests, HOTPACK_CUBLAS names this library. If HOTPACK_FAKE_CUBLAS_FAILS is set, every product
// fails.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using Copy = int (*)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream);

constexpr std::size_t kCopied = std::size_t{4} << 20;
constexpr int kSuccess = 0, kNotInitialized = 1, kExecutionFailed = 13, kVersion = 12000;

// Finds cuMemcpyDtoDAsync of the driver that the program uses.
Copy find_copy() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return nullptr;
  const auto find = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t)>(
      dlsym(driver, "cuGetProcAddress"));
  void* found = nullptr;
  if (find == nullptr || find("cuMemcpyDtoDAsync", &found, kVersion, 0) != 0) return nullptr;
  return reinterpret_cast<Copy>(found);
}

struct Handle {
  Copy copy = nullptr;
  void* stream = nullptr;
};

std::uint64_t address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cublasCreate_v2(Handle** handle) {
  *handle = new Handle{find_copy(), nullptr};
  return (*handle)->copy != nullptr ? kSuccess : kNotInitialized;
}

__attribute__((visibility("default"))) int cublasSetStream_v2(Handle* handle, void* stream) {
  handle->stream = stream;
  return kSuccess;
}

__attribute__((visibility("default"))) int cublasGemmEx(
    Handle* handle, int /*transpose_a*/, int /*transpose_b*/, int /*m*/, int /*n*/, int /*k*/,
    const void* /*alpha*/, const void* a, int /*type*/, int /*lda*/, const void* /*b*/,
    int /*type*/, int /*ldb*/, const void* /*beta*/, void* c, int /*type*/, int /*ldc*/,
    int /*compute*/, int /*algorithm*/) {
  if (std::getenv("HOTPACK_FAKE_CUBLAS_FAILS") != nullptr) return kExecutionFailed;
  return handle->copy(address(c), address(a), kCopied, handle->stream);
}

}  // extern "C"
