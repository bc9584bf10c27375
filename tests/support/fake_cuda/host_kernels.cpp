#include "support/fake_cuda/host_kernels.hpp"

#include "support/fake_cuda/host_threads.hpp"

hotpack::test::HostKernel hotpack::test::find_host_kernel(const std::string& name) {
  for (const HostThread& thread : kHostThreads) {
    if (name == thread.name) return thread.launch;
  }
  return nullptr;
}
